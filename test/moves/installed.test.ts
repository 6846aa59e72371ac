import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { moves as words } from '../../src/text/en/moves/index.ts';
import { INFRA, moveScene, PLACED } from '../support/move-scene.ts';

// What only some clusters have, or only some designs choose.

const VERSIONS = ['4.5.9', '4.6.1', '4.10.3', '4.14.2', '4.16.0', '4.18.9', '4.22.1', '5.0.0'];
const OWN = { key: 'own', operator: 'Exists' };
const LOGGING = 'openshift-logging/instance';
const MAP = 'openshift-storage/rook-ceph-operator-config';
const STORAGE = { key: 'node.ocs.openshift.io/storage', operator: 'Equal', value: 'true', effect: 'NoSchedule' };
const PLUGIN = 'openshift-storage/csi-rbdplugin';
const template = (tolerations: readonly object[]) => ({ spec: { template: { spec: { tolerations } } } as never });

describe.each(VERSIONS)('in %s', (version) => {
  test.each([
    ['the ClusterLogging of 5.5', { logs: { type: 'fluentd', fluentd: { tolerations: [OWN] } } }],
    ['the ClusterLogging of 5.8', { type: 'vector', tolerations: [OWN] }],
  ])('%s: its store moves, its collectors tolerate', async (_of, collection) => {
    const scene = moveScene(version);
    expect(await scene.look('logging')).toMatchObject({ state: 'absent', why: words.each.logging.notInstalled });
    scene.put('ClusterLogging', LOGGING, {
      spec: {
        collection,
        logStore: { type: 'elasticsearch', elasticsearch: { nodeCount: 3 } },
        visualization: { kibana: { nodeSelector: { a: 'b' } } },
      },
    });
    const before = scene.contents();
    await scene.make('logging');
    const spec = scene.get('ClusterLogging', LOGGING)?.spec;
    expect(spec).toMatchObject({ logStore: { elasticsearch: { nodeCount: 3, ...PLACED } } });
    expect(spec?.visualization).toEqual({ kibana: PLACED });
    const tolerations = [OWN, ...PLACED.tolerations];
    expect(spec?.collection).toEqual(
      'logs' in collection ? { logs: { type: 'fluentd', fluentd: { tolerations } } } : { type: 'vector', tolerations },
    );
    expect(await scene.look('logging')).toMatchObject({ state: 'done', changes: [] });
    scene.put('Pod', 'openshift-logging/es-0', {
      labels: { component: 'elasticsearch' },
      spec: { nodeName: 'w1' },
      status: { phase: 'Running' },
    });
    expect(await scene.look('logging')).toMatchObject({
      state: 'moving',
      why: words.why.rollout.elsewhere('es-0', ['w1']),
    });
    scene.remove('Pod', 'openshift-logging/es-0');
    scene.put('DaemonSet', 'openshift-logging/collector', template([OWN]));
    expect(await scene.look('logging')).toMatchObject({
      state: 'moving',
      why: words.why.rollout.notTaken(['collector']),
    });
    scene.remove('DaemonSet', 'openshift-logging/collector');
    scene.undo('logging');
    expect(scene.contents()).toBe(before);
  });

  test('a LokiStack moves part by part; the forwarder keeps its collectors on every node', async () => {
    const scene = moveScene(version);
    scene.put('LokiStack', 'openshift-logging/loki', {
      spec: { size: '1x.small', template: { ingester: { replicas: 2, nodeSelector: { zone: 'a' } } } },
    });
    scene.put('ClusterLogForwarder', 'team/own', { spec: { collector: { nodeSelector: { zone: 'a' } } } });
    const before = scene.contents();
    await scene.make('logging', 1);
    expect((await scene.look('logging')).changes).toHaveLength(1);
    await scene.make('logging');
    const parts = scene.get('LokiStack', 'openshift-logging/loki')?.spec?.template as Record<string, object>;
    expect(Object.keys(parts).sort()).toEqual(
      ['compactor', 'distributor', 'gateway', 'indexGateway', 'ingester', 'querier', 'queryFrontend', 'ruler'].sort(),
    );
    expect(parts.ingester).toEqual({ replicas: 2, ...PLACED });
    expect(scene.get('ClusterLogForwarder', 'team/own')?.spec).toEqual({
      collector: { nodeSelector: { zone: 'a' }, tolerations: PLACED.tolerations },
    });
    scene.undo('logging');
    expect(scene.contents()).toBe(before);
  });

  test.each(['none', 'own'])(
    'the plugins of Ceph tolerate the taint by the ConfigMap of Rook: %s settings',
    async (kind) => {
      const scene = moveScene(version);
      expect(await scene.look('storage')).toMatchObject({ state: 'absent', why: words.each.storage.notInstalled });
      const text = '# of the team\n- {key: own, operator: Exists}\n';
      scene.put('ConfigMap', MAP, kind === 'own' ? { data: { CSI_PLUGIN_TOLERATIONS: text, other: 'x' } } : {});
      const before = scene.contents();
      await scene.make('storage');
      const data = scene.get('ConfigMap', MAP)?.data ?? {};
      expect(parse(data.CSI_PLUGIN_TOLERATIONS ?? '')).toEqual([kind === 'own' ? OWN : STORAGE, ...PLACED.tolerations]);
      expect(parse(data.CSI_PROVISIONER_TOLERATIONS ?? '')).toEqual([STORAGE, ...PLACED.tolerations]);
      expect(await scene.look('storage')).toMatchObject({ state: 'done', changes: [] });
      scene.put('DaemonSet', PLUGIN, template([STORAGE]));
      expect(await scene.look('storage')).toMatchObject({
        state: 'moving',
        why: words.why.rollout.notTaken(['csi-rbdplugin']),
      });
      scene.remove('DaemonSet', PLUGIN);
      scene.undo('storage');
      expect(scene.contents()).toBe(before);
    },
  );

  test('the plugins of Ceph tolerate the taint by the Drivers of the CSI operator, where there are any', async () => {
    const scene = moveScene(version);
    scene.put('ConfigMap', MAP, { data: {} });
    const driver = 'openshift-storage/openshift-storage.rbd.csi.ceph.com';
    scene.put('CephDriver', driver, { spec: { nodePlugin: { tolerations: [STORAGE] } } });
    // What its operator gives the other part by itself.
    scene.put('Deployment', `${driver}-ctrlplugin`, template([OWN]));
    const before = scene.contents();
    await scene.make('storage');
    expect(scene.get('CephDriver', driver)?.spec).toEqual({
      nodePlugin: { tolerations: [STORAGE, ...PLACED.tolerations] },
      controllerPlugin: { tolerations: [OWN, ...PLACED.tolerations] },
    });
    expect(scene.get('ConfigMap', MAP)?.data).toEqual({});
    scene.undo('storage');
    expect(scene.contents()).toBe(before);
  });

  test('the network checks move where the design chooses them and the version can', async () => {
    const scene = moveScene(version);
    const said = words.each['network-diagnostics'];
    scene.put('NetworkConfig', 'cluster', {
      spec: { networkType: 'OVNKubernetes', networkDiagnostics: { targetPlacement: { tolerations: [OWN] } } },
    });
    expect(await scene.look('network-diagnostics')).toMatchObject({ state: 'absent', why: said.unwanted });
    scene.infra({ also: ['network-diagnostics'] });
    const before = scene.contents();
    if (/^4\.(?:5|6|10|14)\./.test(version)) {
      expect(await scene.look('network-diagnostics')).toMatchObject({ state: 'absent', why: said.tooOld(version) });
      return;
    }
    await scene.make('network-diagnostics');
    expect(scene.get('NetworkConfig', 'cluster')?.spec).toEqual({
      networkType: 'OVNKubernetes',
      networkDiagnostics: {
        targetPlacement: { ...PLACED, tolerations: [...PLACED.tolerations, OWN] },
        sourcePlacement: PLACED,
      },
    });
    expect(await scene.look('network-diagnostics')).toMatchObject({ state: 'moving', changes: [] });
    scene.undo('network-diagnostics');
    expect(scene.contents()).toBe(before);
  });
});

