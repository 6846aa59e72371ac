// A control plane node that is lost: its member of etcd is replaced, one confirmed change after the other.
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HOUR } from '../../../src/platform/clock.ts';
import { createExecHandler } from '../../../src/rehearsal/api/exec.ts';
import { StatusError } from '../../../src/rehearsal/api/status.ts';
import { createStore } from '../../../src/rehearsal/api/store.ts';
import { bootStep } from '../../../src/steps/boot.ts';
import { operatorsStep } from '../../../src/steps/operators.ts';
import { writeIgnitionAccess } from '../../../src/steps/shared/machines/ignition-access.ts';
import { DOMAIN, NOW } from '../../support/csr-forge.ts';
import { type KubeServer, startKubeServer } from '../../support/kube-server.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

const CONTROL_PLANE = ['m1', 'm2', 'm3'] as const;
const WORKERS = ['w1', 'w2', 'w3', 'i1', 'i2', 'i3'] as const;
const NAMESPACE = 'openshift-etcd';
const ETCD = '/apis/operator.openshift.io/v1/etcds/cluster';

let api: KubeServer;
let fixture: StepFixture;
let members: { id: string; name: string; address: string }[];
let deadPods: Set<string>;
let refusal: string | null;

beforeEach(async () => {
  api = await startKubeServer();
  fixture = createStepFixture({
    clock: manualClock(NOW),
    resolveEndpoint: (host, port) => ({
      host: port === 6443 ? '127.0.0.1' : host.replace(/^172\.16/, '127.16'),
      port: port === 6443 ? api.port : 1,
    }),
    facts: {
      stage: 'infra-only',
      'powered-on': Object.fromEntries([...CONTROL_PLANE, ...WORKERS].map((name) => [name, NOW - HOUR])),
      'seen-ready': [...CONTROL_PLANE, ...WORKERS],
    },
  });
  for (const name of ['auth', '.upi-wizard']) mkdirSync(join(fixture.dir, name), { recursive: true });
  copyFileSync(api.kubeconfig, join(fixture.dir, 'auth', 'kubeconfig'));
  const { nodes } = fixture.context.design;
  members = CONTROL_PLANE.map((name, index) => ({
    id: `${index + 1}`.repeat(16),
    name: `${name}.${DOMAIN}`,
    address: nodes.find((node) => node.name === name)?.ip[0] ?? '',
  }));
  deadPods = new Set();
  refusal = null;
  for (const name of [...CONTROL_PLANE, ...WORKERS]) putNode(name, true);
  api.put(ETCD, {
    apiVersion: 'operator.openshift.io/v1',
    kind: 'Etcd',
    metadata: { name: 'cluster' },
    spec: { managementState: 'Managed' },
    status: {},
  });
  for (const prefix of ['etcd-peer', 'etcd-serving', 'etcd-serving-metrics'])
    api.put(`/api/v1/namespaces/${NAMESPACE}/secrets/${prefix}-m2.${DOMAIN}`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${prefix}-m2.${DOMAIN}`, namespace: NAMESPACE },
      data: {},
    });
  serveEtcd();
});
afterEach(async () => {
  await api.close();
  await fixture.remove();
});

function putNode(name: string, isReady: boolean): void {
  const address = fixture.context.design.nodes.find((node) => node.name === name)?.ip[0];
  api.put(`/api/v1/nodes/${name}.${DOMAIN}`, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `${name}.${DOMAIN}`, creationTimestamp: new Date(NOW - HOUR).toISOString(), labels: {} },
    spec: {},
    status: {
      addresses: [{ type: 'InternalIP', address }],
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'Unknown' }],
    },
  });
}

/** Serves etcdctl in a pod of each member. */
function serveEtcd(): void {
  const store = createStore({ now: Date.now });
  for (const name of CONTROL_PLANE)
    store.create('pods', {
      metadata: { name: `etcd-${name}.${DOMAIN}`, namespace: NAMESPACE },
      spec: { containers: [{ name: 'etcd' }] },
      status: {},
    });
  api.onUpgrade = createExecHandler({
    store,
    isAdministrator: () => true,
    run({ pod, argv }) {
      if (deadPods.has(pod.metadata.name.slice(5, 7)))
        throw new StatusError(500, 'InternalError', 'error dialing backend: dial tcp: connect: no route to host');
      const [, , action, id] = argv;
      if (action === 'remove' && refusal !== null) return { stdout: '', stderr: `${refusal}\n`, exitCode: 1 };
      if (action === 'remove') {
        members = members.filter((member) => member.id !== id);
        return { stdout: `Member ${id} removed\n`, stderr: '', exitCode: 0 };
      }
      const lines = members.map(({ id: each, name, address }) =>
        [each, 'started', name, `https://${address}:2380`, `https://${address}:2379`, 'false'].join(', '),
      );
      return { stdout: `${lines.join('\n')}\n`, stderr: '', exitCode: 0 };
    },
  });
}

