import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { exampleDesign } from '../../src/design/example.ts';
import {
  exampleWith,
  FAST,
  filesBelow,
  leaksIn,
  makeSandbox,
  type Outcome,
  processesOf,
  root,
  runWizard,
  secretsOf,
  startProgram,
  startRehearsal,
} from '../support/rehearsal-run.ts';

const sandbox = makeSandbox();
afterAll(sandbox.remove);

test.concurrent('the documented example is played to the end, verified, in private, with a small site', async () => {
  const dir = sandbox.dir('example');
  const run = startRehearsal(dir, { sandbox });
  await run.prints(/lb-final: the load balancer has it/);
  const peak = peakMemoryOfSite(dir);
  const outcome = await run.ended;

  expect(outcome).toMatchObject({ code: 0, signal: null });
  expect(outcome.stdout).toMatch(/Everything is done and verified\.\nThe generated files, the log and the report/);
  expect(headings(outcome.stdout)).toEqual(['8', '9', '10', '11', '12', '13', '14', '15', '16', '17']);
  expect(peak).toBeGreaterThan(10);
  expect(peak, `the site took ${peak} MiB`).toBeLessThan(150);
  expectReport(dir, 'ocp45', ['m1', 'm2', 'm3', 'w1', 'w2', 'w3', 'i1', 'i2', 'i3']);
  expectLastStage(dir);
  expectPrivate(dir, outcome);
  expect(processesOf(dir), 'nothing runs on').toEqual([]);
});

test.concurrent('an answers file of one’s own is played with `npm start`, with its own names, addresses and pull secret', async () => {
  const token = Buffer.from('own-user:own-token-of-the-test').toString('base64');
  sandbox.file(
    'own-pull-secret.json',
    JSON.stringify({ auths: { 'quay.io': { auth: token, email: 'me@example.com' } } }),
  );
  const answers = sandbox.file(
    'own.yaml',
    exampleWith({
      ocp45: 'prod7',
      '172.16.0.': '10.20.30.',
      './pull-secret.txt': './own-pull-secret.json',
    }),
  );
  const args = ['start', '--silent', '--', 'rehearse', '--answers', answers, '--plain', '--speed', String(FAST)];
  const outcome = await startProgram('npm', args, { sandbox, cwd: root }).ended;

  expect(outcome).toMatchObject({ code: 0, signal: null });
  const dir = /report are in (\S+)\.$/m.exec(outcome.stdout)?.[1] ?? '';
  expect(dir.startsWith(sandbox.path), `${dir} is where temporary files go`).toBe(true);
  expectReport(dir, 'prod7', ['m1', 'm2', 'm3', 'w1', 'w2', 'w3', 'i1', 'i2', 'i3']);
  expectLastStage(dir);
  const zone = readFileSync(join(dir, 'files/ns1/var/named/30.20.10.in-addr.arpa.zone'), 'utf8');
  expect(zone).toMatch(/^21\s.*PTR\s+m1\.prod7\.example\.localdomain\.$/m);
  expect(generatedText(dir)).not.toMatch(/172\.16\.0\.|ocp45/);
  expect(readFileSync(join(dir, '.upi-wizard/install-config.yaml'), 'utf8')).toContain(token);
  expectNoSecret(dir, outcome, [token, 'own-token-of-the-test']);
  expect(processesOf(dir), 'nothing runs on').toEqual([]);
});

test.concurrent('a single node is its own bootstrap: it is played to the end, and nothing is removed from a load balancer', async () => {
  const dir = sandbox.dir('single');
  const answers = sandbox.file('single.yaml', exampleDesign({ topology: 'single-node' }));
  const told = join(sandbox.path, 'told');
  const args = ['--on-event', `echo "$UPI_WIZARD_EVENT $UPI_WIZARD_STEP $UPI_WIZARD_TEXT" >>${told}`];
  const outcome = await startRehearsal(dir, { sandbox, answers, args }).ended;
  expect(outcome).toMatchObject({ code: 0, signal: null });
  const events = readFileSync(told, 'utf8').trim().split('\n');
  const steps = events.flatMap((line) => (line.startsWith('step-done ') ? [line.split(' ')[1]] : []));
  expect(steps).toEqual(
    ['generate', 'hosts', 'prepare', 'boot', 'bootstrap', 'certificates', 'operators', 'infra', 'report'].filter((id) =>
      steps.includes(id),
    ),
  );
  expect(steps).toEqual(expect.arrayContaining(['generate', 'boot', 'bootstrap', 'operators', 'report']));
  // The step and the job see it at the same time; who is first says it, and nobody says it again.
  expect(events.filter((event) => event.startsWith('installation-complete operators Rehearsal: '))).toHaveLength(1);
  expect(events).toContain(
    'job-ended bootstrap Rehearsal: openshift-install wait-for bootstrap-complete ended, successfully.',
  );
  expect(outcome.stdout).toContain('already done: nothing to remove: a single node is its own bootstrap');
  expectReport(dir, 'ocp45', ['m1']);
  expectPrivate(dir, outcome);
  expect(processesOf(dir), 'nothing runs on').toEqual([]);
});

