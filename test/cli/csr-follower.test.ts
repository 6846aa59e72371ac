import { afterEach, beforeEach, expect, test } from 'vitest';
import { csrCommand } from '../../src/cli/csr.ts';
import { Interrupted } from '../../src/cli/live-io.ts';
import { type LiveCluster, type Ran, runLive, startLiveCluster } from '../support/live-cluster.ts';

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
let cluster: LiveCluster;
beforeEach(async () => {
  cluster = await startLiveCluster();
});
afterEach(() => cluster.close());

const approve = (argv: readonly string[]) => runLive(csrCommand, ['approve', ...argv], { cwd: cluster.cwd });

/** Follows until its log says something, then ends it as a supervisor does. */
async function followUntil(pattern: RegExp, onLine: (text: string) => void = () => undefined): Promise<Ran> {
  const ending = new AbortController();
  let log = '';
  return await runLive(csrCommand, ['approve', '--follow', '--forever', ...cluster.files], {
    cwd: cluster.cwd,
    signal: ending.signal,
    onStdout(text) {
      log += text;
      onLine(text);
      if (pattern.test(log)) ending.abort(new Interrupted(143));
    },
  });
}

const isApproved = (name: string) =>
  JSON.stringify(cluster.store.get(REQUESTS, null, name) ?? {}).includes('"Approved"');

test('what is expected is approved, what is not is told once with its reason and left alone, each with its time', async () => {
  await cluster.addRequest('csr-w1', 'w1');
  await cluster.addRequest('csr-evil', 'evil');
  const { code, stdout } = await followUntil(/csr-evil/);
  expect(code).toBe(143);
  const lines = stdout.trim().split('\n');
  for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z /);
  expect(lines.map((line) => line.slice(25))).toEqual([
    'following: what the design expects is approved as it appears',
    expect.stringMatching(/^csr-w1 {2}w1\.ocp45\.example\.localdomain {2}issued: /),
    expect.stringMatching(
      /^csr-evil {2}evil\.ocp45\.example\.localdomain {2}refused: NAME_UNKNOWN: No node of the design/,
    ),
    'told to stop',
  ]);
  expect(isApproved('csr-w1')).toBe(true);
  expect(isApproved('csr-evil')).toBe(false);
});

test('a node that the cluster has already is not approved in the background: a person has to say that it was installed anew', async () => {
  cluster.addNode('w2', '172.16.0.32');
  await cluster.addRequest('csr-again', 'w2');
  const { stdout } = await followUntil(/csr-again/);
  expect(stdout).toMatch(/csr-again .* refused: NODE_EXISTS: /);
  expect(isApproved('csr-again')).toBe(false);
});

test('an API that is away is told, and waited for', async () => {
  cluster.intercept = (request) => {
    request.socket.destroy();
    return true;
  };
  const { code, stdout } = await followUntil(/Z (?!following).+/);
  expect(code).toBe(143);
  expect(stdout.trim().split('\n')).toHaveLength(3);
});

test.each([
  [['--follow', '--forever', '--background'], /one of --forever/],
  [['csr-w1', '--background'], /give no names/],
  [['--background', '--yes', 'w1'], /give no names/],
  [['--forever', '--dir', '/nowhere'], /no session in \/nowhere/],
])('wrong usage: %j', async (argv, said) => {
  const { code, stderr } = await approve(argv);
  expect(code).toBe(2);
  expect(stderr).toMatch(said);
});

test('a job belongs to an install directory, and one that never ran cannot be stopped', async () => {
  expect(await approve(['--background', ...cluster.files])).toMatchObject({ code: 2 });
  expect(await approve(['--stop', '--dir', cluster.dir])).toMatchObject({
    code: 4,
    stderr: 'Nothing runs in the background here.\n',
  });
});
