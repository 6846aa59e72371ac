import { setTimeout as realSleep } from 'node:timers/promises';
import type { Clock } from '../ports/clock.ts';

// An answer needs its time whatever the speed of the clock is, most of all on a busy machine: however fast a rehearsal plays, a
// probe waits as long in real time as on a real site, up to this (milliseconds).
const LONGEST_REAL = 3000;
const SLICES = 6;

/**
 * A signal that fires after `ms` of the clock, and not before `least` real milliseconds (without it, `ms` or three seconds);
 * `end` must be called.
 */
export function runPatience(
  clock: Clock,
  ms: number,
  least = Math.min(ms, LONGEST_REAL),
): { readonly signal: AbortSignal; end(): void } {
  const [expired, ended] = [new AbortController(), new AbortController()];
  Promise.all([clock.sleep(ms, ended.signal), sleepAwake(least, ended.signal)]).then(
    () => expired.abort(),
    () => {},
  );
  return { signal: expired.signal, end: () => ended.abort() };
}

/**
 * Time during which this process could have read an answer (milliseconds): while it is busy itself, answers wait unread, and
 * such a time counts once only, as one of the slices.
 */
async function sleepAwake(ms: number, signal: AbortSignal): Promise<void> {
  for (let slice = 0; slice < SLICES; slice += 1) await realSleep(ms / SLICES, undefined, { signal });
}

/** The `code` of a system error; of one of several (both address families tried), the first. */
export function errorCode(error: unknown): string {
  if (error instanceof AggregateError) return errorCode(error.errors[0]);
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message : String(error);
}
