import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { renderExampleDesign } from '../../src/design/example.ts';
import { expectPrivate, expectReport } from '../support/rehearsal-expectations.ts';
import {
  createExampleAnswers,
  createSandbox,
  FAST_SPEED,
  listProcesses,
  runWizard,
  startRehearsal,
} from '../support/rehearsal-run.ts';
import { key, startOnTerminal } from '../support/terminal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

test.concurrent('a single node is its own bootstrap: it is played to the end, and nothing is removed from a load balancer', async () => {
  const dir = sandbox.dir('single');
  const answers = sandbox.file('single.yaml', renderExampleDesign({ topology: 'single-node' }));
  const eventLog = join(sandbox.path, 'event-log');
  const args = ['--on-event', `echo "$UPI_WIZARD_EVENT $UPI_WIZARD_STEP $UPI_WIZARD_TEXT" >>${eventLog}`];
  const outcome = await startRehearsal(dir, { sandbox, answers, args }).exit;
  expect(outcome).toMatchObject({ code: 0, signal: null });
  const events = readFileSync(eventLog, 'utf8').trim().split('\n');
  const steps = events.flatMap((line) => (line.startsWith('step-done ') ? [line.split(' ')[1]] : []));
  expect(steps).toEqual(
    ['generate', 'hosts', 'prepare', 'boot', 'bootstrap', 'certificates', 'operators', 'infra', 'report'].filter((id) =>
      steps.includes(id),
    ),
  );
  expect(steps).toEqual(expect.arrayContaining(['generate', 'boot', 'bootstrap', 'operators', 'report']));
  // The step and the job detect it at the same time. The first one reports it, the other does not.
  expect(events.filter((event) => event.startsWith('installation-complete operators Rehearsal: '))).toHaveLength(1);
  expect(events).toContain(
    'job-ended bootstrap Rehearsal: openshift-install wait-for bootstrap-complete exited successfully.',
  );
  expect(outcome.stdout).toContain('already done: nothing to remove: a single node is its own bootstrap');
  expectReport(dir, 'ocp45', ['m1']);
  expectPrivate(dir, outcome);
  expect(listProcesses(dir), 'nothing runs on').toEqual([]);
});

test.concurrent('with external DNS and an external load balancer a rehearsal is played to the end', async () => {
  const dir = sandbox.dir('external');
  const own = createExampleAnswers({
    'kind: bind # bind | external': 'kind: external',
    '    servers: # the first is the primary\n      - { name: ns1, ip: 172.16.0.102, os: rhel9 }\n': '',
    'server: ns1': 'server: bastion',
    'kind: haproxy # haproxy | external': 'kind: external',
    '    servers:\n      - { name: lb1, ip: 172.16.0.112, os: rhel9 }\n': '',
  });
  const answers = sandbox.file('external.yaml', own);
  const outcome = await startRehearsal(dir, { sandbox, answers }).exit;
  expect(outcome).toMatchObject({ code: 0, signal: null });
  expectReport(dir, 'ocp45', ['m1', 'm2', 'm3', 'w1', 'w2', 'w3', 'i1', 'i2', 'i3']);
  expect(existsSync(join(dir, 'files/bastion/root/upi-wizard/dns-records.csv'))).toBe(true);
});

test('an unattended run on a terminal wraps sentences between words, and keeps commands whole', async () => {
  const dir = sandbox.dir('wrapped');
  const args = ['rehearse', '--plain', '--answers', 'example', '--dir', dir, '--speed', String(FAST_SPEED)];
  const run = startOnTerminal(args, { sandbox });
  await run.waitUntil(() => run.output().includes('[9/17] Hosts'), 'the second step');
  run.type(key.ctrl('c'));
  expect((await run.exit).exitCode).toBe(130);
  await runWizard(['rehearse', '--stop', '--dir', dir], { sandbox });
  expect((await runWizard(['sessions'], { sandbox })).stdout).toContain(`${dir}\n  `);
  const lines = run.output().slice(run.output().indexOf('[8/17]')).split('\r\n');
  const isCommand = (line: string) => /^ {4}|^To continue:/.test(line);
  expect(lines.filter((line) => line.length > 80 && !isCommand(line) && !line.includes(sandbox.path))).toEqual([]);
  expect(run.output()).toMatch(/\r\n {2}done: 37 files on disk, .* programs\r\n {2}that read them\r\n/);
});

test('unreadable answers and unknown options are usage errors', async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['--answers', '/nowhere/site.yaml'], /^\/nowhere\/site\.yaml cannot be read: it does not exist\. /],
    [['--answers', sandbox.path], /^\S+ cannot be read: it is a directory\. /],
    [['--answers', 'example', '--break', 'no-such-fault'], /--break cannot be "no-such-fault"\. Possible: ptr-missing/],
    [['--answers', 'example', '--speed', 'fast'], /--speed must be a number above 0, not "fast"/],
    [['--answers', 'example', '--sped', '60'], /--sped/],
  ];
  for (const [args, message] of cases) {
    const outcome = await runWizard(['rehearse', '--plain', ...args], { sandbox });
    expect(outcome.stderr, args.join(' ')).toMatch(message);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
  }
});

test('a design with errors is not rehearsed: each error is named with its fix', async () => {
  const answers = sandbox.file('wrong.yaml', createExampleAnswers({ 'ip: 172.16.0.22': 'ip: 172.16.0.21' }));
  const dir = sandbox.dir('wrong');
  const outcome = await runWizard(['rehearse', '--plain', '--answers', answers, '--dir', dir], { sandbox });
  expect(outcome).toMatchObject({ code: 3, stdout: '' });
  expect(outcome.stderr).toMatch(/The design in .*wrong\.yaml has errors:\n {2}Nodes > m\d: Address: 172\.16\.0\.21/);
  expect(existsSync(join(dir, '.upi-wizard/site'))).toBe(false);
});
