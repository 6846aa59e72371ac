import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { isAlive, livingProcess, ownIdentity, parseStat } from '../../src/ports/process-identity.ts';
import { unnoticedEnd } from '../support/unnoticed-end.ts';

/** A line as proc(5) tells it: number, name, state, parent, group, …, start time as field 22, …. */
const line = (name: string, state = 'S') =>
  `4711 (${name}) ${state} 1 4700 4700 0 -1 4194304${' 0'.repeat(12)} 98765 0 0\n`;

test.each(['sleep', 'a b', 'a) R 1', '(sd-pam)', 'tail\nof ) it'])('whatever a process calls itself: %j', (name) => {
  expect(parseStat(line(name))).toEqual({ pid: 4711, start: '98765', state: 'S', group: 4700 });
});

test.each(['', '4711', '4711 (sleep', '4711 (sleep) S 1 4700', 'no (number) S 1'])('%j is no such line', (text) => {
  expect(parseStat(text)).toBeNull();
});

test('a process is the one that started when it did, and no other that has its number', async () => {
  const child = spawn('sleep', ['600']);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const start = livingProcess(pid)?.start ?? '';
  expect(isAlive({ pid, start })).toBe(true);
  expect(isAlive({ pid, start: `${Number(start) + 1}` })).toBe(false);
  expect(isAlive({ pid, start: '' })).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isAlive({ pid, start })).toBe(false);
});

test.each([0, -1, Number.NaN])('number %d is no process', (pid) => {
  expect(livingProcess(pid)).toBeNull();
});

test('one that ended, and whose end nobody took note of, no longer lives', async () => {
  const ended = await unnoticedEnd();
  expect(livingProcess(ended.pid)).toBeNull();
  expect(isAlive(ended)).toBe(false);
});

test('we know ourselves', () => {
  expect(ownIdentity().pid).toBe(process.pid);
  expect(isAlive(ownIdentity())).toBe(true);
});
