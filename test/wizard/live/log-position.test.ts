import { expect, test } from 'vitest';
import {
  getTopLine,
  LOG_END_POSITION,
  type LogPosition,
  type LogWindow,
  updateLogPosition,
} from '../../../src/wizard/live/log-position.ts';
import fc from '../../support/property.ts';

const createLog = (count: number, first = 0, rows = 10): LogWindow => ({
  lines: Array.from({ length: count }, (_, index) => ({
    text: `line ${first + index}${index % 7 === 0 ? ' Seven' : ''}`,
  })),
  firstNumber: first,
  rows,
});
const scroll = (position: LogPosition, by: number, of: LogWindow) =>
  updateLogPosition(position, { type: 'log/scroll', by, log: of });
const search = (position: LogPosition, query: string, of: LogWindow) => {
  const open = updateLogPosition(position, { type: 'log/search' });
  const typed = [...query].reduce(
    (old, text) => updateLogPosition(old, { type: 'log/type', event: { kind: 'char', text } }),
    open,
  );
  return updateLogPosition(typed, { type: 'log/submit', log: of });
};

test('it follows the end, stays where it was scrolled to, and follows again at the end', () => {
  const up = scroll(LOG_END_POSITION, -3, createLog(100));
  expect(getTopLine(LOG_END_POSITION, createLog(100))).toBe(90);
  expect(up.top).toBe(87);
  // New lines arrive and old ones are dropped: the position stays.
  expect(getTopLine(up, createLog(100, 40))).toBe(87);
  expect(getTopLine(up, createLog(100, 95))).toBe(95);
  expect(scroll(up, 3, createLog(100)).top).toBeNull();
  expect(updateLogPosition(up, { type: 'log/jump', to: 'start', log: createLog(100) }).top).toBe(0);
  expect(updateLogPosition(up, { type: 'log/jump', to: 'end', log: createLog(100) }).top).toBeNull();
});

test('at every scroll position the visible lines are in the log', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.nat(50), fc.array(fc.integer({ min: -300, max: 300 })), (count, first, moves) => {
      const of = createLog(count, first);
      const position = moves.reduce((reading, by) => scroll(reading, by, of), LOG_END_POSITION);
      const top = getTopLine(position, of);
      expect(top).toBeGreaterThanOrEqual(first);
      expect(top).toBeLessThanOrEqual(first + Math.max(0, count - 10));
    }),
  );
});

test('a search finds in any case, the latest first, n and N wrap around the end, and no match gives null', () => {
  const of = createLog(100, 1000);
  const last = search(LOG_END_POSITION, 'sEVEN', of);
  expect(last).toMatchObject({ query: 'sEVEN', hitLine: 1098, top: 1090 });
  const next = updateLogPosition(last, { type: 'log/next', step: 1, log: of });
  expect(next).toMatchObject({ hitLine: 1000, top: 1000 });
  expect(updateLogPosition(next, { type: 'log/next', step: -1, log: of }).hitLine).toBe(1098);
  expect(search(LOG_END_POSITION, 'line 1042', of)).toMatchObject({ hitLine: 1042, top: 1037 });
  expect(search(LOG_END_POSITION, 'a.c*(', of).hitLine).toBeNull();
  expect(search(LOG_END_POSITION, 'x', createLog(0)).hitLine).toBeNull();
});

test('Esc leaves the search as it was', () => {
  const of = createLog(20);
  const found = search(LOG_END_POSITION, 'seven', of);
  const typing = updateLogPosition(found, { type: 'log/search' });
  expect(typing.searchField?.text).toBe('seven');
  expect(updateLogPosition(typing, { type: 'log/submit', log: null })).toEqual(found);
});

test('a search in the whole page stays in the whole page, with the match in view', () => {
  const fullPage = updateLogPosition(LOG_END_POSITION, { type: 'log/whole' });
  expect(search(fullPage, 'seven', createLog(100))).toMatchObject({ isFullPage: true, hitLine: 98, top: 90 });
});
