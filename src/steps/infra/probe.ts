import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import type { ClusterReader } from '../../infra/cluster-reader.ts';
import { cacheReads, overlayPlan, type PlannedCluster } from '../../infra/existing-cluster.ts';
import type { InfraMove } from '../../infra/infra-move.ts';
import { MOVES, type MoveName } from '../../infra/moves.ts';
import { createClusterReader } from '../../infra/send-edits.ts';
import { isClusterError } from '../../kube/errors.ts';
import { getElapsedSince, SECOND } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { ObservedMove } from '../probe-cache.ts';
import { createExecutor } from './executor.ts';
import type { InfraContext, MoveExecutor, MoveProbe } from './infra-context.ts';
import { isSatisfied } from './move-predicates.ts';
import { createPreflight } from './preflight.ts';

/** How long the data of a preflight stays valid while nothing is applied (ms of the clock). */
const PREFLIGHT_MAX_AGE = 30 * SECOND;

/** Creates a probe on one connection: it probes each move once, in its current state, even if several moves need it. */
export function createProbe(infra: InfraContext): MoveProbe {
  const shared = withSharedConnection(infra);
  return memoizeProbe((move, probe) => probeMove(createExecutor(shared, move, probe, isSatisfied), move.name));
}

function memoizeProbe(
  probeOne: (move: Parameters<MoveProbe>[0], probe: MoveProbe) => Promise<ObservedMove>,
): MoveProbe {
  const results = new Map<MoveName, Promise<ObservedMove>>();
  const probe: MoveProbe = (move) => {
    const found = results.get(move.name) ?? probeOne(move, probe);
    results.set(move.name, found);
    return found;
  };
  return probe;
}

/** Returns the context with one connection for all calls. */
export function withSharedConnection(infra: InfraContext): InfraContext {
  let cluster: ReturnType<InfraContext['connect']> | undefined;
  const connect = () => {
    cluster ??= infra.connect();
    return cluster;
  };
  return { ...infra, connect };
}

/**
 * Probes the named moves in the order of the table; the changes of each are planned on the cluster after the earlier
 * ones. A move that needs one which is not named waits for it.
 * @throws ClusterError if the API does not answer
 */
export async function probeMoves(infra: InfraContext, names: readonly MoveName[]): Promise<ObservedMove[]> {
  const shared = withSharedConnection(infra);
  const reader = cacheReads(createClusterReader(await shared.connect()));
  let planned = overlayPlan(reader);
  const preflight = createPreflight(createCachedReader(infra, reader), infra.design, names);
  const willBeApplied = (observed: ObservedMove) =>
    isSatisfied(observed) ||
    (names.includes(observed.name) && (observed.state === 'needed' || observed.state === 'moving'));
  const probe = memoizeProbe(async (move, others) => {
    const trial = planned.branch();
    const found = await probeMove(createExecutor(shared, move, others, willBeApplied), move.name, trial);
    if (!names.includes(move.name)) return found;
    const observed = await preflight.check(found);
    // A move in progress may still create nodes.
    if (observed.state === 'needed' || observed.state === 'moving') planned = trial;
    return observed;
  });
  const found: ObservedMove[] = [];
  for (const move of MOVES.filter(({ name }) => names.includes(name))) found.push(await probe(move));
  return found;
}

/**
 * Caches the reader of the preflight: the pods, nodes and pools that it reads stay valid for a while, and a screen
 * probes every few seconds.
 */
function createCachedReader({ context, clock }: InfraContext, reader: ClusterReader): ClusterReader {
  if (context === null) return reader;
  const { probeCache } = context;
  const known = probeCache.preflight;
  if (known !== null && getElapsedSince(clock, known.at) < PREFLIGHT_MAX_AGE) return known.clusterReader;
  probeCache.preflight = { at: clock.now(), clusterReader: reader };
  return reader;
}

/** Repeats the preflight of a move before it is applied. @param names the moves that are applied with it */
export async function recheckMove(
  infra: InfraContext,
  observed: ObservedMove,
  names: readonly MoveName[],
): Promise<ObservedMove> {
  return await createPreflight(cacheReads(createClusterReader(await infra.connect())), infra.design, names).check(
    observed,
  );
}

/**
 * Probes a move with its executor. An error of its plan (a missing credential file, an object that the user must not
 * read) blocks this move and no other.
 * @param planned the cluster after earlier moves; left out: as it is now
 * @throws ClusterError if the API does not answer
 */
export async function probeMove(
  executor: Pick<MoveExecutor, 'probe'>,
  name: MoveName,
  planned?: PlannedCluster,
): Promise<ObservedMove> {
  try {
    const { why, ...status } = await executor.probe(planned);
    return { name, ...status, why: why || (status.state === 'absent' ? catalogue().live.infra.notRequested : '') };
  } catch (error) {
    const isRefused = isClusterError(error, 'forbidden');
    if (!(error instanceof UserErrorException) || (isClusterError(error) && !isRefused)) throw error;
    const { title, cause } = error.userError;
    return { name, state: 'blocked', why: sanitizeLine(`${title}: ${cause}`), changes: [] };
  }
}

/** Creates the executor of one move, on one connection. It probes the needed moves again each time. */
export function executorFor(infra: InfraContext, move: InfraMove<MoveName>): MoveExecutor {
  const shared = withSharedConnection(infra);
  return createExecutor(shared, move, (needed) => createProbe(shared)(needed), isSatisfied);
}
