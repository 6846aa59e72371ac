import { MINUTE, SECOND } from '../ports/clock.ts';
import { catalogue } from '../text/catalogue.ts';
import type { Trouble } from '../text/trouble.ts';
import type { ClusterError, TroubleClass } from './errors.ts';

const words = () => catalogue().cluster;

/** What is known of the API from one look to the next. */
export interface ApiPast {
  /** When it first answered, ms of the clock; null when it has not yet. */
  readonly answeredAt: number | null;
  /** What is wrong since the last look at which nothing was; null when nothing is. */
  readonly outage: Outage | null;
}

export interface Outage {
  /** Since when a look has not been whole, ms of the clock. */
  readonly since: number;
  /** What is wrong now; since when it is the same; at how many looks in a row it was seen. */
  readonly error: ClusterError;
  readonly sameSince: number;
  readonly looks: number;
  /** The API asked not to be asked before; null when it did not. */
  readonly quietUntil: number | null;
}

/** `normal`: it passes. `warning`: it lasts longer than it should. `fatal`: it stays until a person changes something. */
export type Urgency = 'normal' | 'warning' | 'fatal';

/** Before the first look: the API has never answered, and nothing is known to be wrong. */
export const NO_PAST: ApiPast = { answeredAt: null, outage: null };

/** What is known after a look at which the API answered something of Kubernetes or not, and `error` was the worst of it. */
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

/** An API that was never there may take as long as the installer waits for it; one that was there comes back sooner. */
const FIRST_ANSWER = 20 * MINUTE;
const BACK_AGAIN = 5 * MINUTE;
/** Old bootstrap balancers answer in plain HTTP for a moment. */
const NOT_TLS_FOR = 2 * MINUTE;
const FORBIDDEN_FOR = 2 * MINUTE;
const REFUSED_LOOKS = 3;
const REFUSED_FOR = MINUTE;

const FATAL: readonly TroubleClass[] = ['configuration', 'identity', 'time', 'bug'];

/** How a person has to take an outage: how long each class of trouble is normal. */
export function urgencyOf({ outage, answeredAt }: ApiPast, now: number): Urgency {
  if (outage === null) return 'normal';
  const { error, sameSince, looks } = outage;
  const lasted = now - sameSince;
  if (error.trouble.code === 'cluster-not-tls') return lasted > NOT_TLS_FOR ? 'fatal' : 'normal';
  // A name may come with the next reload of a name server, but not without somebody who sees to it.
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
  const { title, cause } = outage.error.trouble;
  return words().outage.line(title, Math.floor((now - outage.since) / SECOND), urgencyOf(past, now), cause);
}

/** Pauses after failures in a row; the last is kept to. */
const PAUSES = [1, 2, 4, 8, 15].map((seconds) => seconds * SECOND);
const JITTER = 0.2;

/**
 * How long to wait before the next look, in milliseconds: longer and longer while the API is away, and never in step with
 * others who ask it.
 * @param failures how many looks in a row were not whole; 0 after one that was
 * @param every the pause between looks that are whole
 * @param random 0 to 1
 */
export function pauseBeforeLook(failures: number, every: number, random: number): number {
  const length = failures === 0 ? every : (PAUSES[failures - 1] ?? PAUSES.at(-1) ?? every);
  return length * (1 + JITTER * (2 * random - 1));
}

/** Whether no waiting helps: another cluster answers, or the credentials are no good (not for a moment only). */
export function isHopeless(past: ApiPast, now: number): boolean {
  const { error } = past.outage ?? {};
  if (error === undefined) return false;
  if (error.class === 'identity' || error.trouble.code === 'cluster-kubeconfig-expired') return true;
  return error.class === 'credentials' && urgencyOf(past, now) === 'fatal';
}

/** Clocks this far apart are told of: requests and certificates are judged by their age. */
const SKEW_TOLD = MINUTE;

/**
 * How far the clock of the other side is from ours, as far as one answer proves it, in milliseconds; positive when theirs is
 * ahead. The answer was made between `asked` and `answered`, and its `date` has whole seconds.
 */
export function skewOf(date: number, asked: number, answered: number): number {
  if (date > answered) return date - answered;
  const latest = date + SECOND;
  return latest < asked ? latest - asked : 0;
}

/** What to tell of clocks that differ; null when they do not by more than a minute, or when nothing is known. */
export function skewTrouble(skew: number | null): Trouble | null {
  if (skew === null || Math.abs(skew) <= SKEW_TOLD) return null;
  const { title, cause, whatToDo } = words().skew;
  return { code: 'cluster-clock-skew', title, cause: cause(Math.round(Math.abs(skew) / SECOND), skew > 0), whatToDo };
}
