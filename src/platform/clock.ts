import { readFileSync, statSync } from 'node:fs';

/**
 * The only source of time. All code that reads the time, waits or repeats uses it. A rehearsal at speed 60 therefore
 * shortens every duration alike, and a test can control time.
 */
export interface Clock {
  /** Returns the ms since the epoch, in the time of the site (ahead of the wall clock in a sped-up rehearsal). */
  now(): number;
  /** Resolves after `ms` milliseconds of this clock, or rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `tick` every `ms` milliseconds of this clock until the returned function is called. */
  startInterval(ms: number, tick: () => void): () => void;
}

/**
 * The origin of a scaled time line. At wall time `real` (ms) it was `simulated` (ms), and it has run `speed` times
 * as fast since then. At speed 0 it stands still.
 */
export interface ClockAnchor {
  readonly real: number;
  readonly simulated: number;
  readonly speed: number;
}

/** Creates a clock that runs along the given anchor. Processes that share the anchor agree on the time. */
export function createScaledClock(anchor: ClockAnchor): Clock {
  const { real, simulated, speed } = anchor;
  return {
    now: () => simulated + (Date.now() - real) * speed,
    sleep: (ms, signal) => sleepReal(ms / speed, signal),
    startInterval(ms, tick) {
      const timer = setInterval(tick, Math.max(1, ms / speed));
      return () => clearInterval(timer);
    },
  };
}

/** How often a wait without change notifications checks for a new anchor (real ms). */
const ANCHOR_POLL_MS = 500;
/** The maximum delay of a timer (ms). */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Creates a clock whose anchor may be replaced at any time, to run faster, slower or stop. Waits in progress adapt.
 * @param subscribe calls the listener at each replacement, until the returned function is called; without it, waits
 * poll
 * @param haltedSpeed the speed at which waits go on while the time stands still; 0: they stand still, too
 */
export function createAnchoredClock(
  getAnchor: () => ClockAnchor,
  subscribe?: (listener: () => void) => () => void,
  haltedSpeed = 0,
): Clock {
  const now = () => createScaledClock(getAnchor()).now();
  const maxWaitMs = subscribe === undefined ? ANCHOR_POLL_MS : MAX_TIMER_MS;
  async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    let remainingMs = ms;
    let previousTime = now();
    do {
      const { speed } = getAnchor();
      const waitSpeed = speed > 0 ? speed : haltedSpeed;
      const startedAt = getUptime();
      await waitReal(
        waitSpeed > 0 ? Math.min(Math.ceil(remainingMs / waitSpeed), maxWaitMs) : maxWaitMs,
        signal,
        subscribe,
      );
      signal?.throwIfAborted();
      const currentTime = now();
      // A site that was restarted from its saved state is some time behind. That must not lengthen the wait.
      remainingMs -=
        Math.max(0, currentTime - previousTime) + (speed > 0 ? 0 : (getUptime() - startedAt) * haltedSpeed);
      previousTime = currentTime;
    } while (remainingMs > 0);
  }
  return {
    now,
    sleep,
    startInterval(ms, tick) {
      const controller = new AbortController();
      const repeat = async () => {
        while (
          await sleep(Math.max(1, ms), controller.signal).then(
            () => true,
            () => false,
          )
        )
          tick();
      };
      void repeat();
      return () => controller.abort();
    },
  };
}

/**
 * Returns the ms since this process started, independent of changes of the wall clock: for timeouts of programs and
 * users (`performance` would have to be loaded first).
 */
export const getUptime = (): number => process.uptime() * 1000;

/** The system clock. */
export const systemClock: Clock = createScaledClock({ real: 0, simulated: 0, speed: 1 });

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

/** Resolves after the time, when the signal is aborted, or at a change, whichever comes first. */
function waitReal(ms: number, signal?: AbortSignal, subscribe?: (listener: () => void) => () => void): Promise<void> {
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
    const unsubscribe = subscribe?.(end);
  });
}

/** Durations in ms of any clock. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/**
 * Creates a function that returns the parsed text of a file, and reads the file again only after it was replaced.
 * @param initialValue the value until the file exists
 */