test('what cannot be read, and what is no option, is wrong usage', async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['--answers', '/nowhere/site.yaml'], /^Cannot read \/nowhere\/site\.yaml: /],
    [['--answers', sandbox.path], /^Cannot read .*: /],
    [['--answers', 'example', '--break', 'no-such-fault'], /There is no fault "no-such-fault"\. Known: ptr-missing/],
    [['--answers', 'example', '--speed', 'fast'], /--speed wants a number above 0, not "fast"/],
    [['--answers', 'example', '--sped', '60'], /--sped/],
  ];
  for (const [args, said] of cases) {
    const outcome = await runWizard(['rehearse', '--plain', ...args], { sandbox });
    expect(outcome.stderr, args.join(' ')).toMatch(said);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
  }
});

test('a design with errors is not rehearsed: each error is named with its fix', async () => {
  const answers = sandbox.file('wrong.yaml', exampleWith({ 'ip: 172.16.0.22': 'ip: 172.16.0.21' }));
  const dir = sandbox.dir('wrong');
  const outcome = await runWizard(['rehearse', '--plain', '--answers', answers, '--dir', dir], { sandbox });
  expect(outcome).toMatchObject({ code: 3, stdout: '' });
  expect(outcome.stderr).toMatch(/The design in .*wrong\.yaml has errors:\n {2}Nodes > m\d: Address: 172\.16\.0\.21/);
  expect(existsSync(join(dir, '.upi-wizard/site'))).toBe(false);
});

function headings(stdout: string): string[] {
  return [...stdout.matchAll(/^\[(\d+)\/17\] /gm)].map(([, number = '']) => number);
}

/** The most that the site process ever took, MiB. */
function peakMemoryOfSite(dir: string): number {
  const { pid } = JSON.parse(readFileSync(join(dir, '.upi-wizard/site/running.json'), 'utf8')) as { pid: number };
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

function expectReport(dir: string, cluster: string, nodes: readonly string[]): void {
  const report = readFileSync(join(dir, 'report.md'), 'utf8');
  expect(report).toMatch(new RegExp(`^# ${cluster}\\.example\\.localdomain$`, 'm'));
  const ready = [...report.matchAll(/^\| ([a-z0-9]+)\.\S+ \|.*\| Ready \|$/gm)].map(([, name]) => name);
  expect(ready).toEqual(nodes);
  expect(report).toContain(`https://console-openshift-console.apps.${cluster}.example.localdomain`);
}

/** Routers are reached on infra nodes only, and the bootstrap is out, in what was generated and on the host itself. */
function expectLastStage(dir: string): void {
  const { stage } = JSON.parse(readFileSync(join(dir, 'files/files.json'), 'utf8')) as { stage: string };
  expect(stage).toBe('infra-only');
  const generated = readFileSync(join(dir, 'files/lb1/etc/haproxy/haproxy.cfg'), 'utf8');
  expect(membersOf(generated, 'ingress-https')).toEqual(['i1', 'i2', 'i3']);
  expect(membersOf(generated, 'ingress-http')).toEqual(['i1', 'i2', 'i3']);
  expect(membersOf(generated, 'api')).toEqual(['m1', 'm2', 'm3']);
  expect(membersOf(generated, 'machine-config')).toEqual(['m1', 'm2', 'm3']);
  expect(readFileSync(join(dir, '.upi-wizard/site/hosts/lb1/etc/haproxy/haproxy.cfg'), 'utf8')).toBe(generated);
}

function membersOf(haproxy: string, backend: string): string[] {
  const section = haproxy.split(/^(?=\S)/m).find((text) => text.startsWith(`backend ${backend}\n`)) ?? '';
  return [...section.matchAll(/^ +server (\S+) /gm)].map(([, name = '']) => name);
}

function generatedText(dir: string): string {
  return filesBelow(join(dir, 'files'))
    .map((file) => `${file.slice(dir.length)}\n${readFileSync(file, 'utf8')}`)
    .join('\n');
}

function expectNoSecret(dir: string, { stdout, stderr }: Outcome, more: readonly string[] = []): void {
  const secrets = [...secretsOf(dir), ...more];
  for (const secret of secrets) expect(`${stdout}${stderr}`.includes(secret), 'a secret was printed').toBe(false);
  expect(leaksIn(dir, secrets)).toEqual([]);
}

function expectPrivate(dir: string, outcome: Outcome): void {
  expectNoSecret(dir, outcome);
  const state = join(dir, '.upi-wizard');
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  for (const path of [dir, state, join(state, 'jobs'), join(state, 'site'), join(dir, 'auth'), join(dir, 'files')]) {
    expect(`${path} ${mode(path)}`).toBe(`${path} 700`);
  }
  const files = filesBelow(dir).filter((path) => !/^(?:files|\.upi-wizard\/site\/)/.test(path.slice(dir.length + 1)));
  expect(files.length).toBeGreaterThan(15);
  for (const path of files) expect(`${path} ${mode(path)}`).toBe(`${path} 600`);
}
