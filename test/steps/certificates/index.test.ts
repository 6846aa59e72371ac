// The view and verdicts of the certificates step, against an API server that speaks the real protocol.
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { approveSelected } from '../../../src/csr/approve.ts';
import { readCurrentCsrReview } from '../../../src/csr/node-membership.ts';
import { stopJob } from '../../../src/host/jobs/jobs.ts';
import { moves } from '../../../src/i18n/en/moves/index.ts';
import { type Clock, createScaledClock, HOUR, MINUTE, systemClock } from '../../../src/platform/clock.ts';
import { createCsrContext } from '../../../src/steps/certificates/create-csr-context.ts';
import { certificatesStep } from '../../../src/steps/certificates/index.ts';
import { createClusterContext } from '../../../src/steps/shared/cluster-access.ts';
import { startCsrApprovalJob, stopCsrApprovalJob } from '../../../src/steps/shared/jobs.ts';
import { markReinstalled } from '../../../src/steps/shared/machines/node-facts.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { probeStatus } from '../../../src/steps/status.ts';
import { parseTarget } from '../../../src/steps/step-action.ts';
import { createClientObject, createKeys, createServingObject, DOMAIN, NOW, san } from '../../support/csr-forge.ts';
import { type AnyObject, createAuthority, type KubeServer, startKubeServer } from '../../support/kube-server.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const ADDRESSES = { m1: 21, m2: 22, m3: 23, w1: 31, w2: 32, w3: 33, i1: 41, i2: 42, i3: 43 } as const;
type Name = keyof typeof ADDRESSES;
const NAMES = Object.keys(ADDRESSES) as Name[];
const BOOT_TIME = NOW - 5 * MINUTE;
const POWER_ON_TIMES = { w1: BOOT_TIME, w2: BOOT_TIME, w3: BOOT_TIME, i1: BOOT_TIME, i2: BOOT_TIME, i3: BOOT_TIME };

let server: KubeServer;
let fixture: StepFixture;

/** Planned address -> port on loopback. */
const kubelets = new Map<string, number>();
beforeEach(async () => {
  server = await startKubeServer();
});
afterEach(async () => {
  kubelets.clear();
  await server.close();
  await fixture.remove();
});

async function setUp(facts: Record<string, unknown> = {}) {
  fixture = createStepFixture({
    clock: manualClock(NOW),
    // A kubelet answers only if a test starts one.
    resolveEndpoint: (host, port) =>
      port === 0
        ? { host, port }
        : { host: '127.0.0.1', port: port === 10250 ? (kubelets.get(host) ?? 1) : server.port },
    facts: { stage: 'infra-added', 'powered-on': POWER_ON_TIMES, ...facts },
  });
  mkdirSync(join(fixture.dir, 'auth'), { recursive: true });
  copyFileSync(server.kubeconfig, join(fixture.dir, 'auth', 'kubeconfig'));
  server.put('/api/v1/nodes/', { apiVersion: 'v1', kind: 'Node', metadata: { name: '' } });
  await fixture.startBootServer();
}

function addNode(name: Name, options: { isReady?: boolean; address?: string; ageMs?: number; since?: number } = {}) {
  const { isReady = true, address = `172.16.0.${ADDRESSES[name]}`, ageMs = MINUTE, since } = options;
  server.put(`/api/v1/nodes/${name}.${DOMAIN}`, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `${name}.${DOMAIN}`, creationTimestamp: new Date(NOW - ageMs).toISOString(), labels: {} },
    spec: {},
    status: {
      addresses: [{ type: 'InternalIP', address }],
      conditions: [
        {
          type: 'Ready',
          status: isReady ? 'True' : 'Unknown',
          ...(since === undefined ? {} : { lastTransitionTime: new Date(since).toISOString() }),
        },
      ],
    },
  });
}
const addRequest = (object: AnyObject) => server.put(`${CSRS}/${object.metadata.name}`, object);
const issuedStatus = { conditions: [{ type: 'Approved', status: 'True', reason: 'x' }], certificate: 'cGVt' };
const probe = () => certificatesStep.probe(fixture.context);
const findNode = async (name: Name) => (await probe()).view.nodes.find((node) => node.name === name);

test('joined is Ready, with its planned address, and with a serving certificate', async () => {
  await setUp();
  addNode('w1');
  addNode('w2');
  addRequest(createServingObject({ name: 'srv-w2', node: 'w2', ...issuedStatus }));
  addNode('w3', { isReady: false });
  addRequest(createServingObject({ name: 'srv-w3', node: 'w3', ...issuedStatus }));
  addNode('i1', { address: '172.16.0.99' });
  addRequest(createServingObject({ name: 'srv-i1', node: 'i1', ...issuedStatus }));
  expect(await findNode('w1')).toMatchObject({ isReady: true, hasServingCertificate: false, hasJoined: false });
  expect(await findNode('w2')).toMatchObject({ isReady: true, hasServingCertificate: true, hasJoined: true });
  expect(await findNode('w3')).toMatchObject({ isReady: false, hasJoined: false });
  expect(await findNode('i1')).toMatchObject({ isReady: false, hasJoined: false });
  expect(await findNode('i2')).toMatchObject({ isReady: false, hasJoined: false });
});

test('a serving certificate is remembered after its request was removed', async () => {
  await setUp();
  addNode('w2');
  addRequest(createServingObject({ name: 'srv-w2', node: 'w2', ...issuedStatus }));
  expect(await findNode('w2')).toMatchObject({ hasJoined: true });
  server.objects.delete(`${CSRS}/srv-w2`);
  expect(await findNode('w2')).toMatchObject({ hasJoined: true });
  expect(fixture.facts.served).toEqual([`w2.${DOMAIN}`]);
});