const mark = (name: string) => bootStep.applyOne?.(fixture.context, { kind: 'machine', name }, () => undefined);
const probe = () => bootStep.probe(fixture.context);
const readQuestion = async () => (await bootStep.plan(fixture.context, await probe())).question;
const plan = async () => (await bootStep.plan(fixture.context, await probe())).changes;
const listSteps = async () => (await probe()).view.replacement?.steps.map(({ id, state }) => `${id} ${state}`);

function loseM2(): void {
  deadPods.add('m2');
  putNode('m2', false);
}

test('a lost member is reported on the page, with the key that replaces it', async () => {
  expect(await probe()).toMatchObject({ state: 'done', nextStep: 'certificates', findings: [] });
  expect((await probe()).awaitsRepair).not.toBe(true);
  loseM2();
  expect(await probe()).toMatchObject({
    state: 'done',
    awaitsRepair: true,
    summary: expect.stringContaining('m2 is lost: not Ready'),
    findings: [{ code: 'member-lost', subject: 'm2', severity: 'warning', remedy: expect.stringContaining('press R') }],
  });
});

test('a lost member is listed while another node still joins, and the step is not done without it', async () => {
  await fixture.startBootServer();
  loseM2();
  api.objects.delete(`/api/v1/nodes/w3.${DOMAIN}`);
  fixture.facts['seen-ready'] = ['m1', 'm2', 'm3', ...WORKERS.filter((name) => name !== 'w3')];
  const memberLost = { code: 'member-lost', subject: 'm2' };
  const joining = await probe();
  expect(joining.view.nodes.map(({ name, isLost }) => `${name} ${isLost}`)).toEqual(['m2 true', 'w3 false']);
  expect(joining).toMatchObject({ state: 'waiting', summary: expect.stringContaining('m2 is lost') });
  expect(joining.findings[0]).toMatchObject(memberLost);
  // The machine of a lost node is not powered on.
  fixture.facts['powered-on'] = {};
  expect((await plan()).map(({ object }) => object)).toEqual(['w3']);
  expect((await probe()).findings).toContainEqual(expect.objectContaining(memberLost));
  fixture.facts['powered-on'] = { w3: NOW - HOUR };
  const request = { at: NOW - 1, client: '127.16.0.33', method: 'GET', path: '/ignition/worker.ign', status: 200 };
  fixture.write('.upi-wizard/boot-requests.ndjson', `${JSON.stringify({ ...request, bytes: 1, complete: true })}\n`);
  expect(await probe()).toMatchObject({
    state: 'done',
    awaitsRepair: true,
    summary: expect.stringContaining('m2 is lost'),
    findings: [memberLost],
  });
});

