import { tcpProbe } from '../../bastion/probes.ts';
import type { Cluster } from '../../cluster/client.ts';
import { isClusterError } from '../../cluster/errors.ts';
import type { Move as ClusterMove, MoveState } from '../../cluster/infra/move.ts';
import { MOVES } from '../../cluster/infra/moves.ts';
import type { Stage } from '../../design/model.ts';
import { nodesWithRole } from '../../design/names.ts';
import { MOVE } from '../../diagnosis/moves.ts';
import { judge } from '../../diagnosis/rule.ts';
import { MINUTE, SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { Probe, Step, StepContext } from '../contract.ts';
import { apiFindings, look, openCluster } from '../shared/access.ts';
import { balancersBehind } from '../shared/hosts/balancer-proof.ts';
import { hostInstruction } from '../shared/hosts/commands.ts';
import { liveStage } from '../shared/hosts/live-stage.ts';
import { applyStage, hasReached, stageChanges } from '../shared/hosts/load-balancer.ts';
import { rideOut } from '../shared/ride-out.ts';

const words = () => catalogue().steps.infra;
const MOVE_PATIENCE = 15 * MINUTE;

/** The moves in the order that avoids an outage: what lets pods run there first, what keeps others off last. */
export const MOVE_ORDER = [
  'label',
  'pool',
  'lb-add',
  'dns',
  'router',
  'registry',
  'monitoring',
  'taint',
  'lb-final',
] as const;
export type MoveName = (typeof MOVE_ORDER)[number];

/** What the infra screen draws: the moves of this design in their order, each with how far it is. */
export interface InfraView {
  readonly moves: readonly (MoveState & { readonly name: MoveName })[];
}

/** One move, whichever side it is on: the cluster's objects or the load balancer's files. */
export interface Move {
  readonly name: MoveName;
  probe(): Promise<MoveState>;
  apply(report: (line: string) => void): Promise<void>;
  verify(): Promise<MoveState>;
  undo(report: (line: string) => void): Promise<void>;
}

/** Gives the infra nodes their role and moves to them what belongs there, one move after the other; each can be taken back. */
export const infraStep: Step<InfraView> = {
  id: 'infra',
  lookEvery: 5 * SECOND,
  patience: 60 * MINUTE,
  probe,
  async plan(_context, { view }) {
    const open = view.moves.filter(({ state }) => state === 'needed');
    return {
      changes: open.flatMap(({ name, changes }) =>
        changes.length === 0
          ? [{ object: name, what: words().moves[name] ?? name, before: null, after: null }]
          : changes.map(({ object, before, after }) => ({ object, what: words().moves[name] ?? name, before, after })),
      ),
      isDangerous: true,
      instructions: [],
    };
  },
  async apply(context, report) {
    for (const name of movesOf(context)) {
      context.signal.throwIfAborted();
      await applyMove(await moveNamed(context, name), context, report);
    }
  },
  async applyOne(context, subject, report) {
    await applyMove(await moveNamed(context, subject), context, report);
  },
  verify: probe,
  async undo(context, subject, report) {
    const names = subject === null ? [...MOVE_ORDER].reverse() : [subject];
    for (const name of names) {
      context.signal.throwIfAborted();
      await (await moveNamed(context, name)).undo(report);
    }
  },
};

/** Without infra nodes nothing moves; storage nodes are labelled all the same. */
function movesOf({ design }: StepContext): readonly MoveName[] {
  return nodesWithRole(design, 'infra').length > 0 ? MOVE_ORDER : ['label'];
}

async function probe(context: StepContext): Promise<Probe<InfraView>> {
  if (nodesWithRole(context.design, 'infra', 'storage').length === 0)
    return { state: 'done', summary: words().none, view: { moves: [] }, findings: [] };
  const api = await look(context, []);
  const asLastSeen = (): Probe<InfraView> => ({
    state: 'waiting',
    summary: api?.api.line ?? words().apiAway,
    view: context.recollection.infra ?? { moves: [] },
    findings: apiFindings(api),
  });
  if (api?.api.state === 'away') return asLastSeen();
  try {
    return await probeMoves(context);
  } catch (error) {
    // It went away between two questions: the next look says since when.
    if (isClusterError(error, 'not-yet', 'unreachable', 'credentials')) return asLastSeen();
    throw error;
  }
}

async function probeMoves(context: StepContext): Promise<Probe<InfraView>> {
  const moves = await Promise.all(
    movesOf(context).map(async (name) => {
      const move = await moveNamed(context, name);
      return { ...(await move.probe()), name };
    }),
  );
  const view: InfraView = { moves };
  context.recollection.infra = view;
  const open = moves.filter(({ state }) => state !== 'done' && state !== 'absent');
  const first = open[0];
  const isMoved = nodesWithRole(context.design, 'infra').length > 0;
  if (!first) return { state: 'done', summary: isMoved ? words().done : words().labelled, view, findings: [] };
  const findings = open.flatMap((move) => judge(MOVE, move));
  if (open.every(({ state }) => state === 'moving')) {
    return { state: 'waiting', summary: words().waiting(first.name, first.why), view, findings };
  }
  const needed = open.filter(({ state }) => state === 'needed').map(({ name }) => name);
  // A later move that waits for an earlier one is no obstacle: they are done in order.
  const state = needed.length > 0 ? 'needed' : 'blocked';
  return {
    state,
    summary: needed.length > 0 ? words().needed(needed.join(', ')) : first.why,
    view,
    findings: needed.length > 0 ? [] : findings,
  };
}

/**
 * Applies one move and waits until the running thing shows it.
 * @throws TroubleError `move-failed` when it is blocked, fails or is not there within 15 minutes
 */
export async function applyMove(
  move: Move,
  context: Pick<StepContext, 'clock' | 'signal'>,
  report: (line: string) => void,
): Promise<void> {
  const before = await rideOut(context, () => move.probe());
  if (before.state === 'done' || before.state === 'absent') return;
  report(words().applying(move.name));
  if (before.state === 'blocked') throw moveTrouble(move.name, before.why);
  if (before.state !== 'moving') await rideOut(context, () => move.apply(report));
  const began = context.clock.now();
  for (;;) {
    const { state, why } = await rideOut(context, () => move.verify());
    if (state === 'done' || state === 'absent') return report(`${move.name}: ${why}`);
    if (state === 'failed') throw moveTrouble(move.name, why);
    if (context.clock.now() - began > MOVE_PATIENCE) throw moveTrouble(move.name, `${words().timedOut}: ${why}`);
    await context.clock.sleep(2 * SECOND, context.signal);
  }
}

function moveTrouble(name: string, why: string): TroubleError {
  return new TroubleError({
    code: 'move-failed',
    title: words().failed(name),
    cause: why,
    whatToDo: words().blockedFix,
  });
}

/** The move of that name, with a connection of its own. @throws TroubleError `move-failed` where there is none */
export async function moveNamed(context: StepContext, name: string): Promise<Move> {
  if (name === 'lb-add') return balancerMove(context, 'lb-add', 'infra-added');
  if (name === 'lb-final') return balancerMove(context, 'lb-final', 'infra-only');
  const cluster = await openCluster(context);
  if (!cluster || !isClusterMove(name)) throw moveTrouble(name, words().blockedFix);
  return clusterMove(context, cluster, MOVES[name]);
}

function isClusterMove(name: string): name is keyof typeof MOVES {
  return Object.hasOwn(MOVES, name);
}

/** A move of the cluster's objects, for one cluster and design. */
export function clusterMove({ design }: Pick<StepContext, 'design'>, cluster: Cluster, move: ClusterMove): Move {
  return {
    name: move.name,
    probe: () => move.probe(cluster, design),
    apply: (report) => move.apply(cluster, design, report),
    verify: () => move.verify(cluster, design),
    undo: (report) => move.undo(cluster, design, report),
  };
}

/** Infra nodes join the pools of 80 and 443 before the router moves there; the others leave them after it has. */
function balancerMove(context: StepContext, name: 'lb-add' | 'lb-final', stage: Stage): Move {
  const isWanted = stage === 'infra-added' || context.design.infra.removeWorkersFromLoadBalancer;
  const isExternal = context.design.services.loadBalancer.kind === 'external';
  async function seen(): Promise<MoveState> {
    if (!isWanted || isExternal) return { state: 'absent', why: '', changes: [] };
    if (!hasReached(context, stage)) {
      const changes = await stageChanges(context, stage);
      const diff = changes.map(({ object, before, after }) => ({ object, before, after }));
      if (stage === 'infra-only' && !(await isRouterMoved()))
        return { state: 'blocked', why: words().waitRouterFirst, changes: [] };
      return { state: 'needed', why: words().moves[name] ?? '', changes: diff };
    }
    // A person may not have put it in place yet: routers must not move to where nothing leads.
    const behind = await balancersBehind(context, liveStage(context));
    if (behind.length > 0) {
      const why = words().lbBehind(
        behind.join(', '),
        behind.flatMap((host) => hostInstruction(context, host)).join('; '),
      );
      return { state: 'moving', why, changes: [] };
    }
    const { reach, clock, design } = context;
    const probes = design.endpoints.ingress.map((host) => tcpProbe(reach, clock, host, 443, 3 * SECOND));
    const closed = (await Promise.all(probes)).find(({ state }) => state !== 'open');
    return closed === undefined
      ? { state: 'done', why: words().lbDone, changes: [] }
      : { state: 'moving', why: closed.detail, changes: [] };
  }
  async function isRouterMoved(): Promise<boolean> {
    const router = await moveNamed(context, 'router');
    return (await router.probe()).state === 'done';
  }
  return {
    name,
    probe: seen,
    verify: seen,
    async apply(report) {
      if (stage === 'infra-only' && !(await isRouterMoved())) throw moveTrouble(name, words().waitRouterFirst);
      await applyStage(context, stage, report);
    },
    undo: (report) => applyStage(context, stage === 'infra-only' ? 'infra-added' : 'bootstrap-removed', report),
  };
}
