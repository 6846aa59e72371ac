import { afterEach, expect, test } from 'vitest';
import { createProcessIo, truncateLine } from '../../../src/cli/shared/process-io.ts';

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

test('a line is truncated by cells: wide letters take two', () => {
  expect(truncateLine('ノード', 5)).toBe('ノー…');
});