test('after the API deletes an issued request, every reader finds the older pending ones outdated', async () => {
  await setUp();
  addNode('w2', { ageMs: 2 * HOUR });
  addRequest(
    createServingObject({
      ...{ name: 'srv-old', node: 'w2', createdAt: NOW - 12 * MINUTE, keys: createKeys() },
      sans: [san.ip('172.16.0.32')],
    }),
  );
  addRequest(createServingObject({ name: 'srv-new', node: 'w2', ...issuedStatus }));
  await probe();
  server.objects.delete(`${CSRS}/srv-new`);
  const { view, summary } = await probe();
  expect(view.requests).toMatchObject([{ name: 'srv-old', verdict: 'superseded' }]);
  expect(summary).not.toContain('approve');
  const target = { ...createClusterContext(fixture.context), screen: null };
  const { status } = await probeStatus(target, { shouldListMachines: false });
  expect(status.requests).toMatchObject({ expected: 0, refused: 0 });
  const approved = await approveSelected(createCsrContext(target), {
    names: [],
    includesAllExpected: true,
    confirm: async () => null,
    signal: new AbortController().signal,
  });
  expect(approved).toEqual([]);
});

test('the page selects the most urgent request by its name', async () => {
  await setUp();
  expect((await certificatesStep.probe(fixture.context)).selectedRowId).toBeUndefined();
  addRequest(createClientObject({ name: 'first', node: 'w1', createdAt: NOW - 2 * MINUTE, keys: createKeys() }));
  addRequest(createClientObject({ name: 'newest', node: 'w2', createdAt: NOW - MINUTE, keys: createKeys() }));
  expect(await certificatesStep.probe(fixture.context)).toMatchObject({ selectedRowId: 'newest', settledRowIds: [] });
});

test('rows of issued requests are settled', async () => {
  await setUp();
  addNode('w2');
  addRequest(createServingObject({ name: 'issued', node: 'w2', ...issuedStatus }));
  addRequest(createClientObject({ name: 'waiting', node: 'w1', keys: createKeys() }));
  const { selectedRowId, settledRowIds } = await certificatesStep.probe(fixture.context);
  expect([selectedRowId, settledRowIds]).toEqual(['waiting', ['issued']]);
});

test('a node that is Ready for long and has no pending request has its certificate', async () => {
  await setUp();
  addNode('m1', { ageMs: HOUR });
  addNode('w1', { ageMs: HOUR });
  addRequest(createServingObject({ name: 'srv-w1', node: 'w1' }));
  expect(await findNode('m1')).toMatchObject({ hasJoined: true });
  expect(await findNode('w1')).toMatchObject({ hasJoined: false });
});

test('a node that is Ready and whose kubelet cannot be reached from here counts as joined, with that remark', async () => {
  await setUp();
  addNode('m1', { ageMs: 3 * MINUTE });
  addNode('m2', { ageMs: MINUTE });
  addNode('w1', { ageMs: 3 * MINUTE });
  addRequest(createServingObject({ name: 'srv-w1', node: 'w1' }));
  expect(await findNode('m1')).toMatchObject({ hasJoined: true, isUnproven: true });
  expect(await findNode('m2')).toMatchObject({ hasJoined: false });
  // A pending request outweighs an unreachable kubelet.
  expect(await findNode('w1')).toMatchObject({ hasJoined: false, isUnproven: false });
  const { findings } = await probe();
  expect(findings).toContainEqual(
    expect.objectContaining({
      code: 'certificate-unseen',
      severity: 'note',
      subject: 'm1',
      title: expect.stringContaining('Ready'),
    }),
  );
});

test('all nodes joined is done; the bootstrap is not waited for', async () => {
  await setUp();
  for (const name of NAMES) addNode(name, { ageMs: HOUR });
  const found = await probe();
  expect(found).toMatchObject({
    state: 'done',
    findings: [{ code: 'certificate-unseen', state: 'unknown', severity: 'note' }],
  });
  expect(found.view.nodes.map(({ name }) => name)).toEqual(NAMES);
});

test('when only a lost node is missing, the step awaits its repair and names it', async () => {
  await setUp();
  for (const name of NAMES) addNode(name, { ageMs: 7 * HOUR });
  addNode('m2', { isReady: false, ageMs: 7 * HOUR, since: NOW - 2 * HOUR });
  expect(await probe()).toMatchObject({
    state: 'waiting',
    awaitsRepair: true,
    summary: '8 of 9 nodes joined; m2 is lost: not Ready any more',
  });
});

test('a lost node is named at once while another node still joins, and the step awaits its repair', async () => {
  await setUp();
  for (const name of NAMES) if (name !== 'w3') addNode(name, { ageMs: 7 * HOUR });
  addNode('m2', { isReady: false, ageMs: 7 * HOUR, since: NOW - MINUTE });
  const found = await probe();
  expect(found).toMatchObject({
    state: 'waiting',
    awaitsRepair: true,
    summary: '7 of 9 nodes joined; m2 is lost: not Ready any more; the others still join',
  });
  expect(found.view.nodes.filter(({ isLost }) => isLost).map(({ name }) => name)).toEqual(['m2']);
});

