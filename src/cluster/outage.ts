import { MINUTE, SECOND } from '../ports/clock.ts';
import { catalogue } from '../text/catalogue.ts';
import type { Trouble } from '../text/trouble.ts';
import type { ClusterError, TroubleClass } from './errors.ts';

const words = () => catalogue().cluster;

/** The state of the API that one look hands to the next. */
export interface ApiPast {
  /** When it first answered, ms of the clock; null when it has not yet. */
  readonly answeredAt: number | null;
  /** What has been wrong since the last complete look; null when nothing is. */
  readonly outage: Outage | null;
}

export interface Outage {
  /** Since when looks have been incomplete, ms of the clock. */
  readonly since: number;
  /** What is wrong now; since when it is the same; at how many looks in a row. */
  readonly error: ClusterError;
  readonly sameSince: number;
  readonly looks: number;
  /** Until when the API asked not to be asked; null when it did not. */
  readonly quietUntil: number | null;
}

/** `normal`: it passes. `warning`: it lasts longer than it should. `fatal`: it stays until a person changes something. */
export type Urgency = 'normal' | 'warning' | 'fatal';

/** Before the first look: the API has never answered, and nothing is known to be wrong. */
export const NO_PAST: ApiPast = { answeredAt: null, outage: null };

/** The state after one more look: whether Kubernetes answered anything, and `error`, the worst failure. */
export function afterLook(
  past: ApiPast,
  look: { hasAnswered: boolean; error: ClusterError | null },
  now: number,
): ApiPast {
  const { hasAnswered, error } = look;
  const answeredAt = past.answeredAt ?? (hasAnswered ? now : null);
  if (error === null) return { answeredAt, outage: null };
  const before = past.outage;
  const isSame = before?.error.trouble.code === error.trouble.code;
  return {
    answeredAt,
    outage: {
      since: before?.since ?? now,
      error,
      sameSince: isSame ? before.sameSince : now,
      looks: isSame ? before.looks + 1 : 1,
      quietUntil: error.retryAfter === null ? null : now + error.retryAfter,
    },
  };
}

/** An API that never answered may take as long as the installer waits for it; one that did comes back sooner. */
const FIRST_ANSWER = 20 * MINUTE;
const BACK_AGAIN = 5 * MINUTE;
/** Old bootstrap balancers answer in plain HTTP for a moment. */
const NOT_TLS_FOR = 2 * MINUTE;
const FORBIDDEN_FOR = 2 * MINUTE;
const REFUSED_LOOKS = 3;
const REFUSED_FOR = MINUTE;

const FATAL: readonly TroubleClass[] = ['configuration', 'identity', 'time', 'bug'];

/** How seriously to take an outage: how long each class of trouble is normal. */
export function urgencyOf({ outage, answeredAt }: ApiPast, now: number): Urgency {
  if (outage === null) return 'normal';
  const { error, sameSince, looks } = outage;
  const lasted = now - sameSince;
  if (error.trouble.code === 'cluster-not-tls') return lasted > NOT_TLS_FOR ? 'fatal' : 'normal';
  // The next reload of a name server may bring the name, but only if somebody sees to it.
  if (error.trouble.code === 'cluster-name') return 'warning';
  if (FATAL.includes(error.class)) return 'fatal';
  if (error.class === 'credentials') return looks >= REFUSED_LOOKS && lasted >= REFUSED_FOR ? 'fatal' : 'normal';
  if (error.class === 'forbidden') return lasted > FORBIDDEN_FOR ? 'fatal' : 'normal';
  const patience = error.class === 'not-yet' && answeredAt === null ? FIRST_ANSWER : BACK_AGAIN;
  return now - outage.since > patience ? 'warning' : 'normal';
}

/** An outage in one line for a screen; null when there is none. */
export function outageLine(past: ApiPast, now: number): string | null {
  const { outage } = past;
  if (outage === null) return null;
  return outageText({ trouble: outage.error.trouble, urgency: urgencyOf(past, now), since: outage.since, now });
}

/** An outage in one line: what is wrong, for how long, and whether that is normal. `since` and `now`: ms of the clock. */
export function outageText(outage: {
  readonly trouble: Trouble;
  readonly urgency: Urgency;
  readonly since: number;
  readonly now: number;
}): string {
  const { trouble, urgency, since, now } = outage;
  return words().outage.line(trouble.title, Math.floor((now - since) / SECOND), urgency, trouble.cause);
}

/** Pauses after failures in a row; the last one repeats. */
const PAUSES = [1, 2, 4, 8, 15].map((seconds) => seconds * SECOND);
const JITTER = 0.2;

/**
 * How long to wait before the next look, in milliseconds: longer and longer while the API is away, and at random, so
 * that clients do not ask in step.
 * @param failures incomplete looks in a row; 0 after a complete one
 * @param every the pause between complete looks
 * @param random 0 to 1
 */
export function pauseBeforeLook(failures: number, every: number, random: number): number {
  const length = failures === 0 ? every : (PAUSES[failures - 1] ?? PAUSES.at(-1) ?? every);
  return length * (1 + JITTER * (2 * random - 1));
}

/** Whether waiting cannot help: another cluster answers, or it keeps refusing the credentials. */
export function isHopeless(past: ApiPast, now: number): boolean {
  const { error } = past.outage ?? {};
  if (error === undefined) return false;
  if (error.class === 'identity' || error.trouble.code === 'cluster-kubeconfig-expired') return true;
  return error.class === 'credentials' && urgencyOf(past, now) === 'fatal';
}

/** Clocks this far apart are reported: the age of requests and certificates counts. */
const SKEW_TOLD = MINUTE;

/**
 * The clock difference that one answer proves, in milliseconds; positive when the other side's clock is ahead. The
 * other side answered between `asked` and `answered`, and its `date` has whole seconds.
 */
export function skewOf(date: number, asked: number, answered: number): number {
  if (date > answered) return date - answered;
  const latest = date + SECOND;
  return latest < asked ? latest - asked : 0;
}

/** The warning about clocks more than a minute apart; null when they are not, or the difference is not known. */
export function skewTrouble(skew: number | null): Trouble | null {
  if (skew === null || Math.abs(skew) <= SKEW_TOLD) return null;
  const { title, cause, whatToDo } = words().skew;
  return { code: 'cluster-clock-skew', title, cause: cause(Math.round(Math.abs(skew) / SECOND), skew > 0), whatToDo };
}
