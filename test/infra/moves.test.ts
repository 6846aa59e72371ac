import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Design, InfraSettings } from '../../src/design/model.ts';
import { moves as words } from '../../src/i18n/en/moves/index.ts';
import { UserErrorException } from '../../src/i18n/user-error.ts';
import { createClusterReader } from '../../src/infra/apply-edits.ts';
import type { Workload } from '../../src/infra/infra-move.ts';
import { getRolloutTarget, MOVE_NAMES, MOVES, type MoveName, selectStartableMoves } from '../../src/infra/moves.ts';
import { probeMoves } from '../../src/infra/probe.ts';
import { areTainted } from '../../src/infra/shared/nodes.ts';
import type { Cluster } from '../../src/kube/api.ts';
import { connectCluster } from '../../src/kube/connect-cluster.ts';
import { parseNode } from '../../src/openshift/node.ts';
import { getKind } from '../../src/rehearsal/api/kinds.ts';
import { buildDefaultSettings } from '../../src/rehearsal/world/workloads/plan.ts';
import { DOMAIN, testDesign } from '../support/csr-forge.ts';
import { createFrozenClock } from '../support/frozen-clock.ts';
import { type AnyObject, type KubeServer, startKubeServer } from '../support/kube-server.ts';
import { createInfraContextFor, createMoveExecutor, TO_DEFAULTS } from '../support/move-executor.ts';

const INFRA = ['i1', 'i2', 'i3'].map((name) => `${name}.${DOMAIN}`);
const WORKERS = ['w1', 'w2'].map((name) => `${name}.${DOMAIN}`);
const LABEL = 'node-role.kubernetes.io/infra';
const TOLERATIONS = ['NoSchedule', 'NoExecute'].map((effect) => ({ key: LABEL, value: 'reserved', effect }));
const REGISTRY = '/apis/imageregistry.operator.openshift.io/v1/configs/cluster';
const ROUTER = '/apis/operator.openshift.io/v1/namespaces/openshift-ingress-operator/ingresscontrollers/default';
const MONITORING = '/api/v1/namespaces/openshift-monitoring/configmaps/cluster-monitoring-config';
const CLAIM = '/api/v1/namespaces/openshift-image-registry/persistentvolumeclaims/image-registry-storage';

let server: KubeServer;
let cluster: Cluster;
let design: Design;

beforeEach(async () => {
  server = await startKubeServer();
  cluster = await connectCluster({
    kubeconfig: server.kubeconfig,
    resolveEndpoint: () => ({ host: '127.0.0.1', port: server.port }),
    clock: createFrozenClock(),
  });
  design = testDesign();
  addClusterObjects();
});
afterEach(() => server.close());

