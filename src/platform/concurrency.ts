import { setTimeout as realSleep } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/**
 * Runs at most `limit` tasks at a time; the others wait in the order of their calls.
 * @returns a function that runs a task when a slot is free, and returns its result
 */
export function limitConcurrency(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  let runningCount = 0;
  const queue: (() => void)[] = [];
  return async (task) => {
    if (runningCount >= limit) await new Promise<void>((resolve) => queue.push(resolve));
    else runningCount += 1;
    try {
      return await task();
    } finally {
      // The slot passes to the next task in the queue, so that a new caller cannot take it.
      const startNext = queue.shift();
      if (startNext) startNext();
      else runningCount -= 1;
    }
  };
}

// A response takes real time at any speed of the clock, above all on a busy machine. However fast a rehearsal is, a
// probe waits as long in real time as on a real site, up to this limit (milliseconds).
const MAX_REAL_WAIT_MS = 3000;
const SLEEP_SLICES = 6;

/**
 * Starts a deadline: its signal fires after `ms` of the clock, but not before `minRealMs` real milliseconds (default:
 * `ms`, at most 3,000). `end` must be called.
 */
export function startDeadline(
  clock: Clock,
  ms: number,
  minRealMs = Math.min(ms, MAX_REAL_WAIT_MS),
): { readonly signal: AbortSignal; end(): void } {
  const [expiryController, endController] = [new AbortController(), new AbortController()];
  Promise.all([clock.sleep(ms, endController.signal), sleepWhileResponsive(minRealMs, endController.signal)]).then(
    () => expiryController.abort(),
    () => {},
  );
  return { signal: expiryController.signal, end: () => endController.abort() };
}

/**
 * Sleeps for `ms` real milliseconds in which this process can read responses. While the process is busy, responses stay
 * unread: a busy period counts as only one of the slices.
 */
async function sleepWhileResponsive(ms: number, signal: AbortSignal): Promise<void> {
  for (let slice = 0; slice < SLEEP_SLICES; slice += 1) await realSleep(ms / SLEEP_SLICES, undefined, { signal });
}
