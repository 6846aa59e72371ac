import { expect, test } from 'vitest';
import {
  fitToWidth,
  getDisplayWidth,
  splitGraphemes,
  truncate,
  truncateMiddle,
  wrapLines,
  wrapWithin,
} from '../../src/platform/text.ts';
import { getRangeAround, getRangeFrom } from '../../src/rows/page-rows.ts';
import { placeColumns } from '../../src/rows/table.ts';
import fc from '../support/property.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.constantFrom('日', 'ab', ' ', '👨‍👩‍👧', 'e\u0301', 'node-1', 'クラスター'))
    .map((parts) => parts.join('')),
);
const width = fc.integer({ min: 0, max: 40 });

test('a wide character is never cut in two', () => {
  expect(truncate('クラスター名', 8, '…')).toBe('クラス…');
  expect(truncate('クラスター名', 9, '~')).toBe('クラスタ~');
  expect(truncate('abc', 3, '…')).toBe('abc');
  expect(fitToWidth('日本', 6, '~')).toBe('日本  ');
  expect(fitToWidth('7', 3, '~', 'right')).toBe('  7');
  expect(fitToWidth('日本語', 4, '~')).toBe('日~ ');
  // A mark of several cells is itself cut where it does not fit.
  expect([5, 3, 2].map((columns) => truncate('abcdef', columns, '...'))).toEqual(['ab...', '...', '..']);
});

test('names with the same beginning stay different when their middle is cut', () => {
  expect(truncateMiddle('operator-lifecycle-manager-catalog', 24, '…')).toBe('operator-lif…ger-catalog');
  expect(truncateMiddle('ingress', 24, '…')).toBe('ingress');
  expect(truncateMiddle('クラスター名', 6, '~')).toBe('ク~名');
});

test('property: truncate never exceeds its width, padEnd fills it exactly', () => {
  fc.assert(
    fc.property(text, width, (value, available) => {
      expect(getDisplayWidth(truncate(value, available, '…'))).toBeLessThanOrEqual(available);
      expect(getDisplayWidth(truncateMiddle(value, available, '…'))).toBeLessThanOrEqual(available);
      expect(getDisplayWidth(fitToWidth(value, available, '~'))).toBe(available);
      expect(getDisplayWidth(fitToWidth(value, available, '...'))).toBe(available);
    }),
  );
});

test('lines break at spaces, words that are too long and Japanese anywhere', () => {
  expect(wrapLines('Pods get addresses from here', 12)).toEqual(['Pods get', 'addresses', 'from here']);
  expect(wrapLines('abcdefghij kl', 4)).toEqual(['abcd', 'efgh', 'ij', 'kl']);
  expect(wrapLines('日本語の説明', 5)).toEqual(['日本', '語の', '説明']);
  expect(wrapLines('one\n\ntwo', 10)).toEqual(['one', '', 'two']);
});

test.each<[string, string, number, readonly string[]]>([
  ['a DNS name', '✔ m1.ocp45.example.localdomain: ok', 22, ['✔ m1.ocp45.example.', 'localdomain: ok']],
  ['a wildcard in brackets', '(*.apps.ocp45.example.localdomain)', 20, ['(*.apps.ocp45.', 'example.localdomain)']],
  ['a name with a long label', 'a.abcdefghijkl.example', 8, ['a.', 'abcdefgh', 'ijkl.', 'example']],
  ['the name of an account', 'system:serviceaccount:default, x', 16, ['system:', 'serviceaccount:', 'default, x']],
  ['a URL, which links as a whole', 'http://a.example.localdomain', 12, ['http://a.exa', 'mple.localdo', 'main']],
  ['any other word', 'abcdefghij', 4, ['abcd', 'efgh', 'ij']],
])('%s that is longer than a line breaks where it can be read', (_name, text, width, lines) => {
  expect(wrapLines(text, width)).toEqual(lines);
});

test('property: wrapped lines fit, and nothing but spaces is lost', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 40 }), (value, available) => {
      const lines = wrapLines(value, available);
      for (const line of lines) {
        // A single character may be wider than a very small width.
        const isSingle = splitGraphemes(line).length === 1;
        expect(isSingle || getDisplayWidth(line) <= available).toBe(true);
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
        getRangeAround(total, at, size),
        getRangeFrom(total, at, size),
        getRangeFrom(total, null, size),
      ]) {
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(total);
        expect(end - first).toBe(Math.min(size, total));
      }
      const { first, end } = getRangeAround(total, at, size);
      expect(first <= at && at < end).toBe(true);
    }),
  );
});

test('columns go by priority, and widen by importance up to their content', () => {
  const columns = [
    { id: 'name', title: 'NAME', minWidth: 4 },
    { id: 'mac', title: 'MAC', minWidth: 17, priority: 2 },
    { id: 'role', title: 'ROLE', minWidth: 6, maxWidth: 8, priority: 1 },
  ];
  const rows = [{ cells: { name: 'a-long-name', mac: '00:50:56:96:11:c2', role: 'control-plane' } }];
  const getWidths = (available: number) =>
    placeColumns(columns, rows, available).map(({ column, width: cells }) => [column.id, cells]);
  expect(getWidths(80)).toEqual([
    ['name', 11],
    ['mac', 17],
    ['role', 13],
  ]);
  // Beyond its maximum only once the other columns have their natural width.
  expect(getWidths(41)).toEqual([
    ['name', 11],
    ['mac', 17],
    ['role', 9],
  ]);
  expect(getWidths(33)).toEqual([
    ['name', 6],
    ['mac', 17],
    ['role', 6],
  ]);
  expect(getWidths(20)).toEqual([
    ['name', 11],
    ['role', 7],
  ]);
  // Even the most important column stays inside if its minimum width is not available.
  expect(getWidths(3)).toEqual([['name', 3]]);
});

test('a text cut in a long name has no blank inside the name, one cut between words keeps it', () => {
  expect(wrapWithin('bastion.example.localdomain', 20, 1, '…')).toEqual(['bastion.example.loc…']);
  expect(wrapWithin('one two three', 9, 1, '…')).toEqual(['one two …']);
  expect(wrapWithin('one two three', 8, 2, '…')).toEqual(['one two', 'three']);
});
