import { type UserError, UserErrorException } from '../i18n/user-error.ts';
import { retryWhileApiDown } from '../kube/api-health.ts';
import { MINUTE } from '../platform/clock.ts';
import type { EditResult } from './apply-edits.ts';
import type { PendingReason } from './cluster-reader.ts';
import type { InfraContext } from './context.ts';
import type { MoveChange } from './edit.ts';
import { createExecutor, type MoveExecutor, requireHealthyOperator, toRolloutStatus } from './executors.ts';
import type { InfraMove, RolloutStatus } from './infra-move.ts';
import { isSatisfied, MOVES, type MoveName, type ObservedMove } from './moves.ts';
import { createPodTimeline } from './pod-timeline.ts';
import { createProbeInput, probeMove, recheckMove, shareConnection } from './probe.ts';
import {
  createBeganEvent,
  createBlockedError,
  createEventEmitter,
  createMoveError,
  type EventSink,
  type MoveEventDetail,
  type MovesResult,
  runMoveWithAuditLog,
  toWriteEvent,
  waitForRollout,
} from './run.ts';
import { type ConfirmedChanges, createConfirmedChanges, createPlanDiffersError } from './saved-plan.ts';
import { runWithTrafficReport } from './traffic.ts';

/** Maximum number of attempts to apply a move whose objects change meanwhile. */
const MAX_ATTEMPTS = 3;
/** How long a temporary obstacle may delay the start of a move (ms of the clock). */
const OBSTACLE_TIMEOUT = 3 * MINUTE;

/**
 * Applies the named moves in the order of the table, and verifies the rollout of each before the next one begins. Stops
 * at the first that fails or is blocked.
 * @param run.confirmedChanges the changes that the user confirmed; null confirms all. Any other change needs
 * `requestConsent`
 * @param run.requestConsent requests consent to a move with changes that were not shown. If it resolves to false or is
 * missing, the run ends there
 * @throws UserErrorException `session-unwritable`; every error that is no UserErrorException, and the abort reason of
 * the signal
 */
export async function applyMoves(
  infra: InfraContext,
  names: readonly MoveName[],
  run: {
    readonly onEvent: EventSink;
    readonly confirmedChanges: readonly MoveChange[] | null;
    readonly requestConsent?: (move: ObservedMove, unconfirmedChanges: readonly MoveChange[]) => Promise<boolean>;
  },
): Promise<MovesResult> {
  const changeConfirmations = createConfirmedChanges(run.confirmedChanges);
  for (const move of MOVES.filter(({ name }) => names.includes(name))) {
    const result = await applyMove(infra, move, { ...run, changeConfirmations, names });
    if (result !== null) return result;
  }
  return { end: 'done' };
}

interface ApplyContext extends Omit<Parameters<typeof applyMoves>[2], 'confirmedChanges'> {
  readonly changeConfirmations: ConfirmedChanges;
  /** The names of all moves of the run. */
  readonly names: readonly MoveName[];
}

/** @returns the result, if it ends the run; null to continue with the next move */
async function applyMove(
  infra: InfraContext,
  move: InfraMove<MoveName>,
  { onEvent, ...run }: ApplyContext,
): Promise<MovesResult | null> {
  const emit = createEventEmitter(move.name, 'apply', onEvent);
  const timeline = createPodTimeline(infra, move.name, 'apply', (transition) => emit({ type: 'pod', transition }));
  try {
    return await applyWithRetries(shareConnection(timeline.infra), move, { onEvent, ...run });
  } finally {
    timeline.save();
  }
}

