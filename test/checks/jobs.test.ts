import { expect, test } from 'vitest';
import { runChecks } from '../../src/checks/check.ts';
import {
  isJobFailing,
  JOB_CHECKS,
  type JobEvidence,
  LOGOUT_CHECKS,
  type LogoutEvidence,
} from '../../src/checks/jobs.ts';
import { HOUR, MINUTE, SECOND } from '../../src/platform/clock.ts';

const NOW = new Date(2026, 10, 22, 14, 30).getTime();
const lastRestart = {
  at: NOW - 28 * MINUTE,
  code: 1,
  signal: null,
  count: 3,
  consecutiveFailures: 1,
  restartDelay: SECOND,
  lastLine: 'no',
};
const running: JobEvidence = {
  job: 'boot-server',
  dir: '/d',
  state: 'running',
  isSupervised: true,
  isAwaitingRestart: false,
  lastRestart: null,
  logFile: '/d/boot-server.log',
  pid: 7,
  version: '0.2.0',
};

test.each<[string, Partial<JobEvidence>, string | null, string]>([
  ['runs', {}, null, ''],
  [
    'restarted',
    { lastRestart },
    'The boot server exited with code 1 at 14:02 and was restarted, 3 times so far',
    'last line of its log: no',
  ],
  ['restarted long ago', { lastRestart: { ...lastRestart, at: NOW - 2 * HOUR } }, null, ''],
  [
    'killed',
    { job: 'csr-follow', lastRestart: { ...lastRestart, code: 137, signal: 'SIGKILL', count: 1, lastLine: '' } },
    'The job that approves certificate requests was terminated by SIGKILL at 14:02 and was restarted, 1 time so far',
    'it printed nothing',
  ],
  [
    'keeps ending',
    { isAwaitingRestart: true, lastRestart: { ...lastRestart, consecutiveFailures: 7, restartDelay: 60 * SECOND } },
    'The boot server does not keep running: it exited with code 1 at 14:02, 7 times in a row',
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
  const found = runChecks(JOB_CHECKS, { now: NOW, jobs: [{ ...running, ...change }], version: '0.2.0' });
  expect(found.map((one) => [one.severity, one.title, one.cause])).toEqual(
    title === null ? [] : [['warning', title, cause]],
  );
});

test('a job that ended once or twice restarts without a warning', () => {
  const isFailingAfter = (consecutiveFailures: number) =>
    isJobFailing({ isAwaitingRestart: true, lastRestart: { consecutiveFailures } });
  expect([1, 2, 3].map(isFailingAfter)).toEqual([false, false, true]);
  expect(isJobFailing({ isAwaitingRestart: false, lastRestart: { consecutiveFailures: 9 } })).toBe(false);
});

test.each<[string, Partial<JobEvidence>, string | null, string[]]>([
  ['of this version', {}, '0.2.0', []],
  ['of another version', { version: '0.1.0' }, '0.2.0', ['version 0.1.0 started it; this is version 0.2.0']],
  [
    'of a version that recorded none',
    { version: null },
    '0.2.0',
    ['it was started by a version that recorded no version number; this is version 0.2.0'],
  ],
  ['that no longer runs', { version: '0.1.0', state: 'lost' }, '0.2.0', []],
  ['of another version, for a program that does not know its own', { version: '0.1.0' }, null, []],
])('a job %s', (_name, change, version, causes) => {
  const [, otherVersion] = JOB_CHECKS;
  const found = runChecks(
    [otherVersion].filter((check) => check !== undefined),
    {
      now: NOW,
      jobs: [{ ...running, ...change }],
      version,
    },
  );
  expect(found.map(({ cause }) => cause)).toEqual(causes);
  for (const { code, severity, title, remedy } of found)
    expect({ code, severity, title, remedy }).toEqual({
      code: 'job-other-version',
      severity: 'note',
      title: 'The boot server was started by another version of upi-wizard',
      remedy: expect.stringContaining('end it: `kill 7` Prepare starts it again.'),
    });
});

const ownJob: LogoutEvidence = {
  job: 'boot-server',
  dir: '/d',
  user: 'core',
  isUnit: false,
  hasLinger: false,
  areProcessesKilled: false,
  pid: 7,
};
test.each<[string, Partial<LogoutEvidence>, string | null]>([
  ['a process where logind kills none', {}, null],
  [
    'a process where logind kills',
    { areProcessesKilled: true },
    'Run this: `loginctl enable-linger core` Then end it: `kill 7` Prepare starts it again.',
  ],
  [
    'the same, started too early',
    { areProcessesKilled: true, hasLinger: true },
    'Then end it: `kill 7` Prepare starts it again.',
  ],
  ['a unit that stays', { isUnit: true, hasLinger: true, areProcessesKilled: true }, null],
  ['a unit that does not', { isUnit: true }, 'Run this: `loginctl enable-linger core` Prepare starts it again.'],
])('jobs that end at logout: %s', (_name, change, remedy) => {
  const found = runChecks(LOGOUT_CHECKS, { ...ownJob, ...change });
  expect(found.map((one) => one.remedy)).toEqual(remedy === null ? [] : [remedy]);
  for (const { code, title, cause } of found)
    expect([code, title, cause !== '']).toEqual(['job-ends-at-logout', 'The boot server ends when you log out', true]);
});

test('the command that starts a job again names its install directory', () => {
  const jobs: JobEvidence[] = [{ ...running, job: 'csr-follow', dir: '/my clusters/a', state: 'lost' }];
  const findings = [
    ...runChecks(JOB_CHECKS, { now: NOW, jobs, version: '0.2.0' }),
    ...runChecks(LOGOUT_CHECKS, { ...ownJob, job: 'csr-follow', dir: '/my clusters/a', isUnit: true }),
  ];
  const command = "csr approve --background --dir '/my clusters/a'";
  expect(findings.map(({ remedy }) => remedy)).toEqual([
    expect.stringContaining(command),
    expect.stringContaining(command),
  ]);
});
