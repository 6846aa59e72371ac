import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Cluster } from '../../../src/cluster/api.ts';
import { connect } from '../../../src/cluster/client.ts';
import { sightOf } from '../../../src/cluster/infra/run.ts';
import type { Design, InfraPlan } from '../../../src/design/model.ts';
import type { Workload } from '../../../src/moves/carried.ts';
import { areTainted } from '../../../src/moves/shared/nodes.ts';
import { carriedBy, MOVE_NAMES, MOVES, type MoveName } from '../../../src/moves/table.ts';
import { nodeView } from '../../../src/objects/node.ts';
import { kindOf } from '../../../src/rehearsal/api/registry.ts';
import { freshSettings } from '../../../src/rehearsal/world/workloads/plan.ts';
import { lookAtMoves } from '../../../src/steps/infra/look.ts';
import { startedWith } from '../../../src/steps/infra/standing.ts';
import { moves as words } from '../../../src/text/en/moves/index.ts';
import { TroubleError } from '../../../src/text/trouble.ts';
import { DOMAIN, testDesign } from '../../support/csr-forge.ts';
import { type KubeServer, type Loose, startKubeServer } from '../../support/kube-server.ts';
import { clusterSite, moveSide, TO_DEFAULTS } from '../../support/move-side.ts';
import { standingClock } from '../../support/standing-clock.ts';

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
  cluster = await connect({
    kubeconfig: server.kubeconfig,
    reach: () => ({ host: '127.0.0.1', port: server.port }),
    clock: standingClock(),
  });
  design = testDesign();
  furnish();
});
afterEach(() => server.close());

/** A cluster after the install: everything runs on the workers. */
function furnish(): void {
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
  for (const [resource, { metadata, spec = {} }] of freshSettings(DOMAIN)) {
    const { group, version, plural, kind } = kindOf(resource);
    const place = metadata.namespace === undefined ? '' : `namespaces/${metadata.namespace}/`;
    put(`${group}/${version}`, kind, `/apis/${group}/${version}/${place}${plural}`, metadata.name ?? '', { spec });
  }
  put('apps/v1', 'DaemonSet', '/apis/apps/v1/namespaces/openshift-dns/daemonsets', 'dns-default', {
    spec: { template: { spec: { tolerations: [] } } },
    status: { observedGeneration: 1, desiredNumberScheduled: 5, updatedNumberScheduled: 5, numberAvailable: 5 },
  });
  put('operator.openshift.io/v1', 'IngressController', parent(ROUTER), 'default', {
    spec: { nodePlacement: { nodeSelector: { matchLabels: { 'node-role.kubernetes.io/worker': '' } } } },
  });
  put('imageregistry.operator.openshift.io/v1', 'Config', parent(REGISTRY), 'cluster', {
    spec: { managementState: 'Removed', storage: { emptyDir: {}, managementState: 'Managed' } },
  });
  storageClass('fast', true);
  deploy('Deployment', 'openshift-ingress', 'router-default', 2, WORKERS, false);
  for (const name of ['prometheus-k8s', 'alertmanager-main'])
    deploy('StatefulSet', 'openshift-monitoring', name, 2, WORKERS, false);
  deploy('Deployment', 'openshift-monitoring', 'prometheus-operator', 1, WORKERS, false);
  // What monitoring leaves where it is has a name that only begins alike.
  pod('openshift-monitoring', 'prometheus-operator-admission-webhook-6c9-abcde', WORKERS[0]!);
}

/** The operators do their work: called after the settings were written. @param others what else they moved, as the move says */
function operatorsWork(others: readonly Workload[] = []): void {
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

function put(apiVersion: string, kind: string, path: string, name: string, object: Loose): void {
  const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1];
  const metadata = { name, ...(namespace ? { namespace } : {}), ...object.metadata };
  server.put(`${path}/${name}`, { apiVersion, kind, ...object, metadata });
}

