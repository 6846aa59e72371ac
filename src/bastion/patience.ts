import { setTimeout as realSleep } from 'node:timers/promises';
import type { Clock } from '../ports/clock.ts';

// A packet needs its time whatever the speed of the clock is: no probe gives up before this (real milliseconds).
const SHORTEST = 300;

/**
 * A signal that fires after `ms` of the clock, and not before `least` real milliseconds; `end` must be called.
 */
export function runPatience(clock: Clock, ms: number, least = SHORTEST): { readonly signal: AbortSignal; end(): void } {
  const [expired, ended] = [new AbortController(), new AbortController()];
  Promise.all([clock.sleep(ms, ended.signal), realSleep(least, undefined, { signal: ended.signal })]).then(
    () => expired.abort(),
    () => {},
  );
  return { signal: expired.signal, end: () => ended.abort() };
}

/** The `code` of a system error; of one of several (both address families tried), the first. */
export function errorCode(error: unknown): string {
  if (error instanceof AggregateError) return errorCode(error.errors[0]);
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message : String(error);
}
