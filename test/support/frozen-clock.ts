import type { Clock } from '../../src/platform/clock.ts';

/**
 * Creates a clock for requests over real sockets: its time is fixed and a pause ends at once. A timeout (a wait that
 * can be cancelled) never expires, however busy the host is.
 */
export function createFrozenClock(now: () => number = fixedTime(Date.now())): Clock {
  return {
    now,
    sleep: (_ms, signal) => (signal ? waitForAbort(signal) : Promise.resolve()),
    startInterval: () => () => undefined,
  };
}

const fixedTime = (time: number) => () => time;

/** Rejects with the signal's reason on an abort, and does nothing else. */
export function waitForAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
