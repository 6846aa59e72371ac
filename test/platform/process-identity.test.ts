import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { findLiveProcess, getOwnIdentity, isAlive, parseProcStat } from '../../src/platform/process.ts';
import { createZombie } from '../support/zombie-process.ts';

/** Returns a stat line as in proc(5): number, name, state, parent, group, …, start time as field 22, …. */
const statLine = (name: string, state = 'S') =>
  `4711 (${name}) ${state} 1 4700 4700 0 -1 4194304${' 0'.repeat(12)} 98765 0 0\n`;

test.each(['sleep', 'a b', 'a) R 1', '(sd-pam)', 'tail\nof ) it'])('any process name is parsed: %j', (name) => {
  expect(parseProcStat(statLine(name))).toEqual({ pid: 4711, start: '98765', state: 'S', group: 4700 });
});

test.each(['', '4711', '4711 (sleep', '4711 (sleep) S 1 4700', 'no (number) S 1'])('%j is no stat line', (text) => {
  expect(parseProcStat(text)).toBeNull();
});

test('a process is identified by its number and its start time', async () => {
  const child = spawn('sleep', ['600']);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const start = findLiveProcess(pid)?.start ?? '';
  expect(isAlive({ pid, start })).toBe(true);
  expect(isAlive({ pid, start: `${Number(start) + 1}` })).toBe(false);
  expect(isAlive({ pid, start: '' })).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isAlive({ pid, start })).toBe(false);
});

test.each([0, -1, Number.NaN])('number %d is no process', (pid) => {
  expect(findLiveProcess(pid)).toBeNull();
});

test('a zombie process is not alive', async () => {
  const zombie = await createZombie();
  expect(findLiveProcess(zombie.pid)).toBeNull();
  expect(isAlive(zombie)).toBe(false);
});

test('the identity of this process is known', () => {
  expect(getOwnIdentity().pid).toBe(process.pid);
  expect(isAlive(getOwnIdentity())).toBe(true);
});
