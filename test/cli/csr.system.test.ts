import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import { openWorkingSession } from '../../src/cli/session/working-session.ts';
import { InterruptedError } from '../../src/cli/shared/process-io.ts';
import { renderExampleDesign } from '../../src/design/example.ts';
import { parseDesign } from '../../src/design/parse.ts';
import { clusterCommands } from '../../src/i18n/en/cluster-commands.ts';
import { csr as csrWords } from '../../src/i18n/en/csr.ts';
import { getField } from '../../src/openshift/object.ts';
import { openSession } from '../../src/session/session.ts';
import { bootstrapSimulatedCluster } from '../rehearsal/site/play-install.ts';
import { exampleSite } from '../support/example-design.ts';
import { captureCommand } from '../support/run-command.ts';
import { DOMAIN, type SimulatedCluster, startSimulatedCluster } from '../support/simulated-cluster.ts';

let cluster: SimulatedCluster;
beforeEach(async () => {
  cluster = await startSimulatedCluster();
});
afterEach(() => cluster.close());

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
const request = {
  name: z.string(),
  uid: z.string().nullable(),
  node: z.string().nullable(),
  kind: z.enum(['client', 'serving', 'other']).nullable(),
  verdict: z.enum(['expected', 'refused', 'not-ours', 'decided', 'superseded']).nullable(),
  reasons: z.array(z.enum(Object.keys(csrWords.reasons) as [string, ...string[]])),
  requestedAt: z.iso.datetime().nullable(),
  requester: z.string().nullable(),
};
const listSchema = z.strictObject({ requests: z.array(z.strictObject(request)) });
const outcome = z.enum(['approved', 'issued', 'failed', 'skipped']);
const approveSchema = z.strictObject({
  requests: z.array(z.strictObject({ ...request, outcome, detail: z.string() })),
});

const csr = (argv: readonly string[], options: Partial<Parameters<typeof captureCommand>[1]> = {}) =>
  captureCommand(['csr', ...argv], { cwd: cluster.cwd, ...options });
async function approve(argv: readonly string[], options: Partial<Parameters<typeof captureCommand>[1]> = {}) {
  const { code, stdout, stderr } = await csr(['approve', ...argv, ...cluster.fileOptions, '--json'], options);
  const { requests } = approveSchema.parse(JSON.parse(stdout));
  return { code, stderr, requests, outcomes: requests.map((one) => `${one.name} ${one.outcome}`).toSorted() };
}
const getConditions = (name: string) =>
  (
    cluster.store.get(REQUESTS, null, name) as
      | { status?: { conditions?: { type: string; message: string }[] } }
      | undefined
  )?.status?.conditions ?? [];

/** Adds a node and requests. Two of them have different keys for w3: only the user can decide which one is the node. */
async function prepareRequests(): Promise<void> {
  // Not Ready: the review would read the serving certificate of a Ready kubelet at its address.
  cluster.addNode('w2', '172.16.0.32', { isReady: false });
  await cluster.addRequest('csr-w1', 'w1');
  await cluster.addRequest('csr-w2', 'w2', '172.16.0.32');
  await cluster.addRequest('csr-evil', 'evil');
  await cluster.addRequest('csr-two-a', 'w3');
  await cluster.addRequest('csr-two-b', 'w3');
}

test('a request for a node that is in the cluster is judged as on the screen: the node is Ready, so it may be forged', async () => {
  const approveInDirectory = (name: string) => csr(['approve', name, '--dir', cluster.dir]);
  for (const [node, ip] of [
    ['w1', '172.16.0.31'],
    ['w3', '172.16.0.33'],
  ] as const) {
    cluster.addNode(node, ip);
    await cluster.addRequest(`csr-${node}`, node);
  }
  const { code, stdout } = await approveInDirectory('csr-w1');
  expect(code).toBe(4);
  expect(stdout).toContain(csrWords.rejoining.running);
  expect(stdout).not.toContain(csrWords.reasons.NODE_EXISTS);
  // Another requester: it cannot be approved by name either.
  const spec = getField(cluster.store.get(REQUESTS, null, 'csr-w3'), 'spec');
  cluster.store.delete(REQUESTS, null, 'csr-w3');
  cluster.add(REQUESTS, {
    metadata: { name: 'csr-w3' },
    spec: { ...(spec as object), username: 'system:serviceaccount:default:builder' },
  });
  const refused = await approveInDirectory('csr-w3');
  expect(refused.stdout).toContain(csrWords.rejoining.running);
  expect(refused.stdout).toContain(csrWords.reasons.REQUESTER);
});

