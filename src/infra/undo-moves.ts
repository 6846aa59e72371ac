import { catalogue } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { retryWhileApiDown } from '../kube/api-health.ts';
import type { EditResult } from './apply-edits.ts';
import type { InfraContext } from './context.ts';
import { createExecutor, type MoveExecutor, toRolloutStatus } from './executors.ts';
import type { InfraMove, RolloutStatus } from './infra-move.ts';
import { canUndo, isInPlace, listDependents, MOVES, type MoveName, type ObservedMove } from './moves.ts';
import { createPodTimeline } from './pod-timeline.ts';
import { probeMove, probeMoves, shareConnection } from './probe.ts';
import {
  createBeganEvent,
  createEventEmitter,
  type EventSink,
  type MoveEventDetail,
  type MovesResult,
  runMoveWithAuditLog,
  toWriteEvent,
  waitForRollout,
} from './run.ts';
import { runWithTrafficReport } from './traffic.ts';
import { hasChanges, RECORDED_ONLY_CONSENT, type UndoConsent, type UndoPlan } from './undo/undo-move.ts';

const words = () => catalogue().steps.infra;

/** Asks the user before moves are undone. @returns the consent; null if the user declines */
type RequestUndoConsent = (plans: readonly UndoPlan[]) => Promise<UndoConsent | null>;

/**
 * Undoes the named moves, the last one first: each object gets the fields that it had before the wizard's first write.
 * A move cannot be undone (event `blocked`) if others depend on it, if running workloads still need it, or if a
 * required consent is missing. The others are undone anyway, each with its own checks.
 * @param requestConsent called once, before the first undo, with the plan for each move; without it, only
 * recorded fields are restored
 * @throws UserErrorException for failed writes; every error that is no UserErrorException, and the reason of the signal
 */
export async function undoMoves(
  infra: InfraContext,
  names: readonly MoveName[],
  {
    onEvent,
    requestConsent,
    toDefaults = false,
  }: { readonly onEvent: EventSink; readonly requestConsent?: RequestUndoConsent; readonly toDefaults?: boolean },
): Promise<MovesResult> {
  const observedMoves = await retryWhileApiDown(infra, () => probeMoves(infra, names));
  const undoableNames = observedMoves.filter(canUndo).map(({ name }) => name);
  const moves = MOVES.filter(({ name }) => undoableNames.includes(name)).toReversed();
  const plans = await planUndos(infra, moves, toDefaults);
  const plansToConfirm = plans.filter(hasChanges);
  const consent =
    plansToConfirm.length > 0 && requestConsent ? await requestConsent(plansToConfirm) : RECORDED_ONLY_CONSENT;
  if (consent === null) return { end: 'declined' };
  const blockedMoves = new Map<MoveName, string>();
  for (const move of moves) {
    infra.signal.throwIfAborted();
    const emit = createEventEmitter(move.name, 'undo', onEvent);
    const timeline = createPodTimeline(infra, move.name, 'undo', (transition) => emit({ type: 'pod', transition }));
    const sharedInfra = shareConnection(timeline.infra);
    // Undoing the previous moves may have changed the status of this one.
    const currentMove = await retryWhileApiDown(infra, () => probeMove(sharedInfra, move));
    const executor = createExecutor(sharedInfra, move);
    if (!canUndo(currentMove) || executor === null) continue;
    const why = await undoIfAllowed(sharedInfra, move, currentMove, executor, {
      onEvent,
      blockedMoves,
      consent,
    }).finally(timeline.save);
    if (why === null) continue;
    blockedMoves.set(move.name, why);
    emit({ type: 'blocked', why });
  }
  const [[move, why] = [null, '']] = blockedMoves;
  if (move === null) return { end: 'done' };
  const userError = {
    code: 'move-stays',
    title: words().undoBlocked(move),
    cause: why,
    remedy: words().undoBlockedRemedy,
  };
  return { end: 'stopped', move, reason: 'blocked', userError };
}

/**
 * Plans the effect of undoing each move on objects and files, in the order in which they are undone.
 * @throws UserErrorException `session-unreadable`; ClusterError
 */
export async function planUndos(
  infra: InfraContext,
  moves: readonly InfraMove<MoveName>[],
  toDefaults: boolean,
): Promise<UndoPlan[]> {
  const plans = await retryWhileApiDown(infra, () =>
    Promise.all(moves.map((move) => createExecutor(shareConnection(infra), move)?.planUndo(toDefaults))),
  );
  return plans.flatMap((plan) => plan ?? []);
}

/**
 * @param blockedMoves the moves that stay in place: those that they depend on stay as well
 * @returns the reason why it cannot be undone now; null if it was undone, or the wizard wrote nothing of it
 */
