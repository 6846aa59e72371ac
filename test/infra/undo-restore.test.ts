import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clusterCommands } from '../../src/i18n/en/cluster-commands.ts';
import type { MoveName } from '../../src/infra/moves.ts';
import { createUndoConfirmation } from '../../src/steps/infra.ts';
import { DOMAIN } from '../support/csr-forge.ts';
import { CLUSTER_MOVES, type InfraApi, startInfraApi } from '../support/infra-api.ts';

// Undo restores the state before the first write. The tests compare whole objects of an API with schemas and pruning.

const NAMES = CLUSTER_MOVES.map(({ name }) => name);
const ROUTER = ['ingresscontrollers.operator.openshift.io', 'openshift-ingress-operator', 'default'] as const;
const REGISTRY = ['configs.imageregistry.operator.openshift.io', null, 'cluster'] as const;
const PRUNER = ['imagepruners.imageregistry.operator.openshift.io', null, 'cluster'] as const;
const DNS = ['dnses.operator.openshift.io', null, 'default'] as const;
const POOL = ['machineconfigpools.machineconfiguration.openshift.io', null, 'infra'] as const;
const MONITORING = ['configmaps', 'openshift-monitoring', 'cluster-monitoring-config'] as const;
const CLAIM = ['persistentvolumeclaims', 'openshift-image-registry', 'image-registry-storage'] as const;
const nodeKey = (name: string) => ['nodes', null, `${name}.${DOMAIN}`] as const;
const OVERWRITE = { toDefaults: false, shouldOverwrite: () => true };
const SETTINGS = `# of the team
enableUserWorkload: true

prometheusK8s:
    retention: 7d   # long enough
    nodeSelector: {disk: fast}
alertmanagerMain: {}
`;

let api: InfraApi;
beforeEach(async () => {
  api = await startInfraApi();
});
afterEach(() => api.close());

/** Changes the cluster as its owner might have done before the first move. */
function addOwnerSettings(): void {
  api.change(...ROUTER, (controller) => {
    controller.spec = {
      replicas: 5,
      nodePlacement: {
        nodeSelector: { matchLabels: { zone: 'a' } },
        tolerations: [{ key: 'own', operator: 'Exists' }],
      },
    };
  });
  api.change(...REGISTRY, (config) => {
    config.spec = {
      managementState: 'Managed',
      replicas: 2,
      rolloutStrategy: 'Recreate',
      storage: { pvc: { claim: 'own-claim' }, managementState: 'Unmanaged' },
      nodeSelector: { zone: 'a' },
    };
  });
  api.change(...PRUNER, (pruner) => {
    pruner.spec = { nodeSelector: { zone: 'b' }, keepTagRevisions: 7 };
  });
  api.change(...DNS, (dns) => {
    dns.spec = { nodePlacement: { tolerations: [{ key: 'own', operator: 'Exists', effect: 'NoSchedule' }] } };
  });
  for (const name of ['i1', 'i2'])
    api.change(...nodeKey(name), (one) => {
      one.metadata.labels = { ...one.metadata.labels, team: 'x' };
      one.spec = {
        taints: [
          { key: 'node-role.kubernetes.io/infra', value: 'mine', effect: 'NoSchedule' },
          { key: 'example.com/gpu', effect: 'NoExecute', timeAdded: '2026-11-21T12:00:00Z' },
        ],
      };
    });
  api.add('configmaps', {
    metadata: { name: 'cluster-monitoring-config', namespace: 'openshift-monitoring', annotations: { own: 'x' } },
    data: { 'config.yaml': SETTINGS, other: 'y' },
  });
  api.add('machineconfigpools.machineconfiguration.openshift.io', {
    metadata: { name: 'infra' },
    spec: {
      machineConfigSelector: {
        matchExpressions: [
          { key: 'machineconfiguration.openshift.io/role', operator: 'In', values: ['worker', 'infra', 'team'] },
        ],
      },
      nodeSelector: { matchLabels: { 'node-role.kubernetes.io/infra': '' } },
      maxUnavailable: 2,
    },
  });
}

const undoAll = async (names: readonly MoveName[] = NAMES) => {
  const remaining = [];
  for (const name of names.toReversed()) remaining.push(...(await api.undo(name)));
  return remaining;
};
const withoutKind = (contents: unknown, kind: string) =>
  (contents as readonly { readonly kind: string }[]).filter((object) => object.kind !== kind);

