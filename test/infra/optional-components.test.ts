import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { moves as words } from '../../src/i18n/en/moves/index.ts';
import { createMoveScene, INFRA, INFRA_PLACEMENT } from '../support/move-scene.ts';

// Components that only some clusters have, or that only some designs choose.

const VERSIONS = ['4.5.9', '4.6.1', '4.10.3', '4.14.2', '4.16.0', '4.18.9', '4.22.1', '5.0.0'];
const OWNER_TOLERATION = { key: 'own', operator: 'Exists' };
const LOGGING = 'openshift-logging/instance';
const ROOK_CONFIG = 'openshift-storage/rook-ceph-operator-config';
const STORAGE = { key: 'node.ocs.openshift.io/storage', operator: 'Equal', value: 'true', effect: 'NoSchedule' };
const PLUGIN = 'openshift-storage/csi-rbdplugin';
const createTemplate = (tolerations: readonly object[]) => ({ spec: { template: { spec: { tolerations } } } as never });

describe.each(VERSIONS)('in %s', (version) => {
  test.each([
    ['the ClusterLogging of 5.5', { logs: { type: 'fluentd', fluentd: { tolerations: [OWNER_TOLERATION] } } }],
    ['the ClusterLogging of 5.8', { type: 'vector', tolerations: [OWNER_TOLERATION] }],
  ])('%s: its store moves, its collectors tolerate', async (_of, collection) => {
    const scene = createMoveScene(version);
    expect(await scene.probe('logging')).toMatchObject({ state: 'absent', why: words.byName.logging.notInstalled });
    scene.put('ClusterLogging', LOGGING, {
      spec: {
        collection,
        logStore: { type: 'elasticsearch', elasticsearch: { nodeCount: 3 } },
        visualization: { kibana: { nodeSelector: { a: 'b' } } },
      },
    });
    const before = scene.contents();
    await scene.apply('logging');
    const spec = scene.get('ClusterLogging', LOGGING)?.spec;
    expect(spec).toMatchObject({ logStore: { elasticsearch: { nodeCount: 3, ...INFRA_PLACEMENT } } });
    expect(spec?.visualization).toEqual({ kibana: INFRA_PLACEMENT });
    const tolerations = [OWNER_TOLERATION, ...INFRA_PLACEMENT.tolerations];
    expect(spec?.collection).toEqual(
      'logs' in collection ? { logs: { type: 'fluentd', fluentd: { tolerations } } } : { type: 'vector', tolerations },
    );
    expect(await scene.probe('logging')).toMatchObject({ state: 'done', changes: [] });
    scene.put('Pod', 'openshift-logging/es-0', {
      labels: { component: 'elasticsearch' },
      spec: { nodeName: 'w1' },
      status: { phase: 'Running' },
    });
    expect(await scene.probe('logging')).toMatchObject({
      state: 'moving',
      why: words.reasons.rollout.onOtherNodes('es-0', ['w1']),
    });
    scene.remove('Pod', 'openshift-logging/es-0');
    scene.put('DaemonSet', 'openshift-logging/collector', createTemplate([OWNER_TOLERATION]));
    expect(await scene.probe('logging')).toMatchObject({
      state: 'moving',
      why: words.reasons.rollout.notApplied(['collector']),
    });
    scene.remove('DaemonSet', 'openshift-logging/collector');
    scene.undo('logging');
    expect(scene.contents()).toBe(before);
  });

  test('a LokiStack moves part by part; the forwarder keeps its collectors on every node', async () => {
    const scene = createMoveScene(version);
    scene.put('LokiStack', 'openshift-logging/loki', {
      spec: { size: '1x.small', template: { ingester: { replicas: 2, nodeSelector: { zone: 'a' } } } },
    });
    scene.put('ClusterLogForwarder', 'team/own', { spec: { collector: { nodeSelector: { zone: 'a' } } } });
    const before = scene.contents();
    await scene.apply('logging', 1);
    expect((await scene.probe('logging')).changes).toHaveLength(1);
    await scene.apply('logging');
    const parts = scene.get('LokiStack', 'openshift-logging/loki')?.spec?.template as Record<string, object>;
    expect(Object.keys(parts).sort()).toEqual(
      ['compactor', 'distributor', 'gateway', 'indexGateway', 'ingester', 'querier', 'queryFrontend', 'ruler'].sort(),
    );
    expect(parts.ingester).toEqual({ replicas: 2, ...INFRA_PLACEMENT });
    expect(scene.get('ClusterLogForwarder', 'team/own')?.spec).toEqual({
      collector: { nodeSelector: { zone: 'a' }, tolerations: INFRA_PLACEMENT.tolerations },
    });
    scene.undo('logging');
    expect(scene.contents()).toBe(before);
  });

  test.each(['none', 'own'])(
    'the plugins of Ceph tolerate the taint by the ConfigMap of Rook: %s settings',
    async (kind) => {
      const scene = createMoveScene(version);
      expect(await scene.probe('storage')).toMatchObject({ state: 'absent', why: words.byName.storage.notInstalled });
      const text = '# of the team\n- {key: own, operator: Exists}\n';
      scene.put('ConfigMap', ROOK_CONFIG, kind === 'own' ? { data: { CSI_PLUGIN_TOLERATIONS: text, other: 'x' } } : {});
      const before = scene.contents();
      await scene.apply('storage');
      const data = scene.get('ConfigMap', ROOK_CONFIG)?.data ?? {};
      expect(parse(data.CSI_PLUGIN_TOLERATIONS ?? '')).toEqual([
        kind === 'own' ? OWNER_TOLERATION : STORAGE,
        ...INFRA_PLACEMENT.tolerations,
      ]);
      expect(parse(data.CSI_PROVISIONER_TOLERATIONS ?? '')).toEqual([STORAGE, ...INFRA_PLACEMENT.tolerations]);
      expect(await scene.probe('storage')).toMatchObject({ state: 'done', changes: [] });
      scene.put('DaemonSet', PLUGIN, createTemplate([STORAGE]));
      expect(await scene.probe('storage')).toMatchObject({
        state: 'moving',
        why: words.reasons.rollout.notApplied(['csi-rbdplugin']),
      });
      scene.remove('DaemonSet', PLUGIN);
      scene.undo('storage');
      expect(scene.contents()).toBe(before);
    },
  );

  test('the plugins of Ceph tolerate the taint by the Drivers of the CSI operator, where there are any', async () => {
    const scene = createMoveScene(version);
    scene.put('ConfigMap', ROOK_CONFIG, { data: {} });
    const driver = 'openshift-storage/openshift-storage.rbd.csi.ceph.com';
    scene.put('CephDriver', driver, { spec: { nodePlugin: { tolerations: [STORAGE] } } });
    // Tolerations that the operator gives the other part on its own.
    scene.put('Deployment', `${driver}-ctrlplugin`, createTemplate([OWNER_TOLERATION]));
    const before = scene.contents();
    await scene.apply('storage');
    expect(scene.get('CephDriver', driver)?.spec).toEqual({
      nodePlugin: { tolerations: [STORAGE, ...INFRA_PLACEMENT.tolerations] },
      controllerPlugin: { tolerations: [OWNER_TOLERATION, ...INFRA_PLACEMENT.tolerations] },
    });
    expect(scene.get('ConfigMap', ROOK_CONFIG)?.data).toEqual({});
    scene.undo('storage');
    expect(scene.contents()).toBe(before);
  });

  test('the network checks move where the design chooses them and the version can', async () => {
    const scene = createMoveScene(version);
    const texts = words.byName['network-diagnostics'];
    scene.put('NetworkConfig', 'cluster', {
      spec: {
        networkType: 'OVNKubernetes',
        networkDiagnostics: { targetPlacement: { tolerations: [OWNER_TOLERATION] } },
      },
    });
    expect(await scene.probe('network-diagnostics')).toMatchObject({ state: 'absent', why: texts.unwanted });
    scene.infra({ also: ['network-diagnostics'] });
    const before = scene.contents();
    if (/^4\.(?:5|6|10|14)\./.test(version)) {
      expect(await scene.probe('network-diagnostics')).toMatchObject({ state: 'absent', why: texts.tooOld(version) });
      return;
    }
    await scene.apply('network-diagnostics');
    expect(scene.get('NetworkConfig', 'cluster')?.spec).toEqual({
      networkType: 'OVNKubernetes',
      networkDiagnostics: {
        targetPlacement: { ...INFRA_PLACEMENT, tolerations: [...INFRA_PLACEMENT.tolerations, OWNER_TOLERATION] },
        sourcePlacement: INFRA_PLACEMENT,
      },
    });
    expect(await scene.probe('network-diagnostics')).toMatchObject({ state: 'moving', changes: [] });
    scene.undo('network-diagnostics');
    expect(scene.contents()).toBe(before);
  });
});