function parent(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function storageClass(name: string, isDefault: boolean): void {
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
    pod(
      namespace,
      kind === 'StatefulSet' ? `${name}-${index}` : `${name}-7d4b9c-x2x${index}`,
      nodes[index % nodes.length]!,
    );
  }
}

function pod(namespace: string, name: string, nodeName: string | null, status: object = { phase: 'Running' }): void {
  put('v1', 'Pod', `/api/v1/namespaces/${namespace}/pods`, name, {
    spec: { ...(nodeName ? { nodeName } : {}), tolerations: TOLERATIONS },
    status,
  });
}

const withInfra = (infra: Partial<InfraPlan>): Design => ({ ...design, infra: { ...design.infra, ...infra } });
/** Moves of what only some clusters have. */
const SOME: readonly MoveName[] = [
  'storage',
  'logging',
  'network-diagnostics',
  'machine-sets',
  'autoscaler',
  'user-workload',
];
/** The moves of objects that every cluster has, in their order. */
const NAMES: readonly MoveName[] = MOVES.filter(({ name, where }) => where === 'cluster' && !SOME.includes(name)).map(
  ({ name }) => name,
);
/** What moves whose operators do not work above. */
const othersOf = async (name: MoveName): Promise<readonly Workload[]> =>
  /router|registry|monitoring/.test(name) ? [] : ((await carriedBy(name)?.workloads?.(sightOf(cluster), design)) ?? []);
const side = (name: MoveName, of = design) => moveSide(clusterSite(cluster, of), name);
const probe = (name: MoveName, of = design) => side(name, of).probe();
async function apply(name: MoveName, of = design): Promise<number> {
  const before = server.writes().length;
  await side(name, of).apply(() => undefined);
  return server.writes().length - before;
}
const undo = (name: MoveName, of = design) => side(name, of).undo(() => undefined, TO_DEFAULTS);
const node = (name: string) => server.objects.get(`/api/v1/nodes/${name}`);

test('all moves in order: needed, applied, moving until it runs there, done, and nothing the second time', async () => {
  for (const name of NAMES) {
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
    operatorsWork(await othersOf(name));
    const after = await probe(name);
    expect([name, after.state]).toEqual([name, 'done']);
    expect(after.why.length).toBeGreaterThan(3);
    expect([name, await apply(name)]).toEqual([name, 0]);
  }
  // Each write was tried dry first.
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
  expect(node(INFRA[0]!).spec.taints).toEqual([{ key: LABEL, value: 'reserved', effect: 'NoSchedule' }]);
  expect(node(WORKERS[0]!).spec.taints).toBeUndefined();
  expect(Object.keys(node(INFRA[0]!).metadata.labels).sort()).toEqual([LABEL, 'node-role.kubernetes.io/worker']);

  for (const name of [...NAMES].reverse()) await undo(name);
  expect(node(INFRA[0]!).spec.taints ?? []).toEqual([]);
  expect(node(INFRA[0]!).metadata.labels).toEqual({ 'node-role.kubernetes.io/worker': '' });
  expect(server.objects.get(ROUTER).spec).toEqual({});
  expect(server.objects.get(REGISTRY).spec.nodeSelector).toBeUndefined();
  expect(server.objects.get('/apis/operator.openshift.io/v1/dnses/default').spec.nodePlacement).toEqual({});
  expect(parse(server.objects.get(MONITORING).data['config.yaml']) ?? {}).toEqual({});
  const count = server.writes().length;
  for (const name of [...NAMES].reverse()) await undo(name);
  expect(server.writes().length).toBe(count);
});

test('the plan of all moves, made before the first write, is what each of them then does', async () => {
  const hard = withInfra({ taint: { ...design.infra.taint, noExecute: true }, keepWorkerRole: false });
  const planned = (await lookAtMoves(clusterSite(cluster, hard), MOVE_NAMES)).filter(({ name }) =>
    NAMES.includes(name),
  );
  expect(server.writes()).toEqual([]);
  expect(planned.map(({ name, state }) => [name, state])).toEqual(NAMES.map((name) => [name, 'needed']));
  for (const { name, changes } of planned) {
    expect([name, (await probe(name, hard)).changes]).toEqual([name, changes]);
    await apply(name, hard);
    operatorsWork(await othersOf(name));
  }
  expect((await lookAtMoves(clusterSite(cluster, hard), NAMES)).map(({ state }) => state)).toEqual(
    NAMES.map(() => 'done'),
  );
});

