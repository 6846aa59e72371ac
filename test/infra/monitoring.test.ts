import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { moves as words } from '../../src/i18n/en/moves/index.ts';
import type { MoveName } from '../../src/infra/moves.ts';
import { addRunningWorkload, createMoveScene, INFRA_PLACEMENT, type MoveScene } from '../support/move-scene.ts';

// The keys of each version, as the release branches of cluster-monitoring-operator have them.
const ALWAYS =
  'alertmanagerMain prometheusK8s prometheusOperator kubeStateMetrics openshiftStateMetrics telemeterClient thanosQuerier';
const KEYS: readonly (readonly [version: string, keys: string, userKeys: string])[] = [
  [
    '4.5.41',
    `${ALWAYS} grafana k8sPrometheusAdapter`,
    'prometheusOperatorUserWorkload prometheusUserWorkload thanosRuler',
  ],
  ['4.6.1', `${ALWAYS} grafana k8sPrometheusAdapter`, 'prometheusOperator prometheus thanosRuler'],
  ['4.10.3', `${ALWAYS} grafana k8sPrometheusAdapter`, 'prometheusOperator prometheus thanosRuler'],
  [
    '4.14.2',
    `${ALWAYS} k8sPrometheusAdapter monitoringPlugin`,
    'prometheusOperator prometheus thanosRuler alertmanager',
  ],
  ['4.16.0', `${ALWAYS} monitoringPlugin metricsServer`, 'prometheusOperator prometheus thanosRuler alertmanager'],
  ['4.18.9', `${ALWAYS} monitoringPlugin metricsServer`, 'prometheusOperator prometheus thanosRuler alertmanager'],
  ['4.22.1', `${ALWAYS} monitoringPlugin metricsServer`, 'prometheusOperator prometheus thanosRuler alertmanager'],
  ['5.0.0-rc.1', `${ALWAYS} monitoringPlugin metricsServer`, 'prometheusOperator prometheus thanosRuler alertmanager'],
];
const CLUSTER = 'openshift-monitoring/cluster-monitoring-config';
const USERS = 'openshift-user-workload-monitoring/user-workload-monitoring-config';
const OWNER_CONFIG = `# of the team
enableUserWorkload: true   # since March
techPreviewUserWorkload: {enabled: true}
prometheusK8s:
    retention: 7d
    volumeClaimTemplate: {spec: {storageClassName: own, resources: {requests: {storage: 9Gi}}}}
    nodeSelector: {disk: fast}
`;
const OWNER_USER_CONFIG = 'prometheus: {retention: 1d}   # short\nthanosRuler:\n';
const getConfigText = (scene: MoveScene, path: string) => scene.get('ConfigMap', path)?.data?.['config.yaml'] ?? '';
const listPlacedKeys = (settings: Record<string, unknown>) =>
  Object.keys(settings)
    .filter((key) => Reflect.get(Object(settings[key]), 'tolerations') !== undefined)
    .sort();

describe.each(KEYS)('in %s', (version, keys, userKeys) => {
  const userMap = version.startsWith('4.5.') ? CLUSTER : USERS;

  test.each(['fresh', 'own settings', 'own settings in Windows lines'])(
    '%s: every key is placed, once, and undone to the byte',
    async (kind) => {
      const scene = createMoveScene(version);
      const hasOwnerConfig = kind !== 'fresh';
      const text = kind.includes('Windows') ? OWNER_CONFIG.replaceAll('\n', '\r\n') : OWNER_CONFIG;
      if (hasOwnerConfig) scene.put('ConfigMap', CLUSTER, { data: { 'config.yaml': text } });
      if (hasOwnerConfig && userMap === USERS)
        scene.put('ConfigMap', USERS, { data: { 'config.yaml': OWNER_USER_CONFIG, other: 'x' } });
      scene.infra({ monitoring: { storageClass: 'fast', prometheusGiB: 40, alertmanagerGiB: 10 } });
      const before = scene.contents();
      expect(await scene.probe('user-workload')).toMatchObject(
        hasOwnerConfig ? { state: 'needed' } : { state: 'absent', why: words.byName['user-workload'].off },
      );
      const appliedMoves: MoveName[] = hasOwnerConfig ? ['monitoring', 'user-workload'] : ['monitoring'];
      for (const name of appliedMoves) await scene.apply(name);
      for (const name of appliedMoves) expect(await scene.probe(name)).toMatchObject({ state: 'moving', changes: [] });
      const settings = parse(getConfigText(scene, CLUSTER));
      const users = hasOwnerConfig ? parse(getConfigText(scene, userMap)) : {};
      const expected = hasOwnerConfig && userMap === CLUSTER ? `${keys} ${userKeys}` : keys;
      expect(listPlacedKeys(settings)).toEqual(expected.split(' ').sort());
      if (hasOwnerConfig && userMap === USERS) expect(listPlacedKeys(users)).toEqual(userKeys.split(' ').sort());
      for (const key of keys.split(' ')) expect(settings[key]).toMatchObject(INFRA_PLACEMENT);
      expect(settings.alertmanagerMain.volumeClaimTemplate.spec.storageClassName).toBe('fast');
      expect(settings.prometheusK8s.volumeClaimTemplate.spec.storageClassName).toBe(hasOwnerConfig ? 'own' : 'fast');
      if (hasOwnerConfig) {
        expect(settings.prometheusK8s.retention).toBe('7d');
        expect(getConfigText(scene, CLUSTER)).toContain('# since March');
        if (userMap === USERS) expect(users.prometheus.retention).toBe('1d');
      }
      scene.undo('user-workload', 'monitoring');
      expect(scene.contents()).toBe(before);
    },
  );
});

