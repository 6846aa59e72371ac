import { expect, test } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../../src/platform/clock.ts';
import { isDeepEqual, isRecord, type KubeObject, type NewObject } from '../../../src/rehearsal/api/objects.ts';
import { createStore, type Store } from '../../../src/rehearsal/api/store.ts';
import { deriveRandom } from '../../../src/rehearsal/site/seeded-random.ts';
import { reconcilePools } from '../../../src/rehearsal/world/nodes/pools.ts';
import { reconcileWorkloads } from '../../../src/rehearsal/world/workloads/controller.ts';
import { planWorkloads } from '../../../src/rehearsal/world/workloads/plan.ts';
import type { OperatorContext } from '../../../src/rehearsal/world/world.ts';
import { infraWorld, LABEL } from '../../support/infra-world.ts';
import { deriveSeed } from '../../support/property.ts';

const ROUNDS = 10;
const TURNS = 40;
const ROUTERS = 'ingresscontrollers.operator.openshift.io';
const REGISTRY = 'configs.imageregistry.operator.openshift.io';
const CLASSES = 'storageclasses.storage.k8s.io';
const POOLS = 'machineconfigpools.machineconfiguration.openshift.io';
const CONFIGS = 'machineconfigs.machineconfiguration.openshift.io';
const HOOKS = 'validatingwebhookconfigurations.admissionregistration.k8s.io';
const MONITORING = [
  '',
  'enableUserWorkload: true',
  `prometheusK8s: {nodeSelector: {${LABEL}: ""}}`,
  'prometheusK8s: {volumeClaimTemplate: {metadata: {name: data}, spec: {resources: {requests: {storage: 1Gi}}}}}',
  'prometheusK8s: [',
  'unheardOf: true',
];
const TAINTS = [[], [{ key: LABEL, effect: 'NoExecute' }], [{ key: LABEL, effect: 'NoSchedule' }]];

type Chooser = <T>(all: readonly T[]) => T;

/** Creates a chooser: the same seed always gives the same sequence. */
function createChooser(seed: number): Chooser {
  let calls = 0;
  return (all) => {
    calls += 1;
    const found = all[Math.floor(deriveRandom(seed, calls) * all.length)];
    if (found === undefined) throw new Error('nothing to choose from');
    return found;
  };
}

/**
 * Changes that administrators, machines and faults make to a cluster. `slow`: the changes after which controllers go on
 * working. `repair`: lets all pods run.
 */
