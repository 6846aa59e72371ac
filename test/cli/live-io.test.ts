import { afterEach, expect, test } from 'vitest';
import { processIo } from '../../src/cli/live-io.ts';

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