test('network checks that are turned off stay where they are', async () => {
  const scene = createMoveScene();
  scene.put('NetworkConfig', 'cluster', { spec: { networkDiagnostics: { mode: 'Disabled' } } });
  scene.infra({ also: ['network-diagnostics'] });
  const { off } = words.byName['network-diagnostics'];
  expect(await scene.probe('network-diagnostics')).toMatchObject({ state: 'absent', why: off });
  // By the older setting of the operator, which counts as long as the other is not set.
  scene.put('NetworkOperator', 'cluster', { spec: { disableNetworkDiagnostics: true } });
  scene.put('NetworkConfig', 'cluster', { spec: { networkDiagnostics: {} } });
  expect(await scene.probe('network-diagnostics')).toMatchObject({ state: 'absent', why: off });
  scene.put('NetworkConfig', 'cluster', { spec: { networkDiagnostics: { mode: 'All' } } });
  expect(await scene.probe('network-diagnostics')).toMatchObject({ state: 'needed' });
});

test('a ClusterLogging that collects nothing gets no collector', async () => {
  const scene = createMoveScene();
  scene.put('ClusterLogging', LOGGING, { spec: { logStore: { type: 'elasticsearch', elasticsearch: {} } } });
  await scene.apply('logging');
  expect(scene.get('ClusterLogging', LOGGING)?.spec).toEqual({
    logStore: { type: 'elasticsearch', elasticsearch: INFRA_PLACEMENT },
  });
});