describe.each(['fresh', 'with settings of its owner'])('a cluster %s', (kind) => {
  beforeEach(() => {
    if (kind !== 'fresh') addOwnerSettings();
    api.design = { ...api.design, infra: { ...api.design.infra, keepWorkerRole: false } };
  });

  test('is unchanged after every move was applied and undone, except for the claim with the images', async () => {
    const before = api.contents();
    for (const name of NAMES) await api.apply(name);
    expect(api.contents()).not.toEqual(before);
    expect(await undoAll()).toEqual([]);
    expect(withoutKind(api.contents(), 'PersistentVolumeClaim')).toEqual(before);
    expect(api.store.get(...CLAIM)).toBeDefined();
    const version = api.store.getCurrentVersion();
    expect(await undoAll()).toEqual([]);
    expect(api.store.getCurrentVersion()).toBe(version);
    for (const name of NAMES) expect((await api.plan(name)).kind).toBe('foreign');
  });

  test('is unchanged after each move, on top of the earlier ones, was applied twice and undone', async () => {
    for (const name of NAMES) {
      const before = api.contents();
      await api.apply(name);
      await api.apply(name);
      await api.undo(name);
      expect(withoutKind(api.contents(), 'PersistentVolumeClaim'), name).toEqual(
        withoutKind(before, 'PersistentVolumeClaim'),
      );
      await api.apply(name);
    }
  });

  test('is unchanged after another design was applied over the first and undone', async () => {
    const before = api.contents();
    for (const name of NAMES) await api.apply(name);
    const { infra } = api.design;
    api.design = {
      ...api.design,
      infra: {
        ...infra,
        routerReplicas: 2,
        taint: { ...infra.taint, value: 'other', noExecute: true },
        monitoring: { ...infra.monitoring, storageClass: 'fast' },
      },
    };
    for (const name of NAMES) await api.apply(name);
    expect(await undoAll()).toEqual([]);
    expect(withoutKind(api.contents(), 'PersistentVolumeClaim')).toEqual(before);
  });
});

test('no write happens without an undo record', async () => {
  const contents = api.contents();
  // A directory in the place of the file.
  mkdirSync(api.file);
  await expect(api.apply('label')).rejects.toMatchObject({ userError: { code: 'session-unwritable' } });
  expect(api.contents()).toEqual(contents);
});

test('settings with CRLF line ends and invisible characters are restored to the byte', async () => {
  const text = '\ufeff# \u65e5\u672c\u8a9e \u200d\u202e\r\nprometheusK8s:\r\n  retention: 7d\r\n';
  api.add('configmaps', {
    metadata: { name: 'cluster-monitoring-config', namespace: 'openshift-monitoring' },
    data: { 'config.yaml': text },
  });
  await api.apply('label');
  await api.apply('monitoring');
  const written = (api.store.get(...MONITORING) as unknown as { data: Record<string, string> }).data['config.yaml'];
  expect(written).toContain('# \u65e5\u672c\u8a9e \u200d\u202e');
  expect(written).toContain('retention: 7d');
  await api.undo('monitoring');
  expect(api.store.get(...MONITORING)).toMatchObject({ data: { 'config.yaml': text } });
});

