import { expect, test } from 'vitest';
import { storageClasses } from '../../src/moves/storage/storage-class.ts';
import type { MoveName } from '../../src/moves/table.ts';
import { applyMoves } from '../../src/steps/infra/apply-moves.ts';
import { lookAtMoves } from '../../src/steps/infra/look.ts';
import { startedWith } from '../../src/steps/infra/standing.ts';
import { DOMAIN } from '../support/csr-forge.ts';
import { MOVES_ON_METAL } from '../support/infra-api.ts';
import { INFRA, type InfraWorld, infraWorld, LABEL } from '../support/infra-world.ts';

// Settings that nobody told us of, on the rehearsal's API: either one yes makes all moves, and undo gives back what was there; or
// the plan stops before a change that could not end well, and says what to do.

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

type Set = (world: InfraWorld) => void;
const spec =
  (where: readonly [string, string | null, string], value: unknown): Set =>
  ({ change }) =>
    change(...where, (one) => {
      one.spec = value;
    });
const node =
  (name: string, value: { labels?: Record<string, string>; spec?: object; isReady?: boolean }): Set =>
  ({ change }) =>
    change('nodes', null, name, (one) => {
      one.metadata.labels = { ...one.metadata.labels, ...value.labels };
      one.spec = { ...(one.spec as object), ...value.spec };
      if (value.isReady === false) one.status = { conditions: [{ type: 'Ready', status: 'Unknown' }] };
    });
const settings =
  (text: string): Set =>
  ({ add }) =>
    add('configmaps', {
      metadata: { name: 'cluster-monitoring-config', namespace: 'openshift-monitoring' },
      data: { 'config.yaml': text },
    });
const pool =
  (name: string, labels: Record<string, string>): Set =>
  ({ add }) =>
    add(POOLS, {
      metadata: { name },
      spec: { machineConfigSelector: WORKER_ROLES, nodeSelector: { matchLabels: labels } },
    });
const registry = (value: object): Set =>
  spec(REGISTRY, { managementState: 'Managed', replicas: 1, storage: { emptyDir: {} }, ...value });
const affinity = (key: string, operator: string) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key, operator }] }],
      },
    },
  },
});

function worldWith(...sets: readonly Set[]): InfraWorld {
  const world = infraWorld('4.18.9');
  world.infra({ registry: { ...world.design.infra.registry, storage: 'none' } });
  for (const set of sets) set(world);
  world.tick(6);
  return world;
}

test.each<[what: string, set: Set, at: MoveName, why: RegExp]>([
  ['a node that is not Ready', node(I2, { isReady: false }), 'label', /Not ready yet: i2/],
  ['a node that is cordoned', node(I2, { spec: { unschedulable: true } }), 'label', /oc adm uncordon i2/],
  [
    'a taint of a team',
    node(I1, { spec: { taints: [{ key: 'team', value: 'x', effect: 'NoExecute' }] } }),
    'label',
    /i1 has team=x:NoExecute.*oc adm taint nodes i1\S* team:NoExecute-/,
  ],
  [
    'a node that nobody planned has the label',
    node(W1, { labels: { [LABEL]: '' } }),
    'label',
    /w1\S* .*oc label nodes w1\S* node-role.kubernetes.io\/infra-/,
  ],
  [
    'two pools that select the nodes',
    (world) => {
      pool('infra', { [LABEL]: '' })(world);
      pool('infrastructure', { [LABEL]: '' })(world);
    },
    'pool',
    /infra, infrastructure/,
  ],
  ['a pool that is paused', spec([POOLS, null, 'worker'], { paused: true }), 'pool', /worker is paused/],
  ['a registry that is Unmanaged', registry({ managementState: 'Unmanaged' }), 'registry', /Unmanaged/],
  ['DNS that is Unmanaged', spec(DNS, { managementState: 'Unmanaged' }), 'dns', /Unmanaged/],
  ['a registry that must be elsewhere', registry(affinity('gpu', 'Exists')), 'registry', /spec\.affinity/],
  ['tabs in the settings', settings('prometheusK8s:\n\tretention: 7d\n'), 'monitoring', /not valid YAML/],
  ['a key twice', settings('prometheusK8s: {}\nprometheusK8s: {}\n'), 'monitoring', /not valid YAML/],
  ['two documents', settings('a: 1\n---\nb: 2\n'), 'monitoring', /not valid YAML/],
  ['a list', settings('- a\n'), 'monitoring', /not a mapping/],
])('%s: the plan stops there, and says what to do', async (_what, set, at, why) => {
  const world = worldWith(set);
  const seen = await lookAtMoves(world.site, MOVES_ON_METAL);
  const stop = seen.find(({ state }) => state === 'blocked' || state === 'failed');
  expect([stop?.name, stop?.why]).toEqual([at, expect.stringMatching(why)]);
  // Nor does it begin where somebody says yes to what the plan starts: the reason is said, and what comes before is made.
  if (at !== 'label') return;
  const { started } = startedWith(seen);
  const shown = started.flatMap(({ changes }) => changes);
  const ended = await applyMoves(world.site, MOVES_ON_METAL, { tell: () => undefined, shown });
  expect(ended).toMatchObject({
    end: 'stopped',
    move: at,
    how: 'blocked',
    trouble: { cause: expect.stringMatching(why) },
  });
  expect(world.writes).toBe(0);
});