/** Fills the API with the objects of a freshly installed cluster: everything runs on the workers. */
function addClusterObjects(): void {
  for (const name of [...INFRA, ...WORKERS]) {
    put('v1', 'Node', '/api/v1/nodes', name, {
      metadata: { labels: { 'node-role.kubernetes.io/worker': '' } },
      spec: {},
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
  }
  put('config.openshift.io/v1', 'ClusterVersion', '/apis/config.openshift.io/v1/clusterversions', 'version', {
    status: { desired: { version: '4.18.9' } },
  });
  const pools = '/apis/machineconfiguration.openshift.io/v1/machineconfigpools';
  put('machineconfiguration.openshift.io/v1', 'MachineConfigPool', pools, 'worker', {});
  for (const [resource, { metadata, spec = {} }] of buildDefaultSettings(DOMAIN)) {
    const { group, version, plural, kind } = getKind(resource);
    const namespacePath = metadata.namespace === undefined ? '' : `namespaces/${metadata.namespace}/`;
    put(`${group}/${version}`, kind, `/apis/${group}/${version}/${namespacePath}${plural}`, metadata.name ?? '', {
      spec,
    });
  }
  put('apps/v1', 'DaemonSet', '/apis/apps/v1/namespaces/openshift-dns/daemonsets', 'dns-default', {
    spec: { template: { spec: { tolerations: [] } } },
    status: { observedGeneration: 1, desiredNumberScheduled: 5, updatedNumberScheduled: 5, numberAvailable: 5 },
  });
  put('operator.openshift.io/v1', 'IngressController', parentPath(ROUTER), 'default', {
    spec: { nodePlacement: { nodeSelector: { matchLabels: { 'node-role.kubernetes.io/worker': '' } } } },
  });
  put('imageregistry.operator.openshift.io/v1', 'Config', parentPath(REGISTRY), 'cluster', {
    spec: { managementState: 'Removed', storage: { emptyDir: {}, managementState: 'Managed' } },
  });
  addStorageClass('fast', true);
  deploy('Deployment', 'openshift-ingress', 'router-default', 2, WORKERS, false);
  for (const name of ['prometheus-k8s', 'alertmanager-main'])
    deploy('StatefulSet', 'openshift-monitoring', name, 2, WORKERS, false);
  deploy('Deployment', 'openshift-monitoring', 'prometheus-operator', 1, WORKERS, false);
  // Monitoring leaves this pod where it is; only the beginning of its name is that of `prometheus-operator`.
  addPod('openshift-monitoring', 'prometheus-operator-admission-webhook-6c9-abcde', WORKERS[0]!);
}

/**
 * Simulates the operators: they act on the settings that were written before.
 * @param others further workloads that they relocate, as the move lists them
 */
function runOperators(others: readonly Workload[] = []): void {
  const dns = server.objects.get('/apis/operator.openshift.io/v1/dnses/default');
  const set = server.objects.get('/apis/apps/v1/namespaces/openshift-dns/daemonsets/dns-default');
  set.spec.template.spec.tolerations = dns.spec.nodePlacement?.tolerations ?? [];
  const router = server.objects.get(ROUTER).spec;
  if (router.nodePlacement?.nodeSelector.matchLabels[LABEL] === '') {
    deploy('Deployment', 'openshift-ingress', 'router-default', router.replicas, INFRA, true);
  }
  if (server.objects.get(REGISTRY).spec.managementState === 'Managed') {
    deploy('Deployment', 'openshift-image-registry', 'image-registry', 2, INFRA, true);
  }
  const claim = server.objects.get(CLAIM);
  if (claim) claim.status = { phase: 'Bound' };
  if (server.objects.has(MONITORING)) {
    for (const name of ['prometheus-k8s', 'alertmanager-main'])
      deploy('StatefulSet', 'openshift-monitoring', name, 2, INFRA, true);
    deploy('Deployment', 'openshift-monitoring', 'prometheus-operator', 1, INFRA, true);
  }
  for (const { kind, namespace, name } of others) deploy(kind, namespace, name, 2, INFRA, true);
  const pool = server.objects.get('/apis/machineconfiguration.openshift.io/v1/machineconfigpools/infra');
  if (pool) pool.status = { machineCount: 3, updatedMachineCount: 3, readyMachineCount: 3 };
}

function put(apiVersion: string, kind: string, path: string, name: string, object: AnyObject): void {
  const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1];
  const metadata = { name, ...(namespace ? { namespace } : {}), ...object.metadata };
  server.put(`${path}/${name}`, { apiVersion, kind, ...object, metadata });
}

function parentPath(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function addStorageClass(name: string, isDefault: boolean): void {
  put('storage.k8s.io/v1', 'StorageClass', '/apis/storage.k8s.io/v1/storageclasses', name, {
    metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': String(isDefault) } },
  });
}

function deploy(
  kind: string,
  namespace: string,
  name: string,
  replicas: number,
  nodes: string[],
  isMoved: boolean,
): void {
  put('apps/v1', kind, `/apis/apps/v1/namespaces/${namespace}/${kind.toLowerCase()}s`, name, {
    spec: { replicas, template: { spec: isMoved ? { nodeSelector: { [LABEL]: '' }, tolerations: TOLERATIONS } : {} } },
    status: { observedGeneration: 1, updatedReplicas: replicas, replicas, availableReplicas: replicas },
  });
  for (const key of server.objects.keys())
    if (key.includes(`/pods/${name}-`) && !key.includes('webhook')) server.objects.delete(key);
  for (let index = 0; index < replicas; index += 1) {
    addPod(
      namespace,
      kind === 'StatefulSet' ? `${name}-${index}` : `${name}-7d4b9c-x2x${index}`,
      nodes[index % nodes.length]!,
    );
  }
}

function addPod(namespace: string, name: string, nodeName: string | null, status: object = { phase: 'Running' }): void {
  put('v1', 'Pod', `/api/v1/namespaces/${namespace}/pods`, name, {
    spec: { ...(nodeName ? { nodeName } : {}), tolerations: TOLERATIONS },
    status,
  });
}

const withInfra = (infra: Partial<InfraSettings>): Design => ({ ...design, infra: { ...design.infra, ...infra } });

/** Moves of components that only some clusters have. */
const OPTIONAL_MOVES: readonly MoveName[] = [
  'storage',
  'logging',
  'network-diagnostics',
  'boot-image-record',
  'machine-sets',
  'autoscaler',
  'user-workload',
];

/** The moves of objects that every cluster has, in their order. */
const COMMON_MOVES: readonly MoveName[] = MOVES.filter(
  ({ name, where }) => where === 'cluster' && !OPTIONAL_MOVES.includes(name),
).map(({ name }) => name);

/** Workloads of a move whose operators `runOperators` does not simulate on its own. */
const listOtherWorkloads = async (name: MoveName): Promise<readonly Workload[]> =>
  /router|registry|monitoring/.test(name)
    ? []
    : ((await getRolloutTarget(name)?.workloads?.(createClusterReader(cluster), design)) ?? []);
const executor = (name: MoveName, currentDesign = design) =>
  createMoveExecutor(createInfraContextFor(cluster, currentDesign), name);
const probe = (name: MoveName, currentDesign = design) => executor(name, currentDesign).probe();
async function apply(name: MoveName, currentDesign = design): Promise<number> {
  const before = server.writes().length;
  await executor(name, currentDesign).apply();
  return server.writes().length - before;
}
const undo = (name: MoveName, currentDesign = design) => executor(name, currentDesign).undo(TO_DEFAULTS);
const getNode = (name: string) => server.objects.get(`/api/v1/nodes/${name}`);

test('all moves in order: needed, applied, moving until it runs there, done, and nothing the second time', async () => {
  for (const name of COMMON_MOVES) {
    const before = await probe(name);
    expect([name, before.state]).toEqual([name, 'needed']);
    expect(before.changes.length).toBeGreaterThan(0);
    expect(await apply(name)).toBeGreaterThan(0);
    const during = await probe(name);
    expect([name, during.state, during.changes]).toEqual([
      name,
      /label|taint|registry$/.test(name) ? 'done' : 'moving',
      [],
    ]);
    runOperators(await listOtherWorkloads(name));
    const after = await probe(name);
    expect([name, after.state]).toEqual([name, 'done']);
    expect(after.why.length).toBeGreaterThan(3);
    expect([name, await apply(name)]).toEqual([name, 0]);
  }
  // A dry run precedes each write.
  const dry = server.requests.filter(({ query }) => query.has('dryRun'));
  expect(dry).toHaveLength(server.writes().length);

  expect(server.objects.get(ROUTER).spec).toEqual({
    replicas: 3,
    nodePlacement: { nodeSelector: { matchLabels: { [LABEL]: '' } }, tolerations: TOLERATIONS },
  });
  expect(server.objects.get(REGISTRY).spec).toEqual({
    managementState: 'Managed',
    replicas: 2,
    rolloutStrategy: 'RollingUpdate',
    storage: { pvc: { claim: 'image-registry-storage' }, managementState: 'Managed' },
    nodeSelector: { [LABEL]: '' },
    tolerations: TOLERATIONS,
  });
  expect(server.objects.get(CLAIM).spec).toEqual({
    accessModes: ['ReadWriteMany'],
    resources: { requests: { storage: '100Gi' } },
    storageClassName: 'fast',
  });
  expect(server.objects.get('/apis/operator.openshift.io/v1/dnses/default').spec.nodePlacement.tolerations).toEqual([
    { key: 'node-role.kubernetes.io/master', operator: 'Exists' },
    { key: LABEL, operator: 'Exists' },
  ]);
  expect(getNode(INFRA[0]!).spec.taints).toEqual([{ key: LABEL, value: 'reserved', effect: 'NoSchedule' }]);
  expect(getNode(WORKERS[0]!).spec.taints).toBeUndefined();
  expect(Object.keys(getNode(INFRA[0]!).metadata.labels).sort()).toEqual([LABEL, 'node-role.kubernetes.io/worker']);

  for (const name of [...COMMON_MOVES].reverse()) await undo(name);
  expect(getNode(INFRA[0]!).spec.taints ?? []).toEqual([]);
  expect(getNode(INFRA[0]!).metadata.labels).toEqual({ 'node-role.kubernetes.io/worker': '' });
  expect(server.objects.get(ROUTER).spec).toEqual({});
  expect(server.objects.get(REGISTRY).spec.nodeSelector).toBeUndefined();
  expect(server.objects.get('/apis/operator.openshift.io/v1/dnses/default').spec.nodePlacement).toEqual({});
  expect(parse(server.objects.get(MONITORING).data['config.yaml']) ?? {}).toEqual({});
  const count = server.writes().length;
  for (const name of [...COMMON_MOVES].reverse()) await undo(name);
  expect(server.writes().length).toBe(count);
});

test('while the DNS pods restart, the move says how many are updated', async () => {
  await apply('label');
  await apply('dns');
  runOperators();
  const set = server.objects.get('/apis/apps/v1/namespaces/openshift-dns/daemonsets/dns-default');
  set.status = { ...set.status, observedGeneration: 1, updatedNumberScheduled: 4, numberAvailable: 3 };
  expect(await probe('dns')).toMatchObject({
    state: 'moving',
    why: `${words.reasons.rollout.rolling('dns-default', 3, 5)} Not yet on i1 (no pod), i2 (no pod), i3 (no pod) and 2 more.`,
  });
});

test('the plan of all moves, made before the first write, is what each of them then does', async () => {
  const withNoExecute = withInfra({ taint: { ...design.infra.taint, noExecute: true }, keepWorkerRole: false });
  const planned = (await probeMoves(createInfraContextFor(cluster, withNoExecute), MOVE_NAMES)).filter(({ name }) =>
    COMMON_MOVES.includes(name),
  );
  expect(server.writes()).toEqual([]);
  expect(planned.map(({ name, state }) => [name, state])).toEqual(COMMON_MOVES.map((name) => [name, 'needed']));
  for (const { name, changes } of planned) {
    expect([name, (await probe(name, withNoExecute)).changes]).toEqual([name, changes]);
    await apply(name, withNoExecute);
    runOperators(await listOtherWorkloads(name));
  }
  expect(
    (await probeMoves(createInfraContextFor(cluster, withNoExecute), COMMON_MOVES)).map(({ state }) => state),
  ).toEqual(COMMON_MOVES.map(() => 'done'));
});

test('a plan reads no object twice, and a move whose prerequisite is not in the plan is blocked', async () => {
  await probeMoves(createInfraContextFor(cluster, design), MOVE_NAMES);
  const requestedPaths = server.requests.map(({ path }) => path);
  expect(requestedPaths.filter((path) => path.startsWith('/api/v1/nodes'))).toEqual(['/api/v1/nodes']);
  expect(requestedPaths.length).toBe(new Set(requestedPaths).size);
  const [only] = await probeMoves(createInfraContextFor(cluster, design), ['pool']);
  expect(only).toMatchObject({ state: 'blocked', why: words.reasons.notLabelled(INFRA) });
});

describe('preflight', () => {
  const probeInPlan = async (name: MoveName) =>
    (await probeMoves(createInfraContextFor(cluster, design), ['label', name])).find((move) => move.name === name);
  const putOperator = (name: string, isDegraded: boolean) =>
    put('config.openshift.io/v1', 'ClusterOperator', '/apis/config.openshift.io/v1/clusteroperators', name, {
      status: {
        conditions: [
          { type: 'Available', status: 'True' },
          { type: 'Degraded', status: isDegraded ? 'True' : 'False', message: 'canary fails' },
        ],
      },
    });

  test('a move whose operator does not work, or that does not fit, is blocked with a remedy', async () => {
    putOperator('ingress', true);
    expect(await probeInPlan('router')).toMatchObject({
      state: 'blocked',
      why: expect.stringContaining('canary fails'),
    });
    putOperator('ingress', false);
    expect(await probeInPlan('router')).toMatchObject({ state: 'needed' });
    for (const name of INFRA) {
      const found = getNode(name);
      found.status.allocatable = { cpu: '2', memory: '1Gi' };
    }
    for (const [path, object] of server.objects)
      if (path.includes('/pods/router-default'))
        object.spec.containers = [{ resources: { requests: { cpu: '100m', memory: '2Gi' } } }];
    const status = await probeInPlan('router');
    expect(status).toMatchObject({ state: 'blocked', why: expect.stringContaining('2 pods need 0.2 CPU, 4 GiB') });
    expect(server.writes()).toEqual([]);
  });

  test('a rollout with a pod on every node is blocked while a node is down', async () => {
    expect(await probeInPlan('dns')).toMatchObject({ state: 'needed' });
    const conditions = [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }];
    put('v1', 'Node', '/api/v1/nodes', 'm2.example.com', { status: { conditions } });
    expect(await probeInPlan('dns')).toMatchObject({
      state: 'blocked',
      why: expect.stringMatching(/nodes are not Ready.* m2.*`oc describe node m2\.example\.com`/),
    });
    expect(server.writes()).toEqual([]);
  });

  test('a degraded pool is reported with the message of the condition that has one', async () => {
    const pools = '/apis/machineconfiguration.openshift.io/v1/machineconfigpools';
    const message = 'no machine config matches';
    const conditions = [
      { type: 'RenderDegraded', status: 'True', message },
      { type: 'Degraded', status: 'True', message: '' },
    ];
    put('machineconfiguration.openshift.io/v1', 'MachineConfigPool', pools, 'worker', { status: { conditions } });
    expect(await probeInPlan('router')).toMatchObject({ state: 'blocked', why: expect.stringContaining(message) });
    await apply('label');
    await apply('pool');
    server.objects.get(`${pools}/infra`).status = { conditions };
    expect(await probe('pool')).toMatchObject({ state: 'failed', why: expect.stringContaining(message) });
  });

  test('a taint that the moved pods do not tolerate blocks before the first change; a tolerated one does not', async () => {
    const second = getNode(INFRA[1] ?? '');
    second.spec.taints = [{ key: 'example.com/own', value: 'x', effect: 'NoSchedule' }];
    const probeStates = async () => {
      const statuses = await probeMoves(createInfraContextFor(cluster, design), MOVE_NAMES);
      return statuses.filter(({ name }) => COMMON_MOVES.includes(name));
    };
    const [first] = await probeStates();
    expect(first).toMatchObject({
      name: 'label',
      state: 'blocked',
      why: expect.stringMatching(/i2 has example\.com\/own/),
    });
    expect(first?.why).toContain(`\`oc adm taint nodes ${INFRA[1]} example.com/own:NoSchedule-\``);
    // One confirmation starts nothing.
    expect(selectStartableMoves(await probeStates()).startableMoves).toEqual([]);
    // The label alone moves nothing.
    expect((await probeMoves(createInfraContextFor(cluster, design), ['label']))[0]?.state).toBe('needed');
    const tolerations = [{ key: 'example.com/own', operator: 'Exists' }];
    for (const [path, object] of server.objects)
      if (/\/(?:deployments|statefulsets)\//.test(path))
        object.spec = { ...object.spec, template: { spec: { tolerations } } };
    expect((await probeStates())[0]).toMatchObject({ name: 'label', state: 'needed' });
    second.spec = { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] };
    expect((await probeStates())[0]).toMatchObject({
      state: 'blocked',
      why: expect.stringContaining('oc adm uncordon'),
    });
    expect(server.writes()).toEqual([]);
  });

  test('objects that the API forbids to read are not checked, and block nothing', async () => {
    server.intercept = (request, response) => {
      if (!/poddisruptionbudgets|clusteroperators\/ingress|fieldSelector/.test(request.url ?? '')) return false;
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' }));
      return true;
    };
    const status = await probeInPlan('router');
    expect(status?.state).toBe('needed');
    const unknownChecks = status?.preflightFindings?.filter(({ state }) => state === 'unknown').map(({ code }) => code);
    expect(unknownChecks).toEqual(expect.arrayContaining(['move-operator', 'move-room', 'move-budget']));
  });
});

test('an object that we may not read blocks the moves that need it, and no other', async () => {
  server.intercept = (request, response) => {
    if (!/ingresscontrollers/.test(request.url ?? '')) return false;
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden', message: 'cannot list them' }));
    return true;
  };
  const statuses = await probeMoves(createInfraContextFor(cluster, design), COMMON_MOVES);
  const states = Object.fromEntries(statuses.map(({ name, state, why }) => [name, [state, why]]));
  expect(states.router).toEqual(['blocked', expect.stringContaining('cannot list them')]);
  expect(states.taint?.[0]).toBe('blocked');
  for (const name of ['label', 'pool', 'dns', 'registry', 'monitoring'])
    expect([name, states[name]?.[0]]).toEqual([name, 'needed']);
});

describe('label and pool', () => {
  test('storage nodes get the label that the storage operator looks for and nothing else, and keep it', async () => {
    const [first] = design.nodes.filter(({ name }) => name === 'w2');
    if (!first) throw new Error('no w2');
    const storageDesign: Design = {
      ...design,
      nodes: design.nodes.map((each) => (each.name === 'w2' ? { ...each, role: 'storage' as const } : each)),
    };
    await apply('label', storageDesign);
    const name = WORKERS[1] ?? '';
    const before = getNode(name).metadata.labels;
    expect(before).toEqual({ 'cluster.ocs.openshift.io/openshift-storage': '', 'node-role.kubernetes.io/worker': '' });
    expect(getNode(name).spec).toEqual({});
    expect(getNode(INFRA[0] ?? '').metadata.labels[LABEL]).toBe('');
    expect((await probe('label', storageDesign)).why).toBe('3 infra nodes are labelled. 1 storage node is labelled.');
    await undo('label', storageDesign);
    expect(getNode(name).metadata.labels).toEqual(before);
    expect(getNode(INFRA[0] ?? '').metadata.labels[LABEL]).toBeUndefined();
  });

  test('wait for the nodes; a design without infra nodes has no moves', async () => {
    server.objects.delete(`/api/v1/nodes/${INFRA[1]}`);
    expect(await probe('label')).toMatchObject({ state: 'blocked', why: words.reasons.notJoined([INFRA[1]!], []) });
    await expect(apply('label')).rejects.toMatchObject({ userError: { code: 'infra-blocked' } });
    const withoutInfra = {
      ...design,
      nodes: design.nodes.filter(({ role }) => role !== 'infra' && role !== 'storage'),
    };
    for (const name of COMMON_MOVES) expect((await probe(name, withoutInfra)).state).toBe('absent');
    expect((await probe('router')).state).toBe('blocked');
  });

  test('the worker role is removed only together with a pool', async () => {
    const withoutRole = withInfra({ keepWorkerRole: false });
    await apply('label', withoutRole);
    expect(getNode(INFRA[0]!).metadata.labels['node-role.kubernetes.io/worker']).toBe('');
    await apply('pool', withoutRole);
    expect(getNode(INFRA[0]!).metadata.labels).toEqual({ [LABEL]: '' });
    expect((await probe('pool', withInfra({ pool: false }))).state).toBe('absent');
  });

  test('no machine config operator yet', async () => {
    await apply('label');
    server.objects.delete('/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker');
    expect((await probe('pool')).state).toBe('blocked');
  });
});

describe('router', () => {
  beforeEach(() => apply('label'));

  test('never more routers than nodes; the reason of a waiting pod is shown', async () => {
    await apply('router', withInfra({ routerReplicas: 5 }));
    expect(server.objects.get(ROUTER).spec.replicas).toBe(3);
    runOperators();
    const message = '0/8 nodes are available: 3 node(s) had untolerated taint {x}';
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
    addPod('openshift-ingress', 'router-default-7d4b9c-x2x0', null, { phase: 'Pending', conditions });
    const status = await probe('router');
    expect(status.state).toBe('moving');
    expect(status.why).toContain(message);
    expect(status.why).toContain(words.reasons.hints.taint);
  });

  test('a rollout elsewhere is not done, and a degraded operator is a failure', async () => {
    await apply('router');
    deploy('Deployment', 'openshift-ingress', 'router-default', 3, [...INFRA.slice(1), WORKERS[0]!], true);
    expect(await probe('router')).toMatchObject({
      state: 'moving',
      why: words.reasons.rollout.onOtherNodes('router-default', [WORKERS[0]!]),
    });
    addPod('openshift-ingress', 'router-default-7d4b9c-x2x2', WORKERS[0]!, { phase: 'Failed', reason: 'Evicted' });
    expect((await probe('router')).state).toBe('done');
    put('config.openshift.io/v1', 'ClusterOperator', '/apis/config.openshift.io/v1/clusteroperators', 'ingress', {
      status: { conditions: [{ type: 'Degraded', status: 'True', message: 'canary fails' }] },
    });
    expect(await probe('router')).toMatchObject({ state: 'failed', why: expect.stringContaining('canary fails') });
  });

  test('a setting that the cluster does not keep is noticed', async () => {
    server.afterWrite = (path, object) => {
      if (path === ROUTER) delete object.spec.nodePlacement;
    };
    await expect(apply('router')).rejects.toMatchObject({ userError: { code: 'infra-not-kept' } });
  });

  test('a conflict is retried; endless conflicts end in an error', async () => {
    let remaining = 2;
    server.intercept = (request, response) => {
      if (request.method !== 'PATCH' || request.url?.includes('dryRun') || remaining === 0) return false;
      remaining -= 1;
      response.writeHead(409, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ kind: 'Status', code: 409, reason: 'Conflict', message: 'changed' }));
      return true;
    };
    expect(await apply('router')).toBe(1);
    remaining = Number.POSITIVE_INFINITY;
    const thrown = await undo('router').catch((error: unknown) => error);
    expect((thrown as UserErrorException).userError.code).toBe('infra-conflicts');
  });
});

