import { expect, test } from 'vitest';
import { cut, graphemesOf, pad, widthOf, wrapLines } from '../../src/text/width.ts';
import { placeColumns } from '../../src/ui/table-layout.ts';
import { windowAround, windowFrom } from '../../src/ui/window.ts';
import fc from '../support/property.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.constantFrom('日', 'ab', ' ', '👨‍👩‍👧', 'e\u0301', 'node-1', 'クラスター'))
    .map((parts) => parts.join('')),
);
const width = fc.integer({ min: 0, max: 40 });

test('a wide character is never cut in two', () => {
  expect(cut('クラスター名', 8, '…')).toBe('クラス…');
  expect(cut('クラスター名', 9, '~')).toBe('クラスタ~');
  expect(cut('abc', 3, '…')).toBe('abc');
  expect(pad('日本', 6, '~')).toBe('日本  ');
  expect(pad('7', 3, '~', 'right')).toBe('  7');
  expect(pad('日本語', 4, '~')).toBe('日~ ');
});

test('property: cut never exceeds its width, pad is exactly as wide', () => {
  fc.assert(
    fc.property(text, width, (value, room) => {
      expect(widthOf(cut(value, room, '…'))).toBeLessThanOrEqual(room);
      expect(widthOf(pad(value, room, '~'))).toBe(room);
    }),
  );
});

test('lines break at spaces, words that are too long and Japanese anywhere', () => {
  expect(wrapLines('Pods get addresses from here', 12)).toEqual(['Pods get', 'addresses', 'from here']);
  expect(wrapLines('abcdefghij kl', 4)).toEqual(['abcd', 'efgh', 'ij', 'kl']);
  expect(wrapLines('日本語の説明', 5)).toEqual(['日本', '語の', '説明']);
  expect(wrapLines('one\n\ntwo', 10)).toEqual(['one', '', 'two']);
});

test('property: wrapped lines fit, and nothing but spaces is lost', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 40 }), (value, room) => {
      const lines = wrapLines(value, room);
      for (const line of lines) {
        // There are single characters that are wider than a very small room.
        const isOne = graphemesOf(line).length === 1;
        expect(isOne || widthOf(line) <= room).toBe(true);
      }
      expect(lines.join('').replace(/\s/g, '')).toBe(value.replace(/\s/g, ''));
    }),
  );
});

test('property: a window is as large as it can be and has the selected one in it', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.nat(200), fc.integer({ min: 1, max: 50 }), (total, at, size) => {
      fc.pre(at < total);
      for (const { first, end } of [
        windowAround(total, at, size),
        windowFrom(total, at, size),
        windowFrom(total, null, size),
      ]) {
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(total);
        expect(end - first).toBe(Math.min(size, total));
      }
      const { first, end } = windowAround(total, at, size);
      expect(first <= at && at < end).toBe(true);
    }),
  );
});

test('columns go by priority, and widen by importance up to their content', () => {
  const columns = [
    { id: 'name', title: 'NAME', min: 4 },
    { id: 'mac', title: 'MAC', min: 17, priority: 2 },
    { id: 'role', title: 'ROLE', min: 6, max: 8, priority: 1 },
  ];
  const rows = [{ cells: { name: 'a-long-name', mac: '00:50:56:96:11:c2', role: 'control-plane' } }];
  const placed = (room: number) =>
    placeColumns(columns, rows, room).map(({ column, width: cells }) => [column.id, cells]);
  expect(placed(80)).toEqual([
    ['name', 11],
    ['mac', 17],
    ['role', 13],
  ]);
  // Beyond its bound only once the others have what they want.
  expect(placed(41)).toEqual([
    ['name', 11],
    ['mac', 17],
    ['role', 9],
  ]);
  expect(placed(33)).toEqual([
    ['name', 6],
    ['mac', 17],
    ['role', 6],
  ]);
  expect(placed(20)).toEqual([
    ['name', 11],
    ['role', 7],
  ]);
  // Even where the most important column has not its least width, it stays inside.
  expect(placed(3)).toEqual([['name', 3]]);
});