test('while the API does not answer, the nodes are shown as they were last known, and nothing is estimated', async () => {
  await setUp();
  for (const name of NAMES) if (name !== 'w3') addNode(name, { ageMs: 7 * HOUR });
  const known = await probe();
  await server.close();
  const kubeconfig = join(fixture.dir, 'auth', 'kubeconfig');
  writeFileSync(kubeconfig, readFileSync(kubeconfig, 'utf8').replace(/127\.0\.0\.1:\d+/, `api.${DOMAIN}:6443`));
  const unknown = await probe();
  expect(unknown).toMatchObject({ state: 'waiting', view: { nodesAt: NOW } });
  expect(unknown.summary).toMatch(/^8 of 9 nodes had joined at \d\d:\d\d; the API does not answer now$/);
  expect(unknown.view.nodes).toEqual(known.view.nodes);
  expect(unknown.progress).toBeUndefined();
  // The user knows the API by its name, not by the address that a rehearsal maps it to.
  expect(unknown.view.apiDetail).toContain(`api.${DOMAIN}:6443`);
  expect(unknown.view.apiDetail).not.toContain('127.0.0.1');
  fixture.context.probeCache.joinedNodes = null;
  const never = await probe();
  expect(never).toMatchObject({ state: 'waiting', view: { nodes: [], nodesAt: null } });
  expect(never.summary).toBe('not known which nodes have joined: the API does not answer');
  server = await startKubeServer();
});

test('infra nodes are added to the load balancer before they count as joined', async () => {
  await setUp({ stage: 'bootstrap-removed' });
  for (const name of NAMES) addNode(name, { ageMs: HOUR });
  const found = await probe();
  expect(found).toMatchObject({ state: 'needed', summary: moves.byName['lb-add'].action });
  const { changes } = await certificatesStep.plan(fixture.context, found);
  expect(changes.map(({ object }) => object)).toEqual(['lb1/etc/haproxy/haproxy.cfg']);
});

