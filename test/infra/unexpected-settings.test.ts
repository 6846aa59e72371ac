import { expect, test } from 'vitest';
import { applyMoves } from '../../src/infra/apply-moves.ts';
import type { MoveName } from '../../src/infra/moves.ts';
import { selectStartableMoves } from '../../src/infra/moves.ts';
import { probeMoves } from '../../src/infra/probe.ts';
import { listStorageClasses } from '../../src/infra/shared/storage-classes.ts';
import { DOMAIN } from '../support/csr-forge.ts';
import { MOVES_ON_METAL } from '../support/infra-api.ts';
import { INFRA, type InfraWorld, infraWorld, LABEL } from '../support/infra-world.ts';

// Cluster settings that the design does not expect, on the rehearsal's API. Either one confirmation applies all moves
// and undo restores the cluster, or the plan stops before a change that would fail and names the remedy.

const ROUTER = ['ingresscontrollers.operator.openshift.io', 'openshift-ingress-operator', 'default'] as const;
const REGISTRY = ['configs.imageregistry.operator.openshift.io', null, 'cluster'] as const;
const DNS = ['dnses.operator.openshift.io', null, 'default'] as const;
const POOLS = 'machineconfigpools.machineconfiguration.openshift.io';
const WORKER_ROLES = {
  matchExpressions: [
    { key: 'machineconfiguration.openshift.io/role', operator: 'In', values: ['worker', 'infra', 'infrastructure'] },
  ],
};
const [I1 = '', I2 = ''] = INFRA;
const W1 = `w1.${DOMAIN}`;

type Setup = (world: InfraWorld) => void;
const setSpec =
  (where: readonly [string, string | null, string], value: unknown): Setup =>
  ({ change }) =>
    change(...where, (one) => {
      one.spec = value;
    });
const changeNode =
  (name: string, value: { labels?: Record<string, string>; spec?: object; isReady?: boolean }): Setup =>
  ({ change }) =>
    change('nodes', null, name, (one) => {
      one.metadata.labels = { ...one.metadata.labels, ...value.labels };
      one.spec = { ...(one.spec as object), ...value.spec };
      if (value.isReady === false) one.status = { conditions: [{ type: 'Ready', status: 'Unknown' }] };
    });
const addMonitoringConfig =
  (text: string): Setup =>
  ({ add }) =>
    add('configmaps', {
      metadata: { name: 'cluster-monitoring-config', namespace: 'openshift-monitoring' },
      data: { 'config.yaml': text },
    });
const addPool =
  (name: string, labels: Record<string, string>): Setup =>
  ({ add }) =>
    add(POOLS, {
      metadata: { name },
      spec: { machineConfigSelector: WORKER_ROLES, nodeSelector: { matchLabels: labels } },
    });
const setRegistry = (value: object): Setup =>
  setSpec(REGISTRY, { managementState: 'Managed', replicas: 1, storage: { emptyDir: {} }, ...value });
const affinity = (key: string, operator: string) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key, operator }] }],
      },
    },
  },
});

function worldWith(...setups: readonly Setup[]): InfraWorld {
  const world = infraWorld('4.18.9');
  world.infra({ registry: { ...world.design.infra.registry, storage: 'none' } });
  for (const setup of setups) setup(world);
  world.tick(6);
  return world;
}

test.each<[what: string, set: Setup, at: MoveName, why: RegExp]>([
  ['a node that is not Ready', changeNode(I2, { isReady: false }), 'label', /Not Ready yet: i2/],
  ['a node that is cordoned', changeNode(I2, { spec: { unschedulable: true } }), 'label', /oc adm uncordon i2/],
  [
    'a taint of a team',
    changeNode(I1, { spec: { taints: [{ key: 'team', value: 'x', effect: 'NoExecute' }] } }),
    'label',
    /i1 has team=x:NoExecute.*oc adm taint nodes i1\S* team:NoExecute-/,
  ],
  [
    'an unplanned node has the label',
    changeNode(W1, { labels: { [LABEL]: '' } }),
    'label',
    /w1\S* .*oc label nodes w1\S* node-role.kubernetes.io\/infra-/,
  ],
  [
    'two pools that select the nodes',
    (world) => {
      addPool('infra', { [LABEL]: '' })(world);
      addPool('infrastructure', { [LABEL]: '' })(world);
    },
    'pool',
    /infra, infrastructure/,
  ],
  ['a pool that is paused', setSpec([POOLS, null, 'worker'], { paused: true }), 'pool', /worker is paused/],
  ['a registry that is Unmanaged', setRegistry({ managementState: 'Unmanaged' }), 'registry', /Unmanaged/],
  ['DNS that is Unmanaged', setSpec(DNS, { managementState: 'Unmanaged' }), 'dns', /Unmanaged/],
  ['a registry that must be elsewhere', setRegistry(affinity('gpu', 'Exists')), 'registry', /spec\.affinity/],
  ['tabs in the settings', addMonitoringConfig('prometheusK8s:\n\tretention: 7d\n'), 'monitoring', /not valid YAML/],
  ['a key twice', addMonitoringConfig('prometheusK8s: {}\nprometheusK8s: {}\n'), 'monitoring', /not valid YAML/],
  ['two documents', addMonitoringConfig('a: 1\n---\nb: 2\n'), 'monitoring', /not valid YAML/],
  ['a list', addMonitoringConfig('- a\n'), 'monitoring', /not a mapping/],
])('%s: the plan stops there and names the remedy', async (_what, setup, stoppedAt, why) => {
  const world = worldWith(setup);
  const moves = await probeMoves(world.site, MOVES_ON_METAL);
  const firstStop = moves.find(({ state }) => state === 'blocked' || state === 'failed');
  expect([firstStop?.name, firstStop?.why]).toEqual([stoppedAt, expect.stringMatching(why)]);
  // If the user confirms the startable moves, apply stops at the same move, with the reason and without a write.
  if (stoppedAt !== 'label') return;
  const { startableMoves } = selectStartableMoves(moves);
  const confirmedChanges = startableMoves.flatMap(({ changes }) => changes);
  const result = await applyMoves(world.site, MOVES_ON_METAL, { onEvent: () => undefined, confirmedChanges });
  expect(result).toMatchObject({
    end: 'stopped',
    move: stoppedAt,
    reason: 'blocked',
    userError: { cause: expect.stringMatching(why) },
  });
  expect(world.writes).toBe(0);
});

