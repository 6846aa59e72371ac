import { expect, test } from 'vitest';
import { FROM_THE_END, type Readable, type Reading, topOf, updateReading } from '../../../src/wizard/live/reading.ts';
import fc from '../../support/property.ts';

const log = (count: number, first = 0, rows = 10): Readable => ({
  lines: Array.from({ length: count }, (_, index) => ({
    text: `line ${first + index}${index % 7 === 0 ? ' Seven' : ''}`,
  })),
  first,
  rows,
});
const scroll = (reading: Reading, by: number, of: Readable) =>
  updateReading(reading, { type: 'log/scroll', by, log: of });
const search = (reading: Reading, query: string, of: Readable) => {
  const open = updateReading(reading, { type: 'log/search' });
  const typed = [...query].reduce(
    (old, text) => updateReading(old, { type: 'log/type', event: { kind: 'char', text } }),
    open,
  );
  return updateReading(typed, { type: 'log/typed', log: of });
};

test('it follows the end, stays where it was scrolled to, and follows again at the end', () => {
  const up = scroll(FROM_THE_END, -3, log(100));
  expect(topOf(FROM_THE_END, log(100))).toBe(90);
  expect(up.top).toBe(87);
  // New lines come, old ones go: the place stays.
  expect(topOf(up, log(100, 40))).toBe(87);
  expect(topOf(up, log(100, 95))).toBe(95);
  expect(scroll(up, 3, log(100)).top).toBeNull();
  expect(updateReading(up, { type: 'log/jump', to: 'start', log: log(100) }).top).toBe(0);
  expect(updateReading(up, { type: 'log/jump', to: 'end', log: log(100) }).top).toBeNull();
});

test('wherever it is scrolled, what is seen is in the log', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.nat(50), fc.array(fc.integer({ min: -300, max: 300 })), (count, first, moves) => {
      const of = log(count, first);
      const at = moves.reduce((reading, by) => scroll(reading, by, of), FROM_THE_END);
      const top = topOf(at, of);
      expect(top).toBeGreaterThanOrEqual(first);
      expect(top).toBeLessThanOrEqual(first + Math.max(0, count - 10));
    }),
  );
});

test('a search finds in any case, the latest first, n and N go on around the end, and nothing found is said', () => {
  const of = log(100, 1000);
  const last = search(FROM_THE_END, 'sEVEN', of);
  expect(last).toMatchObject({ query: 'sEVEN', found: 1098, top: 1090 });
  const next = updateReading(last, { type: 'log/next', step: 1, log: of });
  expect(next).toMatchObject({ found: 1000, top: 1000 });
  expect(updateReading(next, { type: 'log/next', step: -1, log: of }).found).toBe(1098);
  expect(search(FROM_THE_END, 'line 1042', of)).toMatchObject({ found: 1042, top: 1037 });
  expect(search(FROM_THE_END, 'a.c*(', of).found).toBeNull();
  expect(search(FROM_THE_END, 'x', log(0)).found).toBeNull();
});

test('Esc leaves the search as it was', () => {
  const of = log(20);
  const found = search(FROM_THE_END, 'seven', of);
  const typing = updateReading(found, { type: 'log/search' });
  expect(typing.typing?.text).toBe('seven');
  expect(updateReading(typing, { type: 'log/typed', log: null })).toEqual(found);
});

test('a search in the whole page stays in the whole page, where what was found is in sight', () => {
  const whole = updateReading(FROM_THE_END, { type: 'log/whole' });
  expect(search(whole, 'seven', log(100))).toMatchObject({ isWhole: true, found: 98, top: 90 });
});
