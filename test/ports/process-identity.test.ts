import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isAlive, livingProcess, ownIdentity, parseStat } from '../../src/ports/process-identity.ts';

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
  // The child ends when its parent has become a program that never asks for it.
  const script = 'main=$$; (until grep -q sleep /proc/$main/comm; do :; done) & echo $!; exec sleep 600';
  const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const pid = Number(String((await once(parent.stdout, 'data'))[0]));
  const stat = () => parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  await vi.waitFor(() => expect(stat()?.state).toBe('Z'), { timeout: 20_000 });
  expect(livingProcess(pid)).toBeNull();
  expect(isAlive({ pid, start: stat()?.start ?? '' })).toBe(false);
});

test('we know ourselves', () => {
  expect(ownIdentity().pid).toBe(process.pid);
  expect(isAlive(ownIdentity())).toBe(true);
});
