import { catalogue } from '../i18n/catalogue.ts';
import type { UserError } from '../i18n/user-error.ts';
import { MINUTE, SECOND } from '../platform/clock.ts';

/** Clock differences above this (ms) are reported, because the age of requests and certificates counts. */
const SKEW_TOLERANCE = MINUTE;

/**
 * Measures the clock difference that one response proves, in milliseconds; positive if the server's clock is ahead. The
 * server responded between `sentAt` and `receivedAt`, and its `date` has whole seconds.
 */
export function measureSkew(date: number, sentAt: number, receivedAt: number): number {
  if (date > receivedAt) return date - receivedAt;
  const latestServerTime = date + SECOND;
  return latestServerTime < sentAt ? latestServerTime - sentAt : 0;
}

/** Returns the warning about clocks more than a minute apart; null if they are not, or the difference is not known. */
export function checkClockSkew(skew: number | null): UserError | null {
  if (skew === null || Math.abs(skew) <= SKEW_TOLERANCE) return null;
  const { title, cause, remedy } = catalogue().cluster.skew;
  return { code: 'cluster-clock-skew', title, cause: cause(Math.round(Math.abs(skew) / SECOND), skew > 0), remedy };
}