test('the list has a verdict for every request, as JSON and as text', async () => {
  await prepareRequests();
  const { code, stdout } = await csr(['list', ...cluster.fileOptions, '--json']);
  expect(code).toBe(0);
  const { requests } = listSchema.parse(JSON.parse(stdout));
  expect(Object.fromEntries(requests.map(({ name, verdict, reasons }) => [name, [verdict, ...reasons]]))).toEqual({
    'csr-w1': ['expected'],
    'csr-w2': ['expected'],
    'csr-evil': ['refused', 'NAME_UNKNOWN'],
    'csr-two-a': ['refused', 'DUPLICATE_KEYS'],
    'csr-two-b': ['refused', 'DUPLICATE_KEYS'],
  });
  expect(requests.slice(0, 2).map(({ verdict }) => verdict)).toEqual(['expected', 'expected']);
  expect(requests.find(({ name }) => name === 'csr-w2')).toMatchObject({ kind: 'serving', node: `w2.${DOMAIN}` });
  const textList = await csr(['list', '--dir', cluster.dir]);
  expect(textList.code).toBe(0);
  expect(textList.stdout).toMatch(new RegExp(`csr-evil +evil.${DOMAIN} +to join +refused +\\d+s +NAME_UNKNOWN`));
  expect(textList.stdout).toContain(`NAME_UNKNOWN: ${csrWords.reasons.NAME_UNKNOWN}`);
});

test('a list in a pipe has whole names and lines, since scripts read them; a terminal gets lines of its width', async () => {
  const longName = `csr-${'w'.repeat(170)}`;
  await cluster.addRequest(longName, 'evil');
  const pipe = await csr(['list', '--dir', cluster.dir], { columns: 80 });
  expect(pipe.stdout).toMatch(new RegExp(`^${longName} +evil.${DOMAIN} +to join +refused +\\d+s +NAME_UNKNOWN$`, 'm'));
  const terminal = await csr(['list', '--dir', cluster.dir], { columns: 80, style: { hasUnicode: true } });
  expect(terminal.stdout).not.toContain(longName);
});

test('--expected approves what is expected and nothing else, and nothing the second time', async () => {
  await prepareRequests();
  const first = await approve(['--expected']);
  expect(first).toMatchObject({ code: 0, outcomes: ['csr-w1 issued', 'csr-w2 issued'] });
  for (const name of ['csr-evil', 'csr-two-a', 'csr-two-b']) expect(getConditions(name)).toEqual([]);
  const second = await approve(['--expected']);
  expect(second).toMatchObject({ code: 0, requests: [] });
  expect(second.stderr).toContain('No request is expected now');
});

test('a named request is approved when it is expected, and refused with its reasons when it is not', async () => {
  await prepareRequests();
  expect(await approve(['csr-w1'])).toMatchObject({ code: 0, outcomes: ['csr-w1 issued'] });
  expect(await approve(['csr-w1'])).toMatchObject({ code: 0, outcomes: ['csr-w1 issued'] });
  const { code, requests } = await approve(['csr-evil', 'csr-w2', 'no-such'], { ask: async () => 'yes' });
  expect(code).toBe(4);
  expect(requests).toMatchObject([
    { name: 'csr-evil', outcome: 'skipped', detail: csrWords.reasons.NAME_UNKNOWN },
    { name: 'csr-w2', outcome: 'issued' },
    { name: 'no-such', outcome: 'skipped', verdict: null, uid: null, detail: 'No request has this name.' },
  ]);
  expect(getConditions('csr-evil')).toEqual([]);
});

