import { at, textAt } from '../../api/objects.ts';
import { isAtLeast } from '../../site/versions.ts';
import type { World } from '../world.ts';
import { monitoringConfig } from './monitoring-config.ts';
import { type Placement, placementAt } from './scheduler.ts';

/** A volume that every pod of a workload has of its own, or one that all share. */
export interface VolumeNeed {
  readonly claim: string;
  /** A claim per pod is made from this; a shared one has to exist. */
  readonly template: unknown;
}

/** What an operator wants to run. */
export interface Workload {
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet';
  readonly operator: string;
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly placement: Placement;
  /** At most one of its pods on a node. */
  readonly isExclusive: boolean;
  readonly hostPorts: readonly number[];
  readonly volume: VolumeNeed | null;
}

const LINUX = { 'kubernetes.io/os': 'linux' };
const MASTER = { 'node-role.kubernetes.io/master': '' };
const WORKER = { 'node-role.kubernetes.io/worker': '' };
const ANYWHERE: Placement = { nodeSelector: LINUX, tolerations: [] };
const EVERYWHERE: Placement = { nodeSelector: LINUX, tolerations: [{ operator: 'Exists' }] };
const ON_MASTERS: Placement = {
  nodeSelector: MASTER,
  tolerations: [{ key: 'node-role.kubernetes.io/master', operator: 'Exists' }],
};

/** Everything that should run, from the specifications as they are now. */
export function plannedWorkloads(world: World): Workload[] {
  const own = [...placedByMasters(), ...daemonSets(world), router(world), ...monitoring(world)];
  // SingleReplica topology: one of each.
  const isSingle = world.saved.cluster?.controlPlaneReplicas === 1;
  return [...(isSingle ? own.map((each) => ({ ...each, replicas: 1 })) : own), ...imageRegistry(world)];
}

function workload(
  kind: Workload['kind'],
  operator: string,
  path: string,
  placement: Placement,
  rest: Partial<Workload> = {},
): Workload {
  const [namespace = '', name = ''] = path.split('/');
  return {
    kind,
    operator,
    namespace,
    name,
    placement,
    replicas: 1,
    isExclusive: false,
    hostPorts: [],
    volume: null,
    ...rest,
  };
}

function placedByMasters(): Workload[] {
  return [
    workload('Deployment', 'console', 'openshift-console/console', ON_MASTERS, { replicas: 2 }),
    workload('Deployment', 'console', 'openshift-console/downloads', ON_MASTERS, { replicas: 2 }),
    workload('Deployment', 'authentication', 'openshift-authentication/oauth-openshift', ON_MASTERS, { replicas: 2 }),
    workload('Deployment', 'monitoring', 'openshift-monitoring/cluster-monitoring-operator', ON_MASTERS),
  ];
}

function daemonSets({ store }: World): Workload[] {
  // cluster-ingress-operator pkg/manifests/assets/canary/daemonset.yaml tolerates this key alone.
  const canary: Placement = {
    nodeSelector: LINUX,
    tolerations: [{ key: 'node-role.kubernetes.io/infra', operator: 'Exists' }],
  };
  const dns = placementAt(at(store.get('dnses.operator.openshift.io', null, 'default'), 'spec', 'nodePlacement'), {
    nodeSelector: LINUX,
    tolerations: [{ key: 'node-role.kubernetes.io/master', operator: 'Exists' }],
  });
  return [
    workload('DaemonSet', 'ingress', 'openshift-ingress-canary/ingress-canary', canary),
    workload('DaemonSet', 'dns', 'openshift-dns/dns-default', dns),
    workload('DaemonSet', 'dns', 'openshift-dns/node-resolver', EVERYWHERE),
    workload('DaemonSet', 'monitoring', 'openshift-monitoring/node-exporter', EVERYWHERE),
    workload('DaemonSet', 'image-registry', 'openshift-image-registry/node-ca', EVERYWHERE),
    workload('DaemonSet', 'machine-config', 'openshift-machine-config-operator/machine-config-daemon', EVERYWHERE),
  ];
}

