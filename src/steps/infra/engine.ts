import { catalogue } from '../../i18n/catalogue.ts';
import { type UserError, UserErrorException } from '../../i18n/user-error.ts';
import type { PendingReason } from '../../infra/cluster-reader.ts';
import type { InfraMove, RolloutStatus } from '../../infra/infra-move.ts';
import { MOVES, type MoveName } from '../../infra/moves.ts';
import type { EditResult } from '../../infra/send-edits.ts';
import { formatTimeOfDay, MINUTE, SECOND, startWaitTimer } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { StepAction } from '../contract.ts';
import type { ObservedMove } from '../probe-cache.ts';
import { retryWhileApiDown } from '../shared/cluster-access.ts';
import { NO_AUDIT_LOG, runLogged } from '../shared/run-step-action.ts';
import { findBlockingDependents } from './blocking-dependents.ts';
import type { InfraContext, MoveExecutor } from './infra-context.ts';
import { canUndo, isInPlace } from './move-predicates.ts';
import { createPodTimeline, createTerminationProbe, type PodTransition } from './pod-timeline.ts';
import { executorFor, probeMove, probeMoves } from './probe.ts';
import { runWithTrafficReport } from './stability.ts';
import { hasChanges, NO_CONSENT, type UndoConsent, type UndoPlan } from './undo.ts';

const words = () => catalogue().steps.infra;
const ROLLOUT_TIMEOUT = 15 * MINUTE;
/** How long the pods of an undone move are followed. */
const FOLLOW_TIMEOUT = 3 * MINUTE;
const POLL_INTERVAL = 2 * SECOND;
/** With a fast clock, 15 minutes are only seconds of a machine that may be busy: at least this many probes. */
const MIN_PROBES = 30;

/** An event of a move, without the move and the action. */
export type MoveEventDetail =
  /** `manualSteps`: the steps that the user does meanwhile, if files are put in place by hand. */
  | { readonly type: 'began'; readonly manualSteps: readonly string[] }
  | { readonly type: 'written'; readonly result: EditResult }
  /** A line of progress, for example about files. */
  | { readonly type: 'message'; readonly line: string }
  | { readonly type: 'pod'; readonly transition: PodTransition }
  /** The move is waiting; sent at each probe. `since`: ms of the clock. */
  | { readonly type: 'waiting'; readonly why: string; readonly since: number }
  | { readonly type: 'done'; readonly why: string }
  | { readonly type: 'blocked'; readonly why: string }
  | { readonly type: 'failed'; readonly userError: UserError };

/** An event of a move that is applied or undone. Events are sent in the order in which they happen. */
export type MoveEvent = MoveEventDetail & { readonly move: MoveName; readonly doing: 'apply' | 'undo' };
export type EventSink = (event: MoveEvent) => void;

/** The result of a run. `stopped`: at a move that is blocked, failed, or stays in place. */
export type MovesResult =
  | { readonly end: 'done' | 'declined' }
  | {
      readonly end: 'stopped';
      readonly move: MoveName;
      readonly how: 'blocked' | 'failed';
      readonly userError: UserError;
    };

/** Asks the user before moves are undone. @returns the consent; null if the user declines */
type AllowUndo = (plans: readonly UndoPlan[]) => Promise<UndoConsent | null>;

/**
 * Undoes the named moves, the last one first: each object gets the fields that it had before the wizard's first write.
 * A move stays in place (event `blocked`) if others depend on it, if running workloads still need it, or if a required
 * consent is missing. The others are undone all the same, each with its own checks.
 * @param allow asked once, before the first undo, with the effect on each move; without it, only recorded fields are
 * restored
 * @throws UserErrorException for failed writes; every error that is no UserErrorException, and the reason of the signal
 */
