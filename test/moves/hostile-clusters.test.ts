import { describe, expect, test } from 'vitest';
import type { MoveName } from '../../src/moves/table.ts';
import { at } from '../../src/objects/object.ts';
import { TroubleError } from '../../src/text/trouble.ts';
import { type InfraWorld, infraWorld, LABEL } from '../support/infra-world.ts';

// What clusters hold that nobody expects, on an API with schemas: planned, made, and given back as it was.

const ROUTER = ['ingresscontrollers.operator.openshift.io', 'openshift-ingress-operator', 'default'] as const;
const REGISTRY = ['configs.imageregistry.operator.openshift.io', null, 'cluster'] as const;
const PRUNER = ['imagepruners.imageregistry.operator.openshift.io', null, 'cluster'] as const;
const DNS = ['dnses.operator.openshift.io', null, 'default'] as const;
const CONFIG = ['configmaps', 'openshift-monitoring', 'cluster-monitoring-config'] as const;

const spec =
  (where: readonly [string, string | null, string], value: unknown) =>
  ({ change }: InfraWorld) =>
    change(...where, (one) => {
      one.spec = value;
    });
const settings = (text: string | null) => (world: InfraWorld) =>
  world.add('configmaps', {
    metadata: { name: CONFIG[2], namespace: CONFIG[1] },
    ...(text === null ? {} : { data: { 'config.yaml': text } }),
  });

test.each<[what: string, move: MoveName, set: (world: InfraWorld) => void]>([
  ['nodePlacement null', 'router', spec(ROUTER, { nodePlacement: null })],
  ['nodePlacement empty', 'router', spec(ROUTER, { nodePlacement: {} })],
  ['a selector of the routers that is empty', 'router', spec(ROUTER, { nodePlacement: { nodeSelector: {} } })],
  [
    'routers by matchExpressions',
    'router',
    spec(ROUTER, {
      nodePlacement: { nodeSelector: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] } },
    }),
  ],
  [
    'routers by both',
    'router',
    spec(ROUTER, {
      replicas: 9,
      nodePlacement: {
        nodeSelector: { matchLabels: { zone: 'a' }, matchExpressions: [{ key: 'x', operator: 'Exists' }] },
        tolerations: [],
      },
    }),
  ],
  ['DNS placed null', 'dns', spec(DNS, { nodePlacement: null })],
  ['DNS that tolerates all', 'dns', spec(DNS, { nodePlacement: { tolerations: [{ operator: 'Exists' }] } })],
  ['a registry that is Removed', 'registry-storage', spec(REGISTRY, { managementState: 'Removed', replicas: 1 })],
  [
    'a registry in a bucket',
    'registry-storage',
    spec(REGISTRY, {
      managementState: 'Managed',
      replicas: 2,
      storage: { s3: { bucket: 'b' }, managementState: 'Managed' },
    }),
  ],
  ['a pruner with null', 'registry', spec(PRUNER, { nodeSelector: null, tolerations: null })],
  ['a ConfigMap without data', 'monitoring', settings(null)],
  ['an empty text', 'monitoring', settings('')],
  ['comments alone', 'monitoring', settings('# nothing yet\n')],
  ['an empty mapping', 'monitoring', settings('{}\n')],
  ['Windows lines, no last one', 'monitoring', settings('prometheusK8s:\r\n  retention: 7d')],
  ['JSON', 'monitoring', settings('{"prometheusK8s":{"retention":"7d"}}')],
  ['keys that are empty', 'monitoring', settings('prometheusK8s:\nalertmanagerMain: ~\nthanosQuerier: {}\n')],
])('%s', async (_what, name, set) => {
  const world = infraWorld('4.18.9');
  world.infra({ registry: { ...world.design.infra.registry, storage: 'pvc', storageClass: 'fast' } });
  set(world);
  await world.make('label');
  if (name === 'registry') await world.make('registry-storage');
  const had = world.contents();
  expect(await world.make(name)).toMatchObject({ state: 'done', changes: [] });
  expect(await world.undo(name)).toEqual([]);
  expect(withoutNulls(world.contents())).toEqual(withoutNulls(had));
});

/** A merge patch cannot write null: what was null is not there any more. */
const withoutNulls = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, found) => (found === null ? undefined : found)));

describe('an API that does not do what it should', () => {
  const status = (code: number, reason: string) => ({
    status: code,
    body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `said ${reason}` },
  });

  test('conflicts without end are given up with nothing written; so is what is gone, expired or refused', async () => {
    const world = infraWorld('4.18.9');
    await world.make('label');
    const before = world.contents();
    for (const [code, reason] of [
      [409, 'Conflict'],
      [410, 'Expired'],
      [403, 'Forbidden'],
      [422, 'Invalid'],
      [429, 'TooManyRequests'],
      [500, 'InternalError'],
    ] as const) {
      let asked = 0;
      world.instead = ({ method }) => {
        if (method === 'GET') return null;
        asked += 1;
        return status(code, reason);
      };
      const thrown = await world.apply('router').catch((error: unknown) => error);
      expect([reason, thrown instanceof TroubleError]).toEqual([reason, true]);
      expect([reason, asked < 12]).toEqual([reason, true]);
      expect([reason, world.contents()]).toEqual([reason, before]);
    }
    world.instead = () => null;
    expect((await world.make('router')).state).toBe('done');
    expect(at(world.store.get(...ROUTER), 'spec', 'nodePlacement', 'nodeSelector', 'matchLabels')).toEqual({
      [LABEL]: '',
    });
    await world.undo('router');
    expect(world.contents()).toEqual(before);
  });

  test('a mutating webhook that takes a setting out again is named, and what is left is given back', async () => {
    const world = infraWorld('4.18.9');
    await world.make('label');
    const before = world.contents();
    const stop = world.store.subscribe(({ object }) => {
      if (object.kind !== 'IngressController' || at(object.spec, 'nodePlacement', 'tolerations') === undefined) return;
      world.change(...ROUTER, (one) => {
        const { nodePlacement } = one.spec as { nodePlacement: { nodeSelector: unknown } };
        one.spec = { ...(one.spec as object), nodePlacement: { nodeSelector: nodePlacement.nodeSelector } };
      });
    });
    const thrown = await world.apply('router').catch((error: unknown) => error);
    expect(thrown).toMatchObject({ trouble: { code: 'infra-not-kept' } });
    stop();
    expect(await world.undo('router')).toEqual([]);
    expect(world.contents()).toEqual(before);
  });

  test('objects of which there are five hundred are all seen', async () => {
    const world = infraWorld('4.18.9');
    for (let index = 0; index < 500; index += 1)
      world.add('nodes', {
        metadata: { name: `x${index}`, labels: { 'node-role.kubernetes.io/worker': '', other: 'yes' } },
        spec: { unschedulable: true },
        status: { conditions: [{ type: 'Ready', status: 'False' }] },
      });
    expect(await world.cluster.list('Node')).toHaveLength(505);
    expect((await world.look('label')).state).toBe('needed');
  });
});
