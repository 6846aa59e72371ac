import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { MoveName } from '../../src/moves/table.ts';
import { moves as words } from '../../src/text/en/moves/index.ts';
import { type MoveScene, moveScene, PLACED, running } from '../support/move-scene.ts';

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
const OWN = `# of the team
enableUserWorkload: true   # since March
techPreviewUserWorkload: {enabled: true}
prometheusK8s:
    retention: 7d
    volumeClaimTemplate: {spec: {storageClassName: own, resources: {requests: {storage: 9Gi}}}}
    nodeSelector: {disk: fast}
`;
const OWN_USERS = 'prometheus: {retention: 1d}   # short\nthanosRuler:\n';
const textOf = (scene: MoveScene, path: string) => scene.get('ConfigMap', path)?.data?.['config.yaml'] ?? '';
const placed = (settings: Record<string, unknown>) =>
  Object.keys(settings)
    .filter((key) => Reflect.get(Object(settings[key]), 'tolerations') !== undefined)
    .sort();

describe.each(KEYS)('in %s', (version, keys, userKeys) => {
  const userMap = version.startsWith('4.5.') ? CLUSTER : USERS;

  test.each(['fresh', 'own settings', 'own settings in Windows lines'])(
    '%s: every key is placed, once, and undone to the byte',
    async (kind) => {
      const scene = moveScene(version);
      const isOwn = kind !== 'fresh';
      const text = kind.includes('Windows') ? OWN.replaceAll('\n', '\r\n') : OWN;
      if (isOwn) scene.put('ConfigMap', CLUSTER, { data: { 'config.yaml': text } });
      if (isOwn && userMap === USERS) scene.put('ConfigMap', USERS, { data: { 'config.yaml': OWN_USERS, other: 'x' } });
      scene.infra({ monitoring: { storageClass: 'fast', prometheusGiB: 40, alertmanagerGiB: 10 } });
      const before = scene.contents();
      expect(await scene.look('user-workload')).toMatchObject(
        isOwn ? { state: 'needed' } : { state: 'absent', why: words.each['user-workload'].off },
      );
      const made: MoveName[] = isOwn ? ['monitoring', 'user-workload'] : ['monitoring'];
      for (const name of made) await scene.make(name);
      for (const name of made) expect(await scene.look(name)).toMatchObject({ state: 'moving', changes: [] });
      const settings = parse(textOf(scene, CLUSTER));
      const users = isOwn ? parse(textOf(scene, userMap)) : {};
      const expected = isOwn && userMap === CLUSTER ? `${keys} ${userKeys}` : keys;
      expect(placed(settings)).toEqual(expected.split(' ').sort());
      if (isOwn && userMap === USERS) expect(placed(users)).toEqual(userKeys.split(' ').sort());
      for (const key of keys.split(' ')) expect(settings[key]).toMatchObject(PLACED);
      expect(settings.alertmanagerMain.volumeClaimTemplate.spec.storageClassName).toBe('fast');
      expect(settings.prometheusK8s.volumeClaimTemplate.spec.storageClassName).toBe(isOwn ? 'own' : 'fast');
      if (isOwn) {
        expect(settings.prometheusK8s.retention).toBe('7d');
        expect(textOf(scene, CLUSTER)).toContain('# since March');
        if (userMap === USERS) expect(users.prometheus.retention).toBe('1d');
      }
      scene.undo('user-workload', 'monitoring');
      expect(scene.contents()).toBe(before);
    },
  );
});

test('volumes of the owner are named as kept, and what is no YAML is not overwritten', async () => {
  const scene = moveScene();
  scene.put('ConfigMap', CLUSTER, { data: { 'config.yaml': OWN } });
  scene.infra({ monitoring: { storageClass: 'fast', prometheusGiB: 40, alertmanagerGiB: 10 } });
  expect((await scene.look('monitoring')).why).toContain(words.each.monitoring.volumesKept(['prometheusK8s']));
  scene.put('ConfigMap', USERS, { data: { 'config.yaml': 'prometheus: [' } });
  expect(await scene.look('user-workload')).toMatchObject({ state: 'blocked', why: expect.stringContaining(USERS) });
});

test('the monitoring of user projects is there when what runs of it does', async () => {
  const scene = moveScene();
  scene.put('ConfigMap', CLUSTER, { data: { 'config.yaml': 'enableUserWorkload: true\n' } });
  await scene.make('user-workload');
  running(scene, 'StatefulSet', 'openshift-user-workload-monitoring/prometheus-user-workload');
  running(scene, 'Deployment', 'openshift-user-workload-monitoring/prometheus-operator', 1);
  expect(await scene.look('user-workload')).toMatchObject({ state: 'done' });
  scene.put('Pod', 'openshift-user-workload-monitoring/prometheus-user-workload-1', {
    spec: { nodeName: 'w1' },
    status: { phase: 'Running' },
  });
  expect(await scene.look('user-workload')).toMatchObject({
    state: 'moving',
    why: words.why.rollout.elsewhere('prometheus-user-workload', ['w1']),
  });
});

describe('settings that are written in other ways', () => {
  const written = (text: string) => {
    const scene = moveScene();
    scene.put('ConfigMap', CLUSTER, { data: { 'config.yaml': text } });
    return scene;
  };

  test.each([
    ['aliases', 'prometheusK8s: &common\n  retention: 7d\nalertmanagerMain: *common\nnodeExporter: *common\n'],
    ['a merge key', 'prometheusK8s: &common {retention: 7d}\nnodeExporter:\n  <<: *common\n  port: 1\n'],
    ['an anchor inside', 'prometheusK8s:\n  nodeSelector: &here {disk: fast}\nnodeExporter:\n  own: *here # theirs\n'],
  ])('%s: a component that stands for another one changes alone', async (_how, text) => {
    const scene = written(text);
    const before = scene.contents();
    const had = parse(text, { merge: true });
    await scene.make('monitoring');
    const settings = parse(textOf(scene, CLUSTER), { merge: true });
    expect(settings.nodeExporter).toEqual(had.nodeExporter);
    expect(settings.prometheusK8s).toEqual({ ...had.prometheusK8s, ...PLACED });
    expect(settings.alertmanagerMain).toEqual({ ...had.alertmanagerMain, ...PLACED });
    expect(await scene.look('monitoring')).toMatchObject({ state: 'moving', changes: [] });
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
    const scene = written(text);
    scene.infra({ monitoring: { storageClass: 'fast', prometheusGiB: 40, alertmanagerGiB: 10 } });
    expect(await scene.look('monitoring')).toMatchObject({ state: 'blocked', why: expect.stringContaining(CLUSTER) });
  });
});

test('a comment beside a key that is empty stays when the key is filled', async () => {
  const scene = moveScene();
  scene.put('ConfigMap', CLUSTER, {
    data: { 'config.yaml': 'telemeterClient:   # none yet\n# of the store\nprometheusK8s: ~ # soon\n' },
  });
  const before = scene.contents();
  await scene.make('monitoring');
  const text = textOf(scene, CLUSTER);
  for (const comment of ['# none yet', '# of the store', '# soon']) expect(text).toContain(comment);
  expect(parse(text).telemeterClient).toEqual(PLACED);
  scene.undo('monitoring');
  expect(scene.contents()).toBe(before);
});
