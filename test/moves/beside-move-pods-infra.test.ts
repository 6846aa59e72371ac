import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { at, listAt, textAt } from '../../src/objects/object.ts';
import { monitoringConfig } from '../../src/rehearsal/world/workloads/monitoring-config.ts';
import { INFRA, type InfraWorld, infraWorld, LABEL } from '../support/infra-world.ts';

// What openshift/release's `openshift-qe/move-pods-infra` does (the mover of OpenShift's own CI), beside our moves, on a cluster of
// 4.18 whose owner has settings: the routers without tolerations, and the monitoring settings replaced as a whole, with keys that
// 4.18 no longer knows (openshift-eng/ocp-qe-perfscale-ci#658).

const CONFIG = ['configmaps', 'openshift-monitoring', 'cluster-monitoring-config'] as const;
const ROUTER = ['ingresscontrollers.operator.openshift.io', 'openshift-ingress-operator', 'default'] as const;
const OWNERS = `# of the team: ask before you change it
enableUserWorkload: true # since March
prometheusK8s:
  retention: 7d
  externalLabels: {site: fra1}
  volumeClaimTemplate: {spec: {storageClassName: fast, resources: {requests: {storage: 80Gi}}}}
metricsServer: {audit: {profile: Request}}
`;
/** The keys that it writes. */
const THEIRS = [
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

function ownedWorld(): InfraWorld {
  const world = infraWorld('4.18.9');
  world.infra({ monitoring: { storageClass: 'fast', prometheusGiB: 40, alertmanagerGiB: 10 } });
  world.add('configmaps', {
    metadata: { name: CONFIG[2], namespace: CONFIG[1] },
    data: { 'config.yaml': OWNERS },
  });
  world.tick(6);
  return world;
}

const textOf = ({ store }: InfraWorld) => String(at(store.get(...CONFIG), 'data', 'config.yaml'));
/** What the monitoring operator says of the settings; null: it works with them. */
const errorOf = (world: InfraWorld) => monitoringConfig(world.operated).error;
const pods = ({ store }: InfraWorld, namespace: string, name: string) =>
  store.list('pods', namespace).filter(({ metadata }) => metadata.name.startsWith(name));
const arePending = (world: InfraWorld, name: string) =>
  pods(world, 'openshift-ingress', name).some(({ status }) => textAt(status, 'phase') === 'Pending');

function taintAll(world: InfraWorld): void {
  const taints = [{ key: LABEL, value: 'reserved', effect: 'NoExecute' }];
  for (const name of INFRA)
    world.change('nodes', null, name, (node) => {
      node.spec = { taints };
    });
  world.tick(4);
}

test('the other mover loses the owner’s settings, and on 4.18 the operator stops', async () => {
  const world = ownedWorld();
  expect(errorOf(world)).toBeNull();
  await world.make('label');
  const nodeSelector = { [LABEL]: '' };
  world.change(...ROUTER, (one) => {
    one.spec = { nodePlacement: { nodeSelector: { matchLabels: nodeSelector } } };
  });
  world.change(...CONFIG, (map) => {
    map.data = { 'config.yaml': JSON.stringify(Object.fromEntries(THEIRS.map((key) => [key, { nodeSelector }]))) };
  });
  world.tick(6);
  expect(errorOf(world)).toContain('unknown field "grafana"');
  expect(textOf(world)).not.toContain('retention');
  // Without tolerations, the taint takes the routers away.
  expect(arePending(world, 'router-default')).toBe(false);
  taintAll(world);
  expect(arePending(world, 'router-default')).toBe(true);
});

test('ours keeps every key and comment, works on 4.18, tolerates the taint, and gives back the bytes', async () => {
  const world = ownedWorld();
  for (const name of ['label', 'router', 'monitoring', 'user-workload'] as const)
    expect([name, (await world.make(name)).state]).toEqual([name, 'done']);
  expect(errorOf(world)).toBeNull();
  const [had, has] = [parse(OWNERS), parse(textOf(world))];
  for (const [key, value] of Object.entries(had))
    expect([key, has[key]]).toEqual([key, typeof value === 'object' ? expect.objectContaining(value) : value]);
  for (const comment of ['# of the team: ask before you change it', '# since March'])
    expect(textOf(world)).toContain(comment);
  for (const gone of ['grafana', 'k8sPrometheusAdapter']) expect(has).not.toHaveProperty(gone);
  expect(listAt(has, 'metricsServer', 'tolerations')).toHaveLength(2);
  taintAll(world);
  expect(arePending(world, 'router-default')).toBe(false);
  for (const name of ['prometheus-k8s', 'router-default'])
    for (const pod of [...pods(world, 'openshift-monitoring', name), ...pods(world, 'openshift-ingress', name)])
      expect(INFRA).toContain(textAt(pod.spec, 'nodeName'));
  for (const name of ['user-workload', 'monitoring', 'router', 'label'] as const)
    expect([name, await world.undo(name)]).toEqual([name, []]);
  expect(textOf(world)).toBe(OWNERS);
});
