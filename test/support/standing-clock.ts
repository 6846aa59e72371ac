import type { Clock } from '../../src/ports/clock.ts';

/**
 * A clock for requests over real sockets: time stands still, a pause ends at once, and a time-out (a wait that can be
 * cancelled) never expires, however busy the machine is.
 */
export function standingClock(now: () => number = standing(Date.now())): Clock {
  return {
    now,
    sleep: (_ms, signal) => (signal ? untilAborted(signal) : Promise.resolve()),
    interval: () => () => undefined,
  };
}

const standing = (at: number) => () => at;

/** Rejects with the signal's reason on an abort, and does nothing else. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
