import { expect, test } from 'vitest';
import { MINUTE } from '../../src/platform/clock.ts';
import { computeDrawnShare, computeShare, estimateWait, type WaitPart } from '../../src/steps/wait-progress.ts';

const START = 1_000_000;
const part = (share: number, changes: Partial<WaitPart> = {}): WaitPart => ({
  usualMinutes: [10, 20],
  share,
  startedAt: START,
  ...changes,
});
const estimateMinutes = (parts: readonly WaitPart[], minutes: number) => {
  const { remaining, isOverdue } = estimateWait(parts, START + minutes * MINUTE);
  return { remaining: remaining.map((ms) => ms / MINUTE), isOverdue };
};

test('each part counts with its usual time', () => {
  expect(computeShare([part(1), part(0, { usualMinutes: [40, 50] })])).toBe(15 / 60);
  expect(computeShare([part(0.5)])).toBe(0.5);
  expect(computeShare([])).toBe(0);
});

test('the rest is what was not observed, and less the longer the open part has lasted', () => {
  const open = [part(1), part(0), part(0, { startedAt: null })];
  expect(estimateMinutes(open, 0)).toEqual({ remaining: [20, 40], isOverdue: false });
  expect(estimateMinutes(open, 5)).toEqual({ remaining: [15, 35], isOverdue: false });
  expect(estimateMinutes([part(0.5)], 1)).toEqual({ remaining: [5, 10], isOverdue: false });
  expect(estimateMinutes([part(1)], 500)).toEqual({ remaining: [0, 0], isOverdue: false });
});

test('the rest never grows, whatever is observed next', () => {
  let last = Number.POSITIVE_INFINITY;
  for (let minutes = 0; minutes <= 30; minutes += 1) {
    const { remaining } = estimateMinutes([part(Math.floor(minutes / 7) / 5)], minutes);
    const middle = ((remaining[0] ?? 0) + (remaining[1] ?? 0)) / 2;
    expect(middle).toBeLessThanOrEqual(last);
    last = middle;
  }
});

test('a wait of several parts is overdue only when the most of all of them has passed', () => {
  const stages = [part(1), part(0.5, { startedAt: START + 5 * MINUTE }), part(0, { startedAt: null })];
  // The open stage takes longer than its own time, but the first one was quick.
  expect(estimateMinutes(stages, 30)).toEqual({ remaining: [10, 20], isOverdue: false });
  expect(estimateMinutes(stages, 60).isOverdue).toBe(false);
  expect(estimateMinutes(stages, 61).isOverdue).toBe(true);
  expect(estimateMinutes([part(1, { startedAt: null }), part(1)], 500).isOverdue).toBe(false);
});

test('after an earlier delay, a part within its usual time is not overdue', () => {
  const stages = [part(1), part(0, { startedAt: START + 60 * MINUTE })];
  expect(estimateMinutes(stages, 61)).toEqual({ remaining: [9, 19], isOverdue: false });
  expect(estimateMinutes(stages, 81).isOverdue).toBe(true);
});

test('a part that lasts longer than usual is overdue', () => {
  expect(estimateMinutes([part(0.9)], 20).isOverdue).toBe(false);
  expect(estimateMinutes([part(0.9)], 21)).toEqual({ remaining: [0, 0], isOverdue: true });
});

test('a part with hidden progress is drawn by its time too, and never as done', () => {
  const hidden = { hasHiddenProgress: true } as const;
  const drawAfter = (minutes: number, parts: readonly WaitPart[]) => computeDrawnShare(parts, START + minutes * MINUTE);
  const stages = [part(0, hidden), part(0, { ...hidden, startedAt: null })];
  expect([0, 3, 9, 500].map((minutes) => drawAfter(minutes, stages))).toEqual([0, 0.1, 0.3, 0.45]);
  expect(computeShare(stages)).toBe(0);
  expect(drawAfter(3, [part(0.5, hidden)])).toBe(0.5);
  expect(drawAfter(9, [part(0.25)])).toBe(0.25);
  // The clock was set back.
  expect(drawAfter(-9, stages)).toBe(0);
});
