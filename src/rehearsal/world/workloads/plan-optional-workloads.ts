import { isVersionAtLeast } from '../../../design/versions.ts';
import { LOKI_COMPONENTS } from '../../api/kinds.ts';
import { getField, getString, isRecord, type KubeObject } from '../../api/objects.ts';
import type { OperatorContext } from '../world.ts';
import { parseCachedYaml } from './monitoring-config.ts';
import { type Placement, parsePlacement, type Toleration } from './scheduler.ts';
import { ALL_NODES_PLACEMENT, createWorkload, DEFAULT_PLACEMENT, LINUX_SELECTOR, type Workload } from './workload.ts';

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
export function planOptionalWorkloads(world: OperatorContext): Workload[] {
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
