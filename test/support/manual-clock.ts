import type { Clock } from '../../src/ports/clock.ts';

/** A clock that a test controls: time passes only when the test says so. */
export interface ManualClock extends Clock {
  /** Lets this many milliseconds pass; wakes sleepers in the order of their time, and awaits what follows. */
  advance(ms: number): Promise<void>;
  /** How many sleeps wait now. */
  sleeping(): number;
}

/** A turn of the event loop: all callbacks that were ready have run. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

export function manualClock(start = 0): ManualClock {
  let now = start;
  const waiting = new Set<{ readonly at: number; readonly wake: () => void }>();

  const add = (at: number, wake: () => void) => {
    const entry = { at, wake };
    waiting.add(entry);
    return () => waiting.delete(entry);
  };

  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const end = () => {
          forget();
          reject(signal?.reason);
        };
        const forget = add(now + ms, () => {
          signal?.removeEventListener('abort', end);
          resolve();
        });
        signal?.addEventListener('abort', end, { once: true });
      }),
    interval(ms, tick) {
      let forget: () => unknown = () => undefined;
      const again = () => {
        forget = add(now + ms, () => {
          again();
          tick();
        });
      };
      again();
      return () => void forget();
    },
    sleeping: () => waiting.size,
    async advance(ms) {
      const end = now + ms;
      for (;;) {
        await turn();
        const next = [...waiting].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        now = Math.max(now, next.at);
        waiting.delete(next);
        next.wake();
      }
      now = end;
      await turn();
    },
  };
}