describe('registry', () => {
  beforeEach(() => apply('label'));
  const withRegistry = (change: Partial<InfraSettings['registry']>) =>
    withInfra({ registry: { ...design.infra.registry, ...change } });

  test('needs an existing storage class, unless the claim exists', async () => {
    expect((await probe('registry-storage', withRegistry({ storageClass: 'none-such' }))).why).toContain('none-such');
    server.objects.delete('/apis/storage.k8s.io/v1/storageclasses/fast');
    expect(await probe('registry-storage')).toMatchObject({
      state: 'blocked',
      why: words.byName['registry-storage'].noClass,
    });
    addStorageClass('slow', false);
    expect((await probe('registry-storage')).state).toBe('blocked');
    expect((await probe('registry-storage', withRegistry({ storageClass: 'slow' }))).state).toBe('needed');
  });

  test('a volume for one writer means one replica', async () => {
    await apply('registry-storage', withRegistry({ accessMode: 'ReadWriteOnce' }));
    expect(server.objects.get(REGISTRY).spec).toMatchObject({ replicas: 1, rolloutStrategy: 'Recreate' });
    expect(await probe('registry-storage')).toMatchObject({ state: 'moving', why: expect.stringContaining('Pending') });
  });

  test('emptyDir and none', async () => {
    server.objects.get(REGISTRY).spec.storage = { pvc: { claim: 'x' } };
    await apply('registry-storage', withRegistry({ storage: 'emptyDir' }));
    expect(server.objects.get(REGISTRY).spec.storage).toEqual({ emptyDir: {} });
    expect((await probe('registry-storage', withRegistry({ storage: 'none' }))).state).toBe('absent');
    // A running registry moves; a removed one does not.
    expect((await probe('registry', withRegistry({ storage: 'none' }))).state).toBe('needed');
    server.objects.get(REGISTRY).spec.managementState = 'Removed';
    expect((await probe('registry', withRegistry({ storage: 'none' }))).state).toBe('absent');
    expect(await probe('registry')).toMatchObject({ state: 'blocked', why: words.byName.registry.storageFirst });
  });
});

