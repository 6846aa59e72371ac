import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { InterruptedError } from '../../../src/cli/shared/process-io.ts';
import { setOnEventCommand } from '../../../src/session/on-event.ts';
import { getSessionFile } from '../../../src/session/session-file.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { createOtherPki } from '../../support/api-pki.ts';
import { eventually } from '../../support/eventually.ts';
import { type CommandResult, captureCommand } from '../../support/run-command.ts';
import { type SimulatedCluster, startSimulatedCluster } from '../../support/simulated-cluster.ts';

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
let cluster: SimulatedCluster;
beforeEach(async () => {
  cluster = await startSimulatedCluster();
});
afterEach(() => cluster.close());

const approve = (argv: readonly string[]) => captureCommand(['csr', 'approve', ...argv], { cwd: cluster.cwd });

/** Follows until the log matches, then stops the command as a supervisor does. */
async function followUntil(
  pattern: RegExp,
  onLine: (text: string) => void = () => undefined,
  target: readonly string[] = cluster.fileOptions,
): Promise<CommandResult> {
  const controller = new AbortController();
  let log = '';
  return await captureCommand(['csr', 'approve', '--follow', '--forever', ...target], {
    cwd: cluster.cwd,
    signal: controller.signal,
    onStdout(text) {
      log += text;
      onLine(text);
      if (pattern.test(log)) controller.abort(new InterruptedError(143));
    },
  });
}

const isApproved = (name: string) =>
  JSON.stringify(cluster.store.get(REQUESTS, null, name) ?? {}).includes('"Approved"');

test('an expected request is approved, another one is reported once with its reason and not touched, each with its time', async () => {
  await cluster.addRequest('csr-w1', 'w1');
  await cluster.addRequest('csr-evil', 'evil');
  const { code, stdout } = await followUntil(/csr-evil/);
  expect(code).toBe(143);
  const lines = stdout.trim().split('\n');
  for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z /);
  expect(lines.map((line) => line.slice(25))).toEqual([
    'started: approving requests that fit the design',
    expect.stringMatching(/^csr-w1 {2}w1\.ocp45\.example\.localdomain {2}issued: /),
    expect.stringMatching(/^csr-w1 {2}w1\.ocp45\.example\.localdomain {2}no boot observed: /),
    expect.stringMatching(
      /^csr-evil {2}evil\.ocp45\.example\.localdomain {2}refused: NAME_UNKNOWN: No node of the design/,
    ),
    'stopped',
  ]);
  expect(isApproved('csr-w1')).toBe(true);
  expect(isApproved('csr-evil')).toBe(false);
});

test('the approval for a machine without an observed boot is reported as such, once for each request', async () => {
  const bootLog = workspace(cluster.dir).bootLog;
  mkdirSync(dirname(bootLog), { recursive: true });
  const request = {
    at: Date.now(),
    method: 'GET',
    path: '/ignition/worker.ign',
    status: 200,
    bytes: 1,
    complete: true,
  };
  writeFileSync(bootLog, `${JSON.stringify({ ...request, client: '172.16.0.31' })}\n`);
  for (const [target, unobserved] of [
    [['--dir', cluster.dir], ['csr-w2']],
    [cluster.fileOptions, ['csr-w3', 'csr-w4']],
  ] as const) {
    const isDir = unobserved.length === 1;
    await cluster.addRequest(isDir ? 'csr-w1' : 'csr-w3', isDir ? 'w1' : 'w3');
    await cluster.addRequest(isDir ? 'csr-w2' : 'csr-w4', isDir ? 'w2' : 'i1');
    const { stdout } = await followUntil(
      new RegExp(`${unobserved.at(-1)} .* no boot observed`),
      () => undefined,
      target,
    );
    const warnings = stdout.split('\n').filter((line) => line.includes('no boot observed'));
    expect(warnings.map((line) => line.slice(25).split(' ')[0])).toEqual(unobserved);
    for (const line of warnings)
      expect(line.includes('the records of the boot server and the DHCP server requires --dir')).toBe(!isDir);
    for (const name of unobserved) expect(isApproved(name)).toBe(true);
  }
});

test('a node that the cluster has already is not approved in the background: the user must confirm that it was reinstalled', async () => {
  cluster.addNode('w2', '172.16.0.32', { isReady: false });
  await cluster.addRequest('csr-again', 'w2');
  const { stdout } = await followUntil(/csr-again/);
  expect(stdout).toMatch(/csr-again .* refused: NODE_EXISTS: /);
  setOnEventCommand(cluster.dir, 'echo "$UPI_WIZARD_EVENT $UPI_WIZARD_TEXT" >>event-log');
  const withDir = await followUntil(/csr-again/, () => undefined, ['--dir', cluster.dir]);
  await eventually(() =>
    expect(readFileSync(join(cluster.dir, 'event-log'), 'utf8')).toMatch(
      /^certificate-refused The certificate request csr-again of w2\S* was not approved: .*this may be an impostor/,
    ),
  );
  expect(withDir.stdout).toMatch(/csr-again .* refused: NODE_EXISTS: .* this may be an impostor/);
  expect(isApproved('csr-again')).toBe(false);
});

