import { setTimeout as sleepReal } from 'node:timers/promises';
import { catalogue } from '../i18n/catalogue.ts';
import { type Clock, uptime } from '../platform/clock.ts';

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
  const active = new Map<(error: Error) => void, { readonly until: number; readonly atLeast: number }>();
  let watcher: AbortController | null = null;

  const watch = async (signal: AbortSignal) => {
    for (;;) {
      const [first] = active;
      if (first === undefined) {
        watcher = null;
        return;
      }
      const [onTimeout, { until, atLeast }] = first;
      await clock.sleep(Math.max(0, until - clock.now()), signal);
      const remaining = atLeast - uptime();
      if (remaining > 0 && active.has(onTimeout)) await sleepReal(remaining, undefined, { signal });
      if (active.delete(onTimeout)) onTimeout(new DOMException(catalogue().cluster.timeout(ms), 'TimeoutError'));
    }
  };

  return (onTimeout) => {
    active.set(onTimeout, { until: clock.now() + ms, atLeast: uptime() + Math.min(ms, MIN_REAL_TIMEOUT) });
    if (watcher === null) {
      watcher = new AbortController();
      watch(watcher.signal).catch(() => undefined);
    }
    return () => {
      active.delete(onTimeout);
      if (active.size > 0) return;
      watcher?.abort(DONE);
      watcher = null;
    };
  };
}

// Created once: an error for every request is expensive.
const DONE = new Error('nothing is under way');
