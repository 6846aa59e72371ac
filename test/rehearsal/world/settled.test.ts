import { expect, test } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../../src/ports/clock.ts';
import { isSame } from '../../../src/rehearsal/api/json.ts';
import { isRecord, type KubeObject } from '../../../src/rehearsal/api/objects.ts';
import { createStore, type NewObject, type Store } from '../../../src/rehearsal/api/store.ts';
import { chance } from '../../../src/rehearsal/site/random.ts';
import { reconcilePools } from '../../../src/rehearsal/world/nodes/pools.ts';
import { reconcileWorkloads } from '../../../src/rehearsal/world/workloads/controller.ts';
import { plannedWorkloads } from '../../../src/rehearsal/world/workloads/plan.ts';
import type { Operated } from '../../../src/rehearsal/world/world.ts';
import { infraWorld, LABEL } from '../../support/infra-world.ts';
import { seedOf } from '../../support/property.ts';

const ROUNDS = 10;
const LOOKS = 40;
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

type Choose = <T>(all: readonly T[]) => T;

/** Chooses the same at every run with the same seed. */
function die(seed: number): Choose {
  let thrown = 0;
  return (all) => {
    thrown += 1;
    const found = all[Math.floor(chance(seed, thrown) * all.length)];
    if (found === undefined) throw new Error('nothing to choose from');
    return found;
  };
}

