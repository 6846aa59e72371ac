import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import type { MoveChange } from '../../infra/edit.ts';
import type { FilesMove, MoveStatus } from '../../infra/infra-move.ts';
import { lbAddMove } from '../../infra/moves/lb-add.ts';
import type { MoveName } from '../../infra/moves.ts';
import { createClusterReader, type UnfinishedMoveLister } from '../../infra/send-edits.ts';
import { SECOND } from '../../platform/clock.ts';
import { probeTcp } from '../../probes/probes.ts';
import type { PlannedChange, StepContext } from '../contract.ts';
import { listHostCommands } from '../shared/hosts/host-command.ts';
import { getLiveStage, hasReachedStage } from '../shared/hosts/live-stage.ts';
import {
  applyStage,
  findOutdatedLoadBalancers,
  listStageInstructions,
  planStageChanges,
} from '../shared/hosts/load-balancer.ts';
import { compareHostFiles } from '../shared/hosts/service-checks.ts';
import type { InfraContext, MoveExecutor } from './infra-context.ts';

const words = () => catalogue().steps.infra;

/** Files have no pods to drain first. */
const NO_DRAIN = { drain: () => Promise.resolve(null), untilDrained: () => Promise.resolve(null) };

/**
 * Creates the executor of a move of load balancer files. It does nothing without an install directory, or if the files
 * are not ours or not wanted by the design.
 */
export function loadBalancerExecutor(
  infra: InfraContext,
  move: FilesMove<MoveName>,
  listUnfinished: UnfinishedMoveLister,
): MoveExecutor {
  const { context, design } = infra;
  const untilUndoable = async () =>
    move.untilUndoable ? await move.untilUndoable(createClusterReader(await infra.connect()), design) : null;
  const resolveNull = () => Promise.resolve(null);
  const isWanted = isOurs(move, design);
  if (context === null || !isWanted) {
    const why = isWanted ? catalogue().live.infra.noDirectory : '';
    const resolveNothing = () => Promise.resolve();
    const probe = () => Promise.resolve({ state: 'absent', why, changes: [] } as const);
    return {
      probe,
      apply: resolveNothing,
      getOperator: resolveNull,
      planUndo: resolveNull,
      undo: async () => [],
      ...NO_DRAIN,
      untilUndoable,
      untilPodsGone: resolveNull,
      manualSteps: [],
    };
  }
  return {
    probe: () => probeStage(context, move, listUnfinished),
    async apply(onWrite, check = () => undefined) {
      const why = await findBlockingReason(context, move, listUnfinished);
      if (why !== null)
        throw new UserErrorException({ ...catalogue().moves.trouble.blocked, code: 'infra-blocked', cause: why });
      for (const change of await planChanges(context, move)) check(change);
      await infra.log?.recordFiles(await infra.connect(), move.name, 'files');
      await applyStage(context, move.stage, onWrite);
    },
    getOperator: resolveNull,
    async planUndo(toDefaults) {
      // Files written when nodes joined (see balancer-on-join.ts) existed before the moves.
      const isForeign = (await infra.log?.hasPlacedFiles(await infra.connect(), move.name)) === false;
      if (isForeign && !toDefaults) return { move: move.name, to: 'foreign', isFileMove: true };
      return {
        move: move.name,
        to: 'files',
        changes: toMoveChanges(await planStageChanges(context, move.previousStage)),
      };
    },
    async undo(onWrite) {
      await applyStage(context, move.previousStage, onWrite);
      await infra.log?.recordFiles(await infra.connect(), move.name, 'files-returned');
      return [];
    },
    ...NO_DRAIN,
    untilUndoable,
    untilPodsGone: resolveNull,
    manualSteps: listStageInstructions(context),
  };
}

/**
 * Progress of a files move, according to the files generated last; sends no requests. `early`: the files of its stage
 * lack the bootstrap, and would cut it off. `due`: they can be written once the needed moves are done.
 */