test('requests that match the design are to be approved; others are reported with reasons and never in the plan', async () => {
  await setUp();
  addRequest(createClientObject({ name: 'good', node: 'w1' }));
  addRequest(createClientObject({ name: 'evil', node: 'w9', keys: createKeys() }));
  const found = await probe();
  expect(found).toMatchObject({ state: 'needed', summary: '1 request to approve' });
  expect(found.view.requests.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual([
    'good expected',
    'evil refused',
  ]);
  expect(found.findings).toMatchObject([{ code: 'request-refused', subject: 'evil', severity: 'warning' }]);
  expect(found.findings[0]?.cause).toContain('No node of the design has this name.');
  const plan = await certificatesStep.plan(fixture.context, found);
  expect(plan.isDangerous).toBe(true);
  expect(plan.changes.map(({ object, what }) => `${object}: ${what}`)).toEqual([
    `w1.${DOMAIN}: approve good (to join)`,
    'later requests: those of m1, m2, m3, w1, w2, w3, i1, i2, i3 to join and to serve are approved as they arrive, if they fit the design',
  ]);
});

test('machines that are off come first; a node is missing only long after power-on', async () => {
  await setUp({ 'powered-on': { w1: NOW - 50 * MINUTE } });
  const found = await probe();
  expect(found).toMatchObject({ state: 'needed', summary: '5 machines to power on' });
  expect(found.findings.filter(({ code }) => code === 'node-missing').map(({ subject }) => subject)).toEqual(['w1']);
});

test('a boot server that has ended is started again before machines are powered on, and the plan says so', async () => {
  await setUp({ 'powered-on': {} });
  const listObjects = async () =>
    (await certificatesStep.plan(fixture.context, await probe())).changes.map(({ object }) => object);
  expect((await listObjects())[0]).toBe('w1');
  await stopJob(workspace(fixture.dir).jobsDir, 'boot-server', {
    clock: createScaledClock({ real: 0, simulated: 0, speed: 25 }),
  });
  expect((await listObjects()).slice(0, 2)).toEqual(['boot-server', 'w1']);
});

test('a boot server that does not run is the first finding, also beside requests that can be approved', async () => {
  await setUp();
  addRequest(createClientObject({ name: 'good', node: 'w1' }));
  expect(await probe()).toMatchObject({ summary: '1 request to approve', findings: [] });
  await stopJob(workspace(fixture.dir).jobsDir, 'boot-server', {
    clock: createScaledClock({ real: 0, simulated: 0, speed: 25 }),
  });
  const { summary, findings } = await probe();
  expect(summary).toBe('the boot server no longer runs, and machines still need it');
  expect(findings).toMatchObject([{ code: 'boot-server-down', severity: 'warning', state: 'failed' }]);
  expect(findings[0]?.remedy).toContain('Press Enter');
});

test('while the API is down no node counts as missing; the outage is shown with its duration', async () => {
  await setUp({ 'powered-on': { ...POWER_ON_TIMES, w1: NOW - HOUR } });
  await server.close();
  const found = await probe();
  expect(found.findings.filter(({ code }) => code === 'node-missing')).toEqual([]);
  expect(found.view.apiDetail).toContain('(for 0 s, normal so far): api.ocp45.example.localdomain:6443:');
  // The cause is a sentence, never an error code.
  expect(found.view.apiDetail).toMatch(/the connection was refused/);
});

test('a flood is reported once with its start, and so is its end; nothing is approved meanwhile', async () => {
  await setUp();
  addRequest(createClientObject({ name: 'good', node: 'w1' }));
  const names = Array.from({ length: 41 }, (_, index) => `flood-${index}`);
  const keys = createKeys();
  for (const name of names) addRequest(createClientObject({ name, node: 'w9', keys }));
  const found = await probe();
  expect(found.view.requests.every(({ verdict }) => verdict === 'refused')).toBe(true);
  expect(found.findings).toMatchObject([{ code: 'request-flood', severity: 'warning' }]);
  expect(found.findings[0]?.title).toMatch(/^Automatic approval stopped at \d\d:\d\d: too many requests$/);
  expect(found.findings[0]?.cause).toContain(
    '42 pending requests came within an hour; the nodes of the design send 40 at most',
  );
  for (const name of names) server.objects.delete(`${CSRS}/${name}`);
  const afterFlood = await probe();
  expect(afterFlood.view.requests).toMatchObject([{ name: 'good', verdict: 'expected' }]);
  expect(afterFlood.findings).toMatchObject([{ code: 'request-flood', severity: 'note' }]);
  expect(afterFlood.findings[0]?.title).toMatch(/^Automatic approval resumed at \d\d:\d\d$/);
});

test('approving one by its name writes one approval and nothing else', async () => {
  await setUp();
  addRequest(createClientObject({ name: 'good', node: 'w1' }));
  addRequest(createClientObject({ name: 'other', node: 'w2', keys: createKeys() }));
  server.afterWrite = (path, object: AnyObject) => {
    if (path.startsWith(CSRS)) object.status.certificate = 'cGVt';
  };
  const lines: string[] = [];
  await certificatesStep.applyOne?.(fixture.context, parseTarget('certificates', 'good'), (line) => lines.push(line));
  expect(server.writes().map(({ path }) => path)).toEqual([`${CSRS}/good/approval`]);
  expect(lines).toHaveLength(1);
});

test('all expected requests are approved at once, and no others', async () => {
  await setUp();
  addRequest(createClientObject({ name: 'good', node: 'w1' }));
  addRequest(createClientObject({ name: 'other', node: 'w2', keys: createKeys() }));
  addRequest(createClientObject({ name: 'evil', node: 'w9', keys: createKeys() }));
  server.afterWrite = (path, object: AnyObject) => {
    if (path.startsWith(CSRS)) object.status.certificate = 'cGVt';
  };
  await certificatesStep.applyOne?.(fixture.context, parseTarget('certificates', '/expected'), () => undefined);
  expect(server.writes().map(({ path }) => path)).toEqual([`${CSRS}/good/approval`, `${CSRS}/other/approval`]);
});

test('the marks of a node for both certificates: requested, refused and issued; and whether its boot was observed', async () => {
  await setUp();
  addNode('m1');
  addRequest(createServingObject({ name: 'srv-m1', node: 'm1', keys: createKeys(), sans: [san.ip('172.16.0.21')] }));
  addRequest(createClientObject({ name: 'cli-w1', node: 'w1' }));
  addRequest(createClientObject({ name: 'cli-w2', node: 'w2', keys: createKeys(), username: 'kube:admin' }));
  const { view } = await probe();
  const certificateProgress = Object.fromEntries(
    view.nodes.map((node) => [node.name, node.certificateProgress.join(' ')]),
  );
  expect(certificateProgress).toMatchObject({
    m1: 'done requested',
    w1: 'requested open',
    w2: 'refused open',
    w3: 'open open',
  });
  expect(view.requests.filter(({ hasNoObservedBoot }) => hasNoObservedBoot).map(({ name }) => name)).toEqual([
    'cli-w1',
    'cli-w2',
  ]);
  expect(view.requests.map(({ name, shortName }) => [name, shortName])).toContainEqual(['srv-m1', 'm1']);
  addRequest(createClientObject({ name: 'cli-foreign', node: 'w9' }));
  const foreign = (await probe()).view.requests.find(({ name }) => name === 'cli-foreign');
  expect(foreign).toMatchObject({ node: `w9.${DOMAIN}`, shortName: null });
});

test('the page of a node that has not joined: the signs observed so far, and what to check', async () => {
  await setUp({ 'powered-on': { ...POWER_ON_TIMES, i3: NOW - HOUR } });
  const page = await certificatesStep.buildPage?.(fixture.context, '/node/i3');
  expect(page?.title).toBe('i3 has not joined');
  expect(page?.lines.join('\n')).toMatch(
    /172\.16\.0\.43, 00:50:56[\s\S]*Last stage: {2}no sign yet[\s\S]*does the firmware boot/,
  );
  expect((await probe()).view.missingNodes).toEqual([{ name: 'i3', minutes: 60 }]);
  const denied = createClientObject({ name: 'cli-i3', node: 'i3' });
  denied.status = { conditions: [{ type: 'Denied', status: 'True', reason: 'Policy', message: 'by hand' }] };
  addRequest(denied);
  // A node whose request was denied is not silent.
  const { missingNodes, requests } = (await probe()).view;
  expect(missingNodes).toEqual([]);
  expect(requests.find(({ name }) => name === 'cli-i3')).toMatchObject({ refusal: 'Policy: by hand' });
});

test('an overrulable request is approved only with the name of the node', async () => {
  await setUp();
  for (const name of ['one', 'two']) addRequest(createClientObject({ name, node: 'w1', keys: createKeys() }));
  server.afterWrite = (path, object: AnyObject) => {
    if (path.startsWith(CSRS)) object.status.certificate = 'cGVt';
  };
  const found = await probe();
  expect(found.view.requests.map(({ isApprovableByName }) => isApprovableByName)).toEqual([true, true]);
  await certificatesStep.applyOne?.(fixture.context, parseTarget('certificates', 'one'), () => undefined);
  expect(server.writes()).toEqual([]);
  await certificatesStep.applyOne?.(fixture.context, parseTarget('certificates', `one/w1.${DOMAIN}`), () => undefined);
  expect(server.writes().map(({ path }) => path)).toEqual([`${CSRS}/one/approval`]);
});

test('the page of a request: what it requests besides the plan, its requester, and that no boot was observed', async () => {
  await setUp();
  addNode('w1');
  addRequest(createServingObject({ name: 'srv', node: 'w1', sans: [san.ip('172.16.0.77'), san.dns(`w1.${DOMAIN}`)] }));
  addRequest(createClientObject({ name: 'cli', node: 'w2', keys: createKeys() }));
  const page = async (name: string) => {
    const {
      lines = [],
      facts = [],
      linesBelow = [],
    } = (await certificatesStep.buildPage?.(fixture.context, name)) ?? {};
    return [...lines, ...facts.map(({ label, value }) => `${label}: ${value}`), ...linesBelow].join('\n');
  };
  const serving = await page('srv');
  expect(serving).toContain('address that the design does not assign to this node. (SAN_FOREIGN_IP)');
  expect(serving).toContain('address 172.16.0.77: does NOT belong to this node');
  expect(serving).toContain(`DNS w1.${DOMAIN}: as planned`);
  expect(serving).toContain('address 172.16.0.31: planned, not requested');
  expect(serving).toContain('Key: EC P-256');
  const client = await page('cli');
  expect(client).toContain('Expected: it fits the design');
  expect(client).toContain('system:serviceaccount:openshift-machine-config-operator:node-bootstrapper');
  expect(client).toContain('no boot was observed: 172.16.0.32 requested');
  expect(await page('gone')).toContain('no longer exists');
});

test('without a kubeconfig nothing is approved, and the error names the missing file', async () => {
  fixture = createStepFixture({ facts: { 'powered-on': POWER_ON_TIMES } });
  await fixture.startBootServer();
  expect((await probe()).state).toBe('waiting');
  await expect(
    certificatesStep.applyOne?.(fixture.context, parseTarget('certificates', 'good'), () => undefined),
  ).rejects.toMatchObject({
    userError: { code: 'kubeconfig-missing' },
  });
});

test('a node that never comes up blocks no other: expected requests are approved, and following ends when only it remains', async () => {
  await setUp();
  const [silent, ...others] = [...NAMES].reverse();
  for (const name of others) {
    addNode(name, { ageMs: HOUR });
    fixture.context.stepState.set('served', [...((fixture.facts.served as string[]) ?? []), `${name}.${DOMAIN}`]);
  }
  server.objects.delete(`/api/v1/nodes/w1.${DOMAIN}`);
  addRequest(createClientObject({ name: 'late', node: 'w1' }));
  server.afterWrite = (path, object: AnyObject) => {
    if (!path.startsWith(CSRS)) return;
    object.status.certificate = 'cGVt';
    addNode('w1', { ageMs: HOUR });
  };
  const findMac = (name: string | undefined) =>
    fixture.context.design.nodes.find((node) => node.name === name)?.mac ?? '';
  const typingError = `${findMac(silent).slice(0, -2)}46`;
  fixture.hostFiles['ns1:/var/log/messages'] = [
    `Nov 21 10:00:00 ns1 dhcpd[1005]: DHCPDISCOVER from ${typingError} via eth0: network 172.16.0.0/24: no free leases`,
    `Nov 21 10:00:01 ns1 dhcpd[1005]: DHCPACK on 172.16.0.31 to ${findMac('w1')} via eth0`,
  ].join('\n');
  const before = await probe();
  expect(before.findings).toMatchObject([
    { code: 'boot-unknown-mac', severity: 'fatal', subject: silent },
    { code: 'certificate-unseen', state: 'unknown' },
  ]);
  const lines: string[] = [];
  // Sleeps are short and do not advance the clock: following ends because of what it observes, never after a long time
  // without changes.
  const sleep: Clock['sleep'] = (ms, signal) => systemClock.sleep(ms / 20, signal);
  await certificatesStep.apply({ ...fixture.context, clock: { ...fixture.context.clock, sleep } }, (line) =>
    lines.push(line),
  );
  expect(lines).toContain(`approved late for w1.${DOMAIN}`);
  const after = await probe();
  expect(after.view.nodes.filter(({ hasJoined }) => !hasJoined).map(({ name }) => name)).toEqual([silent]);
  // The page says that following ended, and why.
  expect(after).toMatchObject({
    state: 'waiting',
    summary: expect.stringMatching(/^\d+ of \d+ nodes joined; approval ended at \d\d:\d\d: the others have a problem$/),
    remark: null,
  });
});

test('requests that are denied again and again are the first finding, as in the diagnosis, and a new one does not end that', async () => {
  await setUp();
  for (const name of NAMES.filter((each) => each !== 'w1')) addNode(name, { ageMs: HOUR });
  const addDenied = (
    name: string,
    ageMs: number,
    status: object = {
      conditions: [{ type: 'Denied', status: 'True', reason: 'PolicyDenied', message: 'serial unknown\u001b[31m' }],
    },
  ) => addRequest({ ...createClientObject({ name, node: 'w1', createdAt: NOW - ageMs }), status });
  addDenied('first', 2 * MINUTE);
  addDenied('second', MINUTE);
  const denied = {
    awaitsRepair: true,
    findings: [
      {
        code: 'request-denied',
        title: 'The certificate request of a planned node was denied (certain)',
        subject: `w1.${DOMAIN}`,
        cause: `second w1.${DOMAIN} to join: Denied (2x): PolicyDenied: serial unknown�`,
      },
      { code: 'certificate-unseen' },
    ],
  };
  const findNode = ({ view }: Awaited<ReturnType<typeof probe>>) => view.nodes.find(({ name }) => name === 'w1');
  const refused = { certificateProgress: ['refused', 'open'], deniedCount: 2 };
  const waiting = await probe();
  expect(waiting).toMatchObject({ state: 'waiting', ...denied });
  expect(findNode(waiting)).toMatchObject(refused);
  addDenied('third', 5000, {});
  const needed = await probe();
  expect(needed).toMatchObject({ state: 'needed', ...denied });
  expect(findNode(needed)).toMatchObject(refused);
  // The approver would have denied it by now.
  addDenied('third', 40_000, {});
  const repaired = await probe();
  expect(repaired.awaitsRepair).toBeUndefined();
  expect(findNode(repaired)).toMatchObject({ certificateProgress: ['requested', 'open'], deniedCount: 0 });
  expect(repaired.findings.map(({ code }) => code)).toEqual(['certificate-unseen']);
});

test('while following, an approval that is rejected repeatedly is reported once and retried until it is accepted', async () => {
  await setUp();
  for (const name of NAMES) addNode(name, { ageMs: HOUR });
  server.objects.delete(`/api/v1/nodes/w1.${DOMAIN}`);
  addRequest(createClientObject({ name: 'late', node: 'w1' }));
  let rejections = 0;
  server.intercept = (request, response) => {
    if (request.method !== 'PUT' || rejections === 3) return false;
    rejections += 1;
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden', message: 'jane cannot approve' }));
    return true;
  };
  server.afterWrite = (path, object: AnyObject) => {
    if (!path.startsWith(CSRS)) return;
    object.status.certificate = 'cGVt';
    addNode('w1', { ageMs: HOUR });
  };
  const lines: string[] = [];
  const sleep: Clock['sleep'] = (ms, signal) => systemClock.sleep(ms / 20, signal);
  await certificatesStep.apply({ ...fixture.context, clock: { ...fixture.context.clock, sleep } }, (line) =>
    lines.push(line),
  );
  expect(rejections).toBe(3);
  expect(lines.filter((line) => line.includes('jane cannot approve'))).toHaveLength(1);
  expect(lines).toContain(`approved late for w1.${DOMAIN}`);
});

test('a machine that is observed to boot counts as powered on, however it was started', async () => {
  await setUp({ 'powered-on': { w1: NOW - HOUR, w2: NOW - HOUR, i1: NOW - HOUR, i2: NOW - HOUR, i3: NOW - HOUR } });
  expect((await probe()).summary).toBe('1 machine to power on');
  const mac = fixture.context.design.nodes.find(({ name }) => name === 'w3')?.mac;
  fixture.hostFiles['ns1:/var/log/messages'] =
    `Nov 21 10:00:01 ns1 dhcpd[1005]: DHCPACK on 172.16.0.33 to ${mac} via eth0`;
  const afterLease = await probe();
  expect(afterLease.view.nodes.find(({ name }) => name === 'w3')?.stage).toBe('lease');
  expect(afterLease.summary).not.toContain('to power on');
  expect((await certificatesStep.plan(fixture.context, afterLease)).changes.map(({ object }) => object)).not.toContain(
    'w3',
  );
});

test('a node that asks to join is not missing, however long it took', async () => {
  await setUp({ 'powered-on': { w1: NOW - 5 * HOUR, w2: NOW - 5 * HOUR, w3: NOW - 5 * HOUR } });
  addRequest(createClientObject({ name: 'late', node: 'w1' }));
  addNode('w2', { isReady: false });
  const { findings } = await probe();
  expect(findings.filter(({ code }) => code === 'node-missing').map(({ subject }) => subject)).toEqual(['w3']);
});

describe('a node that is in the cluster already asks to join', () => {
  const minutesAgo = (minutes: number) => NOW - minutes * MINUTE;
  /** Writes the request log of the boot server. Each request is a node, a time, a path and a status. */
  const writeBootLog = (...requests: readonly (readonly [Name, number, string, number?])[]) => {
    const lines = requests.map(([name, at, path, status = 200]) =>
      JSON.stringify({
        at,
        client: `172.16.0.${ADDRESSES[name]}`,
        method: 'GET',
        path,
        status,
        bytes: 1,
        complete: true,
      }),
    );
    const file = workspace(fixture.dir).bootLog;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${lines.join('\n')}\n`);
  };
  const probeRejoin = async () => {
    const { view, findings } = await probe();
    const request = view.requests.find(({ name }) => name === 'again');
    const page = await certificatesStep.buildPage?.(fixture.context, 'again');
    return { request, finding: findings.find(({ subject }) => subject === 'again'), page: page?.lines.join('\n') };
  };

  test('not Ready, and its machine was installed since: it joins again, and the user who reinstalled it may approve it', async () => {
    await setUp();
    writeBootLog(
      ['w1', minutesAgo(7 * 24 * 60), '/ignition/worker.ign'],
      ['w1', minutesAgo(12), '/ignition/worker.ign'],
    );
    addNode('w1', { isReady: false, ageMs: 7 * 24 * HOUR, since: minutesAgo(14) });
    addRequest(createClientObject({ name: 'again', node: 'w1' }));
    const { request, finding, page } = await probeRejoin();
    expect(request).toMatchObject({
      verdict: 'refused',
      reasons: ['NODE_EXISTS'],
      rejoinKind: 'again',
      hasNoObservedBoot: false,
    });
    expect(request?.isApprovableByName).toBe(true);
    expect(finding?.cause).toMatch(/is rejoining: its machine was installed at \d\d:\d\d/);
    expect(finding?.remedy).toMatch(/press k\. .* over SSH .* type the name of the node/);
    expect(page).toMatch(/rejoining[\s\S]*If you reinstalled it: k checks/);
    expect(page).not.toContain('impostor');
  });

  test.each([
    ['the boot server has no request of it', []],
    ['it was installed before it was last Ready', [['w1', minutesAgo(7 * 24 * 60), '/ignition/worker.ign']]],
    ['another machine was installed', [['w2', minutesAgo(12), '/ignition/worker.ign']]],
    ['it was installed after the request', [['w1', NOW + 5 * MINUTE, '/ignition/worker.ign']]],
    ['it got a boot script, and no system', [['w1', minutesAgo(12), '/nodes/w1.ipxe']]],
    ['it was not given its ignition file', [['w1', minutesAgo(12), '/ignition/worker.ign', 403]]],
  ] as const)('not Ready, and %s: it may be an impostor', async (_what, log) => {
    await setUp();
    writeBootLog(...log);
    addNode('w1', { isReady: false, ageMs: 7 * 24 * HOUR, since: minutesAgo(30) });
    addRequest(createClientObject({ name: 'again', node: 'w1' }));
    const { request, finding, page } = await probeRejoin();
    expect(request).toMatchObject({
      verdict: 'refused',
      reasons: ['NODE_EXISTS'],
      rejoinKind: 'unrecorded',
      hasNoObservedBoot: false,
    });
    expect(finding?.cause).toContain('no installation of its machine is recorded');
    expect(finding?.cause).toContain('this may be an impostor');
    expect(finding?.remedy).toMatch(/^Look at the machine.* over SSH .* type the name of the node/);
    expect(page).toMatch(/impostor[\s\S]*Look at the machine[\s\S]*type the name of the node/);
  });

  test('Ready: the request is not from the kubelet that runs there', async () => {
    await setUp();
    writeBootLog(['w1', minutesAgo(12), '/ignition/worker.ign']);
    addNode('w1', { ageMs: HOUR, since: minutesAgo(30) });
    addRequest(createClientObject({ name: 'again', node: 'w1' }));
    const { request, finding, page } = await probeRejoin();
    expect(request).toMatchObject({ verdict: 'refused', rejoinKind: 'running', isApprovableByName: true });
    expect(finding?.cause).toContain('in the cluster and Ready: it needs no certificate to join');
    expect(finding?.remedy).toMatch(/^Leave the request alone\./);
    expect(page).toMatch(/impostor[\s\S]*Leave the request alone/);
  });

  test('a node that renews its own certificate is not an impostor', async () => {
    await setUp();
    addNode('w1', { ageMs: HOUR, since: minutesAgo(30) });
    const own = { username: `system:node:w1.${DOMAIN}`, groups: ['system:nodes', 'system:authenticated'] };
    addRequest(createClientObject({ name: 'again', node: 'w1', ...own }));
    const { request, page } = await probeRejoin();
    expect(request).toMatchObject({ verdict: 'refused', rejoinKind: null });
    expect(page).not.toContain('impostor');
  });

  test('a control plane node too; other reasons are listed as well', async () => {
    await setUp();
    addNode('m1', { isReady: false, ageMs: HOUR, since: minutesAgo(30) });
    addRequest(createClientObject({ name: 'again', node: 'm1', username: 'kube:admin' }));
    const { request, finding } = await probeRejoin();
    expect(finding?.remedy).toMatch(/^It does not fit the design/);
    expect(request).toMatchObject({
      reasons: ['REQUESTER', 'NODE_EXISTS'],
      rejoinKind: 'unrecorded',
      isApprovableByName: false,
    });
    expect(request?.reasonTexts).toEqual([
      'Its requester is not the account that nodes use.',
      expect.stringContaining('no installation of its machine is recorded'),
    ]);
  });
});

describe('the certificate that the kubelet presents at the planned address', () => {
  const cleanups: (() => void)[] = [];
  afterEach(() => {
    for (const stop of cleanups.splice(0)) stop();
  });
  /** Returns a kubelet that serves a certificate of the cluster's CA. */
  async function serveKubelet(
    name: Name,
    subject = `system:node:${name}.${DOMAIN}`,
    address = `172.16.0.${ADDRESSES[name]}`,
    // Relative to the clock of the test, not of this machine.
    validity = { from: new Date(NOW - 24 * HOUR), to: new Date(NOW + 24 * HOUR) },
    authority = server.authority,
  ) {
    const { cert, key } = await authority.issue(subject, validity, { organization: 'system:nodes', address });
    const kubelet = createServer({ cert, key }, (_request, response) => response.writeHead(401).end());
    await once(kubelet.listen(0, '127.0.0.1'), 'listening');
    kubelets.set(`172.16.0.${ADDRESSES[name]}`, (kubelet.address() as AddressInfo).port);
    cleanups.push(() => kubelet.close());
    return Buffer.from(cert).toString('base64');
  }
  const approvedLongAgo = {
    conditions: [{ type: 'Approved', status: 'True', lastTransitionTime: new Date(NOW - 5 * MINUTE).toISOString() }],
  };

  test('the certificate that was issued: joined, and remembered', async () => {
    await setUp();
    addNode('w1');
    addRequest(
      createServingObject({ name: 'srv-w1', node: 'w1', ...approvedLongAgo, certificate: await serveKubelet('w1') }),
    );
    expect(await findNode('w1')).toMatchObject({ hasJoined: true });
    expect(fixture.facts.proven).toEqual([`w1.${DOMAIN}`]);
    // Another machine in its place has to prove it again.
    markReinstalled(fixture.context, 'w1');
    expect(fixture.facts.proven).toEqual([]);
  });

  test('approved by the bootstrap, and no request listed any more: the certificate is proof enough', async () => {
    await setUp();
    addNode('m1');
    await serveKubelet('m1');
    expect(await findNode('m1')).toMatchObject({ hasJoined: true });
  });

  test('without a record of issued requests, its certificate shows which pending requests are outdated', async () => {
    await setUp();
    for (const name of ['w1', 'w2'] as const) {
      addNode(name, { ageMs: 2 * HOUR });
      addRequest(
        createServingObject({
          ...{ name: `srv-${name}`, node: name, createdAt: NOW - 12 * MINUTE, keys: createKeys() },
          sans: [san.ip(`172.16.0.${ADDRESSES[name]}`)],
        }),
      );
    }
    // w1 got its certificate since, for a request that the API lists no longer. Nothing is known of w2.
    const validity = { from: new Date(NOW - 10 * MINUTE), to: new Date(NOW + 24 * HOUR) };
    await serveKubelet('w1', undefined, undefined, validity);
    server.afterWrite = (path, object: AnyObject) => {
      if (path.startsWith(CSRS)) object.status.certificate = 'cGVt';
    };
    const context = createCsrContext({ ...createClusterContext(fixture.context), session: null });
    expect((await readCurrentCsrReview(context)).reviews.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual([
      'srv-w2 expected',
      'srv-w1 superseded',
    ]);
    const selection = {
      names: ['srv-w1'],
      includesAllExpected: true,
      confirm: async () => null,
      signal: new AbortController().signal,
    };
    expect(await approveSelected(context, selection)).toMatchObject([
      { name: 'srv-w1', outcome: 'skipped' },
      { name: 'srv-w2', outcome: 'issued' },
    ]);
    expect(server.writes().map(({ path }) => path)).toEqual([`${CSRS}/srv-w2/approval`]);
  });

  test('another key than the one that was issued is an alarm, and not joined', async () => {
    await setUp();
    addNode('w1');
    const issuedCertificate = await serveKubelet('w1');
    await serveKubelet('w1');
    addRequest(createServingObject({ name: 'srv-w1', node: 'w1', ...approvedLongAgo, certificate: issuedCertificate }));
    const found = await probe();
    expect(found.view.nodes.find(({ name }) => name === 'w1')).toMatchObject({ isReady: true, hasJoined: false });
    expect(found.findings[0]).toMatchObject({ code: 'serving-foreign', severity: 'fatal', subject: 'w1' });
    expect(found.findings[0]?.cause).toContain('172.16.0.31 port 10250');
  });

  test('an expired certificate of the node itself is no alarm', async () => {
    await setUp();
    addNode('w1');
    const expired = { from: new Date(NOW - 50 * HOUR), to: new Date(NOW - HOUR) };
    await serveKubelet('w1', undefined, undefined, expired);
    const { findings } = await probe();
    expect(findings.map(({ code }) => code)).not.toContain('serving-foreign');
  });

  test('a self-signed certificate of a kubelet is an alarm: no kubelet of this cluster presents one', async () => {
    await setUp();
    addNode('w1', { ageMs: HOUR });
    await serveKubelet('w1', 'w9@1789000000', undefined, undefined, await createAuthority('w9-ca@1789000000'));
    expect(await findNode('w1')).toMatchObject({ isReady: true, hasJoined: false });
  });

  test('the certificate of a proxy in between is no alarm: the request decides whether the node has joined', async () => {
    await setUp();
    addNode('w1');
    await serveKubelet('w1', 'egress-proxy');
    addRequest(createServingObject({ name: 'srv-w1', node: 'w1', ...approvedLongAgo, certificate: 'cGVt' }));
    const { view, findings } = await probe();
    expect(view.nodes.find(({ name }) => name === 'w1')).toMatchObject({ isReady: true, hasJoined: true });
    expect(findings.map(({ code }) => code)).not.toContain('serving-foreign');
  });

  test.each([
    ['of another node', `system:node:w2.${DOMAIN}`, '172.16.0.31'],
    ['for another address', `system:node:w1.${DOMAIN}`, '172.16.0.99'],
  ])('a certificate %s is an alarm, however long the node is Ready', async (_what, subject, address) => {
    await setUp();
    addNode('w1', { ageMs: HOUR });
    await serveKubelet('w1', subject, address);
    expect(await findNode('w1')).toMatchObject({ isReady: true, hasJoined: false });
  });
});

test('a background job that approves requests is shown as a remark', async () => {
  await setUp();
  expect((await probe()).remark ?? null).toBeNull();
  const executable = join(fixture.dir, 'program.mjs');
  writeFileSync(executable, 'setInterval(() => {}, 1000);\n');
  const context = { dir: fixture.dir, programs: { ...fixture.context.programs, executable } };
  await startCsrApprovalJob(context);
  try {
    expect((await probe()).remark).toBe('a background job approves expected requests');
  } finally {
    await stopCsrApprovalJob(context);
  }
  expect((await probe()).remark ?? null).toBeNull();
});
