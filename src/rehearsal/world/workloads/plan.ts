import { isVersionAtLeast } from '../../../design/versions.ts';
import { LOKI_COMPONENTS } from '../../api/kinds.ts';
import { getField, getString, isRecord, type KubeObject, type NewObject } from '../../api/objects.ts';
import type { OperatorContext } from '../world.ts';
import { acceptMonitoringConfig, parseCachedYaml } from './monitoring-config.ts';
import { type Placement, parsePlacement, type Toleration } from './scheduler.ts';
import {
  ALL_NODES_PLACEMENT,
  createWorkload,
  DEFAULT_PLACEMENT,
  LINUX_SELECTOR,
  type VolumeRequest,
  type Workload,
} from './workload.ts';

// Workloads of optional settings. No ClusterOperator waits for any of them.

const DIAGNOSTICS_NAMESPACE = 'openshift-network-diagnostics';
const CEPH_NAMESPACE = 'openshift-storage';
/** Default toleration of Rook and the CSI operator of OpenShift Data Foundation. */
const STORAGE_TOLERATION: Toleration = {
  key: 'node.ocs.openshift.io/storage',
  operator: 'Equal',
  value: 'true',
  effect: 'NoSchedule',
};

/** Plans network diagnostics, logging and the CSI plugins of Ceph, where they are configured. */
function planOptionalWorkloads(world: OperatorContext): Workload[] {
  return [...planNetworkChecks(world), ...planLogging(world), ...planCephPlugins(world)];
}

/**
 * Plans the source of network checks, and a target on every node (openshift/cluster-network-operator,
 * bindata/network-diagnostics).
 */
function planNetworkChecks({ store, release }: OperatorContext): Workload[] {
  const network = store.get('networks.config.openshift.io', null, 'cluster');
  if (network === undefined) return [];
  const settings = getField(network, 'spec', 'networkDiagnostics');
  const hasSettings = isRecord(settings) && Object.keys(settings).length > 0;
  const operator = store.get('networks.operator.openshift.io', null, 'cluster');
  const isDisabled = hasSettings
    ? getString(settings, 'mode') === 'Disabled'
    : getField(operator, 'spec', 'disableNetworkDiagnostics') === true;
  if (isDisabled) return [];
  const placementSettings = isVersionAtLeast(release.version, '4.16') ? settings : undefined;
  const source = parsePlacement(getField(placementSettings, 'sourcePlacement'), DEFAULT_PLACEMENT);
  const target = parsePlacement(getField(placementSettings, 'targetPlacement'), ALL_NODES_PLACEMENT);
  return [
    createWorkload('Deployment', 'network-diagnostics', `${DIAGNOSTICS_NAMESPACE}/network-check-source`, source),
    createWorkload('DaemonSet', 'network-diagnostics', `${DIAGNOSTICS_NAMESPACE}/network-check-target`, target),
  ];
}

function planLogging({ store }: OperatorContext): Workload[] {
  return [
    ...store.list('clusterloggings.logging.openshift.io').flatMap(planClusterLogging),
    ...store
      .list('clusterlogforwarders.observability.openshift.io')
      .map((forwarder) => planCollector(forwarder, forwarder.metadata.name, getField(forwarder, 'spec', 'collector'))),
    ...store.list('lokistacks.loki.grafana.com').flatMap(planLoki),
  ];
}