describe('a change that others made since', () => {
  test('stays, is named, and is overwritten only after confirmation', async () => {
    await api.apply('label');
    const before = api.contents();
    await api.apply('router');
    api.change(...ROUTER, (controller) => {
      controller.spec = { ...(controller.spec as object), replicas: 7 };
    });
    const plan = await api.plan('router');
    expect(plan).toMatchObject({
      kind: 'recorded',
      objects: [
        {
          object: 'IngressController openshift-ingress-operator/default',
          state: 'changed',
          fields: expect.arrayContaining([
            { path: 'spec.replicas', state: 'changed', before: null, written: '3', current: '7' },
          ]),
        },
      ],
    });
    const { changed, overwritten } = clusterCommands.infra.undo.states;
    expect(createUndoConfirmation({ kind: 'move', name: 'router', consent: null }, [plan]).lines.join()).toContain(
      changed,
    );
    expect(
      createUndoConfirmation({ kind: 'move', name: 'router', consent: 'overwrite' }, [plan]).lines.join(),
    ).toContain(overwritten);
    expect(
      createUndoConfirmation({ kind: 'move', name: 'router', consent: 'overwrite' }, [plan]).lines.join(),
    ).not.toContain(changed);
    expect(await api.undo('router')).toEqual(['IngressController openshift-ingress-operator/default']);
    // Our changes are undone; theirs stay.
    expect(api.store.get(...ROUTER)?.spec).toEqual({ replicas: 7 });
    expect(await api.undo('router', OVERWRITE)).toEqual([]);
    expect(api.contents()).toEqual(before);
  });

  test('in other fields and entries stays without a question', async () => {
    for (const name of NAMES) await api.apply(name);
    api.change(...nodeKey('i1'), (one) => {
      const { taints } = one.spec as { taints: object[] };
      one.metadata.labels = { ...one.metadata.labels, rack: '7' };
      one.spec = { taints: [{ key: 'first', effect: 'NoSchedule' }, ...taints] };
    });
    api.change(...MONITORING, (map) => {
      const data = map.data as Record<string, string>;
      map.data = { ...data, 'config.yaml': `${data['config.yaml']}# of the team\nenableUserWorkload: true\n` };
    });
    expect(await undoAll()).toEqual([]);
    expect(api.store.get(...nodeKey('i1'))).toMatchObject({
      metadata: { labels: { 'node-role.kubernetes.io/worker': '', rack: '7' } },
      spec: { taints: [{ key: 'first', effect: 'NoSchedule' }] },
    });
    const { data } = api.store.get(...MONITORING) as unknown as { data: Record<string, string> };
    expect(data['config.yaml']?.trim()).toBe('# of the team\nenableUserWorkload: true');
  });

  test('in a pool that we created keeps the whole pool: a part of it is of no use', async () => {
    await api.apply('label');
    await api.apply('pool');
    api.change(...POOL, (pool) => {
      pool.spec = { ...(pool.spec as object), configuration: { name: 'rendered' }, paused: false };
    });
    expect((await api.plan('pool')).kind).toBe('recorded');
    api.change(...POOL, (pool) => {
      pool.spec = { ...(pool.spec as object), maxUnavailable: 2 };
    });
    expect(await api.undo('pool')).toEqual(['MachineConfigPool infra']);
    expect(api.store.get(...POOL)).toBeDefined();
    expect(await api.undo('pool', OVERWRITE)).toEqual([]);
    expect(api.store.get(...POOL)).toBeUndefined();
  });

  test('of an object that was deleted, or deleted and created again, is left alone', async () => {
    await api.apply('label');
    api.store.delete(...nodeKey('i1'));
    api.store.delete(...nodeKey('i2'));
    api.add('nodes', { metadata: { name: `i2.${DOMAIN}`, labels: { 'node-role.kubernetes.io/infra': '' } }, spec: {} });
    const plan = await api.plan('label');
    const states = plan.kind === 'recorded' ? plan.objects.map(({ object, state }) => [object, state]) : [];
    expect(states).toEqual([
      [`Node i3.${DOMAIN}`, 'restore'],
      [`Node i2.${DOMAIN}`, 'recreated'],
      [`Node i1.${DOMAIN}`, 'deleted'],
    ]);
    expect(await api.undo('label')).toEqual([]);
    expect(api.store.get(...nodeKey('i2'))?.metadata.labels).toEqual({ 'node-role.kubernetes.io/infra': '' });
    expect(api.store.get(...nodeKey('i3'))?.metadata.labels).toEqual({ 'node-role.kubernetes.io/worker': '' });
  });
});

describe('a run that was killed', () => {
  test('between the undo record and the write leaves nothing to restore', async () => {
    addOwnerSettings();
    const before = api.contents();
    const log = api.openUndoLog();
    const kill = new Error('killed');
    for (const name of NAMES) {
      await api.apply('label');
      const killedLog = {
        ...log,
        recordObject: async (...each: Parameters<typeof log.recordObject>) => {
          await log.recordObject(...each);
          throw kill;
        },
      };
      const createLog = api.openUndoLog;
      api.openUndoLog = () => killedLog;
      await api.apply(name).catch((error: unknown) => expect(error).toBe(kill));
      api.openUndoLog = createLog;
      await api.undo(name);
      await api.undo('label');
      expect(api.contents()).toEqual(before);
    }
  });
});

test('the undo records of another cluster are ignored', async () => {
  await api.apply('label');
  const other = await startInfraApi();
  other.change('clusterversions.config.openshift.io', null, 'version', (version) => {
    version.spec = { clusterID: 'c2' };
  });
  expect(await api.openUndoLog().listPendingRestores(api.cluster)).toHaveLength(3);
  expect(await api.openUndoLog().listPendingRestores(other.cluster)).toBeNull();
  await other.close();
});

test('without undo records, undo can only set the defaults, and does so only after confirmation', async () => {
  await api.apply('label');
  const contents = api.contents();
  writeFileSync(api.file, '');
  const plan = await api.plan('label');
  expect(plan).toMatchObject({ kind: 'defaults', changes: [{}, {}, {}] });
  await api.undo('label');
  expect(api.contents()).toEqual(contents);
  await api.undo('label', { ...OVERWRITE, toDefaults: true });
  expect(api.store.get(...nodeKey('i1'))?.metadata.labels).toEqual({ 'node-role.kubernetes.io/worker': '' });
});