describe('monitoring', () => {
  beforeEach(() => apply('label'));
  const readConfig = () => server.objects.get(MONITORING).data['config.yaml'] as string;
  const putConfig = (content: string) =>
    put('v1', 'ConfigMap', parentPath(MONITORING), 'cluster-monitoring-config', {
      data: { 'config.yaml': content, other: 'x' },
    });

  test('keeps what others wrote, comments included, and asks for volumes when there is a class', async () => {
    putConfig('# of the team\nenableUserWorkload: true\nprometheusK8s:\n  retention: 7d # long\n');
    await apply('monitoring', withInfra({ monitoring: { ...design.infra.monitoring, storageClass: 'fast' } }));
    expect(readConfig()).toContain('# of the team');
    expect(readConfig()).toContain('retention: 7d # long');
    expect(server.objects.get(MONITORING).data.other).toBe('x');
    const parsed = parse(readConfig());
    expect(parsed.enableUserWorkload).toBe(true);
    expect(parsed.prometheusK8s).toEqual({
      retention: '7d',
      nodeSelector: { [LABEL]: '' },
      tolerations: TOLERATIONS,
      volumeClaimTemplate: { spec: { storageClassName: 'fast', resources: { requests: { storage: '40Gi' } } } },
    });
    expect(parsed.metricsServer.nodeSelector).toEqual({ [LABEL]: '' });
    expect(Object.keys(parsed)).not.toContain('grafana');
    expect(Object.keys(parsed)).not.toContain('k8sPrometheusAdapter');
    await undo('monitoring');
    expect(parse(readConfig())).toMatchObject({ enableUserWorkload: true, prometheusK8s: { retention: '7d' } });
    expect(readConfig()).not.toContain('nodeSelector');
  });

  test('is blocked by settings that cannot be read, by one node only, and by a class that is missing', async () => {
    putConfig('a: [');
    expect((await probe('monitoring')).state).toBe('blocked');
    putConfig('- a list');
    expect((await probe('monitoring')).state).toBe('blocked');
    const single = { ...design, nodes: design.nodes.filter(({ name }) => !/^i[23]$/.test(name)) };
    expect(await probe('monitoring', single)).toMatchObject({
      state: 'blocked',
      why: words.byName.monitoring.tooFew(1),
    });
    const classless = withInfra({ monitoring: { ...design.infra.monitoring, storageClass: 'none-such' } });
    expect((await probe('monitoring', classless)).why).toContain('none-such');
    server.objects.delete('/apis/config.openshift.io/v1/clusterversions/version');
    expect((await probe('monitoring')).state).toBe('blocked');
  });

  test('is not done before the operator took the settings over, wherever the pods are', async () => {
    await apply('monitoring');
    for (const name of ['prometheus-k8s', 'alertmanager-main'])
      deploy('StatefulSet', 'openshift-monitoring', name, 2, INFRA, false);
    expect((await probe('monitoring')).why).toContain('prometheus-k8s');
    runOperators();
    expect((await probe('monitoring')).state).toBe('done');
  });
});