test.each<[what: string, sets: readonly Set[]]>([
  ['a pool under another name, with a node more', [pool('infrastructure', { 'node-role.kubernetes.io/worker': '' })]],
  [
    'all of it placed by hand as the documentation has it, with tolerations of their own style',
    [
      ...INFRA.map((name) => node(name, { labels: { [LABEL]: '' } })),
      spec(ROUTER, {
        replicas: 3,
        nodePlacement: {
          nodeSelector: { matchLabels: { [LABEL]: '' } },
          tolerations: [{ key: LABEL, operator: 'Exists' }],
        },
      }),
      registry({ nodeSelector: { [LABEL]: '' }, tolerations: [{ operator: 'Exists' }] }),
    ],
  ],
  [
    'nodes with the roles of both',
    [node(I1, { labels: { [LABEL]: 'true', 'cluster.ocs.openshift.io/openshift-storage': '' } })],
  ],
  ['a registry with an affinity that fits', [registry(affinity('node-role.kubernetes.io/worker', 'Exists'))]],
  ['Windows lines, tabs in a comment', [settings('#\tteam\r\nprometheusK8s:\r\n  retention: 7d\r\n')]],
])('%s: all of it is made at one yes, and given back', async (_what, sets) => {
  const world = worldWith(...sets);
  const before = world.contents();
  const planned = await lookAtMoves(world.site, MOVES_ON_METAL);
  const shown = planned.flatMap(({ changes }) => changes);
  expect(await applyMoves(world.site, MOVES_ON_METAL, { tell: () => undefined, shown })).toEqual({ end: 'done' });
  const seen = await lookAtMoves(world.site, MOVES_ON_METAL);
  expect(seen.filter(({ state }) => state !== 'done' && state !== 'absent')).toEqual([]);
  for (const name of MOVES_ON_METAL.toReversed()) expect([name, await world.undo(name)]).toEqual([name, []]);
  expect(world.contents()).toEqual(before);
});

test('what was placed by hand and tolerates the taint in its own way is not written, and restarts nothing', async () => {
  const tolerations = [{ key: LABEL, operator: 'Exists' }];
  const nodeSelector = { [LABEL]: '' };
  const world = worldWith(
    ...INFRA.map((name) => node(name, { labels: { [LABEL]: '' } })),
    spec(ROUTER, { replicas: 3, nodePlacement: { nodeSelector: { matchLabels: nodeSelector }, tolerations } }),
    registry({ nodeSelector, tolerations: [{ operator: 'Exists' }] }),
    spec(['imagepruners.imageregistry.operator.openshift.io', null, 'cluster'], { nodeSelector, tolerations }),
  );
  const seen = await lookAtMoves(world.site, MOVES_ON_METAL);
  for (const name of ['label', 'router', 'registry'])
    expect([name, seen.find((move) => move.name === name)?.changes]).toEqual([name, []]);
  // Seconds of grace are no toleration: the pod has to leave after them.
  world.change(...ROUTER, (one) => {
    const grace = [{ key: LABEL, operator: 'Exists', tolerationSeconds: 60 }];
    one.spec = { replicas: 3, nodePlacement: { nodeSelector: { matchLabels: nodeSelector }, tolerations: grace } };
  });
  expect((await lookAtMoves(world.site, ['label', 'router']))[1]?.changes).toHaveLength(1);
});