async function applyWithRetries(
  infra: InfraContext,
  move: InfraMove<MoveName>,
  { onEvent, requestConsent, changeConfirmations, names }: ApplyContext,
): Promise<MovesResult | null> {
  const emit = createEventEmitter(move.name, 'apply', onEvent);
  const executor = createExecutor(infra, move);
  for (let attempt = 1; ; attempt += 1) {
    infra.signal.throwIfAborted();
    const observedMove = await retryWhileApiDown(infra, () => probeMove(infra, move));
    if (isSatisfied(observedMove) || executor === null) return null;
    const currentMove =
      observedMove.state === 'needed' ? await waitForObstacles(infra, observedMove, emit, names) : observedMove;
    // A blocked move writes nothing, so it needs no consent.
    const unconfirmedChanges =
      currentMove.state === 'blocked' ? [] : changeConfirmations.findUnconfirmed(currentMove.changes);
    if (unconfirmedChanges.length > 0) {
      if (!requestConsent) return stopWithError(move.name, createPlanDiffersError(unconfirmedChanges), emit);
      if (!(await requestConsent(currentMove, unconfirmedChanges))) return { end: 'declined' };
      changeConfirmations.add(currentMove.changes);
    }
    try {
      const execute = () =>
        executeMove(infra, move, executor, currentMove, { onEvent, check: changeConfirmations.check });
      const executeWithTrafficReport = () => runWithTrafficReport(infra, move.name, execute, emit, true);
      // A blocked move only reports why it is not applied.
      await (currentMove.state === 'blocked'
        ? executeWithTrafficReport()
        : runMoveWithAuditLog(infra, move.name, 'apply-one', executeWithTrafficReport));
      return null;
    } catch (error) {
      // If the journal cannot be written, the whole run ends.
      if (!(error instanceof UserErrorException) || error.userError.code === 'session-unwritable') throw error;
      const { userError } = error;
      if (userError.code !== 'plan-differs')
        return {
          end: 'stopped',
          move: move.name,
          reason: currentMove.state === 'blocked' ? 'blocked' : 'failed',
          userError,
        };
      // An object changed during the move: the next probe shows the difference.
      if (attempt === MAX_ATTEMPTS) return stopWithError(move.name, userError, emit);
    }
  }
}

/**
 * Waits until temporary obstacles (an operator or a pool that is updating) are gone. Returns the move, blocked if they
 * remain.
 */
async function waitForObstacles(
  infra: InfraContext,
  observedMove: ObservedMove,
  emit: (event: MoveEventDetail) => void,
  names: readonly MoveName[],
): Promise<ObservedMove> {
  let latestMove = observedMove;
  const probe = async (): Promise<RolloutStatus> => {
    latestMove = await recheckMove(infra, observedMove, names);
    return { state: latestMove.state === 'blocked' ? 'moving' : 'done', why: latestMove.why };
  };
  await waitForRollout(infra, probe, emit, OBSTACLE_TIMEOUT);
  return latestMove;
}

function stopWithError(move: MoveName, userError: UserError, emit: (event: MoveEventDetail) => void): MovesResult {
  emit({ type: 'failed', userError });
  return { end: 'stopped', move, reason: 'failed', userError };
}

/**
 * Applies one move and waits until its rollout is complete.
 * @param check receives each change before it is written; throws to prevent the write
 * @throws UserErrorException `move-blocked`; `move-failed` if it fails, or is not complete within 15 minutes; the error
 * of `check` (`plan-differs`)
 */
export async function executeMove(
  infra: InfraContext,
  move: InfraMove<MoveName>,
  executor: MoveExecutor,
  { state, why }: Pick<ObservedMove, 'state' | 'why'>,
  { onEvent, check }: { readonly onEvent: EventSink; readonly check: ConfirmedChanges['check'] },
): Promise<void> {
  const { name } = move;
  const emit = createEventEmitter(name, 'apply', onEvent);
  if (state === 'blocked') {
    emit({ type: 'blocked', why });
    throw createBlockedError(name, why);
  }
  emit(createBeganEvent(infra, move));
  const waitWhilePending = async (findPending: () => Promise<PendingReason | null>) => {
    const rollout = await waitForRollout(infra, async () => toRolloutStatus(await findPending()), emit);
    if (rollout.state !== 'done') throw createMoveError(name, rollout.why);
  };
  const onWrite = (result: EditResult | string) => emit(toWriteEvent(result));
  try {
    if (state !== 'moving')
      await retryWhileApiDown(infra, () => {
        const { listUnfinished } = createProbeInput(infra, move);
        return executor.apply({ onWrite, check, waitWhilePending, listUnfinished });
      });
    const probe = async (): Promise<RolloutStatus> => {
      const status = await executor.probe(createProbeInput(infra, move));
      return { why: status.why, state: isSatisfied(status) ? 'done' : status.state === 'failed' ? 'failed' : 'moving' };
    };
    const rollout = await waitForRollout(infra, requireHealthyOperator(infra, name, probe), emit);
    if (rollout.state !== 'done') throw createMoveError(name, rollout.why);
    emit({ type: 'done', why: rollout.why });
  } catch (error) {
    if (error instanceof UserErrorException && error.userError.code !== 'plan-differs')
      emit({ type: 'failed', userError: error.userError });
    throw error;
  }
}