test('existing volumes are reported as unchanged, and invalid YAML is not overwritten', async () => {
  const scene = createMoveScene();
  scene.put('ConfigMap', CLUSTER, { data: { 'config.yaml': OWNER_CONFIG } });
  scene.infra({ monitoring: { storageClass: 'fast', prometheusGiB: 40, alertmanagerGiB: 10 } });
  expect((await scene.probe('monitoring')).why).toContain(words.byName.monitoring.volumesUnchanged(['prometheusK8s']));
  scene.put('ConfigMap', USERS, { data: { 'config.yaml': 'prometheus: [' } });
  expect(await scene.probe('user-workload')).toMatchObject({ state: 'blocked', why: expect.stringContaining(USERS) });
});

test('user workload monitoring is done when its workloads run on the infra nodes', async () => {
  const scene = createMoveScene();
  scene.put('ConfigMap', CLUSTER, { data: { 'config.yaml': 'enableUserWorkload: true\n' } });
  await scene.apply('user-workload');
  addRunningWorkload(scene, 'StatefulSet', 'openshift-user-workload-monitoring/prometheus-user-workload');
  addRunningWorkload(scene, 'Deployment', 'openshift-user-workload-monitoring/prometheus-operator', 1);
  expect(await scene.probe('user-workload')).toMatchObject({ state: 'done' });
  scene.put('Pod', 'openshift-user-workload-monitoring/prometheus-user-workload-1', {
    spec: { nodeName: 'w1' },
    status: { phase: 'Running' },
  });
  expect(await scene.probe('user-workload')).toMatchObject({
    state: 'moving',
    why: words.reasons.rollout.onOtherNodes('prometheus-user-workload', ['w1']),
  });
});

describe('settings that are written in other ways', () => {
  const createScene = (text: string) => {
    const scene = createMoveScene();
    scene.put('ConfigMap', CLUSTER, { data: { 'config.yaml': text } });
    return scene;
  };

  test.each([
    ['aliases', 'prometheusK8s: &common\n  retention: 7d\nalertmanagerMain: *common\nnodeExporter: *common\n'],
    ['a merge key', 'prometheusK8s: &common {retention: 7d}\nnodeExporter:\n  <<: *common\n  port: 1\n'],
    ['an anchor inside', 'prometheusK8s:\n  nodeSelector: &here {disk: fast}\nnodeExporter:\n  own: *here # theirs\n'],
  ])('%s: a component that shares YAML with another one changes alone', async (_how, text) => {
    const scene = createScene(text);
    const before = scene.contents();
    const original = parse(text, { merge: true });
    await scene.apply('monitoring');
    const settings = parse(getConfigText(scene, CLUSTER), { merge: true });
    expect(settings.nodeExporter).toEqual(original.nodeExporter);
    expect(settings.prometheusK8s).toEqual({ ...original.prometheusK8s, ...INFRA_PLACEMENT });
    expect(settings.alertmanagerMain).toEqual({ ...original.alertmanagerMain, ...INFRA_PLACEMENT });
    expect(await scene.probe('monitoring')).toMatchObject({ state: 'moving', changes: [] });
    scene.undo('monitoring');
    expect(scene.contents()).toBe(before);
  });

  test.each([
    ['tabs', 'prometheusK8s:\n\tretention: 7d\n'],
    ['two documents', 'prometheusK8s: {}\n---\nprometheusK8s: {}\n'],
    ['a key twice', 'prometheusK8s: {}\nprometheusK8s: {}\n'],
    ['a component that is no mapping', 'prometheusK8s: true\n'],
    ['an alias of nothing', 'prometheusK8s: *common\n'],
    ['a volume that is no mapping', 'prometheusK8s: {volumeClaimTemplate: 40Gi}\n'],
  ])('%s: nothing is written', async (_how, text) => {
    const scene = createScene(text);
    scene.infra({ monitoring: { storageClass: 'fast', prometheusGiB: 40, alertmanagerGiB: 10 } });
    expect(await scene.probe('monitoring')).toMatchObject({ state: 'blocked', why: expect.stringContaining(CLUSTER) });
  });
});

test('a comment beside a key that is empty stays when the key is filled', async () => {
  const scene = createMoveScene();
  scene.put('ConfigMap', CLUSTER, {
    data: { 'config.yaml': 'telemeterClient:   # none yet\n# of the store\nprometheusK8s: ~ # soon\n' },
  });
  const before = scene.contents();
  await scene.apply('monitoring');
  const text = getConfigText(scene, CLUSTER);
  for (const comment of ['# none yet', '# of the store', '# soon']) expect(text).toContain(comment);
  expect(parse(text).telemeterClient).toEqual(INFRA_PLACEMENT);
  scene.undo('monitoring');
  expect(scene.contents()).toBe(before);
});