export async function undoMoves(
  infra: InfraContext,
  names: readonly MoveName[],
  {
    onEvent,
    allow,
    toDefaults = false,
  }: { readonly onEvent: EventSink; readonly allow?: AllowUndo; readonly toDefaults?: boolean },
): Promise<MovesResult> {
  const observed = await retryWhileApiDown(infra, () => probeMoves(infra, names));
  const due = observed.filter(canUndo).map(({ name }) => name);
  const moves = MOVES.filter(({ name }) => due.includes(name)).toReversed();
  const plans = await planUndos(infra, moves, toDefaults);
  const toConfirm = plans.filter(hasChanges);
  const consent = toConfirm.length > 0 && allow ? await allow(toConfirm) : NO_CONSENT;
  if (consent === null) return { end: 'declined' };
  const blockedMoves = new Map<MoveName, string>();
  for (const move of moves) {
    infra.signal.throwIfAborted();
    const emit = eventsFor(move.name, 'undo', onEvent);
    const timeline = createPodTimeline(infra, move.name, 'undo', (transition) => emit({ type: 'pod', transition }));
    const executor = executorFor(timeline.infra, move);
    // Undoing the previous moves may have changed its status.
    const now = await retryWhileApiDown(infra, () => probeMove(executor, move.name));
    if (!canUndo(now)) continue;
    const why = await undoIfAllowed(timeline.infra, now, executor, { onEvent, blockedMoves, consent }).finally(
      timeline.save,
    );
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
  return { end: 'stopped', move, how: 'blocked', userError };
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
  const found = await retryWhileApiDown(infra, () =>
    Promise.all(moves.map((move) => executorFor(infra, move).planUndo(toDefaults))),
  );
  return found.flatMap((plan) => plan ?? []);
}

/**
 * @param run.blockedMoves the moves that stay in place: those that they depend on stay as well
 * @returns the reason why it stays in place; null if it was undone, or the wizard wrote nothing of it
 */
async function undoIfAllowed(
  infra: InfraContext,
  { name, ...now }: ObservedMove,
  executor: MoveExecutor,
  run: {
    readonly onEvent: EventSink;
    readonly blockedMoves: ReadonlyMap<MoveName, string>;
    readonly consent: UndoConsent;
  },
): Promise<string | null> {
  const { onEvent, blockedMoves, consent } = run;
  const emit = eventsFor(name, 'undo', onEvent);
  const plan = await retryWhileApiDown(infra, () => executor.planUndo(consent.toDefaults));
  if (plan?.to === 'defaults' && !consent.toDefaults && hasChanges(plan))
    return isInPlace(now) ? words().unrecorded : null;
  const isIdle = plan !== null && !hasChanges(plan);
  if (!isIdle || (plan.to === 'foreign' && plan.isFileMove)) {
    const dependents = await findBlockingDependents(infra, name, blockedMoves);
    if (dependents.length > 0) return words().undoFirst(dependents.join(', '));
  }
  if (isIdle) {
    if (plan.to === 'foreign' && isInPlace(now)) emit({ type: 'message', line: words().foreign(name) });
    if (plan.to === 'born' && isInPlace(now)) emit({ type: 'message', line: words().inherited(name, plan.sets) });
    // Records that everything is restored.
    if (plan.to === 'before') await retryWhileApiDown(infra, () => executor.undo(() => undefined, NO_CONSENT));
    return null;
  }
  const prerequisites = await waitForRollout(infra, async () => toRolloutStatus(await executor.untilUndoable()), emit);
  if (prerequisites.state !== 'done') return prerequisites.why;
  const act = () =>
    runWithTrafficReport(infra, name, () => executeUndo(infra, name, executor, { say: emit, consent }), emit, false);
  return await runJournaled(infra, name, 'undo', act, (why) => (why === null ? null : 'move-stays'));
}

/** @returns the reason why it is still in place; null if it was undone */
async function executeUndo(
  infra: InfraContext,
  name: MoveName,
  executor: MoveExecutor,
  { say: emit, consent }: { readonly say: (detail: MoveEventDetail) => void; readonly consent: UndoConsent },
): Promise<string | null> {
  emit({ type: 'began', manualSteps: executor.manualSteps });
  let changed: readonly string[];
  const relocation = await retryWhileApiDown(infra, () => createTerminationProbe(infra, name));
  try {
    const drainNames = await retryWhileApiDown(infra, () =>
      executor.drain((what) => emit(toWriteEvent(what)), consent),
    );
    const drain = await waitForRollout(
      infra,
      async () => toRolloutStatus(drainNames && (await executor.untilDrained(drainNames))),
      emit,
    );
    if (drain.state !== 'done') return drain.why;
    changed = await retryWhileApiDown(infra, () => executor.undo((what) => emit(toWriteEvent(what)), consent));
  } catch (error) {
    if (error instanceof UserErrorException) emit({ type: 'failed', userError: error.userError });
    throw error;
  }
  if (changed.length > 0) return words().changedSince(changed.join(', '));
  const podsGone = await waitForRollout(infra, async () => toRolloutStatus(await executor.untilPodsGone()), emit);
  if (podsGone.state !== 'done') return podsGone.why;
  // Its pods start again. This is reported while it lasts, but does not decide the undo, which has already restored the
  // objects.
  await waitForRollout(infra, relocation, emit, FOLLOW_TIMEOUT);
  const after = await retryWhileApiDown(infra, () => probeMove(executor, name));
  if (isInPlace(after)) return after.why;
  emit({ type: 'done', why: '' });
  return null;
}

/** Converts the reason for waiting to a status; null is `done`. */
export function toRolloutStatus(pending: PendingReason | null): RolloutStatus {
  if (pending === null) return { state: 'done', why: '' };
  return { state: pending.state === 'moving' ? 'moving' : 'failed', why: pending.why };
}

/** Probes until the status is no longer `moving`. After `timeout` (ms of the clock) it has failed. */
export async function waitForRollout(
  context: Pick<InfraContext, 'clock' | 'signal'>,
  probe: () => Promise<RolloutStatus>,
  emit: (detail: MoveEventDetail) => void,
  timeout = ROLLOUT_TIMEOUT,
): Promise<RolloutStatus> {
  const { clock, signal } = context;
  const since = clock.now();
  const wait = startWaitTimer(clock);
  for (;;) {
    const status = await retryWhileApiDown(context, probe, ({ userError }) =>
      emit({ type: 'waiting', why: userError.title, since }),
    );
    if (status.state !== 'moving') return status;
    if (wait.isOver(timeout, MIN_PROBES))
      return { state: 'failed', why: `${words().timedOut(Math.round(timeout / MINUTE))}: ${status.why}` };
    emit({ type: 'waiting', why: status.why, since });
    await clock.sleep(POLL_INTERVAL, signal);
  }
}

/** Runs an action on a move between two lines of the journal, if there is an install directory. */
export function runJournaled<T>(
  { context, signal }: InfraContext,
  move: MoveName,
  action: StepAction,
  act: () => Promise<T>,
  getErrorCode?: (result: T) => string | null,
): Promise<T> {
  return runLogged(
    { auditLog: context?.auditLog ?? NO_AUDIT_LOG, signal },
    { step: 'infra', action, subject: move },
    act,
    getErrorCode,
  );
}

/** Creates a function that sends events of this move and action. */
export function eventsFor(move: MoveName, doing: MoveEvent['doing'], onEvent: EventSink) {
  return (detail: MoveEventDetail) => onEvent({ ...detail, move, doing });
}

/** Converts a written object or a line of progress to an event. */
export function toWriteEvent(what: EditResult | string): MoveEventDetail {
  return typeof what === 'string' ? { type: 'message', line: what } : { type: 'written', result: what };
}

/** Creates the error `move-failed` of a move that could not be applied. */
export function createMoveError(name: string, why: string): UserErrorException {
  return new UserErrorException({
    code: 'move-failed',
    title: words().failed(name),
    cause: why,
    remedy: words().blockedRemedy,
  });
}

/**
 * Formats an event of a move as a line of a report; null for events that are reported at the end. A wait has the same
 * line at each probe.
 */
export function formatMoveEvent(event: MoveEvent): string | null {
  const words = catalogue().steps.infra;
  switch (event.type) {
    case 'began':
      return event.doing === 'apply' ? words.applying(event.move) : words.undoing(event.move);
    case 'written':
      return catalogue().moves.report[event.result.outcome](event.result.object);
    case 'message':
      return event.line;
    case 'pod': {
      const { did, pod, node, at } = event.transition;
      return sanitizeLine(`${formatTimeOfDay(at)} ${words.pods[did](pod, node)}`);
    }
    case 'waiting':
      return `${event.move}: ${event.why}`;
    case 'done':
      return event.doing === 'apply' ? `${event.move}: ${event.why}` : words.undone(event.move);
    case 'blocked':
    case 'failed':
      return null;
  }
}