test('a request that the design cannot decide needs the name of the node: typed, or with --yes', async () => {
  await prepareRequests();
  const node = `w3.${DOMAIN}`;
  const unattended = await approve(['csr-two-a']);
  expect(unattended).toMatchObject({ code: 4, outcomes: ['csr-two-a skipped'] });
  expect(unattended.requests[0]?.detail).toContain(`--yes ${node}`);
  const prompts: string[] = [];
  const ask = (answer: string | null) => async (prompt: string) => {
    prompts.push(prompt);
    return answer;
  };
  for (const answer of ['y', '', null, `w2.${DOMAIN}`])
    expect((await approve(['csr-two-a'], { ask: ask(answer) })).outcomes).toEqual(['csr-two-a skipped']);
  expect(prompts[0]).toContain(csrWords.reasons.DUPLICATE_KEYS);
  expect(await approve(['csr-two-a', '--yes', `w2.${DOMAIN}`])).toMatchObject({ code: 4 });
  expect(getConditions('csr-two-a')).toEqual([]);
  expect(await approve(['csr-two-a', '--yes', node])).toMatchObject({ code: 0, outcomes: ['csr-two-a issued'] });
  expect(getConditions('csr-two-a')[0]?.message).toBe(csrWords.approve.byHand(node));
  // The other key does not become the expected one after that.
  expect(await approve(['--expected'])).toMatchObject({ code: 0, outcomes: ['csr-w1 issued', 'csr-w2 issued'] });
  expect(getConditions('csr-two-b')).toEqual([]);
  expect(await approve(['csr-two-b'], { ask: ask(` ${node}\n`) })).toMatchObject({ outcomes: ['csr-two-b issued'] });
});

const denialSchema = z.strictObject({
  requests: z.array(
    z.strictObject({ ...request, outcome: z.enum(['denied', 'failed', 'skipped']), detail: z.string() }),
  ),
});
async function deny(argv: readonly string[], options: Partial<Parameters<typeof captureCommand>[1]> = {}) {
  const { code, stdout, stderr } = await csr(['deny', ...argv, ...cluster.fileOptions, '--json'], options);
  const { requests } = denialSchema.parse(JSON.parse(stdout));
  return { code, stderr, requests, outcomes: requests.map((one) => `${one.name} ${one.outcome}`) };
}

test('a named request is denied after a question that says what denial means; --yes denies without it', async () => {
  await prepareRequests();
  let prompt = '';
  const ask = (answer: string | null) => async (text: string) => {
    prompt = text;
    return answer;
  };
  for (const answer of ['', 'n', null]) {
    const declined = await deny(['csr-evil'], { ask: ask(answer) });
    expect(declined).toMatchObject({ code: 4, outcomes: ['csr-evil skipped'] });
    expect(getConditions('csr-evil')).toEqual([]);
    expect(declined.stderr).toContain(
      `csr-evil  evil.${DOMAIN}  to join  refused: NAME_UNKNOWN: ${csrWords.reasons.NAME_UNKNOWN}`,
    );
    expect(declined.stderr).toContain('A denial is final');
    expect(declined.stderr).toContain('It does not block the sender');
  }
  expect(prompt).toBe('Deny this request? [y/N] ');
  expect(await deny(['csr-evil', 'csr-two-a'], { ask: ask('y') })).toMatchObject({
    code: 0,
    outcomes: ['csr-evil denied', 'csr-two-a denied'],
  });
  expect(prompt).toBe('Deny these 2 requests? [y/N] ');
  expect(getConditions('csr-evil')).toMatchObject([{ type: 'Denied', reason: 'UPIWizardDeny', status: 'True' }]);
  // The other key of the node is the only one left: it is expected now.
  expect(await approve(['--expected'])).toMatchObject({
    code: 0,
    outcomes: ['csr-two-b issued', 'csr-w1 issued', 'csr-w2 issued'],
  });
  const again = await deny(['csr-evil', '--yes']);
  expect(again).toMatchObject({ code: 0, outcomes: ['csr-evil denied'] });
  expect(again.requests[0]?.detail).toContain('It was denied before (UPIWizardDeny');
});

