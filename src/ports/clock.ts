/**
 * The one clock. Everything that asks the time, waits or repeats takes it from here, so that a rehearsal at speed 60
 * shrinks every duration alike and a test can hold time in its hand.
 */
export interface Clock {
  /** Milliseconds since the epoch, in the time of the site (ahead of the wall clock in a sped-up rehearsal). */
  now(): number;
  /** Resolves after `ms` milliseconds of this clock; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `tick` every `ms` milliseconds of this clock until the returned function is called. */
  interval(ms: number, tick: () => void): () => void;
}

/** Where a sped-up time line starts: at wall time `real` (ms) it was `simulated` (ms), and it runs `speed` times as fast since. */
export interface ClockAnchor {
  readonly real: number;
  readonly simulated: number;
  readonly speed: number;
}

/** A clock that runs along the given anchor. Processes that share the anchor agree on the time. */
export function scaledClock(anchor: ClockAnchor): Clock {
  const { real, simulated, speed } = anchor;
  return {
    now: () => simulated + (Date.now() - real) * speed,
    sleep: (ms, signal) => sleepReal(ms / speed, signal),
    interval(ms, tick) {
      const timer = setInterval(tick, Math.max(1, ms / speed));
      return () => clearInterval(timer);
    },
  };
}

/** The clock of the machine. */
export const systemClock: Clock = scaledClock({ real: 0, simulated: 0, speed: 1 });

function sleepReal(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** All durations are milliseconds, of whichever clock. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
