import { afterEach, expect, test } from 'vitest';
import { cutLine, processIo, tableText } from '../../../src/cli/shared/live-io.ts';

const size = Object.getOwnPropertyDescriptor(process.stdout, 'columns');
afterEach(() => {
  if (size) Object.defineProperty(process.stdout, 'columns', size);
  else Reflect.deleteProperty(process.stdout, 'columns');
});

test.each([
  [0, 160],
  [undefined, 160],
  [72, 72],
])('of a terminal that says %s columns, lines have %s', (told, used) => {
  Object.defineProperty(process.stdout, 'columns', { value: told, configurable: true });
  const io = { stdout: () => undefined, stderr: () => undefined, env: {}, cwd: '/' };
  expect(processIo(io, false).columns).toBe(used);
});

test('a table counts cells: wide letters take two, and what stands after them stays in its column', () => {
  const rows = [
    ['ノード', 'state'],
    ['w1', '準備完了'],
  ];
  expect(tableText(rows, 80)).toBe('ノード  state\nw1      準備完了\n');
  expect(tableText(rows, 12)).toBe('ノード  sta…\nw1      準…\n');
  expect(cutLine('ノード', 5)).toBe('ノー…');
});