test('an approved request, a missing one and a pattern are not denied; the other named ones are', async () => {
  await prepareRequests();
  await approve(['csr-w1']);
  const { code, requests } = await deny(['csr-w1', 'no-such', 'csr-evil', '--yes']);
  expect(code).toBe(4);
  expect(requests).toMatchObject([
    { name: 'csr-w1', outcome: 'skipped', detail: expect.stringContaining('approved already (UPIWizardApprove') },
    { name: 'no-such', outcome: 'skipped', detail: 'No request has this name.' },
    { name: 'csr-evil', outcome: 'denied' },
  ]);
  expect(getConditions('csr-w1').map(({ type }) => type)).toEqual(['Approved']);
  for (const pattern of ['csr-*', 'csr-w?', 'csr-[ab]'])
    expect(await csr(['deny', pattern, '--yes', ...cluster.fileOptions])).toMatchObject({
      code: 2,
      stderr: `"${pattern}" is a pattern: csr deny takes the full name of each request, as "upi-wizard csr list" shows it.`,
    });
  expect(await csr(['deny', 'csr-w2', ...cluster.fileOptions])).toMatchObject({
    code: 2,
    stderr: '"csr deny" needs a confirmation, and there is no terminal: use --yes.',
  });
  expect(getConditions('csr-w2')).toEqual([]);
});