test('a forbidden approval is reported once, and retried until it is allowed', async () => {
  let refusals = 0;
  cluster.intercept = (request, response) => {
    if (request.method !== 'PUT' || refusals === 2) return false;
    refusals += 1;
    const message = 'certificatesigningrequests.certificates.k8s.io "csr-w1" is forbidden: User "jane" cannot update';
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', code: 403, reason: 'Forbidden', message }));
    return true;
  };
  await cluster.addRequest('csr-w1', 'w1');
  const controller = new AbortController();
  const { stdout } = await captureCommand(['csr', 'approve', '--follow', ...cluster.fileOptions], {
    cwd: cluster.cwd,
    signal: controller.signal,
    onStdout: (text) => {
      if (text.includes('issued')) controller.abort(new InterruptedError(143));
    },
  });
  expect(refusals).toBe(2);
  const requestLines = stdout.split('\n').filter((line) => line.includes('csr-w1'));
  expect(requestLines).toEqual([
    expect.stringMatching(/failed: 403 .* is forbidden: User "jane" cannot update/),
    expect.stringMatching(/issued: /),
  ]);
});

test('the follower approves nothing while its design cannot be read, reports that once, and continues afterwards', async () => {
  await cluster.addRequest('csr-w1', 'w1');
  const file = getSessionFile(cluster.dir);
  const whole = readFileSync(file, 'utf8');
  writeFileSync(file, whole.slice(0, -9));
  const controller = new AbortController();
  let log = '';
  await captureCommand(['csr', 'approve', '--follow', '--forever', '--dir', cluster.dir], {
    cwd: cluster.cwd,
    signal: controller.signal,
    onStdout(text) {
      log += text;
      if (/approving nothing for now/.test(text)) {
        expect(isApproved('csr-w1')).toBe(false);
        writeFileSync(file, whole);
      }
      if (/resumed/.test(text)) controller.abort(new InterruptedError(143));
    },
  });
  const messages = log.split('\n').map((line) => line.slice(25));
  expect(
    messages.filter((line) => line.startsWith('approving nothing for now: The saved session is damaged')),
  ).toHaveLength(1);
  expect(isApproved('csr-w1')).toBe(true);
});

test('an unavailable API is reported, and the follower waits for it', async () => {
  cluster.intercept = (request) => {
    request.socket.destroy();
    return true;
  };
  const { code, stdout } = await followUntil(/Z (?!started).+/);
  expect(code).toBe(143);
  expect(stdout.trim().split('\n')).toHaveLength(3);
});

test.each([
  [['--follow', '--forever', '--background'], /one of --forever/],
  [['csr-w1', '--background'], /leave out names/],
  [['--background', '--yes', 'w1'], /leave out names/],
  [['--forever', '--dir', '/nowhere'], /\/nowhere does not exist: specify the install directory/],
])('wrong usage: %j', async (argv, message) => {
  const { code, stderr } = await approve(argv);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test('a job belongs to an install directory, and one that never ran cannot be stopped', async () => {
  expect(await approve(['--background', ...cluster.fileOptions])).toMatchObject({ code: 2 });
  expect(await approve(['--stop', '--dir', cluster.dir])).toMatchObject({
    code: 4,
    stderr: 'No background job is running for this install directory.\n',
  });
});

test('a flood of requests stops the approval, and the end of the flood resumes it: both are reported', async () => {
  const names = Array.from({ length: 45 }, (_, index) => `csr-flood-${index}`);
  await cluster.addRequest('csr-w1', 'w1');
  for (const name of names) await cluster.addRequest(name, 'evil');
  const { stdout } = await followUntil(/csr-w1 .* issued/, (text) => {
    if (!text.includes('Automatic approval stopped')) return;
    expect(isApproved('csr-w1')).toBe(false);
    for (const name of names) cluster.store.delete(REQUESTS, null, name);
  });
  expect(stdout).toMatch(
    /Automatic approval stopped at \d\d:\d\d: too many requests: 46 pending requests came within an hour/,
  );
  expect(stdout).toMatch(
    /Automatic approval resumed at \d\d:\d\d: the flood of requests that began at \d\d:\d\d is over/,
  );
});

test('the follower does not wait for another cluster: it ends with the cause', async () => {
  const otherCluster = await startSimulatedCluster(await createOtherPki());
  try {
    const { port } = new URL(readFileSync(otherCluster.fileOptions[3] ?? '', 'utf8').match(/server: (\S+)/)?.[1] ?? '');
    const file = cluster.fileOptions[3] ?? '';
    writeFileSync(file, readFileSync(file, 'utf8').replace(/(server: https:\/\/127\.0\.0\.1:)\d+/, `$1${port}`));
    for (const forever of [[], ['--forever']]) {
      const { code, stdout, stderr } = await approve(['--follow', ...forever, ...cluster.fileOptions]);
      expect(code).toBe(4);
      expect(stdout + stderr).toMatch(/The API (presents a certificate of another CA|belongs to another run)/);
    }
  } finally {
    await otherCluster.close();
  }
});

test('a kubeconfig that becomes unusable ends the follower, with the results so far', async () => {
  const file = cluster.fileOptions[3] ?? '';
  await cluster.addRequest('csr-w1', 'w1');
  const { code, stdout, stderr } = await captureCommand(
    ['csr', 'approve', '--follow', ...cluster.fileOptions, '--json'],
    {
      cwd: cluster.cwd,
      onStderr: () => writeFileSync(file, ''),
    },
  );
  expect(code).toBe(4);
  expect(JSON.parse(stdout)).toMatchObject({ requests: [{ name: 'csr-w1', outcome: 'issued' }] });
  expect(stderr).toContain('The kubeconfig cannot be used');
});

test('when stopped, the follower reports its progress', async () => {
  const controller = new AbortController();
  const { code, stderr } = await captureCommand(['csr', 'approve', '--follow', ...cluster.fileOptions], {
    cwd: cluster.cwd,
    signal: controller.signal,
    onStderr: () => controller.abort(new InterruptedError(143)),
  });
  expect(code).toBe(143);
  expect(stderr).toMatch(/Stopped; requests that were not approved stay pending\. 0 of 9 nodes have joined/);
});