async function undoIfAllowed(
  infra: InfraContext,
  move: InfraMove<MoveName>,
  currentMove: ObservedMove,
  executor: MoveExecutor,
  {
    onEvent,
    blockedMoves,
    consent,
  }: {
    readonly onEvent: EventSink;
    readonly blockedMoves: ReadonlyMap<MoveName, string>;
    readonly consent: UndoConsent;
  },
): Promise<string | null> {
  const { name } = move;
  const emit = createEventEmitter(name, 'undo', onEvent);
  const plan = await retryWhileApiDown(infra, () => executor.planUndo(consent.toDefaults));
  if (plan.kind === 'defaults' && !consent.toDefaults && hasChanges(plan))
    return isInPlace(currentMove) ? words().unrecorded : null;
  if (hasChanges(plan) || (plan.kind === 'foreign' && plan.isFileMove)) {
    const dependents = await findBlockingDependents(infra, name, blockedMoves);
    if (dependents.length > 0) return words().undoFirst(dependents.join(', '));
  }
  if (!hasChanges(plan)) {
    if (plan.kind === 'foreign' && isInPlace(currentMove)) emit({ type: 'message', line: words().foreign(name) });
    if (plan.kind === 'inherited' && isInPlace(currentMove))
      emit({ type: 'message', line: words().inherited(name, plan.sets) });
    if (plan.kind === 'recorded')
      await executor.undo({ ...createUndoRun(infra, () => undefined, RECORDED_ONLY_CONSENT), isRestored: true });
    return null;
  }
  const findObstacle = async () => toRolloutStatus(await executor.findUndoObstacle());
  const prerequisiteStatus = await waitForRollout(infra, findObstacle, emit);
  if (prerequisiteStatus.state !== 'done') return prerequisiteStatus.why;
  const execute = () => executeUndo(infra, move, executor, { emit, consent });
  const runUndo = () => runWithTrafficReport(infra, name, execute, emit, false);
  return await runMoveWithAuditLog(infra, name, 'undo', runUndo, (why) => (why === null ? null : 'move-stays'));
}

/** @returns the reason why it is still in place; null if it was undone */
async function executeUndo(
  infra: InfraContext,
  move: InfraMove<MoveName>,
  executor: MoveExecutor,
  { emit, consent }: { readonly emit: (detail: MoveEventDetail) => void; readonly consent: UndoConsent },
): Promise<string | null> {
  emit(createBeganEvent(infra, move));
  try {
    const why = await executor.undo({ ...createUndoRun(infra, emit, consent), isRestored: false });
    if (why !== null) return why;
  } catch (error) {
    if (error instanceof UserErrorException) emit({ type: 'failed', userError: error.userError });
    throw error;
  }
  const currentMove = await retryWhileApiDown(infra, () => probeMove(infra, move));
  if (isInPlace(currentMove)) return currentMove.why;
  infra.directory?.saveUndone(move.name);
  emit({ type: 'done', why: '' });
  return null;
}

function createUndoRun(infra: InfraContext, emit: (detail: MoveEventDetail) => void, consent: UndoConsent) {
  return {
    consent,
    onWrite: (result: EditResult | string) => emit(toWriteEvent(result)),
    retry: <T>(action: () => Promise<T>) => retryWhileApiDown(infra, action),
    waitFor: (probe: () => Promise<RolloutStatus>, timeout?: number) => waitForRollout(infra, probe, emit, timeout),
  };
}

/**
 * Finds the moves that depend on this one, are in place, and must be undone first, in the order in which they are
 * undone; empty if it can be undone.
 * @param blockedMoves moves that were to be undone, and stay in place
 */
async function findBlockingDependents(
  infra: InfraContext,
  name: MoveName,
  blockedMoves: ReadonlyMap<MoveName, string> = new Map(),
): Promise<readonly MoveName[]> {
  const dependents = listDependents(name).map((dependent) => dependent.name);
  const observedMoves = await retryWhileApiDown(infra, () => probeMoves(infra, dependents));
  const movesInPlace = observedMoves.filter((move) => isInPlace(move) || blockedMoves.has(move.name));
  const isIndependentByIndex = await Promise.all(
    movesInPlace.map((move) => !blockedMoves.has(move.name) && isIndependent(infra, move.name)),
  );
  return movesInPlace.flatMap((move, index) => (isIndependentByIndex[index] ? [] : move.name)).toReversed();
}

/**
 * Lists the moves that have to be undone for these, in the order in which they are undone: these moves, and the moves
 * in place that depend on them, directly or through others. Probes each move once.
 */
export async function findUndoChain(infra: InfraContext, names: readonly MoveName[]): Promise<readonly MoveName[]> {
  const candidates = new Set(names);
  // Iterating over a Set also visits names that are added during the loop.
  for (const candidate of candidates) for (const { name } of listDependents(candidate)) candidates.add(name);
  const observedMoves = await retryWhileApiDown(infra, () => probeMoves(infra, [...candidates]));
  const namesInPlace = new Set(observedMoves.flatMap((move) => (isInPlace(move) ? [move.name] : [])));
  const chain = new Set(names);
  for (const moveName of chain)
    for (const { name } of listDependents(moveName)) {
      if (!namesInPlace.delete(name) || chain.has(name)) continue;
      if (!(await isIndependent(infra, name))) chain.add(name);
    }
  return MOVES.flatMap((move) => (chain.has(move.name) ? [move.name] : [])).toReversed();
}

/**
 * Whether a move may stay while the moves that it depends on are undone. Either nodes inherit it from the MachineSets
 * of a cloud (label, taint), and it is removed with their machines. Or the wizard wrote nothing of it, and undoing
 * those moves evicts no pods.
 */
async function isIndependent(infra: InfraContext, name: MoveName): Promise<boolean> {
  const move = MOVES.find((candidate) => candidate.name === name);
  if (move?.where !== 'cluster' || (move.isSetByMachineSet === undefined && move.evictsNothing !== true)) return false;
  const [plan] = await planUndos(infra, [move], false);
  return plan?.kind === 'inherited' || (plan?.kind === 'foreign' && move.evictsNothing === true);
}
