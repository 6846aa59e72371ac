import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findJob } from '../../src/host/jobs/job-status.ts';
import { startJob, stopJob } from '../../src/host/jobs/jobs.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { findLiveProcess } from '../../src/platform/process.ts';
import { eventually } from '../support/eventually.ts';

let base: string;
let dir: string;
/** PATH with a `sleep` that records its argument and returns at once. */
let env: Record<string, string>;
const clock = systemClock;
const sh = (script: string) => ['/bin/sh', '-c', script];

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'restarts-'));
  dir = join(base, 'jobs');
  mkdirSync(join(base, 'bin'));
  writeFileSync(join(base, 'bin/sleep'), `#!/bin/sh\necho "$1" >>${base}/pauses\n`);
  chmodSync(join(base, 'bin/sleep'), 0o755);
  env = { PATH: `${base}/bin:/usr/bin:/bin` };
});

afterEach(async () => {
  await stopJob(dir, 'job', { clock, graceMs: 2000 });
  rmSync(base, { recursive: true, force: true });
});

const readPauses = () =>
  existsSync(join(base, 'pauses')) ? readFileSync(join(base, 'pauses'), 'utf8').trim().split('\n') : [];
/** Creates a program that ends with `code` until it has run `times` times. */
const createFailingProgram = (code: number, times: number) =>
  sh(
    `echo run >>${base}/ran; [ "$(wc -l <${base}/ran)" -gt ${times} ] || { echo "broken $(wc -l <${base}/ran)"; exit ${code}; }; exec /bin/sleep 600`,
  );

test('a program that fails is started again after 1, 2, 4 … 60 seconds, and the count and the cause are recorded', async () => {
  await startJob({ dir, name: 'job', argv: createFailingProgram(3, 9), env, clock, restart: 'failed' });
  const job = await eventually(async () => {
    const found = await findJob(dir, 'job');
    expect(found).toMatchObject({
      state: 'running',
      isAwaitingRestart: false,
      isSupervised: true,
      lastRestart: { count: 9 },
    });
    return found;
  });
  expect(readPauses()).toEqual(['1', '2', '4', '8', '16', '32', '60', '60', '60']);
  expect(job?.lastRestart).toMatchObject({ code: 3, signal: null, count: 9, consecutiveFailures: 9, restartDelay: 60 });
  expect(
    readFileSync(job?.logFile ?? '', 'utf8')
      .slice(0, job?.lastRestart?.logSize)
      .trimEnd(),
  ).toMatch(/broken 9$/);
  // The program starts before its start is recorded.
  await eventually(async () => {
    const runs = readFileSync(join(dir, 'job.runs'), 'utf8').trimEnd().split('\n');
    expect(runs.map((line) => line.split(' ').slice(1).join(' '))).toEqual([
      ...Array.from({ length: 9 }, () => [expect.stringMatching(/^started \d+$/), 'ended 3']).flat(),
      `started ${job?.pid}`,
    ]);
  });
});

test.each([
  ['failed', 0, false],
  ['failed', 1, true],
  ['failed', 4, false],
  ['failed', 143, false],
  ['failed', 137, true],
  ['killed', 5, false],
  ['killed', 137, true],
  ['killed', 130, false],
  ['never', 137, false],
] as const)('restart %s, a program that ends with %i: %s', async (restart, code, isRestarted) => {
  await startJob({ dir, name: 'job', argv: createFailingProgram(code, 1), env, clock, restart, finalCodes: [4] });
  await eventually(async () =>
    expect(await findJob(dir, 'job')).toMatchObject(
      isRestarted
        ? { state: 'running', isAwaitingRestart: false, lastRestart: { code, count: 1 } }
        : { state: 'ended', exitCode: code },
    ),
  );
});

test('kill -9 of the program starts it again; a stop ends it for good, in its pauses too', async () => {
  const first = await startJob({ dir, name: 'job', argv: sh('exec /bin/sleep 600'), env, clock, restart: 'failed' });
  process.kill(first.pid ?? 0, 'SIGKILL');
  const second = await eventually(async () => {
    const found = await findJob(dir, 'job');
    expect(found).toMatchObject({
      state: 'running',
      isAwaitingRestart: false,
      lastRestart: { signal: 'SIGKILL', consecutiveFailures: 1 },
    });
    expect(found?.pid).not.toBe(first.pid);
    return found;
  });
  expect(await stopJob(dir, 'job', { clock })).toMatchObject({ state: 'ended', signal: 'SIGTERM' });
  // The log has only the output of the program, nothing of a shell.
  expect(readFileSync(first.logFile, 'utf8')).toBe('');
  expect(findLiveProcess(second?.pid ?? 0)).toBeNull();
  await startJob({ dir, name: 'job', argv: sh('exit 1'), env: { PATH: '/usr/bin:/bin' }, clock, restart: 'failed' });
  await eventually(async () =>
    expect(await findJob(dir, 'job')).toMatchObject({
      isAwaitingRestart: true,
      lastRestart: { consecutiveFailures: 2 },
    }),
  );
  expect(await stopJob(dir, 'job', { clock })).toMatchObject({ state: 'ended', exitCode: 1 });
});

