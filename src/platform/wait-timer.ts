import type { Clock } from './clock.ts';

type TimeSource = Pick<Clock, 'now'>;

/**
 * Time since a moment, in ms of the clock. A moment in the future was recorded before the clock was set back: its age
 * is unknown and counts as infinite, so the value recorded then is not used.
 */
export function getElapsedSince(clock: TimeSource, at: number): number {
  const age = clock.now() - at;
  return age < 0 ? Number.POSITIVE_INFINITY : age;
}

/**
 * Whether a planned moment has come.
 * @param longest the maximum time ahead that it was planned, ms: one further ahead was planned before the clock was set
 * back
 */
export function isTimeReached(clock: TimeSource, moment: number, maximum: number): boolean {
  const ahead = moment - clock.now();
  return ahead <= 0 || ahead > maximum;
}

/** A wait with repeated probes for something that may never come. */
interface WaitTimer {
  /**
   * Call it once after each probe: whether the wait has lasted `ms` of the clock (0: no wait).
   * @param probes minimum number of probes: when a rehearsal's time runs fast, minutes are seconds of a machine that
   * may be busy
   */
  isOver(ms: number, probes: number): boolean;
}

/**
 * The maximum share of a wait that one pause between two probes may add: time while the machine slept, or the process
 * was stopped, is not waiting.
 */
const MAX_PAUSE_SHARE = 1 / 4;

/** Starts a wait. Setting the clock makes it neither longer nor shorter. */
export function startWaitTimer(clock: TimeSource): WaitTimer {
  const pauses: number[] = [];
  let previous = clock.now();
  return {
    isOver(ms, probes) {
      const now = clock.now();
      pauses.push(Math.max(0, now - previous));
      previous = now;
      if (ms === 0) return true;
      const waited = pauses.reduce((sum, each) => sum + Math.min(each, ms * MAX_PAUSE_SHARE), 0);
      return waited > ms && pauses.length >= probes;
    },
  };
}
