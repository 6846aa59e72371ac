import { afterEach, expect, test } from 'vitest';
import { createProcessIo, formatTable, truncateLine } from '../../../src/cli/shared/live-io.ts';

const size = Object.getOwnPropertyDescriptor(process.stdout, 'columns');
afterEach(() => {
  if (size) Object.defineProperty(process.stdout, 'columns', size);
  else Reflect.deleteProperty(process.stdout, 'columns');
});

test.each([
  [0, 160],
  [undefined, 160],
  [72, 72],
])('for a terminal that reports %s columns, lines have %s', (columns, expected) => {
  Object.defineProperty(process.stdout, 'columns', { value: columns, configurable: true });
  const io = { stdout: () => undefined, stderr: () => undefined, env: {}, cwd: '/' };
  expect(createProcessIo(io).columns).toBe(expected);
});

test('a table counts cells: wide letters take two, and the next column stays aligned', () => {
  const rows = [
    ['ノード', 'state'],
    ['w1', '準備完了'],
  ];
  expect(formatTable(rows, 80)).toBe('ノード  state\nw1      準備完了\n');
  expect(formatTable(rows, 12)).toBe('ノード  sta…\nw1      準…\n');
  expect(truncateLine('ノード', 5)).toBe('ノー…');
});
