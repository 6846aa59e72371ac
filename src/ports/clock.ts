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

/**
 * Where a sped-up time line starts: at wall time `real` (ms) it was `simulated` (ms), and it runs `speed` times as fast since;
 * at speed 0 it stands still.
 */
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

/** How soon a wait notices that the anchor is another one (real ms), where nothing tells it. */
const NOTICED = 500;
/** The longest that a timer can wait (ms). */
const LONGEST = 2 ** 31 - 1;

/**
 * A clock along an anchor that may be replaced at any time, by a faster, a slower or a standing one: waits under way follow.
 * @param changes calls the listener at each replacement, until the returned function is called; without it, waits look for themselves
 */
export function followingClock(anchor: () => ClockAnchor, changes?: (listener: () => void) => () => void): Clock {
  const now = () => scaledClock(anchor()).now();
  const slice = changes === undefined ? NOTICED : LONGEST;
  async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    let left = ms;
    let before = now();
    do {
      const { speed } = anchor();
      await waitReal(speed > 0 ? Math.min(Math.ceil(left / speed), slice) : slice, signal, changes);
      signal?.throwIfAborted();
      const at = now();
      // A site that was started again from its saved world is back by some time: the wait is no longer for that.
      left -= Math.max(0, at - before);
      before = at;
    } while (left > 0);
  }
  return {
    now,
    sleep,
    interval(ms, tick) {
      const over = new AbortController();
      const repeat = async () => {
        while (
          await sleep(Math.max(1, ms), over.signal).then(
            () => true,
            () => false,
          )
        )
          tick();
      };
      void repeat();
      return () => over.abort();
    },
  };
}

/**
 * Milliseconds since this process began, whoever sets the wall clock: for how long a program or a person may take to answer
 * (`performance` would have to be loaded first).
 */
export const uptime = (): number => process.uptime() * 1000;

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

/** Until the time is over, the signal is aborted or there is a change, whichever comes first. */
function waitReal(ms: number, signal?: AbortSignal, changes?: (listener: () => void) => () => void): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      unsubscribe?.();
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
    const unsubscribe = changes?.(end);
  });
}

/** All durations are milliseconds, of whichever clock. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
