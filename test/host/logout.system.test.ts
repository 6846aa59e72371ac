import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findJob } from '../../src/host/jobs/job-status.ts';
import { startJob, stopJob } from '../../src/host/jobs/jobs.ts';
import { readLogoutRules } from '../../src/host/user-unit.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { eventually } from '../support/eventually.ts';

let base: string;
let dir: string;
const user = userInfo().username;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'logout-'));
  dir = join(base, 'jobs');
  for (const subdirectory of ['bin', 'systemd']) mkdirSync(join(base, subdirectory));
  writeFileSync(join(base, 'systemd/private'), '');
  vi.stubEnv('XDG_RUNTIME_DIR', base);
  vi.stubEnv('PATH', `${base}/bin:/usr/bin:/bin`);
});

afterEach(async () => {
  await stopJob(dir, 'job', { clock, graceMs: 2000 });
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

function writeProgram(name: string, script: string): void {
  writeFileSync(join(base, 'bin', name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(base, 'bin', name), 0o755);
}

/** Fakes `loginctl` with these settings. A null `linger` is a user that it does not know, which is an error. */
function fakeLogind(settings: Readonly<Record<string, string>>, linger: string | null): void {
  const properties = Object.entries({
    KillOnlyUsers: '',
    KillExcludeUsers: 'root',
    KillUserProcesses: 'no',
    ...settings,
  });
  writeProgram(
    'loginctl',
    `case "$*" in *Linger*) ${linger === null ? 'exit 1' : `echo Linger=${linger}`} ;;
    *) printf '${properties.map(([name, value]) => `${name}=${value}\\n`).join('')}' ;; esac`,
  );
}

/** Fakes `systemd-run`: like the real one with --scope, it becomes the program; it records its options. */
const fakeSystemdRun = (version: number) =>
  writeProgram(
    'systemd-run',
    `if [ "$1" = --version ]; then echo "systemd ${version} (${version}.1)"; exit; fi
while [ "$1" != -- ]; do echo "$1" >>${base}/asked; shift; done; shift; exec "$@"`,
  );

const sleeper = ['/bin/sh', '-c', 'echo "$XDG_RUNTIME_DIR"; exec sleep 600'];

test('with a lingering user manager, a job is a unit of it: same records, output and end', async () => {
  fakeLogind({}, 'yes');
  fakeSystemdRun(252);
  const job = await startJob({ dir, name: 'job', argv: sleeper, clock, restart: 'failed' });
  expect(job).toMatchObject({ state: 'running', isSupervised: true });
  expect(job.unit).toMatch(/^upi-wizard-job-[0-9a-f]{8}\.scope$/);
  const recordedOptions = readFileSync(join(base, 'asked'), 'utf8').trimEnd().split('\n');
  const options = ['--user', '--scope', '--quiet', '--collect', `--unit=${job.unit}`, '--description=upi-wizard: job'];
  expect(recordedOptions).toEqual(options);
  await eventually(() => expect(readFileSync(job.logFile, 'utf8')).toBe(`${base}\n`));
  expect(await findJob(dir, 'job')).toMatchObject({ pid: job.pid, unit: job.unit });
  expect(await stopJob(dir, 'job', { clock })).toMatchObject({ state: 'ended', signal: 'SIGTERM' });
  fakeSystemdRun(257);
  await startJob({ dir, name: 'job', argv: sleeper, clock });
  expect(readFileSync(join(base, 'asked'), 'utf8').trimEnd().split('\n').at(-1)).toBe('--property=OOMPolicy=continue');
});

test.each([
  ['does not linger', () => fakeLogind({}, 'no')],
  ['is not logged in', () => fakeLogind({}, null)],
  ['has no manager', () => rmSync(join(base, 'systemd/private'))],
  [
    'has one that refuses',
    () => writeProgram('systemd-run', 'echo "Failed to connect to bus" >&2; [ "$1" = --version ]'),
  ],
  ['has no systemd at all', () => vi.stubEnv('PATH', join(base, 'none'))],
])('a job of a user who %s is a process of its own', async (_case, change) => {
  fakeLogind({}, 'yes');
  fakeSystemdRun(252);
  change();
  const env = { PATH: process.env.PATH ?? '' };
  const job = await startJob({ dir, name: 'job', argv: ['/bin/sleep', '600'], env, clock, restart: 'failed' });
  expect(job).toMatchObject({ state: 'running', isSupervised: true, unit: null });
});

test.each([
  ['kills no process', {}, false],
  ['kills', { KillUserProcesses: 'yes', KillExcludeUsers: 'x' }, true],
  ['kills with an empty list, which spares root', { KillUserProcesses: 'yes', KillExcludeUsers: '' }, user !== 'root'],
  ['spares this user', { KillUserProcesses: 'yes', KillExcludeUsers: `x ${user}` }, false],
  ['kills others only', { KillUserProcesses: 'yes', KillExcludeUsers: 'x', KillOnlyUsers: 'x y' }, false],
])('what systemd-logind does at logout: it %s', async (_case, settings, areProcessesKilled) => {
  fakeLogind(settings, 'no');
  expect(await readLogoutRules()).toEqual({ user, hasLinger: false, areProcessesKilled });
});

test('without systemd-logind the logout rules are unknown', async () => {
  writeProgram('loginctl', 'echo "Failed to connect to bus: Host is down" >&2; exit 1');
  expect(await readLogoutRules()).toBeNull();
});
