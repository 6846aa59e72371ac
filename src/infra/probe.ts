import { catalogue } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { isClusterError } from '../kube/errors.ts';
import { formatTimeOfDay, getElapsedSince, SECOND } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { createClusterReader } from './apply-edits.ts';
import type { ClusterReader } from './cluster-reader.ts';
import type { InfraContext, MoveFailure } from './context.ts';
import { createExecutor, describeAbsence, type MoveProbeInput } from './executors.ts';
import type { InfraMove, MoveStatus, PlanFacts } from './infra-move.ts';
import { isSatisfied, listDependencies, MOVES, type MoveName, type ObservedMove } from './moves.ts';
import { cacheReads, overlayPlan } from './planned-cluster.ts';
import { createPreflight } from './preflight.ts';

/** How long the data of a preflight stays valid while nothing is applied (ms of the clock). */
const PREFLIGHT_MAX_AGE = 30 * SECOND;

/**
 * Probes the named moves in the order of the table; the changes of each are planned on the cluster after the earlier
 * ones. A move that depends on a move that is not named waits for that move.
 * @throws ClusterError if the API does not answer
 */
export async function probeMoves(infra: InfraContext, names: readonly MoveName[]): Promise<ObservedMove[]> {
  const { observe } = createMoveObserver(infra, names);
  const observedMoves: ObservedMove[] = [];
  for (const move of MOVES.filter(({ name }) => names.includes(name))) observedMoves.push(await observe(move));
  return observedMoves;
}

/** Probes one move in its current state. @throws ClusterError if the API does not answer */
export async function probeMove(infra: InfraContext, move: InfraMove<MoveName>): Promise<ObservedMove> {
  return await createMoveObserver(infra).observe(move);
}

/** Creates the input for the executor of a move. The cluster is read when the executor asks for objects. */
export function createProbeInput(infra: InfraContext, move: InfraMove<MoveName>): MoveProbeInput {
  return createMoveObserver(infra).createInput(move);
}

/** Repeats the preflight of a move before it is applied. @param names the moves that are applied with it */
export async function recheckMove(
  infra: InfraContext,
  observedMove: ObservedMove,
  names: readonly MoveName[],
): Promise<ObservedMove> {
  const reader = cacheReads(createClusterReader(await infra.connect()));
  return await createPreflight(reader, infra.design, names).check(observedMove);
}

/** Returns the context with one connection for all calls. */
export function shareConnection(infra: InfraContext): InfraContext {
  let cluster: ReturnType<InfraContext['connect']> | undefined;
  const connect = () => {
    cluster ??= infra.connect();
    return cluster;
  };
  return { ...infra, connect };
}

/** Observes moves through one cached reader: one connection, each object read once, each move probed once. */
interface MoveObserver {
  /** Probes a move, with its preflight if it is one of those to be applied. */
  observe(move: InfraMove<MoveName>): Promise<ObservedMove>;
  createInput(move: InfraMove<MoveName>): MoveProbeInput;
}