describe('an existing pool infra', () => {
  const ROLE = 'machineconfiguration.openshift.io/role';
  const both = { matchExpressions: [{ key: ROLE, operator: 'In', values: ['worker', 'infra', 'team'] }] };
  const ours = { matchLabels: { 'node-role.kubernetes.io/infra': '' } };
  const texts = words.byName.pool;
  test.each([
    ['is taken as it is', { machineConfigSelector: both, nodeSelector: ours }, null],
    ['may select all', { machineConfigSelector: {}, nodeSelector: {} }, null],
    [
      'may be made of other nodes',
      { machineConfigSelector: both, nodeSelector: { matchLabels: { team: 'x' } } },
      'nodes',
    ],
    ['may select nothing', { machineConfigSelector: both }, 'nodes'],
    [
      'may leave the workers\u2019 out',
      { machineConfigSelector: { matchLabels: { [ROLE]: 'infra' } }, nodeSelector: ours },
      'configuration',
    ],
    ['may be paused', { machineConfigSelector: both, nodeSelector: ours, paused: true }, 'paused'],
  ] as const)('%s', async (_how, spec, expectedReason) => {
    const scene = createMoveScene();
    scene.put('MachineConfigPool', 'worker', { spec: {} });
    scene.put('MachineConfigPool', 'infra', { spec: structuredClone(spec) as never });
    const why = {
      nodes: texts.otherNodes('infra', INFRA),
      configuration: texts.otherConfiguration('infra'),
      paused: texts.paused('infra'),
    };
    expect(await scene.probe('pool')).toMatchObject(
      expectedReason === null ? { state: 'moving', changes: [] } : { state: 'blocked', why: why[expectedReason] },
    );
  });
});