test('a plan looks at no object twice, and a move whose need is not in the plan waits for it', async () => {
  await lookAtMoves(clusterSite(cluster, design), MOVE_NAMES);
  const asked = server.requests.map(({ path }) => path);
  expect(asked.filter((path) => path.startsWith('/api/v1/nodes'))).toEqual(['/api/v1/nodes']);
  expect(asked.length).toBe(new Set(asked).size);
  const [only] = await lookAtMoves(clusterSite(cluster, design), ['pool']);
  expect(only).toMatchObject({ state: 'blocked', why: words.why.notLabelled(INFRA) });
});

describe('preflight', () => {
  const look = async (name: MoveName) =>
    (await lookAtMoves(clusterSite(cluster, design), ['label', name])).find((move) => move.name === name);
  const operator = (name: string, isDegraded: boolean) =>
    put('config.openshift.io/v1', 'ClusterOperator', '/apis/config.openshift.io/v1/clusteroperators', name, {
      status: {
        conditions: [
          { type: 'Available', status: 'True' },
          { type: 'Degraded', status: isDegraded ? 'True' : 'False', message: 'canary fails' },
        ],
      },
    });

  test('a move whose operator does not work, or that does not fit, is blocked with what to do', async () => {
    operator('ingress', true);
    expect(await look('router')).toMatchObject({ state: 'blocked', why: expect.stringContaining('canary fails') });
    operator('ingress', false);
    expect(await look('router')).toMatchObject({ state: 'needed' });
    for (const name of INFRA) {
      const found = node(name);
      found.status.allocatable = { cpu: '2', memory: '1Gi' };
    }
    for (const [path, object] of server.objects)
      if (path.includes('/pods/router-default'))
        object.spec.containers = [{ resources: { requests: { cpu: '100m', memory: '2Gi' } } }];
    const small = await look('router');
    expect(small).toMatchObject({ state: 'blocked', why: expect.stringContaining('2 pods need 0.2 CPU, 4 GiB') });
    expect(server.writes()).toEqual([]);
  });

  test('a pool is degraded also where only one of the conditions that Degraded sums up says why', async () => {
    const pools = '/apis/machineconfiguration.openshift.io/v1/machineconfigpools';
    const message = 'no machine config matches';
    const conditions = [
      { type: 'RenderDegraded', status: 'True', message },
      { type: 'Degraded', status: 'True', message: '' },
    ];
    put('machineconfiguration.openshift.io/v1', 'MachineConfigPool', pools, 'worker', { status: { conditions } });
    expect(await look('router')).toMatchObject({ state: 'blocked', why: expect.stringContaining(message) });
    await apply('label');
    await apply('pool');
    server.objects.get(`${pools}/infra`).status = { conditions };
    expect(await probe('pool')).toMatchObject({ state: 'failed', why: expect.stringContaining(message) });
  });

  test('a taint that what moves does not tolerate blocks before the first change; one that its owner tolerates does not', async () => {
    const second = node(INFRA[1] ?? '');
    second.spec.taints = [{ key: 'example.com/own', value: 'x', effect: 'NoSchedule' }];
    const states = async () => {
      const seen = await lookAtMoves(clusterSite(cluster, design), MOVE_NAMES);
      return seen.filter(({ name }) => NAMES.includes(name));
    };
    const [first] = await states();
    expect(first).toMatchObject({
      name: 'label',
      state: 'blocked',
      why: expect.stringMatching(/i2 has example\.com\/own/),
    });
    expect(first?.why).toContain(`\`oc adm taint nodes ${INFRA[1]} example.com/own:NoSchedule-\``);
    // One yes starts nothing.
    expect(startedWith(await states()).started).toEqual([]);
    // The label alone moves nothing.
    expect((await lookAtMoves(clusterSite(cluster, design), ['label']))[0]?.state).toBe('needed');
    const tolerations = [{ key: 'example.com/own', operator: 'Exists' }];
    for (const [path, object] of server.objects)
      if (/\/(?:deployments|statefulsets)\//.test(path))
        object.spec = { ...object.spec, template: { spec: { tolerations } } };
    expect((await states())[0]).toMatchObject({ name: 'label', state: 'needed' });
    second.spec = { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] };
    expect((await states())[0]).toMatchObject({ state: 'blocked', why: expect.stringContaining('oc adm uncordon') });
    expect(server.writes()).toEqual([]);
  });

  test('what the API does not let us see is not looked at, and holds nothing up', async () => {
    server.intercept = (request, response) => {
      if (!/poddisruptionbudgets|clusteroperators\/ingress|fieldSelector/.test(request.url ?? '')) return false;
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' }));
      return true;
    };
    const seen = await look('router');
    expect(seen?.state).toBe('needed');
    const unseen = seen?.preflight?.filter(({ state }) => state === 'unknown').map(({ code }) => code);
    expect(unseen).toEqual(expect.arrayContaining(['move-operator', 'move-room', 'move-budget']));
  });
});

