import { setTimeout as sleepReal } from 'node:timers/promises';
import { type Clock, uptime } from '../ports/clock.ts';
import { catalogue } from '../text/catalogue.ts';

/** Calls back with a TimeoutError when the time is over, unless the function that it returns is called first. */
export type WhenLate = (late: (error: Error) => void) => () => void;

/**
 * Handshakes and signatures take real time, however fast the clock of a rehearsal runs: no request is given up before
 * this much of it (ms).
 */
export const FAIR_CHANCE = 2000;

/**
 * Time-outs for many requests, watched by one sleep for all: they expire in the order in which they began.
 * @param ms of the clock
 */
export function deadlines(clock: Clock, ms: number): WhenLate {
  const underWay = new Map<(error: Error) => void, { readonly until: number; readonly atLeast: number }>();
  let watching: AbortController | null = null;

  const watch = async (signal: AbortSignal) => {
    for (;;) {
      const [first] = underWay;
      if (first === undefined) {
        watching = null;
        return;
      }
      const [late, { until, atLeast }] = first;
      await clock.sleep(Math.max(0, until - clock.now()), signal);
      const left = atLeast - uptime();
      if (left > 0 && underWay.has(late)) await sleepReal(left, undefined, { signal });
      if (underWay.delete(late)) late(new DOMException(catalogue().cluster.late(ms), 'TimeoutError'));
    }
  };

  return (late) => {
    underWay.set(late, { until: clock.now() + ms, atLeast: uptime() + Math.min(ms, FAIR_CHANCE) });
    if (watching === null) {
      watching = new AbortController();
      watch(watching.signal).catch(() => undefined);
    }
    return () => {
      underWay.delete(late);
      if (underWay.size > 0) return;
      watching?.abort(DONE);
      watching = null;
    };
  };
}

// Created once: an error for every request is expensive.
const DONE = new Error('nothing is under way');
