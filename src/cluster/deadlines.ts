import { setTimeout as sleepReal } from 'node:timers/promises';
import type { Clock } from '../ports/clock.ts';
import { catalogue } from '../text/catalogue.ts';

/** Calls back with a TimeoutError when the time is over, unless what it gives is called before. */
export type WhenLate = (late: (error: Error) => void) => () => void;

/**
 * Handshakes and signatures take their time on the machine, however fast the clock of a rehearsal runs: nothing is given up
 * before this much of real time (ms).
 */
export const FAIR_CHANCE = 2000;

/** Of the machine, in ms, whatever is done to its clock; `performance` would be loaded first. */
const uptime = () => process.uptime() * 1000;

/**
 * The time that each of many requests has, watched by one sleep for all of them: they end in the order in which they began.
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

// Made once: an error made for every request is dear.
const DONE = new Error('nothing is under way');