function planClusterLogging(object: KubeObject): Workload[] {
  const collection = getField(object, 'spec', 'collection');
  const logStore = getField(object, 'spec', 'logStore', 'elasticsearch');
  const kibana = getField(object, 'spec', 'visualization', 'kibana');
  const planComponent = (
    kind: Workload['kind'],
    name: string,
    settings: unknown,
    overrides: Partial<Workload> = {},
  ) => {
    const placement = parsePlacement(settings, DEFAULT_PLACEMENT);
    const labels = { component: name };
    return createWorkload(kind, 'logging', `${object.metadata.namespace}/${name}`, placement, { labels, ...overrides });
  };
  const replicaSettings = { replicas: Number(getField(logStore, 'nodeCount') ?? 3), isExclusive: true };
  return [
    ...(isRecord(collection)
      ? [planCollector(object, 'collector', getField(collection, 'logs', 'fluentd') ?? collection)]
      : []),
    ...(isRecord(logStore) ? [planComponent('StatefulSet', 'elasticsearch', logStore, replicaSettings)] : []),
    ...(isRecord(kibana) ? [planComponent('Deployment', 'kibana', kibana)] : []),
  ];
}

/**
 * Plans the collector, which reads the logs of each node. The collector tolerates the control plane by default, in
 * addition to its configured tolerations.
 */
function planCollector({ metadata }: KubeObject, name: string, settings: unknown): Workload {
  const { nodeSelector, tolerations } = parsePlacement(settings, { nodeSelector: LINUX_SELECTOR, tolerations: [] });
  const defaultTolerations = ['node-role.kubernetes.io/master', 'node.kubernetes.io/disk-pressure'].map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoSchedule',
  }));
  const placement = { nodeSelector, tolerations: [...defaultTolerations, ...tolerations] };
  return createWorkload('DaemonSet', 'logging', `${metadata.namespace}/${name}`, placement);
}