test('nodes that joined under their short names are told by them', async () => {
  const world = infraWorld('4.18.9');
  for (const [index, name] of INFRA.entries()) {
    world.store.delete('nodes', null, name);
    if (index === 2) continue;
    world.add('nodes', { metadata: { name: `i${index + 1}` }, spec: {}, status: {} });
  }
  const [label] = await lookAtMoves(world.site, ['label']);
  expect(label).toMatchObject({ state: 'blocked', why: expect.stringMatching(/i3\.\S+\..*i1, i2/) });
});

const status = (code: number, reason: string) => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `said ${reason}` },
});

test('a kubeconfig that may only read: the plan is whole, and the first write stops with nothing written', async () => {
  const world = worldWith();
  const before = world.contents();
  world.instead = ({ method }) => (method === 'GET' ? null : status(403, 'Forbidden'));
  const planned = await lookAtMoves(world.site, MOVES_ON_METAL);
  expect(planned.filter(({ state }) => state === 'blocked')).toEqual([]);
  const shown = planned.flatMap(({ changes }) => changes);
  const ended = await applyMoves(world.site, MOVES_ON_METAL, { tell: () => undefined, shown });
  expect(ended).toMatchObject({ end: 'stopped', move: 'label', how: 'failed', trouble: { cause: /said Forbidden/ } });
  expect(world.contents()).toEqual(before);
});

test('an API that is busy time and again, and objects that others write between our reads and writes: all of it is made', async () => {
  const world = worldWith();
  const before = world.contents();
  let seed = 7;
  const touched = new Set<string>();
  world.instead = ({ method, path, query }) => {
    seed = (seed * 48271) % 2147483647;
    if (seed % 40 === 0) return status(429, 'TooManyRequests');
    const [, name] = /\/nodes\/([^/]+)$/.exec(path) ?? [];
    if (method !== 'PATCH' || query?.dryRun !== undefined || name === undefined || touched.has(name)) return null;
    touched.add(name);
    // A real conflict: what we read is not the newest any more.
    world.change('nodes', null, name, (one) => {
      one.status = { ...(one.status as object), volumesInUse: [] };
    });
    return null;
  };
  expect(await applyMoves(world.site, MOVES_ON_METAL, { tell: () => undefined, shown: null })).toEqual({ end: 'done' });
  expect(touched.size).toBe(3);
  world.instead = () => null;
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
    const world = worldWith(registry({}));
    world.infra({ taint: { ...world.design.infra.taint, noExecute: true } });
    world.instead = (exchange) => (path.test(exchange.path) ? status(404, 'NotFound') : null);
    const seen = await lookAtMoves(world.site, MOVES_ON_METAL);
    const blocked = seen.filter(({ state }) => state === 'blocked').map(({ name }) => name);
    expect(blocked).toEqual(stops === null ? [] : stops === 'pool' ? ['pool'] : [stops, 'taint']);
  },
);

test('settings that may not change (immutable) block, and say how they come to be changed', async () => {
  const world = worldWith(({ add }) =>
    add('configmaps', {
      metadata: { name: 'cluster-monitoring-config', namespace: 'openshift-monitoring' },
      data: { 'config.yaml': '' },
      immutable: true,
    }),
  );
  const seen = await lookAtMoves(world.site, ['label', 'monitoring']);
  expect(seen[1]).toMatchObject({ state: 'blocked', why: expect.stringContaining('immutable') });
});

test('of two default storage classes, the newest counts, as for the API server', async () => {
  const classOf = (name: string, creationTimestamp: string, isDefault: string) => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, creationTimestamp, annotations: { 'storageclass.kubernetes.io/is-default-class': isDefault } },
  });
  const found = [
    classOf('old', '2024-01-01T00:00:00Z', 'true'),
    classOf('new', '2026-01-01T00:00:00Z', 'true'),
    classOf('newest', '2026-02-01T00:00:00Z', 'false'),
  ];
  const sight = { get: async () => null, list: async () => found };
  expect(await storageClasses(sight)).toEqual({ names: ['old', 'new', 'newest'], standard: 'new' });
});