function createChanges(
  store: Store,
  choose: Chooser,
): Record<'all' | 'slow', readonly (() => void)[]> & { readonly repair: () => void } {
  const set = (resource: string, namespace: string | null, name: string, field: 'spec' | 'status', value: object) =>
    store.mutate(resource, namespace, name, (object) => {
      object[field] = { ...(isRecord(object[field]) ? object[field] : {}), ...value };
    });
  /** Creates the object, or deletes it if it exists. */
  const toggle = (resource: string, object: NewObject) => {
    const { name = '', namespace = null } = object.metadata;
    if (!store.delete(resource, namespace, name)) store.create(resource, object);
  };
  const pickObject = (resource: string): KubeObject => choose(store.list(resource));
  const pickNodeName = () => pickObject('nodes').metadata.name;
  const toggleNamespace = (name: string) =>
    toggle('namespaces', { metadata: { name }, spec: {}, status: { phase: 'Active' } });
  const pickPlacement = () =>
    choose([{}, { nodeSelector: { matchLabels: { [LABEL]: '' } } }, { nodeSelector: { a: 'b' } }]);
  const toggleRole = (role: string) => (object: KubeObject) => {
    const { [role]: previous, ...labels } = object.metadata.labels ?? {};
    object.metadata.labels = previous === undefined ? { ...labels, [role]: '' } : labels;
  };
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  const standard = { metadata: { name: 'standard', annotations }, provisioner: 'csi.example.com' };
  const pool = { metadata: { name: 'infra' }, spec: { nodeSelector: { matchLabels: { [LABEL]: '' } } }, status: {} };
  const slow = [
    () => void store.mutate('nodes', null, pickNodeName(), toggleRole(LABEL)),
    () => {
      const metadata = { name: choose(['registry', 'orders']), namespace: 'openshift-image-registry' };
      toggle('persistentvolumeclaims', { metadata, spec: { accessModes: ['ReadWriteOnce'] }, status: {} });
    },
    () => {
      const { metadata } = pickObject('pods');
      store.delete('pods', metadata.namespace ?? null, metadata.name);
    },
    () => {
      const { metadata } = pickObject('deployments.apps');
      set('deployments.apps', metadata.namespace ?? null, metadata.name, 'spec', { replicas: choose([0, 1, 3]) });
    },
  ];
  const all = [
    ...slow,
    () => {
      const conditions = [{ type: 'Ready', status: choose(['True', 'True', 'Unknown', 'False']) }];
      set('nodes', null, pickNodeName(), 'status', { conditions });
    },
    () => void set('nodes', null, pickNodeName(), 'spec', { taints: choose(TAINTS) }),
    () => void store.mutate('nodes', null, pickNodeName(), toggleRole('node-role.kubernetes.io/worker')),
    () => {
      const labels = { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/os': 'linux' };
      const status = { conditions: [{ type: 'Ready', status: 'False' }] };
      toggle('nodes', { metadata: { name: choose(['w8', 'w9']), labels }, spec: {}, status });
    },
    () => {
      const spec = { replicas: choose([0, 1, 2, 3]), nodePlacement: pickPlacement() };
      set(ROUTERS, 'openshift-ingress-operator', 'default', 'spec', spec);
    },
    () => {
      const hostNetwork = { httpPort: choose([80, 8080]), httpsPort: 8443, statsPort: 1937 };
      const spec = { replicas: 1, endpointPublishingStrategy: { type: 'HostNetwork', hostNetwork } };
      toggle(ROUTERS, { metadata: { name: 'internal', namespace: 'openshift-ingress-operator' }, spec, status: {} });
    },
    () => {
      const storage = choose([{ emptyDir: {} }, { pvc: { claim: 'registry' } }, {}]);
      const managementState = choose(['Managed', 'Managed', 'Removed']);
      set(REGISTRY, null, 'cluster', 'spec', { managementState, storage, replicas: choose([1, 2]) });
    },
    () => {
      const metadata = { name: 'cluster-monitoring-config', namespace: 'openshift-monitoring' };
      store.delete('configmaps', metadata.namespace, metadata.name);
      store.create('configmaps', { metadata, data: { 'config.yaml': choose(MONITORING) } });
    },
    () => void set('dnses.operator.openshift.io', null, 'default', 'spec', { nodePlacement: pickPlacement() }),
    () =>
      void set('networks.config.openshift.io', null, 'cluster', 'spec', {
        networkDiagnostics: { mode: choose(['All', 'Disabled']) },
      }),
    () => toggle(CLASSES, standard),
    () => toggleNamespace(choose(['storage-csi', 'csr-approver'])),
    () => {
      const rule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['pods'], scope: '*' };
      const clientConfig = { service: { namespace: 'gone', name: 'gone', path: '/', port: 443 } };
      const webhooks = [{ name: 'gone.example.com', clientConfig, rules: [rule], failurePolicy: 'Fail' }];
      toggle(HOOKS, { metadata: { name: 'gone' }, webhooks });
    },
    () => toggle(POOLS, pool),
    () => {
      const labels = { 'machineconfiguration.openshift.io/role': 'worker' };
      toggle(CONFIGS, { metadata: { name: '99', labels }, spec: { config: { ignition: { version: '3.6.0' } } } });
    },
    () => store.load(store.dump()),
  ];
  const mend = () => {
    for (const { metadata } of store.list('nodes')) {
      set('nodes', null, metadata.name, 'spec', { taints: [] });
      set('nodes', null, metadata.name, 'status', { conditions: [{ type: 'Ready', status: 'True' }] });
    }
    set(ROUTERS, 'openshift-ingress-operator', 'default', 'spec', { replicas: 2, nodePlacement: {} });
    set(REGISTRY, null, 'cluster', 'spec', { managementState: 'Removed' });
    store.delete('configmaps', 'openshift-monitoring', 'cluster-monitoring-config');
    store.delete('namespaces', null, 'storage-csi');
    store.delete(HOOKS, null, 'gone');
    for (const [resource, object] of [
      [CLASSES, standard],
      [POOLS, pool],
    ] as const)
      if (store.get(resource, null, object.metadata.name) === undefined) store.create(resource, object);
    for (const claim of ['registry', 'orders'])
      store.delete('persistentvolumeclaims', 'openshift-image-registry', claim);
  };
  return { all, slow, repair: mend };
}

