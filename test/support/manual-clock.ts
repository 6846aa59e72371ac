import type { Clock } from '../../src/platform/clock.ts';

/** A clock that a test controls: time passes only on `advance`. */
export interface ManualClock extends Clock {
  /** Lets this many milliseconds pass. Wakes sleepers in the order of their time and waits for what follows. */
  advance(ms: number): Promise<void>;
  /** Number of pending sleeps. */
  countSleepers(): number;
}

/** Waits one turn of the event loop: all callbacks that were ready have run. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

export function manualClock(start = 0): ManualClock {
  let now = start;
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();

  const add = (at: number, wake: () => void) => {
    const entry = { at, wake };
    sleepers.add(entry);
    return () => sleepers.delete(entry);
  };

  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const onAbort = () => {
          cancel();
          reject(signal?.reason);
        };
        const cancel = add(now + ms, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        });
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
    startInterval(ms, tick) {
      let cancel: () => unknown = () => undefined;
      const schedule = () => {
        cancel = add(now + ms, () => {
          schedule();
          tick();
        });
      };
      schedule();
      return () => void cancel();
    },
    countSleepers: () => sleepers.size,
    async advance(ms) {
      const end = now + ms;
      for (;;) {
        await nextTurn();
        const next = [...sleepers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        now = Math.max(now, next.at);
        sleepers.delete(next);
        next.wake();
      }
      now = end;
      await nextTurn();
    },
  };
}
