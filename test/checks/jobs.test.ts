import { expect, test } from 'vitest';
import { runChecks } from '../../src/checks/check.ts';
import { isFailing, JOB_CHECKS, type JobEvidence, LOGOUT_CHECKS, type LogoutEvidence } from '../../src/checks/jobs.ts';
import { HOUR, MINUTE, SECOND } from '../../src/platform/clock.ts';

const NOW = new Date(2026, 10, 22, 14, 30).getTime();
const restarted = { at: NOW - 28 * MINUTE, code: 1, signal: null, count: 3, inARow: 1, pause: SECOND, lastLine: 'no' };
const running: JobEvidence = {
  job: 'boot-server',
  state: 'running',
  isSupervised: true,
  isPausing: false,
  restarted: null,
  logFile: '/d/boot-server.log',
};

test.each<[string, Partial<JobEvidence>, string | null, string]>([
  ['runs', {}, null, ''],
  [
    'restarted',
    { restarted },
    'The boot server ended with code 1 at 14:02 and was restarted, 3 times so far',
    'last line of its log: no',
  ],
  ['restarted long ago', { restarted: { ...restarted, at: NOW - 2 * HOUR } }, null, ''],
  [
    'killed',
    { job: 'csr-follow', restarted: { ...restarted, code: 137, signal: 'SIGKILL', count: 1, lastLine: '' } },
    'The job that approves certificate requests was ended by SIGKILL at 14:02 and was restarted, 1 time so far',
    'it printed nothing',
  ],
  [
    'keeps ending',
    { isPausing: true, restarted: { ...restarted, inARow: 7, pause: 60 * SECOND } },
    'The boot server does not keep running: it ended with code 1 at 14:02, 7 times in a row',
    'last line of its log: no',
  ],
  [
    'without supervisor',
    { isSupervised: false },
    'The boot server runs, but nothing restarts it if it ends',
    'the process that supervised it was killed',
  ],
  [
    'lost',
    { state: 'lost', isSupervised: false },
    'The boot server no longer runs',
    expect.stringContaining('restarted'),
  ],
])('a job that should run: %s', (_name, change, title, cause) => {
  const found = runChecks(JOB_CHECKS, { now: NOW, jobs: [{ ...running, ...change }] });
  expect(found.map((one) => [one.severity, one.title, one.cause])).toEqual(
    title === null ? [] : [['warning', title, cause]],
  );
});

test('a job that ended once or twice restarts without a warning', () => {
  const isFailingAfter = (inARow: number) => isFailing({ isPausing: true, restarted: { inARow } });
  expect([1, 2, 3].map(isFailingAfter)).toEqual([false, false, true]);
  expect(isFailing({ isPausing: false, restarted: { inARow: 9 } })).toBe(false);
});

const ownJob: LogoutEvidence = {
  job: 'boot-server',
  user: 'core',
  isUnit: false,
  lingers: false,
  killsProcesses: false,
  pid: 7,
};
test.each<[string, Partial<LogoutEvidence>, string | null]>([
  ['a process where logind kills none', {}, null],
  [
    'a process where logind kills',
    { killsProcesses: true },
    'Run this: `loginctl enable-linger core` Then end it: `kill 7` Prepare starts it again.',
  ],
  [
    'the same, started too early',
    { killsProcesses: true, lingers: true },
    'Then end it: `kill 7` Prepare starts it again.',
  ],
  ['a unit that stays', { isUnit: true, lingers: true, killsProcesses: true }, null],
  ['a unit that does not', { isUnit: true }, 'Run this: `loginctl enable-linger core` Prepare starts it again.'],
])('jobs that end at logout: %s', (_name, change, remedy) => {
  const found = runChecks(LOGOUT_CHECKS, { ...ownJob, ...change });
  expect(found.map((one) => one.remedy)).toEqual(remedy === null ? [] : [remedy]);
  for (const { code, title, cause } of found)
    expect([code, title, cause !== '']).toEqual(['job-ends-at-logout', 'The boot server ends when you log out', true]);
});