describe('taint', () => {
  test('is set when every infra node has it, with either effect', async () => {
    expect(areTainted(design, [])).toBe(false);
    const readNodeViews = () => INFRA.map((name) => parseNode(getNode(name)));
    const taintsWith = (effect: string) => [{ key: LABEL, value: 'reserved', effect }];
    for (const name of INFRA.slice(1)) getNode(name).spec.taints = taintsWith('NoSchedule');
    expect(areTainted(design, readNodeViews())).toBe(false);
    getNode(INFRA[0]!).spec.taints = taintsWith('NoExecute');
    expect(areTainted(design, readNodeViews())).toBe(true);
  });

  test('comes last', async () => {
    await apply('label');
    const { state, why } = await probe('taint');
    expect(state).toBe('blocked');
    for (const name of ['dns', 'router', 'monitoring'] as const) expect(why).toContain(words.byName[name].title);
    await expect(apply('taint')).rejects.toThrow(UserErrorException);
    expect(getNode(INFRA[0]!).spec.taints).toBeUndefined();
  });

  test('keeps the taints of others, adds NoExecute after NoSchedule, and ignores the time that the API adds', async () => {
    const other = { key: 'example.com/gpu', effect: 'NoSchedule' };
    for (const name of COMMON_MOVES.filter((each) => each !== 'taint')) {
      await apply(name);
      runOperators(await listOtherWorkloads(name));
    }
    getNode(INFRA[0]!).spec.taints = [other];
    server.afterWrite = (path, object) => {
      if (!path.startsWith('/api/v1/nodes')) return;
      for (const taint of object.spec.taints ?? [])
        if (taint.effect === 'NoExecute') taint.timeAdded = '2026-11-21T12:00:00Z';
    };
    const withNoExecute = withInfra({ taint: { ...design.infra.taint, noExecute: true } });
    expect(await apply('taint', withNoExecute)).toBe(6);
    expect(await apply('taint', withNoExecute)).toBe(0);
    expect(getNode(INFRA[0]!).spec.taints.map((taint: AnyObject) => `${taint.key}:${taint.effect}`)).toEqual([
      'example.com/gpu:NoSchedule',
      `${LABEL}:NoSchedule`,
      `${LABEL}:NoExecute`,
    ]);
    const effects = server
      .writes()
      .slice(-6)
      .map(({ body }) => body.spec.taints.at(-1).effect);
    expect(effects).toEqual(['NoSchedule', 'NoSchedule', 'NoSchedule', 'NoExecute', 'NoExecute', 'NoExecute']);
    await undo('taint');
    expect(getNode(INFRA[0]!).spec.taints).toEqual([other]);
  });
});