test('an object that we may not read blocks the moves that need it, and no other', async () => {
  server.intercept = (request, response) => {
    if (!/ingresscontrollers/.test(request.url ?? '')) return false;
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden', message: 'cannot list them' }));
    return true;
  };
  const seen = await lookAtMoves(clusterSite(cluster, design), NAMES);
  const states = Object.fromEntries(seen.map(({ name, state, why }) => [name, [state, why]]));
  expect(states.router).toEqual(['blocked', expect.stringContaining('cannot list them')]);
  expect(states.taint?.[0]).toBe('blocked');
  for (const name of ['label', 'pool', 'dns', 'registry', 'monitoring'])
    expect([name, states[name]?.[0]]).toEqual([name, 'needed']);
});

describe('label and pool', () => {
  test('storage nodes get the label that the storage operator looks for and nothing else, and keep it', async () => {
    const [first] = design.nodes.filter(({ name }) => name === 'w2');
    if (!first) throw new Error('no w2');
    const stored: Design = {
      ...design,
      nodes: design.nodes.map((each) => (each.name === 'w2' ? { ...each, role: 'storage' as const } : each)),
    };
    await apply('label', stored);
    const name = WORKERS[1] ?? '';
    const before = node(name).metadata.labels;
    expect(before).toEqual({ 'cluster.ocs.openshift.io/openshift-storage': '', 'node-role.kubernetes.io/worker': '' });
    expect(node(name).spec).toEqual({});
    expect(node(INFRA[0] ?? '').metadata.labels[LABEL]).toBe('');
    expect((await probe('label', stored)).why).toBe('3 infra nodes are labelled. 1 storage node is labelled.');
    await undo('label', stored);
    expect(node(name).metadata.labels).toEqual(before);
    expect(node(INFRA[0] ?? '').metadata.labels[LABEL]).toBeUndefined();
  });

  test('wait for the nodes; a design without infra nodes has no moves', async () => {
    server.objects.delete(`/api/v1/nodes/${INFRA[1]}`);
    expect(await probe('label')).toMatchObject({ state: 'blocked', why: words.why.notJoined([INFRA[1]!], []) });
    await expect(apply('label')).rejects.toMatchObject({ trouble: { code: 'infra-blocked' } });
    const none = { ...design, nodes: design.nodes.filter(({ role }) => role !== 'infra' && role !== 'storage') };
    for (const name of NAMES) expect((await probe(name, none)).state).toBe('absent');
    expect((await probe('router')).state).toBe('blocked');
  });

  test('the worker role goes only together with a pool', async () => {
    const bare = withInfra({ keepWorkerRole: false });
    await apply('label', bare);
    expect(node(INFRA[0]!).metadata.labels['node-role.kubernetes.io/worker']).toBe('');
    await apply('pool', bare);
    expect(node(INFRA[0]!).metadata.labels).toEqual({ [LABEL]: '' });
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

  test('never more routers than nodes; what waits is told in words', async () => {
    await apply('router', withInfra({ routerReplicas: 5 }));
    expect(server.objects.get(ROUTER).spec.replicas).toBe(3);
    operatorsWork();
    const message = '0/8 nodes are available: 3 node(s) had untolerated taint {x}';
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
    pod('openshift-ingress', 'router-default-7d4b9c-x2x0', null, { phase: 'Pending', conditions });
    const state = await probe('router');
    expect(state.state).toBe('moving');
    expect(state.why).toContain(message);
    expect(state.why).toContain(words.why.hints.taint);
  });

  test('a rollout elsewhere is not done, and a degraded operator is a failure', async () => {
    await apply('router');
    deploy('Deployment', 'openshift-ingress', 'router-default', 3, [...INFRA.slice(1), WORKERS[0]!], true);
    expect(await probe('router')).toMatchObject({
      state: 'moving',
      why: words.why.rollout.elsewhere('router-default', [WORKERS[0]!]),
    });
    pod('openshift-ingress', 'router-default-7d4b9c-x2x2', WORKERS[0]!, { phase: 'Failed', reason: 'Evicted' });
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
    await expect(apply('router')).rejects.toMatchObject({ trouble: { code: 'infra-not-kept' } });
  });

  test('a conflict starts again; conflicts without end are given up', async () => {
    let left = 2;
    server.intercept = (request, response) => {
      if (request.method !== 'PATCH' || request.url?.includes('dryRun') || left === 0) return false;
      left -= 1;
      response.writeHead(409, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ kind: 'Status', code: 409, reason: 'Conflict', message: 'changed' }));
      return true;
    };
    expect(await apply('router')).toBe(1);
    left = Number.POSITIVE_INFINITY;
    const thrown = await undo('router').catch((error: unknown) => error);
    expect((thrown as TroubleError).trouble.code).toBe('infra-conflicts');
  });
});

