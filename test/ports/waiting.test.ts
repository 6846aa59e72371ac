import { expect, test } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../src/ports/clock.ts';
import { ageOf, beginWait, hasCome } from '../../src/ports/waiting.ts';

/** A clock that anybody may set. */
function settable(now = 100 * HOUR) {
  return {
    now: () => now,
    set(by: number) {
      now += by;
    },
  };
}

test('what was noted before the clock was set back is old, and a moment planned then has come', () => {
  const clock = settable();
  const at = clock.now();
  clock.set(2 * SECOND);
  expect([ageOf(clock, at), hasCome(clock, at + 15 * SECOND, 15 * SECOND)]).toEqual([2 * SECOND, false]);
  clock.set(13 * SECOND);
  expect(hasCome(clock, at + 15 * SECOND, 15 * SECOND)).toBe(true);
  clock.set(-HOUR);
  expect([ageOf(clock, at), hasCome(clock, at + 15 * SECOND, 15 * SECOND)]).toEqual([Number.POSITIVE_INFINITY, true]);
});

/** How many looks a wait of five minutes lasts where the clock moves by these between looks, the last one again and again. */
function looksOf(steps: readonly number[], least = 10): number {
  const clock = settable();
  const wait = beginWait(clock);
  for (let looks = 1; ; looks += 1) {
    clock.set(steps[Math.min(looks - 1, steps.length - 1)] ?? 0);
    if (wait.isOver(5 * MINUTE, least)) return looks;
  }
}

test.each([
  ['as planned', [2 * SECOND], 151],
  ['the clock is set back an hour in between', [2 * SECOND, -HOUR, 2 * SECOND], 152],
  ['the clock is set ahead by an hour, or the machine sleeps for one', [2 * SECOND, HOUR, 2 * SECOND], 114],
  ['each look takes four minutes, as a busy machine does at 240 times the speed', [4 * MINUTE], 10],
])('a wait of five minutes, looked at every 2 s: %s', (_what, steps, looks) => {
  expect(looksOf(steps)).toBe(looks);
});

test('no patience is no wait', () => {
  expect(beginWait(settable()).isOver(0, 10)).toBe(true);
});