function filesProgress(context: StepContext, move: FilesMove): 'unwanted' | 'early' | 'due' | 'made' {
  if (!isOurs(move, context.design)) return 'unwanted';
  if (hasReachedStage(context, move.stage)) return 'made';
  return hasReachedStage(context, 'bootstrap-removed') ? 'due' : 'early';
}

function isOurs(move: FilesMove, design: Design): boolean {
  return move.isWanted(design) && design.services.loadBalancer.kind !== 'external';
}

async function findBlockingReason(
  context: StepContext,
  move: FilesMove,
  listUnfinished: UnfinishedMoveLister,
): Promise<string | null> {
  if (filesProgress(context, move) === 'early') return catalogue().live.infra.bootstrapFirst;
  return (await listUnfinished()).length > 0 ? words().routerFirst : null;
}

async function planChanges(context: StepContext, move: FilesMove): Promise<MoveChange[]> {
  // The previous stage may be one that an earlier move of the same plan writes.
  const from = hasReachedStage(context, move.previousStage) ? undefined : move.previousStage;
  return toMoveChanges(await planStageChanges(context, move.stage, from));
}

const toMoveChanges = (changes: readonly PlannedChange[]): MoveChange[] =>
  changes.map(({ object, before, after }) => ({ object, isFile: true, before, after }));

async function probeStage(
  context: StepContext,
  move: FilesMove<MoveName>,
  listUnfinished: UnfinishedMoveLister,
): Promise<MoveStatus> {
  if (filesProgress(context, move) !== 'made') {
    const why = await findBlockingReason(context, move, listUnfinished);
    if (why !== null) return { state: 'blocked', why, changes: [] };
    const changes = await planChanges(context, move);
    return { state: 'needed', why: catalogue().moves.byName[move.name].does, changes };
  }
  // The user may not have put the files in place yet: routers must not move where no traffic arrives.
  const outdatedHosts = await findOutdatedLoadBalancers(context, getLiveStage(context));
  // If the wizard ended between writing the files and recording that, the host runs those of another stage.
  if (
    context.manualActions.canInstallHostFiles &&
    outdatedHosts.some((host) => compareHostFiles(context, host) !== 'current')
  )
    return { state: 'needed', why: catalogue().moves.byName[move.name].does, changes: [] };
  if (outdatedHosts.length > 0) {
    const commands = outdatedHosts.flatMap((host) => listHostCommands(context, host));
    return { state: 'moving', why: words().loadBalancerOutdated(outdatedHosts.join(', '), commands), changes: [] };
  }
  const { resolveEndpoint, clock, design } = context;
  const probes = design.endpoints.ingress.map((host) => probeTcp(resolveEndpoint, clock, host, 443, 3 * SECOND));
  const closed = (await Promise.all(probes)).find(({ state }) => state !== 'open');
  return closed === undefined
    ? { state: 'done', why: words().loadBalancerUpdated, changes: [] }
    : { state: 'moving', why: closed.detail, changes: [] };
}

// Infra nodes are compute nodes at first: a router may be scheduled on one before the moves, and must be reachable
// there. So lb-add is applied when they join. Nothing waits for the load balancer then: no router runs yet.

/** Whether the load balancer lacks the infra nodes, although the bootstrap is already removed from it. */
export function isBalancerOutdated(context: StepContext): boolean {
  return filesProgress(context, lbAddMove) === 'due';
}

/** Plans the changes of lb-add on the load balancers; empty if it is not due. */
export async function planBalancerChanges(context: StepContext): Promise<PlannedChange[]> {
  return isBalancerOutdated(context) ? await planStageChanges(context, lbAddMove.stage) : [];
}

/** Applies lb-add if it is due, without waiting for the load balancers. */
export async function addToBalancer(context: StepContext, report: (line: string) => void): Promise<void> {
  if (isBalancerOutdated(context)) await applyStage(context, lbAddMove.stage, report);
}
