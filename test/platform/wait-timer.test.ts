import { expect, test } from 'vitest';
import { getElapsedSince, HOUR, isTimeReached, MINUTE, SECOND, startWaitTimer } from '../../src/platform/clock.ts';

/** Creates a clock that tests can set. */
function createSettableClock(now = 100 * HOUR) {
  return {
    now: () => now,
    set(by: number) {
      now += by;
    },
  };
}

test('a time from before the clock was set back is infinitely old, and a deadline from then is reached', () => {
  const clock = createSettableClock();
  const at = clock.now();
  clock.set(2 * SECOND);
  expect([getElapsedSince(clock, at), isTimeReached(clock, at + 15 * SECOND, 15 * SECOND)]).toEqual([
    2 * SECOND,
    false,
  ]);
  clock.set(13 * SECOND);
  expect(isTimeReached(clock, at + 15 * SECOND, 15 * SECOND)).toBe(true);
  clock.set(-HOUR);
  expect([getElapsedSince(clock, at), isTimeReached(clock, at + 15 * SECOND, 15 * SECOND)]).toEqual([
    Number.POSITIVE_INFINITY,
    true,
  ]);
});

/**
 * Returns how many probes a wait of five minutes lasts if the clock moves by these steps between probes. The last step
 * repeats.
 */
function countProbes(steps: readonly number[], minimum = 10): number {
  const clock = createSettableClock();
  const wait = startWaitTimer(clock);
  for (let probes = 1; ; probes += 1) {
    clock.set(steps[Math.min(probes - 1, steps.length - 1)] ?? 0);
    if (wait.isOverAfterProbe(5 * MINUTE, minimum)) return probes;
  }
}

test.each([
  ['as planned', [2 * SECOND], 151],
  ['the clock is set back an hour in between', [2 * SECOND, -HOUR, 2 * SECOND], 152],
  ['the clock is set ahead by an hour, or the machine sleeps for one', [2 * SECOND, HOUR, 2 * SECOND], 114],
  ['each probe takes four minutes, as on a busy machine at 240 times the speed', [4 * MINUTE], 10],
])('a wait of five minutes, probed every 2 s: %s', (_what, steps, probes) => {
  expect(countProbes(steps)).toBe(probes);
});

test('a timeout of zero is over at once', () => {
  expect(startWaitTimer(createSettableClock()).isOverAfterProbe(0, 10)).toBe(true);
});