/** @param names the moves to be applied together: while needed or moving, each counts as done for its dependents */
function createMoveObserver(infra: InfraContext, names: readonly MoveName[] = []): MoveObserver {
  const sharedInfra = shareConnection(infra);
  const reader = cacheReads({
    get: async (...object) => await createClusterReader(await sharedInfra.connect()).get(...object),
    list: async (...objects) => await createClusterReader(await sharedInfra.connect()).list(...objects),
  });
  const preflight = names.length === 0 ? null : createPreflight(reuseReader(infra, reader), infra.design, names);
  const lastFailure = infra.directory?.findLastFailure() ?? null;
  const observations = new Map<MoveName, Promise<ObservedMove>>();
  let plannedCluster = overlayPlan(reader);
  const isDoneByThen = (move: ObservedMove) =>
    isSatisfied(move) || (names.includes(move.name) && (move.state === 'needed' || move.state === 'moving'));
  const createUnfinishedLister =
    (move: InfraMove<MoveName>): PlanFacts['listUnfinished'] =>
    async () => {
      const dependencies = listDependencies(move);
      const observedMoves = await Promise.all(dependencies.map(observe));
      const titles = dependencies.map(async ({ name, mustPrecedeTaint }, index) => {
        const dependency = observedMoves[index];
        if (dependency === undefined || isDoneByThen(dependency)) return [];
        const isConditional = move.isTaint === true && typeof mustPrecedeTaint === 'function';
        const isRequired = !isConditional || (await mustPrecedeTaint(reader, dependency.state));
        return isRequired ? [catalogue().moves.byName[name].title] : [];
      });
      return (await Promise.all(titles)).flat();
    };
  const createInput = (move: InfraMove<MoveName>) => ({
    cluster: plannedCluster.branch(),
    listUnfinished: createUnfinishedLister(move),
  });
  const observeOnce = async (move: InfraMove<MoveName>) => {
    const input = createInput(move);
    const observedMove = await observeStatus(move.name, async () => {
      const executor = createExecutor(sharedInfra, move);
      return executor === null
        ? { state: 'absent', why: describeAbsence(sharedInfra, move), changes: [] }
        : await executor.probe(input);
    });
    if (preflight === null || !names.includes(move.name)) return observedMove;
    const checkedMove = await preflight.check(observedMove);
    // A move in progress may still create nodes.
    if (checkedMove.state === 'needed' || checkedMove.state === 'moving') plannedCluster = input.cluster;
    return includeFailure(checkedMove, lastFailure);
  };
  const observe = (move: InfraMove<MoveName>) => {
    const observation = observations.get(move.name) ?? observeOnce(move);
    observations.set(move.name, observation);
    return observation;
  };
  return { observe, createInput };
}

/**
 * Includes the failure of the last job: a move that was written and is not done since has failed. One that still has to
 * write can be applied again, and names the failure.
 */
function includeFailure(move: ObservedMove, failure: MoveFailure | null): ObservedMove {
  if (failure?.move !== move.name || (move.state !== 'moving' && move.state !== 'needed')) return move;
  const { at, reason } = failure;
  const why = sanitizeLine(at === null ? reason : catalogue().steps.infra.failedAt(formatTimeOfDay(at), reason), 2000);
  return move.state === 'moving'
    ? { ...move, state: 'failed', why }
    : { ...move, why: `${why} ${move.why}`, notes: [why, ...(move.notes ?? [])] };
}

/**
 * Adds the name to a status. An error of the plan (a missing credential file, an object that the user must not read)
 * blocks this move and no other.
 * @throws ClusterError if the API does not answer
 */
async function observeStatus(name: MoveName, probe: () => Promise<MoveStatus>): Promise<ObservedMove> {
  try {
    const { why, ...status } = await probe();
    return {
      name,
      ...status,
      why: why || (status.state === 'absent' ? catalogue().clusterCommands.infra.notRequested : ''),
    };
  } catch (error) {
    const isRefused = isClusterError(error, 'forbidden');
    if (!(error instanceof UserErrorException) || (isClusterError(error) && !isRefused)) throw error;
    const { title, cause } = error.userError;
    return { name, state: 'blocked', why: sanitizeLine(`${title}: ${cause}`), changes: [] };
  }
}

/**
 * Returns the reader of the last preflight while it is recent, otherwise this one: a screen probes every few seconds,
 * and pods, nodes and pools change slowly.
 */
function reuseReader({ directory, clock }: InfraContext, reader: ClusterReader): ClusterReader {
  if (directory === null) return reader;
  const { cache } = directory;
  const lastPreflight = cache.preflight;
  if (lastPreflight !== null && getElapsedSince(clock, lastPreflight.at) < PREFLIGHT_MAX_AGE)
    return lastPreflight.clusterReader;
  cache.preflight = { at: clock.now(), clusterReader: reader };
  return reader;
}
