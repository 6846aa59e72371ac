import { describe, expect, test } from 'vitest';
import { UserErrorException } from '../../src/i18n/user-error.ts';
import type { MoveName } from '../../src/infra/moves.ts';
import { getField } from '../../src/openshift/object.ts';
import { type InfraWorld, infraWorld, LABEL } from '../support/infra-world.ts';

// Unusual objects of real clusters, on an API with schemas: planned, applied and restored.

const ROUTER = ['ingresscontrollers.operator.openshift.io', 'openshift-ingress-operator', 'default'] as const;
const REGISTRY = ['configs.imageregistry.operator.openshift.io', null, 'cluster'] as const;
const PRUNER = ['imagepruners.imageregistry.operator.openshift.io', null, 'cluster'] as const;
const DNS = ['dnses.operator.openshift.io', null, 'default'] as const;
const CONFIG = ['configmaps', 'openshift-monitoring', 'cluster-monitoring-config'] as const;

const setSpec =
  (where: readonly [string, string | null, string], value: unknown) =>
  ({ change }: InfraWorld) =>
    change(...where, (one) => {
      one.spec = value;
    });
const setMonitoringConfig = (text: string | null) => (world: InfraWorld) =>
  world.add('configmaps', {
    metadata: { name: CONFIG[2], namespace: CONFIG[1] },
    ...(text === null ? {} : { data: { 'config.yaml': text } }),
  });

test.each<[what: string, move: MoveName, set: (world: InfraWorld) => void]>([
  ['nodePlacement null', 'router', setSpec(ROUTER, { nodePlacement: null })],
  ['nodePlacement empty', 'router', setSpec(ROUTER, { nodePlacement: {} })],
  ['a selector of the routers that is empty', 'router', setSpec(ROUTER, { nodePlacement: { nodeSelector: {} } })],
  [
    'routers by matchExpressions',
    'router',
    setSpec(ROUTER, {
      nodePlacement: { nodeSelector: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] } },
    }),
  ],
  [
    'routers by both',
    'router',
    setSpec(ROUTER, {
      replicas: 9,
      nodePlacement: {
        nodeSelector: { matchLabels: { zone: 'a' }, matchExpressions: [{ key: 'x', operator: 'Exists' }] },
        tolerations: [],
      },
    }),
  ],
  ['DNS placed null', 'dns', setSpec(DNS, { nodePlacement: null })],
  ['DNS that tolerates all', 'dns', setSpec(DNS, { nodePlacement: { tolerations: [{ operator: 'Exists' }] } })],
  ['a registry that is Removed', 'registry-storage', setSpec(REGISTRY, { managementState: 'Removed', replicas: 1 })],
  [
    'a registry in a bucket',
    'registry-storage',
    setSpec(REGISTRY, {
      managementState: 'Managed',
      replicas: 2,
      storage: { s3: { bucket: 'b' }, managementState: 'Managed' },
    }),
  ],
  ['a pruner with null', 'registry', setSpec(PRUNER, { nodeSelector: null, tolerations: null })],
  ['a ConfigMap without data', 'monitoring', setMonitoringConfig(null)],
  ['an empty text', 'monitoring', setMonitoringConfig('')],
  ['comments alone', 'monitoring', setMonitoringConfig('# nothing yet\n')],
  ['an empty mapping', 'monitoring', setMonitoringConfig('{}\n')],
  ['Windows lines, no last one', 'monitoring', setMonitoringConfig('prometheusK8s:\r\n  retention: 7d')],
  ['JSON', 'monitoring', setMonitoringConfig('{"prometheusK8s":{"retention":"7d"}}')],
  [
    'keys that are empty',
    'monitoring',
    setMonitoringConfig('prometheusK8s:\nalertmanagerMain: ~\nthanosQuerier: {}\n'),
  ],
])('%s', async (_what, name, set) => {
  const world = infraWorld('4.18.9');
  world.infra({ registry: { ...world.design.infra.registry, storage: 'pvc', storageClass: 'fast' } });
  set(world);
  await world.applyAndSettle('label');
  if (name === 'registry') await world.applyAndSettle('registry-storage');
  const before = world.contents();
  expect(await world.applyAndSettle(name)).toMatchObject({ state: 'done', changes: [] });
  expect(await world.undo(name)).toEqual([]);
  expect(withoutNulls(world.contents())).toEqual(withoutNulls(before));
});

/** A merge patch cannot write null: a field that was null is missing afterwards. */
const withoutNulls = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, found) => (found === null ? undefined : found)));

describe('an API that does not do what it should', () => {
  const createStatusAnswer = (code: number, reason: string) => ({
    status: code,
    body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `said ${reason}` },
  });

  test('endless conflicts are given up with nothing written; so are expired, refused and invalid requests', async () => {
    const world = infraWorld('4.18.9');
    await world.applyAndSettle('label');
    const before = world.contents();
    for (const [code, reason] of [
      [409, 'Conflict'],
      [410, 'Expired'],
      [403, 'Forbidden'],
      [422, 'Invalid'],
      [429, 'TooManyRequests'],
      [500, 'InternalError'],
    ] as const) {
      let attempts = 0;
      world.intercept = ({ method }) => {
        if (method === 'GET') return null;
        attempts += 1;
        return createStatusAnswer(code, reason);
      };
      const thrown = await world.apply('router').catch((error: unknown) => error);
      expect([reason, thrown instanceof UserErrorException]).toEqual([reason, true]);
      expect([reason, attempts < 12]).toEqual([reason, true]);
      expect([reason, world.contents()]).toEqual([reason, before]);
    }
    world.intercept = () => null;
    expect((await world.applyAndSettle('router')).state).toBe('done');
    expect(getField(world.store.get(...ROUTER), 'spec', 'nodePlacement', 'nodeSelector', 'matchLabels')).toEqual({
      [LABEL]: '',
    });
    await world.undo('router');
    expect(world.contents()).toEqual(before);
  });

  test('a mutating webhook that takes a setting out again is named, and the remaining settings are restored', async () => {
    const world = infraWorld('4.18.9');
    await world.applyAndSettle('label');
    const before = world.contents();
    const stop = world.store.subscribe(({ object }) => {
      if (object.kind !== 'IngressController' || getField(object.spec, 'nodePlacement', 'tolerations') === undefined)
        return;
      world.change(...ROUTER, (one) => {
        const { nodePlacement } = one.spec as { nodePlacement: { nodeSelector: unknown } };
        one.spec = { ...(one.spec as object), nodePlacement: { nodeSelector: nodePlacement.nodeSelector } };
      });
    });
    const thrown = await world.apply('router').catch((error: unknown) => error);
    expect(thrown).toMatchObject({ userError: { code: 'infra-not-kept' } });
    stop();
    expect(await world.undo('router')).toEqual([]);
    expect(world.contents()).toEqual(before);
  });

  test('a list of five hundred objects is read completely', async () => {
    const world = infraWorld('4.18.9');
    for (let index = 0; index < 500; index += 1)
      world.add('nodes', {
        metadata: { name: `x${index}`, labels: { 'node-role.kubernetes.io/worker': '', other: 'yes' } },
        spec: { unschedulable: true },
        status: { conditions: [{ type: 'Ready', status: 'False' }] },
      });
    expect(await world.cluster.list('Node')).toHaveLength(505);
    expect((await world.probe('label')).state).toBe('needed');
  });
});
