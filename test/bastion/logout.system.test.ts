import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findJob } from '../../src/bastion/jobs/job-status.ts';
import { startJob, stopJob } from '../../src/bastion/jobs/jobs.ts';
import { logoutRules } from '../../src/bastion/logout.ts';
import { systemClock as clock } from '../../src/ports/clock.ts';
import { eventually } from '../support/eventually.ts';

let base: string;
let dir: string;
const user = userInfo().username;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'logout-'));
  dir = join(base, 'jobs');
  for (const below of ['bin', 'systemd']) mkdirSync(join(base, below));
  writeFileSync(join(base, 'systemd/private'), '');
  vi.stubEnv('XDG_RUNTIME_DIR', base);
  vi.stubEnv('PATH', `${base}/bin:/usr/bin:/bin`);
});

afterEach(async () => {
  await stopJob(dir, 'job', { clock, graceMs: 2000 });
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

function program(name: string, script: string): void {
  writeFileSync(join(base, 'bin', name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(base, 'bin', name), 0o755);
}

/** A loginctl that says this; without a Linger the user is unknown to it, which is an error. */
function logind(settings: Readonly<Record<string, string>>, linger: string | null): void {
  const said = Object.entries({ KillOnlyUsers: '', KillExcludeUsers: 'root', KillUserProcesses: 'no', ...settings });
  program(
    'loginctl',
    `case "$*" in *Linger*) ${linger === null ? 'exit 1' : `echo Linger=${linger}`} ;;
    *) printf '${said.map(([name, value]) => `${name}=${value}\\n`).join('')}' ;; esac`,
  );
}

/** A systemd-run that becomes the program as the real one does with --scope, and notes what it was asked. */
const systemdRun = (version: number) =>
  program(
    'systemd-run',
    `if [ "$1" = --version ]; then echo "systemd ${version} (${version}.1)"; exit; fi
while [ "$1" != -- ]; do echo "$1" >>${base}/asked; shift; done; shift; exec "$@"`,
  );

const sleeper = ['/bin/sh', '-c', 'echo "$XDG_RUNTIME_DIR"; exec sleep 600'];

test('with a manager that stays, a job is a unit of it: same records, output and end', async () => {
  logind({}, 'yes');
  systemdRun(252);
  const job = await startJob({ dir, name: 'job', argv: sleeper, clock, restart: 'failed' });
  expect(job).toMatchObject({ state: 'running', isSupervised: true });
  expect(job.unit).toMatch(/^upi-wizard-job-[0-9a-f]{8}\.scope$/);
  const asked = readFileSync(join(base, 'asked'), 'utf8').trimEnd().split('\n');
  const options = ['--user', '--scope', '--quiet', '--collect', `--unit=${job.unit}`, '--description=upi-wizard: job'];
  expect(asked).toEqual(options);
  await eventually(() => expect(readFileSync(job.logFile, 'utf8')).toBe(`${base}\n`));
  expect(await findJob(dir, 'job')).toMatchObject({ pid: job.pid, unit: job.unit });
  expect(await stopJob(dir, 'job', { clock })).toMatchObject({ state: 'ended', signal: 'SIGTERM' });
  systemdRun(257);
  await startJob({ dir, name: 'job', argv: sleeper, clock });
  expect(readFileSync(join(base, 'asked'), 'utf8').trimEnd().split('\n').at(-1)).toBe('--property=OOMPolicy=continue');
});

test.each([
  ['does not linger', () => logind({}, 'no')],
  ['is not logged in', () => logind({}, null)],
  ['has no manager', () => rmSync(join(base, 'systemd/private'))],
  ['has one that refuses', () => program('systemd-run', 'echo "Failed to connect to bus" >&2; [ "$1" = --version ]')],
  ['has no systemd at all', () => vi.stubEnv('PATH', join(base, 'none'))],
])('a job of a user who %s is a process of its own', async (_case, change) => {
  logind({}, 'yes');
  systemdRun(252);
  change();
  const env = { PATH: process.env.PATH ?? '' };
  const job = await startJob({ dir, name: 'job', argv: ['/bin/sleep', '600'], env, clock, restart: 'failed' });
  expect(job).toMatchObject({ state: 'running', isSupervised: true, unit: null });
});

test.each([
  ['kills nobody', {}, false],
  ['kills', { KillUserProcesses: 'yes', KillExcludeUsers: 'x' }, true],
  ['kills with an empty list, which spares root', { KillUserProcesses: 'yes', KillExcludeUsers: '' }, user !== 'root'],
  ['spares this user', { KillUserProcesses: 'yes', KillExcludeUsers: `x ${user}` }, false],
  ['kills others only', { KillUserProcesses: 'yes', KillExcludeUsers: 'x', KillOnlyUsers: 'x y' }, false],
])('what systemd-logind does at logout: it %s', async (_case, settings, killsProcesses) => {
  logind(settings, 'no');
  expect(await logoutRules()).toEqual({ user, lingers: false, killsProcesses });
});

test('without systemd-logind nothing is said about logout', async () => {
  program('loginctl', 'echo "Failed to connect to bus: Host is down" >&2; exit 1');
  expect(await logoutRules()).toBeNull();
});
