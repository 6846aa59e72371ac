import { catalogue } from '../i18n/catalogue.ts';
import { type UserError, UserErrorException } from '../i18n/user-error.ts';
import { type Clock, MINUTE, SECOND, startWaitTimer } from '../platform/clock.ts';
import { type ClusterError, type ClusterErrorClass, isClusterError } from './errors.ts';

const words = () => catalogue().cluster;

/** Health of the API, as known from the probes so far. */
export interface ApiHealth {
  /** When the API first answered, ms of the clock; null if it has not answered yet. */
  readonly answeredAt: number | null;
  /** The outage since the last complete probe; null if there is none. */
  readonly outage: Outage | null;
}

/** Consecutive probes that were incomplete. */
interface Outage {
  /** Since when probes have been incomplete, ms of the clock. */
  readonly since: number;
  /** The current error, when it began (ms of the clock), and its number of consecutive probes. */
  readonly error: ClusterError;
  readonly errorSince: number;
  readonly probeCount: number;
  /** End of the pause that the API requested, ms of the clock; null if it requested none. */
  readonly pauseUntil: number | null;
}

/** `normal`: temporary. `warning`: lasts longer than usual. `fatal`: lasts until the user changes something. */
export type Urgency = 'normal' | 'warning' | 'fatal';

/** Before the first probe: the API has never answered, and no error is known. */
export const UNKNOWN_HEALTH: ApiHealth = { answeredAt: null, outage: null };

/**
 * Returns the health after another probe.
 * @param probe whether Kubernetes answered anything, and the first error; null: the probe was complete
 * @param now ms of the clock
 */
export function recordProbe(
  health: ApiHealth,
  probe: { hasAnswered: boolean; error: ClusterError | null },
  now: number,
): ApiHealth {
  const { hasAnswered, error } = probe;
  const answeredAt = health.answeredAt ?? (hasAnswered ? now : null);
  if (error === null) return { answeredAt, outage: null };
  const previousOutage = health.outage;
  const isSame = previousOutage?.error.userError.code === error.userError.code;
  return {
    answeredAt,
    outage: {
      since: previousOutage?.since ?? now,
      error,
      errorSince: isSame ? previousOutage.errorSince : now,
      probeCount: isSame ? previousOutage.probeCount + 1 : 1,
      pauseUntil: error.retryAfter === null ? null : now + error.retryAfter,
    },
  };
}

/**
 * An API that has never answered may take as long as the installer waits for it; an API that has answered returns
 * sooner.
 */
const FIRST_ANSWER_LIMIT = 20 * MINUTE;
const OUTAGE_LIMIT = 5 * MINUTE;
/** Old bootstrap balancers answer in plain HTTP for a moment. */
const NOT_TLS_LIMIT = 2 * MINUTE;
const FORBIDDEN_LIMIT = 2 * MINUTE;
const CREDENTIALS_PROBES = 3;
const CREDENTIALS_LIMIT = MINUTE;

const FATAL_CLASSES: readonly ClusterErrorClass[] = ['configuration', 'identity', 'time', 'bug'];

/**
 * Assesses how serious an outage is, by how long its class of error is normal.
 * @param now ms of the clock
 */
export function assessUrgency({ outage, answeredAt }: ApiHealth, now: number): Urgency {
  if (outage === null) return 'normal';
  const { error, errorSince, probeCount } = outage;
  const duration = now - errorSince;
  if (error.userError.code === 'cluster-not-tls') return duration > NOT_TLS_LIMIT ? 'fatal' : 'normal';
  // The record may appear with the next reload of a name server, but only if the user adds it.
  if (error.userError.code === 'cluster-name') return 'warning';
  if (FATAL_CLASSES.includes(error.class)) return 'fatal';
  if (error.class === 'credentials')
    return probeCount >= CREDENTIALS_PROBES && duration >= CREDENTIALS_LIMIT ? 'fatal' : 'normal';
  if (error.class === 'forbidden') return duration > FORBIDDEN_LIMIT ? 'fatal' : 'normal';
  const limit = error.class === 'not-yet' && answeredAt === null ? FIRST_ANSWER_LIMIT : OUTAGE_LIMIT;
  return now - outage.since > limit ? 'warning' : 'normal';
}

/** Formats the current outage as one line for a screen; null if there is none. */
export function formatApiOutage(health: ApiHealth, now: number): string | null {
  const { outage } = health;
  if (outage === null) return null;
  return formatOutage({
    userError: outage.error.userError,
    urgency: assessUrgency(health, now),
    since: outage.since,
    now,
  });
}

/**
 * Formats an outage as one line: the error, its duration, and whether the duration is normal. `since` and `now`: ms of
 * the clock.
 */
export function formatOutage(outage: {
  readonly userError: UserError;
  readonly urgency: Urgency;
  readonly since: number;
  readonly now: number;
}): string {
  const { userError, urgency, since, now } = outage;
  return words().outage.line(userError.title, Math.floor((now - since) / SECOND), urgency, userError.cause);
}

/** Pauses after failures in a row; the last one repeats. */
const PROBE_PAUSES = [1, 2, 4, 8, 15].map((seconds) => seconds * SECOND);
const PAUSE_JITTER = 0.2;

/**
 * Computes the pause before the next probe, in milliseconds: it grows while the API is unavailable, and is random, so
 * that clients do not probe in step.
 * @param failures consecutive incomplete probes; 0 after a complete one
 * @param interval the pause between complete probes, in milliseconds
 * @param random 0 to 1
 */
export function computeProbePause(failures: number, interval: number, random: number): number {
  const pause = failures === 0 ? interval : (PROBE_PAUSES[failures - 1] ?? PROBE_PAUSES.at(-1) ?? interval);
  return pause * (1 + PAUSE_JITTER * (2 * random - 1));
}

/** Whether waiting cannot help: another cluster answers, the kubeconfig has expired, or the API keeps refusing it. */
export function isUnrecoverable(health: ApiHealth, now: number): boolean {
  const { error } = health.outage ?? {};
  if (error === undefined) return false;
  if (error.class === 'identity' || error.userError.code === 'cluster-kubeconfig-expired') return true;
  return error.class === 'credentials' && assessUrgency(health, now) === 'fatal';
}

/**
 * How long an action is retried (ms), by class of error; other classes are not retried. While nodes restart, the API
 * answers late or not at all. An API server that starts may refuse valid credentials for a moment.
 */
const RETRY_LIMITS: Readonly<Partial<Record<ClusterErrorClass, number>>> = {
  'not-yet': 5 * MINUTE,
  unreachable: 5 * MINUTE,
  credentials: MINUTE,
};

/** Minimum number of tries before a limit counts: in a fast rehearsal, those minutes last only seconds. */
const MIN_TRIES = 10;

/**
 * Runs `action`, and repeats it while the API is down for a moment. `action` must be idempotent.
 * @param onRetry called before each pause
 * @throws what `action` throws if it is another error or lasts too long: an API that is down for 5 minutes, or refuses
 * the credentials for a minute
 */
export async function retryWhileApiDown<T>(
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  action: () => Promise<T>,
  onRetry: (error: UserErrorException) => void = () => undefined,
): Promise<T> {
  const waitTimer = startWaitTimer(clock);
  for (;;) {
    try {
      return await action();
    } catch (error) {
      const limit = isClusterError(error) ? (RETRY_LIMITS[error.class] ?? 0) : 0;
      if (waitTimer.isOverAfterProbe(limit, MIN_TRIES)) throw error;
      if (error instanceof UserErrorException) onRetry(error);
      await clock.sleep(2 * SECOND, signal);
    }
  }
}