describe('registry', () => {
  beforeEach(() => apply('label'));
  const registry = (change: Partial<InfraPlan['registry']>) =>
    withInfra({ registry: { ...design.infra.registry, ...change } });

  test('needs a storage class that is there, unless the claim is', async () => {
    expect((await probe('registry-storage', registry({ storageClass: 'none-such' }))).why).toContain('none-such');
    server.objects.delete('/apis/storage.k8s.io/v1/storageclasses/fast');
    expect(await probe('registry-storage')).toMatchObject({
      state: 'blocked',
      why: words.each['registry-storage'].noClass,
    });
    storageClass('slow', false);
    expect((await probe('registry-storage')).state).toBe('blocked');
    expect((await probe('registry-storage', registry({ storageClass: 'slow' }))).state).toBe('needed');
  });

  test('a volume for one writer means one replica', async () => {
    await apply('registry-storage', registry({ accessMode: 'ReadWriteOnce' }));
    expect(server.objects.get(REGISTRY).spec).toMatchObject({ replicas: 1, rolloutStrategy: 'Recreate' });
    expect(await probe('registry-storage')).toMatchObject({ state: 'moving', why: expect.stringContaining('Pending') });
  });

  test('emptyDir and none', async () => {
    server.objects.get(REGISTRY).spec.storage = { pvc: { claim: 'x' } };
    await apply('registry-storage', registry({ storage: 'emptyDir' }));
    expect(server.objects.get(REGISTRY).spec.storage).toEqual({ emptyDir: {} });
    expect((await probe('registry-storage', registry({ storage: 'none' }))).state).toBe('absent');
    // It runs, and moves; one that is turned off does not.
    expect((await probe('registry', registry({ storage: 'none' }))).state).toBe('needed');
    server.objects.get(REGISTRY).spec.managementState = 'Removed';
    expect((await probe('registry', registry({ storage: 'none' }))).state).toBe('absent');
    expect(await probe('registry')).toMatchObject({ state: 'blocked', why: words.each.registry.storageFirst });
  });
});

