import { setTimeout as sleepReal } from 'node:timers/promises';
import { catalogue } from '../i18n/catalogue.ts';
import { type Clock, getUptime } from '../platform/clock.ts';

/** Calls `onTimeout` with a TimeoutError when the deadline expires, unless the returned function is called first. */
export type StartDeadline = (onTimeout: (error: Error) => void) => () => void;

/**
 * Minimum real time (ms) that a request gets: handshakes and signatures take real time, however fast the clock of a
 * rehearsal runs.
 */
export const MIN_REAL_TIMEOUT = 2000;

/**
 * Creates deadlines for many requests with one timer: they expire in the order in which they began.
 * @param ms length of each deadline, ms of the clock
 */
export function createDeadlines(clock: Clock, ms: number): StartDeadline {
  const activeDeadlines = new Map<(error: Error) => void, { readonly expiresAt: number; readonly minUptime: number }>();
  let expiryAbort: AbortController | null = null;

  const expireInOrder = async (signal: AbortSignal) => {
    for (;;) {
      const [firstDeadline] = activeDeadlines;
      if (firstDeadline === undefined) {
        expiryAbort = null;
        return;
      }
      const [onTimeout, { expiresAt, minUptime }] = firstDeadline;
      await clock.sleep(Math.max(0, expiresAt - clock.now()), signal);
      const remainingMs = minUptime - getUptime();
      if (remainingMs > 0 && activeDeadlines.has(onTimeout)) await sleepReal(remainingMs, undefined, { signal });
      if (activeDeadlines.delete(onTimeout))
        onTimeout(new DOMException(catalogue().cluster.timeout(ms), 'TimeoutError'));
    }
  };

  return (onTimeout) => {
    activeDeadlines.set(onTimeout, {
      expiresAt: clock.now() + ms,
      minUptime: getUptime() + Math.min(ms, MIN_REAL_TIMEOUT),
    });
    if (expiryAbort === null) {
      expiryAbort = new AbortController();
      expireInOrder(expiryAbort.signal).catch(() => undefined);
    }
    return () => {
      activeDeadlines.delete(onTimeout);
      if (activeDeadlines.size > 0) return;
      expiryAbort?.abort(NOTHING_IN_PROGRESS);
      expiryAbort = null;
    };
  };
}

// Created once: an error for every request is expensive.
const NOTHING_IN_PROGRESS = new Error('nothing is in progress');
