import { tcpProbe } from '../../bastion/probes/probes.ts';
import { type NotYet, sightOf } from '../../cluster/infra/run.ts';
import type { Design } from '../../design/model.ts';
import type { MoveChange } from '../../moves/edit.ts';
import type { FilesMove, MoveState } from '../../moves/move.ts';
import type { MoveName } from '../../moves/table.ts';
import { SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { Change, StepContext } from '../contract.ts';
import { balancersBehind } from '../shared/hosts/balancer-proof.ts';
import { hostCommands } from '../shared/hosts/commands.ts';
import { liveStage } from '../shared/hosts/live-stage.ts';
import { applyStage, hasReached, stageChanges, stageInstructions } from '../shared/hosts/load-balancer.ts';
import { putState } from '../shared/hosts/put-in-place.ts';
import type { MoveSite, Side } from './site.ts';

const words = () => catalogue().steps.infra;

/** Files hold nothing that has to leave first. */
const UNEMPTIED = { empty: () => Promise.resolve(null), emptied: () => Promise.resolve(null) };

/** A move of the load balancers' files. None without an install directory, or where the balancer is not ours. */
export function filesSide(site: MoveSite, move: FilesMove<MoveName>, notYet: NotYet): Side {
  const { context, design } = site;
  const undoWaits = async () => (move.undoWaits ? await move.undoWaits(sightOf(await site.connect()), design) : null);
  const left = () => Promise.resolve(null);
  const isWanted = isOurs(move, design);
  if (context === null || !isWanted) {
    const why = isWanted ? catalogue().live.infra.noDirectory : '';
    const nothing = () => Promise.resolve();
    const probe = () => Promise.resolve({ state: 'absent', why, changes: [] } as const);
    return {
      probe,
      apply: nothing,
      operator: left,
      planUndo: left,
      undo: async () => [],
      ...UNEMPTIED,
      undoWaits,
      left,
      byHand: [],
    };
  }
  return {
    probe: () => probeStage(context, move, notYet),
    async apply(tell, check = () => undefined) {
      const why = await whyNotYet(context, move, notYet);
      if (why !== null)
        throw new TroubleError({ ...catalogue().moves.trouble.blocked, code: 'infra-blocked', cause: why });
      for (const change of await changesOf(context, move)) check(change);
      await site.log?.noteFiles(await site.connect(), move.name, 'files');
      await applyStage(context, move.stage, tell);
    },
    operator: left,
    async planUndo(toDefaults) {
      // What joining nodes made (see joining.ts) was there before the moves.
      const isForeign = (await site.log?.hasPutFiles(await site.connect(), move.name)) === false;
      if (isForeign && !toDefaults) return { move: move.name, to: 'foreign', isOfFiles: true };
      return { move: move.name, to: 'files', changes: textsOf(await stageChanges(context, move.stageBefore)) };
    },
    async undo(tell) {
      await applyStage(context, move.stageBefore, tell);
      await site.log?.noteFiles(await site.connect(), move.name, 'files-returned');
      return [];
    },
    ...UNEMPTIED,
    undoWaits,
    left,
    byHand: context.hands.isPerson ? stageInstructions(context) : [],
  };
}

/**
 * How far a move of files is by what was generated last; asks nobody. `early`: the files of its stage lack the bootstrap, and
 * would cut it off. `due`: they can be made, once the moves that it needs are made.
 */
export function filesProgress(context: StepContext, move: FilesMove): 'unwanted' | 'early' | 'due' | 'made' {
  if (!isOurs(move, context.design)) return 'unwanted';
  if (hasReached(context, move.stage)) return 'made';
  return hasReached(context, 'bootstrap-removed') ? 'due' : 'early';
}

function isOurs(move: FilesMove, design: Design): boolean {
  return move.isWanted(design) && design.services.loadBalancer.kind !== 'external';
}

async function whyNotYet(context: StepContext, move: FilesMove, notYet: NotYet): Promise<string | null> {
  if (filesProgress(context, move) === 'early') return catalogue().live.infra.bootstrapFirst;
  return (await notYet()).length > 0 ? words().waitRouterFirst : null;
}

async function changesOf(context: StepContext, move: FilesMove): Promise<MoveChange[]> {
  // The stage before may be one that an earlier move of the same plan writes.
  const from = hasReached(context, move.stageBefore) ? undefined : move.stageBefore;
  return textsOf(await stageChanges(context, move.stage, from));
}

const textsOf = (changes: readonly Change[]): MoveChange[] =>
  changes.map(({ object, before, after }) => ({ object, isFile: true, before, after }));

async function probeStage(context: StepContext, move: FilesMove<MoveName>, notYet: NotYet): Promise<MoveState> {
  if (filesProgress(context, move) !== 'made') {
    const why = await whyNotYet(context, move, notYet);
    if (why !== null) return { state: 'blocked', why, changes: [] };
    const changes = await changesOf(context, move);
    return { state: 'needed', why: catalogue().moves.each[move.name].does, changes };
  }
  // A person may not have put it in place yet: routers must not move where no traffic arrives.
  const behind = await balancersBehind(context, liveStage(context));
  // Ended between writing the files and noting that they are in place, the host runs those of another stage.
  if (!context.hands.isPerson && behind.some((host) => putState(context, host) !== 'current'))
    return { state: 'needed', why: catalogue().moves.each[move.name].does, changes: [] };
  if (behind.length > 0) {
    const commands = behind.flatMap((host) => hostCommands(context, host));
    return { state: 'moving', why: words().lbBehind(behind.join(', '), commands), changes: [] };
  }
  const { reach, clock, design } = context;
  const probes = design.endpoints.ingress.map((host) => tcpProbe(reach, clock, host, 443, 3 * SECOND));
  const closed = (await Promise.all(probes)).find(({ state }) => state !== 'open');
  return closed === undefined
    ? { state: 'done', why: words().lbDone, changes: [] }
    : { state: 'moving', why: closed.detail, changes: [] };
}