/** Plans a LokiStack: components that store data are StatefulSets (grafana/loki operator, internal/manifests). */
function planLoki({ metadata, spec }: KubeObject): Workload[] {
  return LOKI_COMPONENTS.map((component) => {
    const isStateful = ['compactor', 'indexGateway', 'ingester', 'ruler'].includes(component);
    const name = `${metadata.name}-${component.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const settings = getField(spec, 'template', component);
    const placement = parsePlacement(settings, DEFAULT_PLACEMENT);
    const kind = isStateful ? 'StatefulSet' : 'Deployment';
    return createWorkload(kind, 'logging', `${metadata.namespace}/${name}`, placement, {
      replicas: Number(getField(settings, 'replicas') ?? 1),
      labels: { 'app.kubernetes.io/managed-by': 'lokistack-controller' },
    });
  });
}

/** Plans the CSI plugins by the Drivers of the CSI operator if there are any, else by Rook's ConfigMap. */
function planCephPlugins({ store }: OperatorContext): Workload[] {
  const drivers = store.list('drivers.csi.ceph.io', CEPH_NAMESPACE);
  if (drivers.length > 0)
    return drivers.flatMap(({ metadata, spec }) => [
      planPlugin(
        `${metadata.name}-nodeplugin`,
        parsePlacement(getField(spec, 'nodePlugin'), DEFAULT_STORAGE_PLACEMENT),
      ),
      planProvisioner(
        `${metadata.name}-ctrlplugin`,
        parsePlacement(getField(spec, 'controllerPlugin'), DEFAULT_STORAGE_PLACEMENT),
      ),
    ]);
  const configMap = store.get('configmaps', CEPH_NAMESPACE, 'rook-ceph-operator-config');
  if (configMap === undefined) return [];
  const getPlacement = (key: string): Placement => ({
    nodeSelector: LINUX_SELECTOR,
    tolerations: parseTolerations(getString(configMap, 'data', key)) ?? [STORAGE_TOLERATION],
  });
  return ['csi-rbdplugin', 'csi-cephfsplugin'].flatMap((name) => [
    planPlugin(name, getPlacement('CSI_PLUGIN_TOLERATIONS')),
    planProvisioner(`${name}-provisioner`, getPlacement('CSI_PROVISIONER_TOLERATIONS')),
  ]);
}

const DEFAULT_STORAGE_PLACEMENT: Placement = { nodeSelector: LINUX_SELECTOR, tolerations: [STORAGE_TOLERATION] };

const planPlugin = (name: string, placement: Placement) =>
  createWorkload('DaemonSet', 'storage', `${CEPH_NAMESPACE}/${name}`, placement);

const planProvisioner = (name: string, placement: Placement) =>
  createWorkload('Deployment', 'storage', `${CEPH_NAMESPACE}/${name}`, placement, {
    replicas: 2,
    isExclusive: true,
  });

/** Parses a YAML list of tolerations. Null: the text is no list. */
function parseTolerations(text: string): Toleration[] | null {
  try {
    const tolerations: unknown = parseCachedYaml(text);
    return Array.isArray(tolerations) ? tolerations : null;
  } catch {
    return null;
  }
}

// Workloads that an administrator added. They run while their namespace exists, with the replicas of their Deployment.

/** Namespace of an approver of certificate requests. */
export const APPROVER_NAMESPACE = 'csr-approver';
/** Namespace of the provisioner of the StorageClass `standard`. */
export const STORAGE_NAMESPACE = 'storage-csi';
export const PROVISIONER_KEY = `${STORAGE_NAMESPACE}/csi-provisioner`;
const STORAGE_NETWORK_PLACEMENT: Placement = {
  nodeSelector: { ...LINUX_SELECTOR, 'example.com/storage-network': '' },
  tolerations: [],
};

/** Plans a workload that an administrator added: it runs while its namespace exists. */
function planAddedDeployment({ store }: OperatorContext, path: string, placement: Placement): Workload[] {
  const [namespace = '', name = ''] = path.split('/');
  const namespaceObject = store.get('namespaces', null, namespace);
  if (namespaceObject === undefined || namespaceObject.metadata.deletionTimestamp !== undefined) return [];
  const replicas = getField(store.get('deployments.apps', namespace, name), 'spec', 'replicas');
  return [
    createWorkload('Deployment', 'none', path, placement, { replicas: typeof replicas === 'number' ? replicas : 1 }),
  ];
}

/** Creates a factory for the workloads of cluster-monitoring-operator in a namespace, placed by these settings. */
function createWorkloadFactory(namespace: string, config: unknown) {
  return (kind: Workload['kind'], key: string, name: string, replicas: number, overrides: Partial<Workload> = {}) => {
    const template = getField(config, key, 'volumeClaimTemplate');
    const volume: VolumeRequest | null =
      template === undefined || kind !== 'StatefulSet'
        ? null
        : { claim: getString(template, 'metadata', 'name') || `${name}-db`, template };
    const placement = parsePlacement(getField(config, key), DEFAULT_PLACEMENT);
    return createWorkload(kind, 'monitoring', `${namespace}/${name}`, placement, { replicas, volume, ...overrides });
  };
}

const EXCLUSIVE_OPTIONS = { isExclusive: true };

/** Plans the monitoring of the cluster, and that of user-defined projects if it is enabled. */
function planMonitoring(world: OperatorContext): Workload[] {
  const config = acceptMonitoringConfig(world).acceptedConfig;
  const isAtLeast = (version: string) => isVersionAtLeast(world.release.version, version);
  const createMonitoringWorkload = createWorkloadFactory('openshift-monitoring', config);
  return [
    createMonitoringWorkload('StatefulSet', 'prometheusK8s', 'prometheus-k8s', 2, EXCLUSIVE_OPTIONS),
    isAtLeast('4.10')
      ? createMonitoringWorkload('StatefulSet', 'alertmanagerMain', 'alertmanager-main', 2, EXCLUSIVE_OPTIONS)
      : createMonitoringWorkload('StatefulSet', 'alertmanagerMain', 'alertmanager-main', 3),
    createMonitoringWorkload('Deployment', 'thanosQuerier', 'thanos-querier', 2, EXCLUSIVE_OPTIONS),
    createMonitoringWorkload('Deployment', 'kubeStateMetrics', 'kube-state-metrics', 1),
    createMonitoringWorkload('Deployment', 'openshiftStateMetrics', 'openshift-state-metrics', 1),
    createMonitoringWorkload('Deployment', 'telemeterClient', 'telemeter-client', 1),
    createMonitoringWorkload('Deployment', 'prometheusOperator', 'prometheus-operator', 1),
    isAtLeast('4.16')
      ? createMonitoringWorkload('Deployment', 'metricsServer', 'metrics-server', 2, EXCLUSIVE_OPTIONS)
      : createMonitoringWorkload('Deployment', 'k8sPrometheusAdapter', 'prometheus-adapter', 2, EXCLUSIVE_OPTIONS),
    ...(isAtLeast('4.14') ? [createMonitoringWorkload('Deployment', 'monitoringPlugin', 'monitoring-plugin', 2)] : []),
    // No setting places the webhook.
    isAtLeast('4.11')
      ? createMonitoringWorkload('Deployment', '', 'prometheus-operator-admission-webhook', 2, EXCLUSIVE_OPTIONS)
      : createMonitoringWorkload('Deployment', 'grafana', 'grafana', 1),
    ...planUserWorkloadMonitoring(world, config),
  ];
}

function planUserWorkloadMonitoring(world: OperatorContext, config: unknown): Workload[] {
  const isPreview = !isVersionAtLeast(world.release.version, '4.6');
  const isEnabled = isPreview
    ? getField(config, 'techPreviewUserWorkload', 'enabled') === true
    : getField(config, 'enableUserWorkload') === true;
  if (!isEnabled) return [];
  const namespace = 'openshift-user-workload-monitoring';
  const settings = isPreview ? config : getUserWorkloadSettings(world, namespace);
  const [prometheus, operator] = isPreview
    ? ['prometheusUserWorkload', 'prometheusOperatorUserWorkload']
    : ['prometheus', 'prometheusOperator'];
  const createMonitoringWorkload = createWorkloadFactory(namespace, settings);
  const hasAlertmanager =
    isVersionAtLeast(world.release.version, '4.11') && getField(settings, 'alertmanager', 'enabled') === true;
  return [
    createMonitoringWorkload('StatefulSet', prometheus, 'prometheus-user-workload', 2, EXCLUSIVE_OPTIONS),
    createMonitoringWorkload('StatefulSet', 'thanosRuler', 'thanos-ruler-user-workload', 2, EXCLUSIVE_OPTIONS),
    createMonitoringWorkload('Deployment', operator, 'prometheus-operator', 1),
    ...(hasAlertmanager
      ? [createMonitoringWorkload('StatefulSet', 'alertmanager', 'alertmanager-user-workload', 2, EXCLUSIVE_OPTIONS)]
      : []),
  ];
}

/** Reads the settings for user-defined projects. Invalid YAML counts as none. */
function getUserWorkloadSettings({ store }: OperatorContext, namespace: string): unknown {
  const configMap = store.get('configmaps', namespace, 'user-workload-monitoring-config');
  try {
    return parseCachedYaml(getString(configMap, 'data', 'config.yaml'));
  } catch {
    return null;
  }
}

const MASTER_SELECTOR = { 'node-role.kubernetes.io/master': '' };
const WORKER_SELECTOR = { 'node-role.kubernetes.io/worker': '' };
const CONTROL_PLANE_PLACEMENT: Placement = {
  nodeSelector: MASTER_SELECTOR,
  tolerations: [{ key: 'node-role.kubernetes.io/master', operator: 'Exists' }],
};

/** Builds the operators' settings of a new cluster, which the placement of the workloads below depends on. */
export function buildDefaultSettings(clusterDomain: string): (readonly [resource: string, object: NewObject])[] {
  const ingressStatus = { domain: `apps.${clusterDomain}`, endpointPublishingStrategy: { type: 'HostNetwork' } };
  const registry = { managementState: 'Removed', replicas: 1, storage: {}, rolloutStrategy: 'RollingUpdate' };
  const etcd = { spec: { managementState: 'Managed' }, status: { conditions: [] } };
  const [clusterMetadata, routerMetadata] = [
    { name: 'cluster' },
    { name: 'default', namespace: 'openshift-ingress-operator' },
  ];
  return [
    ['ingresscontrollers.operator.openshift.io', { metadata: routerMetadata, spec: {}, status: ingressStatus }],
    [
      'configs.imageregistry.operator.openshift.io',
      { metadata: clusterMetadata, spec: { ...registry, logLevel: 'Normal' }, status: {} },
    ],
    [
      'imagepruners.imageregistry.operator.openshift.io',
      { metadata: clusterMetadata, spec: { schedule: '', suspend: false } },
    ],
    ['dnses.operator.openshift.io', { metadata: { name: 'default' }, spec: {} }],
    ['etcds.operator.openshift.io', { metadata: clusterMetadata, ...etcd }],
  ];
}

/** The last plan of each world, with the change count and the control plane size that it was built for. */
const planCache = new WeakMap<
  OperatorContext['saved'],
  {
    readonly changeCount: number;
    readonly controlPlaneReplicas: number | undefined;
    readonly workloads: readonly Workload[];
  }
>();

/** Plans all workloads from the current settings. Returns the same list until an object changes. */
export function planWorkloads(world: OperatorContext): readonly Workload[] {
  const [changeCount, controlPlaneReplicas] = [world.store.getChangeCount(), world.saved.cluster?.controlPlaneReplicas];
  const cachedPlan = planCache.get(world.saved);
  if (cachedPlan?.changeCount === changeCount && cachedPlan.controlPlaneReplicas === controlPlaneReplicas)
    return cachedPlan.workloads;
  const workloads = buildWorkloadPlan(world);
  planCache.set(world.saved, { changeCount, controlPlaneReplicas: controlPlaneReplicas, workloads });
  return workloads;
}

function buildWorkloadPlan(world: OperatorContext): Workload[] {
  const workloads = [
    ...planControlPlaneDeployments(),
    ...planDaemonSets(world),
    ...planRouters(world),
    ...planMonitoring(world),
    ...planOptionalWorkloads(world),
    ...planAddedDeployment(world, `${APPROVER_NAMESPACE}/csr-approver`, CONTROL_PLANE_PLACEMENT),
    ...planAddedDeployment(world, PROVISIONER_KEY, STORAGE_NETWORK_PLACEMENT),
  ];
  // With the SingleReplica topology, every workload except the image registry has one replica.
  const isSingleReplica = world.saved.cluster?.controlPlaneReplicas === 1;
  return [
    ...(isSingleReplica ? workloads.map((workload) => ({ ...workload, replicas: 1 })) : workloads),
    ...planImageRegistry(world),
  ];
}

function planControlPlaneDeployments(): Workload[] {
  const deployments = [
    ['console', 'openshift-console/console', 2],
    ['console', 'openshift-console/downloads', 2],
    ['authentication', 'openshift-authentication/oauth-openshift', 2],
    ['monitoring', 'openshift-monitoring/cluster-monitoring-operator', 1],
  ] as const;
  return deployments.map(([operator, path, replicas]) =>
    createWorkload('Deployment', operator, path, CONTROL_PLANE_PLACEMENT, { replicas }),
  );
}

function planDaemonSets({ store }: OperatorContext): Workload[] {
  const infraToleration = { key: 'node-role.kubernetes.io/infra', operator: 'Exists' };
  const masterToleration = { key: 'node-role.kubernetes.io/master', operator: 'Exists' };
  const dns = store.get('dnses.operator.openshift.io', null, 'default');
  const dnsPlacement = { nodeSelector: LINUX_SELECTOR, tolerations: [masterToleration] };
  const sets: readonly (readonly [operator: string, path: string, placement: Placement])[] = [
    // cluster-ingress-operator pkg/manifests/assets/canary/daemonset.yaml tolerates this key alone.
    [
      'ingress',
      'openshift-ingress-canary/ingress-canary',
      { nodeSelector: LINUX_SELECTOR, tolerations: [infraToleration] },
    ],
    ['dns', 'openshift-dns/dns-default', parsePlacement(getField(dns, 'spec', 'nodePlacement'), dnsPlacement)],
    ['dns', 'openshift-dns/node-resolver', ALL_NODES_PLACEMENT],
    ['monitoring', 'openshift-monitoring/node-exporter', ALL_NODES_PLACEMENT],
    ['image-registry', 'openshift-image-registry/node-ca', ALL_NODES_PLACEMENT],
    ['machine-config', 'openshift-machine-config-operator/machine-config-daemon', ALL_NODES_PLACEMENT],
  ];
  return sets.map(([operator, path, placement]) => createWorkload('DaemonSet', operator, path, placement));
}

/** Plans the routers of each IngressController. With HostNetwork, a node runs one router for the same ports. */
function planRouters({ store }: OperatorContext): Workload[] {
  return store.list('ingresscontrollers.operator.openshift.io').map((controller) => {
    const spec = getField(controller, 'spec');
    const replicas = getField(spec, 'replicas');
    const getPort = (name: string, defaultPort: number) =>
      Number(getField(spec, 'endpointPublishingStrategy', 'hostNetwork', name) ?? defaultPort);
    const type =
      getString(spec, 'endpointPublishingStrategy', 'type') ||
      getString(controller, 'status', 'endpointPublishingStrategy', 'type') ||
      'HostNetwork';
    const usesHostNetwork = type === 'HostNetwork';
    return createWorkload(
      'Deployment',
      'ingress',
      `openshift-ingress/router-${controller.metadata.name}`,
      parsePlacement(getField(spec, 'nodePlacement'), {
        nodeSelector: { ...LINUX_SELECTOR, ...WORKER_SELECTOR },
        tolerations: [],
      }),
      {
        replicas: typeof replicas === 'number' ? replicas : 2,
        isExclusive: usesHostNetwork,
        hostPorts: usesHostNetwork
          ? [getPort('httpPort', 80), getPort('httpsPort', 443), getPort('statsPort', 1936)]
          : [],
      },
    );
  });
}

/** Plans the image registry: nothing while it is Removed, as at first on platform none, or has no storage. */
function planImageRegistry({ store }: OperatorContext): Workload[] {
  const config = store.get('configs.imageregistry.operator.openshift.io', null, 'cluster');
  const spec = getField(config, 'spec');
  if (getString(spec, 'managementState') !== 'Managed') return [];
  const { claim, hasOtherStorage } = parseRegistryStorage(spec);
  if (claim === null && !hasOtherStorage) return [];
  const replicas = Number(getField(spec, 'replicas') ?? 1);
  const path = 'openshift-image-registry/image-registry';
  return [
    createWorkload('Deployment', 'image-registry', path, parsePlacement(spec, DEFAULT_PLACEMENT), {
      replicas,
      // pkg/resource/podtemplatespec.go: two replicas must be on two nodes.
      isExclusive: replicas === 2,
      volume: claim === null ? null : { claim, template: null },
    }),
  ];
}

/** Reads the registry storage: its PersistentVolumeClaim, or null, and whether it has storage of another kind. */
export function parseRegistryStorage(spec: unknown): {
  readonly claim: string | null;
  readonly hasOtherStorage: boolean;
} {
  const hasStorage = (kind: string) => getField(spec, 'storage', kind) !== undefined;
  return {
    claim: hasStorage('pvc') ? getString(spec, 'storage', 'pvc', 'claim') || 'image-registry-storage' : null,
    hasOtherStorage: hasStorage('emptyDir') || hasStorage('s3'),
  };
}