test('a job whose supervisor was killed is restarted; until then its status is unsupervised', async () => {
  const start = () => startJob({ dir, name: 'job', argv: sh('exec /bin/sleep 600'), env, clock, restart: 'failed' });
  const first = await start();
  const supervisor = findLiveProcess(first.pid ?? 0)?.group ?? 0;
  process.kill(supervisor, 'SIGKILL');
  await eventually(async () =>
    expect(await findJob(dir, 'job')).toMatchObject({ state: 'running', isSupervised: false, pid: first.pid }),
  );
  const second = await start();
  expect(second).toMatchObject({ state: 'running', isSupervised: true, wasRunning: false });
  expect(findLiveProcess(first.pid ?? 0)).toBeNull();
  process.kill(findLiveProcess(second.pid ?? 0)?.group ?? 0, 'SIGKILL');
  process.kill(second.pid ?? 0, 'SIGKILL');
  await eventually(async () => expect((await findJob(dir, 'job'))?.state).toBe('lost'));
});

test('on a full disk the program is restarted, and its process and the cause of its end are still known', async () => {
  const sourceDir = join(import.meta.dirname, '../../src');
  const script = join(base, 'full.ts');
  writeFileSync(
    script,
    `import { findJob } from ${JSON.stringify(`${sourceDir}/host/jobs/job-status.ts`)};
     import { startJob, stopJob } from ${JSON.stringify(`${sourceDir}/host/jobs/jobs.ts`)};
     import { systemClock as clock } from ${JSON.stringify(`${sourceDir}/platform/clock.ts`)};
     import { appendFileSync } from 'node:fs';
     const [dir, name] = ['${base}/small/jobs', 'job'];
     await startJob({ dir, name, clock, restart: 'failed', env: ${JSON.stringify(env)}, argv: ['/bin/sh', '-c', 'echo out; exec /bin/sleep 600'] });
     try { for (;;) appendFileSync('${base}/small/rest', 'x'.repeat(512)); } catch (error) { console.log(error.code); }
     for (let count = 1; count <= 5; count += 1) {
       process.kill((await findJob(dir, name)).pid, 'SIGKILL');
       for (;;) {
         const job = await findJob(dir, name);
         if (job.state !== 'running') throw new Error(job.state);
         if (!job.isAwaitingRestart && job.lastRestart?.count === count) break;
         await clock.sleep(20);
       }
     }
     const ended = await stopJob(dir, name, { clock });
     console.log(ended.state, ended.signal, ended.lastRestart.count);`,
  );
  mkdirSync(join(base, 'small'));
  const mountCommand = 'mount -t tmpfs -o size=64k small "$1" && exec "$2" "$3"';
  const isRoot = process.getuid?.() === 0;
  const args = [isRoot ? '-m' : '-rm', 'sh', '-c', mountCommand, 'sh', join(base, 'small'), process.execPath, script];
  expect(execFileSync('unshare', args, { encoding: 'utf8' })).toBe('ENOSPC\nended SIGTERM 5\n');
});

test('with an event command, each end of the program is reported, except a stop that the user asked for', async () => {
  const eventLog = join(base, 'event-log');
  writeFileSync(
    join(base, 'told.cjs'),
    `require('fs').appendFileSync(${JSON.stringify(eventLog)}, process.argv.slice(2).join(' ') + '\\n')`,
  );
  const exitReport = { executable: join(base, 'told.cjs'), installDir: base };
  const lines = () => (existsSync(eventLog) ? readFileSync(eventLog, 'utf8').trim().split('\n').sort() : []);
  const start = (argv: readonly string[]) =>
    startJob({ dir, name: 'job', argv, env, clock, restart: 'killed', exitReport });
  await start(sh('exit 3'));
  await eventually(async () => expect((await findJob(dir, 'job'))?.state).toBe('ended'));
  mkdirSync(join(base, '.upi-wizard'));
  writeFileSync(join(base, '.upi-wizard/on-event'), 'true\n');
  await start(sh(`[ -e ${base}/again ] && exit 3; touch ${base}/again; kill -9 $$`));
  const eventArguments = `--dir ${base} --job job --code`;
  await eventually(() =>
    expect(lines()).toEqual([`event job-ended ${eventArguments} 3`, `event job-restarted ${eventArguments} 137`]),
  );
  await start(sh('exec /bin/sleep 600'));
  await stopJob(dir, 'job', { clock });
  expect(lines()).toHaveLength(2);
});
