import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findJob } from '../../../src/host/jobs/job-status.ts';
import { startJob, stopJob } from '../../../src/host/jobs/jobs.ts';
import { createScaledClock, systemClock } from '../../../src/platform/clock.ts';
import { isAlive } from '../../../src/platform/process.ts';
import { eventually } from '../../support/eventually.ts';

let dir: string;
const clock = systemClock;
const sh = (script: string) => ['/bin/sh', '-c', script];

beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'jobs-')), 'jobs');
});

afterEach(async () => {
  for (const name of ['server', 'quick', 'orphan']) await stopJob(dir, name, { clock, graceMs: 2000 });
  rmSync(join(dir, '..'), { recursive: true, force: true });
});

test('a job runs detached in its own session, with its output in a private log, and is found again', async () => {
  const job = await startJob({ dir, name: 'server', argv: sh('echo out; echo err >&2; exec sleep 600'), clock });
  expect(job).toMatchObject({ state: 'running', wasRunning: false, exitCode: null });
  const found = await findJob(dir, 'server');
  expect(found).toMatchObject({ state: 'running', pid: job.pid, processStart: job.processStart });
  await eventually(() => expect(readFileSync(job.logFile, 'utf8')).toBe('out\nerr\n'));
  expect(statSync(job.logFile).mode & 0o777).toBe(0o600);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  const session = Number(readFileSync(`/proc/${job.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[3]);
  expect(session).not.toBe(0);
  expect(session).not.toBe(Number(readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ')[3]));
});

test('starting a running job again returns it, also when several start it at once', async () => {
  const start = () => startJob({ dir, name: 'server', argv: sh('exec sleep 600'), clock });
  const jobs = await Promise.all([start(), start(), start()]);
  expect(new Set(jobs.map(({ pid }) => pid)).size).toBe(1);
  expect(jobs.filter(({ wasRunning }) => !wasRunning)).toHaveLength(1);
  expect((await start()).wasRunning).toBe(true);
});

test.each([
  ['exit 7', { exitCode: 7, signal: null }],
  ['true', { exitCode: 0, signal: null }],
  ['kill -9 $$', { exitCode: 137, signal: 'SIGKILL' }],
])('how the program ended is recorded: %s', async (script, exit) => {
  await startJob({ dir, name: 'quick', argv: sh(script), clock });
  await eventually(async () => expect(await findJob(dir, 'quick')).toMatchObject({ state: 'ended', ...exit }));
});

test('an ended job is restarted without the record of its previous run', async () => {
  await startJob({ dir, name: 'quick', argv: sh('exit 3'), clock });
  await eventually(async () => expect((await findJob(dir, 'quick'))?.state).toBe('ended'));
  const again = await startJob({ dir, name: 'quick', argv: sh('exec sleep 600'), clock });
  expect(again).toMatchObject({ state: 'running', exitCode: null, wasRunning: false });
});

test('stopping ends the program and records the signal; one that ignores SIGTERM is killed after the grace', async () => {
  await startJob({ dir, name: 'server', argv: sh('exec sleep 600'), clock });
  expect(await stopJob(dir, 'server', { clock })).toMatchObject({ exitCode: 143, signal: 'SIGTERM' });
  const stubborn = await startJob({
    dir,
    name: 'server',
    argv: sh('trap "" TERM; echo ready; while :; do sleep 1; done'),
    clock,
  });
  await eventually(() => expect(readFileSync(stubborn.logFile, 'utf8')).toContain('ready'));
  expect(await stopJob(dir, 'server', { clock, graceMs: 100 })).toMatchObject({ exitCode: 137, signal: 'SIGKILL' });
  expect(await stopJob(dir, 'never', { clock })).toBeNull();
});

test('a job that ends slowly gets its grace period in real time, however fast the clock of a rehearsal runs', async () => {
  const slow = 'trap "sleep 1; exit 9" TERM; echo ready; while :; do sleep 0.05; done';
  const job = await startJob({ dir, name: 'server', argv: sh(slow), clock });
  await eventually(() => expect(readFileSync(job.logFile, 'utf8')).toContain('ready'));
  const now = Date.now();
  const stopped = await stopJob(dir, 'server', { clock: createScaledClock({ real: now, simulated: now, speed: 240 }) });
  expect(stopped).toMatchObject({ state: 'ended', exitCode: 9, signal: null });
});

test('the job survives SIGKILL of its starter, and its end is still recorded', async () => {
  const marker = join(dir, '..', 'go');
  const starter = join(dir, '..', 'starter.ts');
  writeFileSync(
    starter,
    `import { startJob } from ${JSON.stringify(join(import.meta.dirname, '../../../src/host/jobs/jobs.ts'))};
     import { systemClock } from ${JSON.stringify(join(import.meta.dirname, '../../../src/platform/clock.ts'))};
     await startJob({ dir: ${JSON.stringify(dir)}, name: 'orphan', clock: systemClock,
       argv: ['/bin/sh', '-c', ${JSON.stringify(`while ! [ -e ${marker} ]; do sleep 0.05; done; exit 5`)}] });
     process.kill(process.pid, 'SIGKILL');`,
  );
  expect(() => execFileSync(process.execPath, [starter], { stdio: 'pipe' })).toThrow();
  expect((await findJob(dir, 'orphan'))?.state).toBe('running');
  writeFileSync(marker, '');
  await eventually(async () => expect(await findJob(dir, 'orphan')).toMatchObject({ exitCode: 5, signal: null }));
});

test('another process that gets the same PID later is not the job', async () => {
  const job = await startJob({ dir, name: 'server', argv: sh('exec sleep 600'), clock });
  const record = join(dir, 'server.process');
  const line = readFileSync(record, 'utf8');
  const start = job.processStart ?? '';
  // The same PID with another start time, in a group whose leader is gone.
  writeFileSync(
    record,
    line.replace(` ${start} `, ` ${Number(start) + 1} `).replace(/\) (\S) (\d+) \d+ /, ') $1 $2 4194303 '),
  );
  expect((await findJob(dir, 'server'))?.state).toBe('lost');
  expect((await stopJob(dir, 'server', { clock }))?.state).toBe('lost');
  expect(isAlive({ pid: job.pid ?? 0, start })).toBe(true);
  writeFileSync(record, line);
});

test('a missing program is refused with an error before anything is written', async () => {
  await expect(startJob({ dir, name: 'quick', argv: ['/nowhere/program'], clock })).rejects.toMatchObject({
    userError: { code: 'job-program-missing' },
  });
  expect(existsSync(join(dir, 'quick.json'))).toBe(false);
  expect(await findJob(dir, 'quick')).toBeNull();
});

test('the running job is neither found nor stopped in a copy of the directory, but it is in a moved one', async () => {
  const job = await startJob({ dir, name: 'server', argv: sh('exec sleep 600'), clock });
  const copy = join(dir, '../copy');
  cpSync(dir, copy, { recursive: true });
  expect(await findJob(copy, 'server')).toMatchObject({ state: 'lost', pid: null });
  expect(await stopJob(copy, 'server', { clock })).toMatchObject({ state: 'lost' });
  expect(isAlive({ pid: job.pid ?? 0, start: job.processStart ?? '' })).toBe(true);
  const moved = join(dir, '../moved');
  renameSync(dir, moved);
  expect(await findJob(moved, 'server')).toMatchObject({ state: 'running', pid: job.pid });
  renameSync(moved, dir);
});