test('network checks that are turned off stay where they are', async () => {
  const scene = moveScene();
  scene.put('NetworkConfig', 'cluster', { spec: { networkDiagnostics: { mode: 'Disabled' } } });
  scene.infra({ also: ['network-diagnostics'] });
  const { off } = words.each['network-diagnostics'];
  expect(await scene.look('network-diagnostics')).toMatchObject({ state: 'absent', why: off });
  // By the older setting of the operator, which counts as long as the other says nothing.
  scene.put('NetworkOperator', 'cluster', { spec: { disableNetworkDiagnostics: true } });
  scene.put('NetworkConfig', 'cluster', { spec: { networkDiagnostics: {} } });
  expect(await scene.look('network-diagnostics')).toMatchObject({ state: 'absent', why: off });
  scene.put('NetworkConfig', 'cluster', { spec: { networkDiagnostics: { mode: 'All' } } });
  expect(await scene.look('network-diagnostics')).toMatchObject({ state: 'needed' });
});

test('a ClusterLogging that collects nothing gets no collector', async () => {
  const scene = moveScene();
  scene.put('ClusterLogging', LOGGING, { spec: { logStore: { type: 'elasticsearch', elasticsearch: {} } } });
  await scene.make('logging');
  expect(scene.get('ClusterLogging', LOGGING)?.spec).toEqual({
    logStore: { type: 'elasticsearch', elasticsearch: PLACED },
  });
});

describe('a pool infra that is there already', () => {
  const ROLE = 'machineconfiguration.openshift.io/role';
  const both = { matchExpressions: [{ key: ROLE, operator: 'In', values: ['worker', 'infra', 'team'] }] };
  const ours = { matchLabels: { 'node-role.kubernetes.io/infra': '' } };
  const said = words.each.pool;
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
  ] as const)('%s', async (_how, spec, wrong) => {
    const scene = moveScene();
    scene.put('MachineConfigPool', 'worker', { spec: {} });
    scene.put('MachineConfigPool', 'infra', { spec: structuredClone(spec) as never });
    const why = {
      nodes: said.otherNodes('infra', INFRA),
      configuration: said.otherConfiguration('infra'),
      paused: said.paused('infra'),
    };
    expect(await scene.look('pool')).toMatchObject(
      wrong === null ? { state: 'moving', changes: [] } : { state: 'blocked', why: why[wrong] },
    );
  });
});