test('a lost member is removed, the guard turned off and the objects deleted, each after its own confirmation', async () => {
  loseM2();
  await mark('m2');
  expect(await probe()).toMatchObject({
    state: 'needed',
    awaitsRepair: true,
    findings: [],
    view: { replacement: { node: 'm2' } },
  });
  expect(await readQuestion()).toBe('Boot: remove m2 from etcd?');
  expect(await plan()).toMatchObject([{ object: `etcd ${'2'.repeat(16)}`, after: expect.not.stringContaining('m2') }]);
  expect(api.writes(), 'nothing changes before it is confirmed').toEqual([]);

  await bootStep.apply(fixture.context, () => undefined);
  expect(members.map(({ name }) => name)).toEqual([`m1.${DOMAIN}`, `m3.${DOMAIN}`]);
  expect(await listSteps()).toEqual([
    'remove-member done',
    'guard-off next',
    'delete-objects later',
    'join later',
    'guard-on later',
  ]);
  expect(api.writes(), 'the API itself is unchanged').toEqual([]);

  await bootStep.apply(fixture.context, () => undefined);
  expect(api.objects.get(ETCD).spec.unsupportedConfigOverrides).toEqual({
    useUnsupportedUnsafeNonHANonProductionUnstableEtcd: true,
  });
  expect(await readQuestion()).toBe('Boot: delete the certificates and the Node object of m2?');
  expect((await plan()).map(({ object }) => object)).toEqual([
    `Secret/etcd-peer-m2.${DOMAIN} -n openshift-etcd`,
    `Secret/etcd-serving-m2.${DOMAIN} -n openshift-etcd`,
    `Secret/etcd-serving-metrics-m2.${DOMAIN} -n openshift-etcd`,
    `Node/m2.${DOMAIN}`,
  ]);
  expect(await operatorsStep.probe(fixture.context)).not.toMatchObject({
    summary: expect.stringContaining('guard on'),
  });
});

test('what was deleted by hand is not deleted again, and what follows is', async () => {
  loseM2();
  members = members.filter(({ name }) => !name.startsWith('m2.'));
  api.objects.delete(`/api/v1/nodes/m2.${DOMAIN}`);
  await mark('m2');
  expect(await listSteps()).toContain('guard-off next');
});

test.each<[string, () => void, string]>([
  ['another control plane node is down, too', () => putNode('m3', false), 'replace-quorum'],
  [
    'no other member answers',
    () => {
      deadPods.add('m1').add('m3');
    },
    'replace-members',
  ],
])('nothing is changed while %s', async (_name, breakMore, code) => {
  loseM2();
  await mark('m2');
  breakMore();
  expect(await probe()).toMatchObject({ state: 'blocked', findings: [expect.objectContaining({ code })] });
  await expect(bootStep.apply(fixture.context, () => undefined)).rejects.toMatchObject({ userError: { code } });
  expect(members).toHaveLength(3);
  expect(api.writes()).toEqual([]);
});

test('one other member that does not answer is no problem: the next one is asked', async () => {
  loseM2();
  await mark('m2');
  deadPods.add('m1');
  expect(await listSteps()).toContain('remove-member next');
});

test('a refusal of etcd is shown, and nothing else is changed', async () => {
  loseM2();
  await mark('m2');
  refusal = 'Error: etcdserver: re-configuration failed due to not enough started members';
  await expect(bootStep.apply(fixture.context, () => undefined)).rejects.toMatchObject({
    userError: { code: 'replace-failed', cause: refusal },
  });
  expect(api.writes()).toEqual([]);
});

test('a node that came back is not replaced', async () => {
  loseM2();
  await mark('m2');
  putNode('m2', true);
  expect((await probe()).view.replacement).toBeUndefined();
});

test('the mark is taken back with the same key, and a node that is Ready is never marked', async () => {
  await expect(mark('m1')).rejects.toMatchObject({ userError: { code: 'not-joining' } });
  loseM2();
  await mark('m2');
  await mark('m2');
  expect((await probe()).view.replacement).toBeUndefined();
});

test('the replaced machine gets the ignition file of the control plane, and no other machine does', async () => {
  loseM2();
  fixture.facts['deleted-members'] = ['m2'];
  fixture.facts['installed-anew'] = { m2: NOW };
  fixture.facts['seen-ready'] = ['m1', 'm3', ...WORKERS];
  api.objects.delete(`/api/v1/nodes/m2.${DOMAIN}`);
  await writeIgnitionAccess(fixture.context);
  const { ignition } = JSON.parse(readFileSync(join(fixture.dir, '.upi-wizard/boot-server.json'), 'utf8'));
  expect(ignition.master).toEqual({ file: join(fixture.dir, 'master.ign'), allow: ['127.16.0.22'] });
  expect([ignition.worker.allow, ignition.bootstrap.allow]).toEqual([[], []]);
  expect((await probe()).view.nodes.map(({ name }) => name)).toEqual(['m2']);
});