export function createCachedFileReader<T>(file: string, parse: (text: string) => T, initialValue: T): () => T {
  let version = '';
  let value = initialValue;
  return () => {
    try {
      const { mtimeMs, ino } = statSync(file);
      const currentVersion = `${mtimeMs} ${ino}`;
      if (currentVersion !== version) {
        value = parse(readFileSync(file, 'utf8'));
        version = currentVersion;
      }
    } catch {
      // The file is missing for a moment or for good: the last known value is the best answer.
    }
    return value;
  };
}

/**
 * Creates a clock that follows the anchor in a file, also after the file was replaced; without a file, the system
 * clock.
 * @param haltedSpeed as for `createAnchoredClock`
 */
export function createFileClock(file: string, haltedSpeed = 0): Clock {
  const parseAnchor = (text: string) => JSON.parse(text) as ClockAnchor;
  const readAnchor = createCachedFileReader<ClockAnchor>(file, parseAnchor, { real: 0, simulated: 0, speed: 1 });
  return createAnchoredClock(readAnchor, undefined, haltedSpeed);
}

type TimeSource = Pick<Clock, 'now'>;

/**
 * Returns the time since a moment, in ms of the clock. A moment in the future was recorded before the clock was set
 * back: its age is unknown and counts as infinite, so the value recorded then is not used.
 */
export function getElapsedSince(clock: TimeSource, timeMs: number): number {
  const ageMs = clock.now() - timeMs;
  return ageMs < 0 ? Number.POSITIVE_INFINITY : ageMs;
}

/**
 * Whether a planned moment has come.
 * @param maxAheadMs how far ahead moments are planned, in ms: a moment further ahead was planned before the clock was
 * set back
 */
export function isTimeReached(clock: TimeSource, timeMs: number, maxAheadMs: number): boolean {
  const aheadMs = timeMs - clock.now();
  return aheadMs <= 0 || aheadMs > maxAheadMs;
}

/** A wait with repeated probes for something that may never come. */
interface WaitTimer {
  /**
   * Counts a probe, and returns whether the wait has lasted more than `ms` of the clock (0: no wait). Call it once
   * after each probe.
   * @param minProbes minimum number of probes before the wait is over: in a fast rehearsal, minutes last only seconds
   */
  isOverAfterProbe(ms: number, minProbes: number): boolean;
}

/**
 * The maximum share of a wait that one pause between two probes may add: time while the machine slept, or the process
 * was stopped, is not waiting.
 */
const MAX_PAUSE_SHARE = 1 / 4;

/** Starts a wait. Setting the clock makes it neither longer nor shorter. */
export function startWaitTimer(clock: TimeSource): WaitTimer {
  const pauses: number[] = [];
  let previousTime = clock.now();
  return {
    isOverAfterProbe(ms, minProbes) {
      const now = clock.now();
      pauses.push(Math.max(0, now - previousTime));
      previousTime = now;
      if (ms === 0) return true;
      const waitTime = pauses.reduce((sum, pauseMs) => sum + Math.min(pauseMs, ms * MAX_PAUSE_SHARE), 0);
      return waitTime > ms && pauses.length >= minProbes;
    },
  };
}

/**
 * Formats a time of day in local time, up to the minute or the second: `10:41`.
 * @param timeMs ms since the epoch
 */
export function formatTimeOfDay(timeMs: number, precision: 'minute' | 'second' = 'minute'): string {
  const date = new Date(timeMs);
  const parts = [date.getHours(), date.getMinutes(), ...(precision === 'second' ? [date.getSeconds()] : [])];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** Formats a date and a time of day in the time zone of this machine: `2026-11-28 10:41`. */
export function formatDateAndTime(timeMs: number): string {
  return `${formatDate(timeMs)} ${formatTimeOfDay(timeMs)}`;
}

/** Formats a date and a time of day in UTC, up to the minute or the second: `2026-11-28 10:41`. */
export function formatUtc(timeMs: number, precision: 'minute' | 'second'): string {
  return new Date(timeMs)
    .toISOString()
    .slice(0, precision === 'minute' ? 16 : 19)
    .replace('T', ' ');
}

/** Formats a date in the time zone of this machine: `2026-11-28`. */
export function formatDate(timeMs: number): string {
  const date = new Date(timeMs);
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((number) => String(number).padStart(2, '0'));
  return `${date.getFullYear()}-${month}-${day}`;
}