test('a reconciliation that a controller skips would have changed nothing, whatever happened before', () => {
  const choose = createChooser(deriveSeed(0));
  const base = infraWorld('4.18.9');
  let now = base.operatorContext.clock.now();
  const store = createStore({ now: () => now });
  store.load(base.store.dump());
  let listCalls = 0;
  const countingStore: Store = {
    ...store,
    list(resource, namespace) {
      if (resource === 'nodes') listCalls += 1;
      return store.list(resource, namespace);
    },
  };
  const cluster = (controlPlaneReplicas: number) => ({ apiSince: now - HOUR, controlPlaneReplicas });
  const saved = { timers: {}, monitoringConfig: '', cluster: cluster(3) };
  const world: OperatorContext = {
    ...base.operatorContext,
    clock: { ...base.operatorContext.clock, now: () => now },
    store: countingStore,
    saved,
  };
  /** Creates the same world without remembered states: its controllers reconcile. */
  const createFreshWorld = (): OperatorContext => ({ ...world, saved: { ...saved } });
  const serialize = ({ saved: its }: OperatorContext) => JSON.stringify([store.getChangeCount(), its]);
  const skipped = { workloads: 0, pools: 0 };
  const executed = { ...skipped };
  const reconcileOnce = (name: keyof typeof skipped, reconcile: (on: OperatorContext) => void) => {
    const before = listCalls;
    reconcile(world);
    if (listCalls > before) executed[name] += 1;
    else {
      skipped[name] += 1;
      const fresh = createFreshWorld();
      const expected = serialize(fresh);
      reconcile(fresh);
      expect(listCalls).toBeGreaterThan(before);
      expect(serialize(fresh)).toBe(expected);
    }
  };
  for (const name of ['m1', 'm2', 'm3']) {
    const labels = { 'node-role.kubernetes.io/master': '', 'kubernetes.io/os': 'linux' };
    store.create('nodes', { metadata: { name, labels }, spec: {}, status: {} });
  }
  const { all, slow, repair } = createChanges(store, choose);
  const changes = [...all, () => Object.assign(saved, { cluster: cluster(choose([1, 3])) })];
  for (let round = 0; round < ROUNDS; round += 1) {
    // The first 8 turns make many changes. After that, one turn in 8 makes some, and everything settles in between.
    for (let turn = 0; turn < TURNS; turn += 1) {
      now += choose([3 * SECOND, 3 * SECOND, 10 * SECOND, 20 * SECOND, 20 * SECOND, MINUTE, 2 * MINUTE, 2 * HOUR]);
      if (turn === 8) repair();
      if (turn < 8 ? choose([true, false]) : turn % 8 === 0) choose(turn < 8 ? changes : [...slow, choose(changes)])();
      reconcileOnce('workloads', reconcileWorkloads);
      reconcileOnce('pools', reconcilePools);
      expect(isDeepEqual(planWorkloads(world), planWorkloads(createFreshWorld()))).toBe(true);
    }
  }
  // Each was skipped, and each was executed, often enough for a meaningful comparison.
  for (const count of [...Object.values(skipped), ...Object.values(executed)])
    expect(count).toBeGreaterThan(5 * ROUNDS);
});