test.each<[what: string, sets: readonly Setup[]]>([
  [
    'a pool under another name, with a node more',
    [addPool('infrastructure', { 'node-role.kubernetes.io/worker': '' })],
  ],
  [
    'all of it placed by hand as the documentation has it, with tolerations of their own style',
    [
      ...INFRA.map((name) => changeNode(name, { labels: { [LABEL]: '' } })),
      setSpec(ROUTER, {
        replicas: 3,
        nodePlacement: {
          nodeSelector: { matchLabels: { [LABEL]: '' } },
          tolerations: [{ key: LABEL, operator: 'Exists' }],
        },
      }),
      setRegistry({ nodeSelector: { [LABEL]: '' }, tolerations: [{ operator: 'Exists' }] }),
    ],
  ],
  [
    'nodes with the roles of both',
    [changeNode(I1, { labels: { [LABEL]: 'true', 'cluster.ocs.openshift.io/openshift-storage': '' } })],
  ],
  ['a registry with an affinity that fits', [setRegistry(affinity('node-role.kubernetes.io/worker', 'Exists'))]],
  ['Windows lines, tabs in a comment', [addMonitoringConfig('#\tteam\r\nprometheusK8s:\r\n  retention: 7d\r\n')]],
])('%s: one confirmation applies all moves, and undo restores the cluster', async (_what, setups) => {
  const world = worldWith(...setups);
  const before = world.contents();
  const planned = await probeMoves(world.site, MOVES_ON_METAL);
  const confirmedChanges = planned.flatMap(({ changes }) => changes);
  expect(await applyMoves(world.site, MOVES_ON_METAL, { onEvent: () => undefined, confirmedChanges })).toEqual({
    end: 'done',
  });
  const moves = await probeMoves(world.site, MOVES_ON_METAL);
  expect(moves.filter(({ state }) => state !== 'done' && state !== 'absent')).toEqual([]);
  for (const name of MOVES_ON_METAL.toReversed()) expect([name, await world.undo(name)]).toEqual([name, []]);
  expect(world.contents()).toEqual(before);
});

test('what was placed by hand and tolerates the taint in its own way is not written, and restarts nothing', async () => {
  const tolerations = [{ key: LABEL, operator: 'Exists' }];
  const nodeSelector = { [LABEL]: '' };
  const world = worldWith(
    ...INFRA.map((name) => changeNode(name, { labels: { [LABEL]: '' } })),
    setSpec(ROUTER, { replicas: 3, nodePlacement: { nodeSelector: { matchLabels: nodeSelector }, tolerations } }),
    setRegistry({ nodeSelector, tolerations: [{ operator: 'Exists' }] }),
    setSpec(['imagepruners.imageregistry.operator.openshift.io', null, 'cluster'], { nodeSelector, tolerations }),
  );
  const moves = await probeMoves(world.site, MOVES_ON_METAL);
  for (const name of ['label', 'router', 'registry'])
    expect([name, moves.find((move) => move.name === name)?.changes]).toEqual([name, []]);
  // A toleration with `tolerationSeconds` does not count: the pod has to leave after them.
  world.change(...ROUTER, (one) => {
    const limitedTolerations = [{ key: LABEL, operator: 'Exists', tolerationSeconds: 60 }];
    one.spec = {
      replicas: 3,
      nodePlacement: { nodeSelector: { matchLabels: nodeSelector }, tolerations: limitedTolerations },
    };
  });
  expect((await probeMoves(world.site, ['label', 'router']))[1]?.changes).toHaveLength(1);
});