test('a denial is retried after a conflict; one that was approved, replaced or deleted meanwhile is left alone', async () => {
  await prepareRequests();
  let beforeWrite: ((name: string) => void) | null = null;
  let conflicts = 0;
  cluster.intercept = (incoming, response) => {
    const [, name] = /\/([^/]+)\/approval/.exec(incoming.url ?? '') ?? [];
    if (name === undefined || beforeWrite === null) return false;
    beforeWrite(name);
    beforeWrite = null;
    conflicts += 1;
    response.writeHead(409, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', code: 409, reason: 'Conflict', message: 'changed' }));
    return true;
  };
  const conditions = [{ type: 'Approved', status: 'True', reason: 'KubectlApprove', message: '' }];
  beforeWrite = (name) =>
    void cluster.store.mutate(REQUESTS, null, name, (object) => Object.assign(object, { status: { conditions } }));
  const approved = await deny(['csr-w2', '--yes']);
  expect(approved).toMatchObject({ code: 4, outcomes: ['csr-w2 skipped'] });
  expect(approved.requests[0]?.detail).toContain('approved already (KubectlApprove)');
  beforeWrite = () => undefined;
  expect(await deny(['csr-evil', '--yes'])).toMatchObject({ code: 0, outcomes: ['csr-evil denied'] });
  beforeWrite = (name) => {
    const listed = cluster.store.get(REQUESTS, null, name);
    cluster.store.delete(REQUESTS, null, name);
    cluster.add(REQUESTS, { metadata: { name }, spec: getField(listed, 'spec') as object, status: {} });
  };
  const replaced = await deny(['csr-two-a', '--yes']);
  expect(replaced).toMatchObject({ code: 4, requests: [{ outcome: 'failed', detail: csrWords.reasons.CHANGED }] });
  beforeWrite = (name) => cluster.store.delete(REQUESTS, null, name);
  const deleted = await deny(['csr-two-b', '--yes']);
  expect(deleted).toMatchObject({ code: 4, requests: [{ outcome: 'skipped', detail: csrWords.approve.deleted }] });
  expect(conflicts).toBe(4);
});

test('a denial is recorded in the install directory, and printed in one line', async () => {
  await prepareRequests();
  const { code, stdout } = await csr(['deny', 'csr-evil', '--yes', '--dir', cluster.dir]);
  expect(code).toBe(0);
  expect(stdout).toBe(`csr-evil  evil.${DOMAIN}  denied: ${csrWords.deny.done}\n`);
  const journal = readFileSync(join(cluster.dir, '.upi-wizard/journal.ndjson'), 'utf8');
  expect(journal).toMatch(/"action":"deny","subject":"csr-evil"/);
});

test('after a conflict a request is reviewed again and retried; a lost API is one sentence and exit code 4', async () => {
  await prepareRequests();
  let conflicts = 0;
  cluster.intercept = (incoming, response) => {
    if (!incoming.url?.includes('/approval') || conflicts === 2) return false;
    conflicts += 1;
    response.writeHead(409, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', code: 409, reason: 'Conflict', message: 'changed' }));
    return true;
  };
  expect(await approve(['csr-w1'])).toMatchObject({ code: 0, outcomes: ['csr-w1 issued'] });
  expect(conflicts).toBe(2);
  cluster.intercept = (_incoming, response) => {
    response.destroy();
    return true;
  };
  for (const argv of [['list'], ['approve', '--expected']]) {
    const { code, stdout, stderr } = await csr([...argv, ...cluster.fileOptions]);
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toMatch(/^The connection to the API was closed/);
  }
});

test('wrong usage has exit code 2', async () => {
  for (const argv of [[], ['deny', 'csr-w1'], ['approve'], ['list', 'csr-w1'], ['approve', '--all']])
    expect([argv, (await csr([...argv, ...cluster.fileOptions])).code]).toEqual([argv, 2]);
});

test('--follow survives an unavailable API; when interrupted, it ends with 130 and its results', async () => {
  await prepareRequests();
  const controller = new AbortController();
  let outages = 0;
  cluster.intercept = (_incoming, response) => {
    const isIssued = getConditions('csr-w2').length > 0;
    if (!isIssued || outages === 1) return false;
    outages += 1;
    response.writeHead(503, { 'content-type': 'text/plain' });
    response.end('busy');
    setImmediate(() => controller.abort(new InterruptedError(130)));
    return true;
  };
  const { code, outcomes } = await approve(['--follow'], { signal: controller.signal });
  expect(code).toBe(130);
  // The certificate may not exist yet when the command stops.
  for (const outcome of outcomes) expect(outcome).toMatch(/^csr-w[12] (issued|approved)$/);
  expect(outcomes).toHaveLength(2);
});

test('--follow reports refused requests and machines without an observed boot, with the reasons, and leaves the decision to the user', async () => {
  await cluster.addRequest('csr-w1', 'w1');
  await cluster.addRequest('csr-evil', 'evil');
  const controller = new AbortController();
  const { stdout, stderr } = await csr(['approve', '--follow', ...cluster.fileOptions], {
    signal: controller.signal,
    onStderr: (text) => {
      if (text.includes('nodes have joined')) controller.abort(new InterruptedError(130));
    },
  });
  expect(stdout).toMatch(/^csr-w1 {2}.* issued: [^\n]*\n$/);
  expect(stderr).toMatch(/csr-w1 {2}.* no boot observed: /);
  expect(stderr).toContain(`csr-evil  evil.${DOMAIN}  refused: NAME_UNKNOWN: ${csrWords.reasons.NAME_UNKNOWN}`);
  expect(getConditions('csr-evil')).toEqual([]);
});

test('--follow approves every node of a running rehearsal, and leaves the hostile request alone', async () => {
  const rehearsal = await bootstrapSimulatedCluster(exampleSite(), 600, ['hostile-csr']);
  try {
    const dir = join(rehearsal.dir, 'install');
    mkdirSync(join(dir, '.upi-wizard'), { recursive: true, mode: 0o700 });
    openWorkingSession(openSession(dir)).update({
      design: parseDesign(renderExampleDesign({})).document,
      place: { screen: 'certificates', field: null },
      rehearsal: { siteDir: rehearsal.siteDir, speed: 600, seed: 1, faults: ['hostile-csr'] },
    });
    const { code, stdout, stderr } = await csr(['approve', '--follow', '--dir', dir]);
    expect(stderr).toContain('All 9 nodes have joined.');
    expect(code).toBe(0);
    expect(stdout.match(/ issued: /g)?.length).toBeGreaterThanOrEqual(12);
    const list = await csr(['list', '--dir', dir, '--json']);
    const { requests } = listSchema.parse(JSON.parse(list.stdout));
    expect(requests.filter(({ verdict }) => verdict === 'refused').length).toBeGreaterThan(0);
    expect(requests.filter(({ verdict }) => verdict === 'expected')).toEqual([]);
    const mark = `${clusterCommands.target.rehearsal}\n`;
    for (const argv of [['csr', 'list'], ['status'], ['infra', 'plan']]) {
      const text = await captureCommand([...argv, '--dir', dir], { cwd: cluster.cwd });
      expect([argv, text.stdout.startsWith(mark)]).toEqual([argv, true]);
    }
    // The wizard has halted the time: the wait for the certificate ends, and the reason is printed.
    await rehearsal.site.setSpeed(0);
    const refusedName = requests.find(({ verdict }) => verdict === 'refused')?.name ?? '';
    const whilePaused = await csr(['approve', refusedName, '--dir', dir]);
    expect(whilePaused.code).toBe(4);
    expect(whilePaused.stderr.split(clusterCommands.target.clockPaused)).toHaveLength(2);
  } finally {
    await rehearsal.close();
  }
});
