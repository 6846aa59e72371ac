import { catalogue } from '../i18n/catalogue.ts';
import { type UserError, UserErrorException } from '../i18n/user-error.ts';
import { retryWhileApiDown } from '../kube/api-health.ts';
import { MINUTE, SECOND, startWaitTimer } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { NO_AUDIT_LOG, runWithAuditLog } from '../session/audit-log.ts';
import type { EditResult } from './apply-edits.ts';
import type { InfraContext, PodTransition } from './context.ts';
import type { InfraMove, RolloutStatus } from './infra-move.ts';
import type { MoveName } from './moves.ts';

const words = () => catalogue().steps.infra;
const ROLLOUT_TIMEOUT = 15 * MINUTE;
const POLL_INTERVAL = 2 * SECOND;
/** Minimum number of probes before the timeout counts: on a fast clock, 15 minutes last only seconds. */
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

/** The result of a run. `stopped`: at a move that is blocked, failed, or cannot be undone. */
export type MovesResult =
  | { readonly end: 'done' | 'declined' }
  | {
      readonly end: 'stopped';
      readonly move: MoveName;
      readonly reason: 'blocked' | 'failed';
      readonly userError: UserError;
    };

/** Probes until the status is no longer `moving`. After `timeout` (ms of the clock) it has failed. */
export async function waitForRollout(
  context: Pick<InfraContext, 'clock' | 'signal'>,
  probe: () => Promise<RolloutStatus>,
  emit: (detail: MoveEventDetail) => void,
  timeout = ROLLOUT_TIMEOUT,
): Promise<RolloutStatus> {
  const { clock, signal } = context;
  const since = clock.now();
  const waitTimer = startWaitTimer(clock);
  for (;;) {
    const status = await retryWhileApiDown(context, probe, ({ userError }) =>
      emit({ type: 'waiting', why: userError.title, since }),
    );
    if (status.state !== 'moving') return status;
    if (waitTimer.isOverAfterProbe(timeout, MIN_PROBES))
      return { state: 'failed', why: `${words().timedOut(Math.round(timeout / MINUTE))}: ${status.why}` };
    emit({ type: 'waiting', why: status.why, since });
    await clock.sleep(POLL_INTERVAL, signal);
  }
}

/**
 * Runs an action on a move. With an install directory, the audit log gets a line before it and a line with its result.
 */
export function runMoveWithAuditLog<T>(
  { directory, signal }: InfraContext,
  move: MoveName,
  action: 'apply-one' | 'undo',
  act: () => Promise<T>,
  getErrorCode?: (result: T) => string | null,
): Promise<T> {
  return runWithAuditLog(
    { auditLog: directory?.auditLog ?? NO_AUDIT_LOG, signal },
    { step: 'infra', action, subject: move },
    act,
    getErrorCode,
  );
}

/** Creates a function that sends events of this move and action. */
export function createEventEmitter(move: MoveName, doing: MoveEvent['doing'], onEvent: EventSink) {
  return (detail: MoveEventDetail) => onEvent({ ...detail, move, doing });
}

/** Creates the event that a move begins. */
export function createBeganEvent(
  { directory }: Pick<InfraContext, 'directory'>,
  { where }: InfraMove,
): MoveEventDetail {
  return { type: 'began', manualSteps: where === 'files' ? (directory?.loadBalancers.listManualSteps() ?? []) : [] };
}

/** Converts a written object or a line of progress to an event. */
export function toWriteEvent(progress: EditResult | string): MoveEventDetail {
  return typeof progress === 'string' ? { type: 'message', line: progress } : { type: 'written', result: progress };
}

/** Creates the error `move-blocked` of a move that wrote nothing, because something blocks it. */
export function createBlockedError(name: string, why: string): UserErrorException {
  return new UserErrorException({
    code: 'move-blocked',
    title: words().blocked(name),
    cause: why,
    remedy: words().blockedRemedy,
  });
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
 * Formats an event of a move as a line of a report, without its time; null for events that are reported at the end. A
 * wait has the same line at each probe.
 */
export function formatMoveEvent(event: MoveEvent): string | null {
  const moveWords = catalogue().steps.infra;
  switch (event.type) {
    case 'began':
      return event.doing === 'apply' ? moveWords.applying(event.move) : moveWords.undoing(event.move);
    case 'written':
      return catalogue().moves.report[event.result.outcome](event.result.object);
    case 'message':
      return event.line;
    case 'pod': {
      const { did, pod, node } = event.transition;
      return sanitizeLine(moveWords.pods[did](pod, node));
    }
    case 'waiting':
      return `${event.move}: ${event.why}`;
    case 'done':
      return event.doing === 'apply' ? `${event.move}: ${event.why}` : moveWords.undone(event.move);
    case 'blocked':
    case 'failed':
      return null;
  }
}