/** What people, machines and faults do to a cluster, of it (`slow`) what then goes on by itself, and (`mend`) what lets all pods run. */
function deeds(
  store: Store,
  one: Choose,
): Record<'all' | 'slow', readonly (() => void)[]> & { readonly mend: () => void } {
  const set = (resource: string, namespace: string | null, name: string, field: 'spec' | 'status', value: object) =>
    store.mutate(resource, namespace, name, (object) => {
      object[field] = { ...(isRecord(object[field]) ? object[field] : {}), ...value };
    });
  /** Makes it; or removes it, where it is there. */
  const flip = (resource: string, object: NewObject) => {
    const { name = '', namespace = null } = object.metadata;
    if (!store.delete(resource, namespace, name)) store.create(resource, object);
  };
  const some = (resource: string): KubeObject => one(store.list(resource));
  const node = () => some('nodes').metadata.name;
  const namespace = (name: string) => flip('namespaces', { metadata: { name }, spec: {}, status: { phase: 'Active' } });
  const placement = () => one([{}, { nodeSelector: { matchLabels: { [LABEL]: '' } } }, { nodeSelector: { a: 'b' } }]);
  const withRole = (role: string) => (object: KubeObject) => {
    const { [role]: had, ...labels } = object.metadata.labels ?? {};
    object.metadata.labels = had === undefined ? { ...labels, [role]: '' } : labels;
  };
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  const standard = { metadata: { name: 'standard', annotations }, provisioner: 'csi.example.com' };
  const pool = { metadata: { name: 'infra' }, spec: { nodeSelector: { matchLabels: { [LABEL]: '' } } }, status: {} };
  const slow = [
    () => void store.mutate('nodes', null, node(), withRole(LABEL)),
    () => {
      const metadata = { name: one(['registry', 'orders']), namespace: 'openshift-image-registry' };
      flip('persistentvolumeclaims', { metadata, spec: { accessModes: ['ReadWriteOnce'] }, status: {} });
    },
    () => {
      const { metadata } = some('pods');
      store.delete('pods', metadata.namespace ?? null, metadata.name);
    },
    () => {
      const { metadata } = some('deployments.apps');
      set('deployments.apps', metadata.namespace ?? null, metadata.name, 'spec', { replicas: one([0, 1, 3]) });
    },
  ];
  const all = [
    ...slow,
    () => {
      const conditions = [{ type: 'Ready', status: one(['True', 'True', 'Unknown', 'False']) }];
      set('nodes', null, node(), 'status', { conditions });
    },
    () => void set('nodes', null, node(), 'spec', { taints: one(TAINTS) }),
    () => void store.mutate('nodes', null, node(), withRole('node-role.kubernetes.io/worker')),
    () => {
      const labels = { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/os': 'linux' };
      const status = { conditions: [{ type: 'Ready', status: 'False' }] };
      flip('nodes', { metadata: { name: one(['w8', 'w9']), labels }, spec: {}, status });
    },
    () => {
      const spec = { replicas: one([0, 1, 2, 3]), nodePlacement: placement() };
      set(ROUTERS, 'openshift-ingress-operator', 'default', 'spec', spec);
    },
    () => {
      const hostNetwork = { httpPort: one([80, 8080]), httpsPort: 8443, statsPort: 1937 };
      const spec = { replicas: 1, endpointPublishingStrategy: { type: 'HostNetwork', hostNetwork } };
      flip(ROUTERS, { metadata: { name: 'internal', namespace: 'openshift-ingress-operator' }, spec, status: {} });
    },
    () => {
      const storage = one([{ emptyDir: {} }, { pvc: { claim: 'registry' } }, {}]);
      const managementState = one(['Managed', 'Managed', 'Removed']);
      set(REGISTRY, null, 'cluster', 'spec', { managementState, storage, replicas: one([1, 2]) });
    },
    () => {
      const metadata = { name: 'cluster-monitoring-config', namespace: 'openshift-monitoring' };
      store.delete('configmaps', metadata.namespace, metadata.name);
      store.create('configmaps', { metadata, data: { 'config.yaml': one(MONITORING) } });
    },
    () => void set('dnses.operator.openshift.io', null, 'default', 'spec', { nodePlacement: placement() }),
    () =>
      void set('networks.config.openshift.io', null, 'cluster', 'spec', {
        networkDiagnostics: { mode: one(['All', 'Disabled']) },
      }),
    () => flip(CLASSES, standard),
    () => namespace(one(['storage-csi', 'csr-approver'])),
    () => {
      const rule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['pods'], scope: '*' };
      const clientConfig = { service: { namespace: 'gone', name: 'gone', path: '/', port: 443 } };
      const webhooks = [{ name: 'gone.example.com', clientConfig, rules: [rule], failurePolicy: 'Fail' }];
      flip(HOOKS, { metadata: { name: 'gone' }, webhooks });
    },
    () => flip(POOLS, pool),
    () => {
      const labels = { 'machineconfiguration.openshift.io/role': 'worker' };
      flip(CONFIGS, { metadata: { name: '99', labels }, spec: { config: { ignition: { version: '3.6.0' } } } });
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
  return { all, slow, mend };
}

test('a look of a controller that is left out would have changed nothing, whatever happened before', () => {
  const one = die(seedOf(0));
  const installed = infraWorld('4.18.9');
  let now = installed.operated.clock.now();
  const store = createStore({ now: () => now });
  store.load(installed.store.dump());
  let looks = 0;
  const seen: Store = {
    ...store,
    list(resource, namespace) {
      if (resource === 'nodes') looks += 1;
      return store.list(resource, namespace);
    },
  };
  const cluster = (controlPlaneReplicas: number) => ({ apiSince: now - HOUR, controlPlaneReplicas });
  const saved = { timers: {}, monitoringConfig: '', cluster: cluster(3) };
  const world: Operated = {
    ...installed.operated,
    clock: { ...installed.operated.clock, now: () => now },
    store: seen,
    saved,
  };
  /** The same world as one that has never been looked at. */
  const unseen = (): Operated => ({ ...world, saved: { ...saved } });
  const text = ({ saved: its }: Operated) => JSON.stringify([store.changes(), its]);
  const left = { workloads: 0, pools: 0 };
  const looked = { ...left };
  const look = (name: keyof typeof left, reconcile: (on: Operated) => void) => {
    const before = looks;
    reconcile(world);
    if (looks > before) looked[name] += 1;
    else {
      left[name] += 1;
      const anew = unseen();
      const was = text(anew);
      reconcile(anew);
      expect(looks).toBeGreaterThan(before);
      expect(text(anew)).toBe(was);
    }
  };
  for (const name of ['m1', 'm2', 'm3']) {
    const labels = { 'node-role.kubernetes.io/master': '', 'kubernetes.io/os': 'linux' };
    store.create('nodes', { metadata: { name, labels }, spec: {}, status: {} });
  }
  const { all, slow, mend } = deeds(store, one);
  const changes = [...all, () => Object.assign(saved, { cluster: cluster(one([1, 3])) })];
  for (let round = 0; round < ROUNDS; round += 1) {
    // Much is done at once; then now and then something, and between two of these everything comes to rest.
    for (let turn = 0; turn < LOOKS; turn += 1) {
      now += one([3 * SECOND, 3 * SECOND, 10 * SECOND, 20 * SECOND, 20 * SECOND, MINUTE, 2 * MINUTE, 2 * HOUR]);
      if (turn === 8) mend();
      if (turn < 8 ? one([true, false]) : turn % 8 === 0) one(turn < 8 ? changes : [...slow, one(changes)])();
      look('workloads', reconcileWorkloads);
      look('pools', reconcilePools);
      expect(isSame(plannedWorkloads(world), plannedWorkloads(unseen()))).toBe(true);
    }
  }
  // Both were left out, and both had to look, often enough for this to say something.
  for (const count of [...Object.values(left), ...Object.values(looked)]) expect(count).toBeGreaterThan(5 * ROUNDS);
});
