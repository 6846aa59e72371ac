import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { getField, getList, getString } from '../../src/openshift/object.ts';
import { acceptMonitoringConfig } from '../../src/rehearsal/world/workloads/monitoring-config.ts';
import { INFRA, type InfraWorld, infraWorld, LABEL } from '../support/infra-world.ts';

// Compares openshift/release's `openshift-qe/move-pods-infra` (the mover of OpenShift's own CI) with our moves, on a
// cluster of 4.18 whose owner has settings. That mover places the routers without tolerations and replaces the
// monitoring settings as a whole, with keys that 4.18 no longer knows (openshift-eng/ocp-qe-perfscale-ci#658).

const CONFIG = ['configmaps', 'openshift-monitoring', 'cluster-monitoring-config'] as const;
const ROUTER = ['ingresscontrollers.operator.openshift.io', 'openshift-ingress-operator', 'default'] as const;
const OWNER_SETTINGS = `# of the team: ask before you change it
enableUserWorkload: true # since March
prometheusK8s:
  retention: 7d
  externalLabels: {site: fra1}
  volumeClaimTemplate: {spec: {storageClassName: fast, resources: {requests: {storage: 80Gi}}}}
metricsServer: {audit: {profile: Request}}
`;
/** The monitoring keys that this mover writes. */
const MOVER_KEYS = [
  'alertmanagerMain',
  'prometheusK8s',
  'prometheusOperator',
  'grafana',
  'k8sPrometheusAdapter',
  'kubeStateMetrics',
  'telemeterClient',
  'openshiftStateMetrics',
  'thanosQuerier',
];

function createOwnerWorld(): InfraWorld {
  const world = infraWorld('4.18.9');
  world.infra({ monitoring: { storageClass: 'fast', prometheusGiB: 40, alertmanagerGiB: 10 } });
  world.add('configmaps', {
    metadata: { name: CONFIG[2], namespace: CONFIG[1] },
    data: { 'config.yaml': OWNER_SETTINGS },
  });
  world.tick(6);
  return world;
}

const readSettings = ({ store }: InfraWorld) => String(getField(store.get(...CONFIG), 'data', 'config.yaml'));
/** Error that the monitoring operator reports about the settings; null: they are valid. */
const findConfigError = (world: InfraWorld) => acceptMonitoringConfig(world.operatorContext).error;
const listPods = ({ store }: InfraWorld, namespace: string, name: string) =>
  store.list('pods', namespace).filter(({ metadata }) => metadata.name.startsWith(name));
const hasPending = (world: InfraWorld, name: string) =>
  listPods(world, 'openshift-ingress', name).some(({ status }) => getString(status, 'phase') === 'Pending');

function taintAll(world: InfraWorld): void {
  const taints = [{ key: LABEL, value: 'reserved', effect: 'NoExecute' }];
  for (const name of INFRA)
    world.change('nodes', null, name, (node) => {
      node.spec = { taints };
    });
  world.tick(4);
}

test('the other mover loses the owner’s settings, and on 4.18 the operator stops', async () => {
  const world = createOwnerWorld();
  expect(findConfigError(world)).toBeNull();
  await world.applyAndSettle('label');
  const nodeSelector = { [LABEL]: '' };
  world.change(...ROUTER, (one) => {
    one.spec = { nodePlacement: { nodeSelector: { matchLabels: nodeSelector } } };
  });
  world.change(...CONFIG, (map) => {
    map.data = { 'config.yaml': JSON.stringify(Object.fromEntries(MOVER_KEYS.map((key) => [key, { nodeSelector }]))) };
  });
  world.tick(6);
  expect(findConfigError(world)).toContain('unknown field "grafana"');
  expect(readSettings(world)).not.toContain('retention');
  // Without tolerations, the taint evicts the routers.
  expect(hasPending(world, 'router-default')).toBe(false);
  taintAll(world);
  expect(hasPending(world, 'router-default')).toBe(true);
});

test('ours keeps every key and comment, works on 4.18, tolerates the taint, and restores every byte', async () => {
  const world = createOwnerWorld();
  for (const name of ['label', 'router', 'monitoring', 'user-workload'] as const)
    expect([name, (await world.applyAndSettle(name)).state]).toEqual([name, 'done']);
  expect(findConfigError(world)).toBeNull();
  const [before, after] = [parse(OWNER_SETTINGS), parse(readSettings(world))];
  for (const [key, value] of Object.entries(before))
    expect([key, after[key]]).toEqual([key, typeof value === 'object' ? expect.objectContaining(value) : value]);
  for (const comment of ['# of the team: ask before you change it', '# since March'])
    expect(readSettings(world)).toContain(comment);
  for (const removedKey of ['grafana', 'k8sPrometheusAdapter']) expect(after).not.toHaveProperty(removedKey);
  expect(getList(after, 'metricsServer', 'tolerations')).toHaveLength(2);
  taintAll(world);
  expect(hasPending(world, 'router-default')).toBe(false);
  for (const name of ['prometheus-k8s', 'router-default'])
    for (const pod of [...listPods(world, 'openshift-monitoring', name), ...listPods(world, 'openshift-ingress', name)])
      expect(INFRA).toContain(getString(pod.spec, 'nodeName'));
  for (const name of ['user-workload', 'monitoring', 'router', 'label'] as const)
    expect([name, await world.undo(name)]).toEqual([name, []]);
  expect(readSettings(world)).toBe(OWNER_SETTINGS);
});