test('nodes that joined under their short names are reported by those names', async () => {
  const world = infraWorld('4.18.9');
  for (const [index, name] of INFRA.entries()) {
    world.store.delete('nodes', null, name);
    if (index === 2) continue;
    world.add('nodes', { metadata: { name: `i${index + 1}` }, spec: {}, status: {} });
  }
  const [label] = await probeMoves(world.site, ['label']);
  expect(label).toMatchObject({ state: 'blocked', why: expect.stringMatching(/i3\.\S+\..*i1, i2/) });
});

const createStatus = (code: number, reason: string) => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `said ${reason}` },
});

test('a kubeconfig that may only read: the plan is whole, and the first write stops with nothing written', async () => {
  const world = worldWith();
  const before = world.contents();
  world.intercept = ({ method }) => (method === 'GET' ? null : createStatus(403, 'Forbidden'));
  const planned = await probeMoves(world.site, MOVES_ON_METAL);
  expect(planned.filter(({ state }) => state === 'blocked')).toEqual([]);
  const confirmedChanges = planned.flatMap(({ changes }) => changes);
  const result = await applyMoves(world.site, MOVES_ON_METAL, { onEvent: () => undefined, confirmedChanges });
  expect(result).toMatchObject({
    end: 'stopped',
    move: 'label',
    reason: 'failed',
    userError: { cause: /said Forbidden/ },
  });
  expect(world.contents()).toEqual(before);
});

test('all moves are applied although the API is often busy and others write objects between our reads and writes', async () => {
  const world = worldWith();
  const before = world.contents();
  let seed = 7;
  const conflictNodes = new Set<string>();
  world.intercept = ({ method, path, query }) => {
    seed = (seed * 48271) % 2147483647;
    if (seed % 40 === 0) return createStatus(429, 'TooManyRequests');
    const [, name] = /\/nodes\/([^/]+)$/.exec(path) ?? [];
    if (method !== 'PATCH' || query?.dryRun !== undefined || name === undefined || conflictNodes.has(name)) return null;
    conflictNodes.add(name);
    // A real conflict: the object that was read is outdated.
    world.change('nodes', null, name, (one) => {
      one.status = { ...(one.status as object), volumesInUse: [] };
    });
    return null;
  };
  expect(await applyMoves(world.site, MOVES_ON_METAL, { onEvent: () => undefined, confirmedChanges: null })).toEqual({
    end: 'done',
  });
  expect(conflictNodes.size).toBe(3);
  world.intercept = () => null;
  for (const name of MOVES_ON_METAL.toReversed()) expect([name, await world.undo(name)]).toEqual([name, []]);
  expect(world.contents()).toEqual(before);
});

test.each<[kind: string, path: RegExp, stops: MoveName | null]>([
  ['MachineConfigPool', /machineconfigpools/, 'pool'],
  ['IngressController', /ingresscontrollers/, 'router'],
  ['Config of the registry', /imageregistry.*\/configs/, 'registry'],
  ['ImagePruner', /imagepruners/, null],
  ['DNS', /dnses/, 'dns'],
  ['PodDisruptionBudget', /poddisruptionbudgets/, null],
  ['ClusterVersion', /clusterversions/, 'monitoring'],
])(
  'a cluster that does not serve %s: what needs it is blocked, and the rest is planned',
  async (_kind, path, stops) => {
    const world = worldWith(setRegistry({}));
    world.infra({ taint: { ...world.design.infra.taint, noExecute: true } });
    world.intercept = (request) => (path.test(request.path) ? createStatus(404, 'NotFound') : null);
    const moves = await probeMoves(world.site, MOVES_ON_METAL);
    const blocked = moves.filter(({ state }) => state === 'blocked').map(({ name }) => name);
    expect(blocked).toEqual(stops === null ? [] : stops === 'pool' ? ['pool'] : [stops, 'taint']);
  },
);

test('an immutable ConfigMap blocks, and the reason explains how to change it', async () => {
  const world = worldWith(({ add }) =>
    add('configmaps', {
      metadata: { name: 'cluster-monitoring-config', namespace: 'openshift-monitoring' },
      data: { 'config.yaml': '' },
      immutable: true,
    }),
  );
  const moves = await probeMoves(world.site, ['label', 'monitoring']);
  expect(moves[1]).toMatchObject({ state: 'blocked', why: expect.stringContaining('immutable') });
});

test('of two default storage classes, the newest counts, as for the API server', async () => {
  const createClass = (name: string, creationTimestamp: string, isDefault: string) => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, creationTimestamp, annotations: { 'storageclass.kubernetes.io/is-default-class': isDefault } },
  });
  const found = [
    createClass('old', '2024-01-01T00:00:00Z', 'true'),
    createClass('new', '2026-01-01T00:00:00Z', 'true'),
    createClass('newest', '2026-02-01T00:00:00Z', 'false'),
  ];
  const cluster = { get: async () => null, list: async () => found };
  expect(await listStorageClasses(cluster)).toEqual({ names: ['old', 'new', 'newest'], defaultClass: 'new' });
});