/** Host network: one router on a node, and as many as asked for, two unless told otherwise. */
function router({ store }: World): Workload {
  const controller = store.get('ingresscontrollers.operator.openshift.io', 'openshift-ingress-operator', 'default');
  const replicas = at(controller, 'spec', 'replicas');
  return workload(
    'Deployment',
    'ingress',
    'openshift-ingress/router-default',
    placementAt(at(controller, 'spec', 'nodePlacement'), { nodeSelector: { ...LINUX, ...WORKER }, tolerations: [] }),
    {
      replicas: typeof replicas === 'number' ? replicas : 2,
      isExclusive: true,
      hostPorts: [80, 443, 1936],
    },
  );
}

/** Nothing while the registry is Removed, as it is at first on platform none, or has no storage. */
function imageRegistry({ store }: World): Workload[] {
  const config = store.get('configs.imageregistry.operator.openshift.io', null, 'cluster');
  const spec = at(config, 'spec');
  if (textAt(spec, 'managementState') !== 'Managed') return [];
  const claim =
    at(spec, 'storage', 'pvc') === undefined
      ? null
      : textAt(spec, 'storage', 'pvc', 'claim') || 'image-registry-storage';
  if (claim === null && at(spec, 'storage', 'emptyDir') === undefined) return [];
  const replicas = Number(at(spec, 'replicas') ?? 1);
  return [
    workload('Deployment', 'image-registry', 'openshift-image-registry/image-registry', placementAt(spec, ANYWHERE), {
      replicas,
      // pkg/resource/podtemplatespec.go: two replicas must be on two nodes.
      isExclusive: replicas === 2,
      volume: claim === null ? null : { claim, template: null },
    }),
  ];
}

function monitoring(world: World): Workload[] {
  const config = monitoringConfig(world).accepted;
  const { release } = world;
  const place = (key: string) => placementAt(at(config, key), ANYWHERE);
  const volume = (key: string, name: string): VolumeNeed | null => {
    const template = at(config, key, 'volumeClaimTemplate');
    return template === undefined ? null : { claim: textAt(template, 'metadata', 'name') || name, template };
  };
  const make = (kind: Workload['kind'], key: string, name: string, replicas: number, rest: Partial<Workload> = {}) =>
    workload(kind, 'monitoring', `openshift-monitoring/${name}`, place(key), { replicas, ...rest });
  return [
    make('StatefulSet', 'prometheusK8s', 'prometheus-k8s', 2, {
      isExclusive: true,
      volume: volume('prometheusK8s', 'prometheus-k8s-db'),
    }),
    make('StatefulSet', 'alertmanagerMain', 'alertmanager-main', isAtLeast(release, 4, 10) ? 2 : 3, {
      isExclusive: isAtLeast(release, 4, 10),
      volume: volume('alertmanagerMain', 'alertmanager-main-db'),
    }),
    make('Deployment', 'thanosQuerier', 'thanos-querier', 2, { isExclusive: true }),
    make('Deployment', 'kubeStateMetrics', 'kube-state-metrics', 1),
    make('Deployment', 'openshiftStateMetrics', 'openshift-state-metrics', 1),
    make('Deployment', 'telemeterClient', 'telemeter-client', 1),
    make('Deployment', 'prometheusOperator', 'prometheus-operator', 1),
    isAtLeast(release, 4, 16)
      ? make('Deployment', 'metricsServer', 'metrics-server', 2, { isExclusive: true })
      : make('Deployment', 'k8sPrometheusAdapter', 'prometheus-adapter', 2, { isExclusive: true }),
    ...(isAtLeast(release, 4, 14) ? [make('Deployment', 'monitoringPlugin', 'monitoring-plugin', 2)] : []),
    ...(isAtLeast(release, 4, 11)
      ? [make('Deployment', '', 'prometheus-operator-admission-webhook', 2, { isExclusive: true, placement: ANYWHERE })]
      : []),
    ...(isAtLeast(release, 4, 11) ? [] : [make('Deployment', 'grafana', 'grafana', 1)]),
  ];
}