describe('monitoring', () => {
  beforeEach(() => apply('label'));
  const text = () => server.objects.get(MONITORING).data['config.yaml'] as string;
  const settings = (content: string) =>
    put('v1', 'ConfigMap', parent(MONITORING), 'cluster-monitoring-config', {
      data: { 'config.yaml': content, other: 'x' },
    });

  test('keeps what others wrote, comments included, and asks for volumes when there is a class', async () => {
    settings('# of the team\nenableUserWorkload: true\nprometheusK8s:\n  retention: 7d # long\n');
    await apply('monitoring', withInfra({ monitoring: { ...design.infra.monitoring, storageClass: 'fast' } }));
    expect(text()).toContain('# of the team');
    expect(text()).toContain('retention: 7d # long');
    expect(server.objects.get(MONITORING).data.other).toBe('x');
    const parsed = parse(text());
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
    expect(parse(text())).toMatchObject({ enableUserWorkload: true, prometheusK8s: { retention: '7d' } });
    expect(text()).not.toContain('nodeSelector');
  });

  test('is blocked by settings that cannot be read, by one node only, and by a class that is missing', async () => {
    settings('a: [');
    expect((await probe('monitoring')).state).toBe('blocked');
    settings('- a list');
    expect((await probe('monitoring')).state).toBe('blocked');
    const single = { ...design, nodes: design.nodes.filter(({ name }) => !/^i[23]$/.test(name)) };
    expect(await probe('monitoring', single)).toMatchObject({ state: 'blocked', why: words.each.monitoring.tooFew(1) });
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
    operatorsWork();
    expect((await probe('monitoring')).state).toBe('done');
  });
});

describe('taint', () => {
  test('is there when every infra node has it, with either effect', async () => {
    expect(areTainted(design, [])).toBe(false);
    const views = () => INFRA.map((name) => nodeView(node(name)));
    const taint = (effect: string) => [{ key: LABEL, value: 'reserved', effect }];
    for (const name of INFRA.slice(1)) node(name).spec.taints = taint('NoSchedule');
    expect(areTainted(design, views())).toBe(false);
    node(INFRA[0]!).spec.taints = taint('NoExecute');
    expect(areTainted(design, views())).toBe(true);
  });

  test('comes last', async () => {
    await apply('label');
    const { state, why } = await probe('taint');
    expect(state).toBe('blocked');
    for (const name of ['dns', 'router', 'monitoring'] as const) expect(why).toContain(words.each[name].title);
    await expect(apply('taint')).rejects.toThrow(TroubleError);
    expect(node(INFRA[0]!).spec.taints).toBeUndefined();
  });

  test('keeps the taints of others, adds NoExecute after NoSchedule, and does not mind the time that the API adds', async () => {
    const other = { key: 'example.com/gpu', effect: 'NoSchedule' };
    for (const name of NAMES.filter((each) => each !== 'taint')) {
      await apply(name);
      operatorsWork(await othersOf(name));
    }
    node(INFRA[0]!).spec.taints = [other];
    server.afterWrite = (path, object) => {
      if (!path.startsWith('/api/v1/nodes')) return;
      for (const taint of object.spec.taints ?? [])
        if (taint.effect === 'NoExecute') taint.timeAdded = '2026-11-21T12:00:00Z';
    };
    const hard = withInfra({ taint: { ...design.infra.taint, noExecute: true } });
    expect(await apply('taint', hard)).toBe(6);
    expect(await apply('taint', hard)).toBe(0);
    expect(node(INFRA[0]!).spec.taints.map((taint: Loose) => `${taint.key}:${taint.effect}`)).toEqual([
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
    expect(node(INFRA[0]!).spec.taints).toEqual([other]);
  });
});
