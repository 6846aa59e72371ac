import type { Clock } from './clock.ts';

type Time = Pick<Clock, 'now'>;

/**
 * How long ago a moment was, in ms of the clock. One that seems to lie ahead was noted before the clock was set back: nobody
 * knows how long ago it was, and what was found then is not relied on.
 */
export function ageOf(clock: Time, at: number): number {
  const age = clock.now() - at;
  return age < 0 ? Number.POSITIVE_INFINITY : age;
}

/**
 * Whether a moment has come that was planned for later.
 * @param longest how far ahead it was planned at most, ms: one further ahead was planned before the clock was set back
 */
export function hasCome(clock: Time, moment: number, longest: number): boolean {
  const ahead = moment - clock.now();
  return ahead <= 0 || ahead > longest;
}

/** A wait for something that may never come, look after look. */
interface Wait {
  /**
   * To be asked once after each look: whether it has lasted `ms` of the clock (0: it is no wait).
   * @param looks at least so many: where a rehearsal's time runs fast, minutes are seconds of a machine that may be busy
   */
  isOver(ms: number, looks: number): boolean;
}

/** How much of a wait may pass between two looks: nobody waited while the machine slept, or we were stopped. */
const LARGEST_PART = 1 / 4;

/** Begins a wait. To set the clock makes it neither longer nor shorter. */
export function beginWait(clock: Time): Wait {
  const passed: number[] = [];
  let before = clock.now();
  return {
    isOver(ms, looks) {
      const now = clock.now();
      passed.push(Math.max(0, now - before));
      before = now;
      if (ms === 0) return true;
      const waited = passed.reduce((sum, each) => sum + Math.min(each, ms * LARGEST_PART), 0);
      return waited > ms && passed.length >= looks;
    },
  };
}
