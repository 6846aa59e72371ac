import type { Design, InfraPlan } from './model.ts';
import { nodeFqdn, nodesWithRole } from './names.ts';

/** Makes a node an infra node: its role in `oc get nodes`, and what is moved there selects by it. Its value is empty. */
export const INFRA_LABEL = 'node-role.kubernetes.io/infra';
/** What OpenShift Data Foundation looks for; its operator does the rest. */
export const STORAGE_LABEL = 'cluster.ocs.openshift.io/openshift-storage';
/**
 * Keeps a storage node for OpenShift Data Foundation, whose parts tolerate it by themselves (Red Hat, Managing and allocating
 * storage resources: dedicated worker nodes).
 */
export const STORAGE_TAINT = { key: 'node.ocs.openshift.io/storage', value: 'true', effect: 'NoSchedule' } as const;
/** The role of every node that was made from worker.ign; an infra node may lose it. */
export const WORKER_LABEL = 'node-role.kubernetes.io/worker';

/** The node selector of everything that moves to the infra nodes. */
export const INFRA_SELECTOR = { [INFRA_LABEL]: '' } as const;

/** A toleration as Kubernetes takes it. */
export type Toleration = Readonly<Record<string, string>>;

/** The names of the infra nodes of the design in Kubernetes. */
export function infraNames(design: Design): string[] {
  return nodesWithRole(design, 'infra').map((node) => nodeFqdn(design, node));
}

/** The names of the storage nodes of the design in Kubernetes. */
export function storageNames(design: Design): string[] {
  return nodesWithRole(design, 'storage').map((node) => nodeFqdn(design, node));
}

/** What tolerates the taint of the design, with either effect. */
export function infraTolerations(design: Design): Toleration[] {
  const { key, value } = design.infra.taint;
  return ['NoSchedule', 'NoExecute'].map(
    (effect): Toleration => (value === '' ? { key, operator: 'Exists', effect } : { key, value, effect }),
  );
}

/** The taint of the design, as the nodes get it. A value may be empty: then the key alone. */
export function infraTaints(design: Design): Toleration[] {
  const { key, value, noExecute } = design.infra.taint;
  const effects = noExecute ? ['NoSchedule', 'NoExecute'] : ['NoSchedule'];
  return effects.map((effect) => ({ key, ...(value === '' ? {} : { value }), effect }));
}

/**
 * Cluster DNS runs on every node, but tolerates only the control plane's taint by itself; a list of ours replaces that one
 * (openshift/api, operator/v1/types_dns.go), so it has to be in it again.
 */
export const CONTROL_PLANE_TOLERATION: Toleration = { key: 'node-role.kubernetes.io/master', operator: 'Exists' };

/** The MachineConfigPool `infra` (machine-config-operator, docs/custom-pools.md): what the pool `worker` renders, and its own. */
export const INFRA_POOL_SPEC = {
  machineConfigSelector: {
    matchExpressions: [{ key: 'machineconfiguration.openshift.io/role', operator: 'In', values: ['worker', 'infra'] }],
  },
  nodeSelector: { matchLabels: INFRA_SELECTOR },
} as const;

/** Routers use the ports of their host, so there may never be more of them than nodes. Null: the owner's number stays. */
export function routerReplicas(design: Design): number | null {
  const { routerReplicas: wanted } = design.infra;
  return wanted === null ? null : Math.min(wanted, infraNames(design).length);
}

/** How the registry runs: two of it only where both can write at once. */
export function registryShape(isShared: boolean, nodeCount: number) {
  return isShared
    ? ({ replicas: Math.min(2, nodeCount), rolloutStrategy: 'RollingUpdate' } as const)
    : ({ replicas: 1, rolloutStrategy: 'Recreate' } as const);
}

/** The claim of the registry, in its namespace. */
export const REGISTRY_CLAIM = 'image-registry-storage';

/**
 * The components that can be placed, by minor version of OpenShift 4 (5.0 counts as 4.23). Read in the branches of
 * cluster-monitoring-operator (pkg/manifests/config.go, types.go): a key too many makes the operator degraded from 4.18 on.
 */
const COMPONENTS: readonly { readonly key: string; readonly since: number; readonly until: number }[] = [
  { key: 'alertmanagerMain', since: 0, until: 99 },
  { key: 'prometheusK8s', since: 0, until: 99 },
  { key: 'prometheusOperator', since: 0, until: 99 },
  { key: 'kubeStateMetrics', since: 0, until: 99 },
  { key: 'openshiftStateMetrics', since: 0, until: 99 },
  { key: 'telemeterClient', since: 0, until: 99 },
  { key: 'thanosQuerier', since: 0, until: 99 },
  { key: 'grafana', since: 0, until: 10 },
  { key: 'k8sPrometheusAdapter', since: 0, until: 15 },
  { key: 'monitoringPlugin', since: 14, until: 99 },
  { key: 'metricsServer', since: 16, until: 99 },
];

/** The keys of cluster-monitoring-config that take a placement in this version ("4.18.9"); null when it is no version. */
export function placementKeys(version: string): string[] | null {
  const count = minorOf(version);
  return count === null ? null : keysAt(COMPONENTS, count);
}

/** The components that watch users' projects (the same branches; the operator docs of 4.5 for those of its preview). */
const USER_COMPONENTS: typeof COMPONENTS = [
  { key: 'prometheusOperatorUserWorkload', since: 0, until: 5 },
  { key: 'prometheusUserWorkload', since: 0, until: 5 },
  { key: 'prometheusOperator', since: 6, until: 99 },
  { key: 'prometheus', since: 6, until: 99 },
  { key: 'thanosRuler', since: 0, until: 99 },
  { key: 'alertmanager', since: 11, until: 99 },
];

/**
 * The keys that place the monitoring of users' projects in this version; null when it is no version.
 * `isOwnMap`: they stand in a ConfigMap of their own, not among the settings of the cluster's monitoring.
 */
export function userWorkloadKeys(version: string): { readonly keys: string[]; readonly isOwnMap: boolean } | null {
  const count = minorOf(version);
  return count === null ? null : { keys: keysAt(USER_COMPONENTS, count), isOwnMap: count >= 6 };
}

/** Whether it is this minor version of OpenShift 4 ("4.18.9"), or a later one. */
export function isVersionFrom(version: string, minor: number): boolean {
  return (minorOf(version) ?? -1) >= minor;
}

/** The minor version of OpenShift 4; 5.0 counts as 4.23. Null when it is no version. */
function minorOf(version: string): number | null {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined || minor === undefined || Number(major) < 4) return null;
  return Number(major) === 4 ? Number(minor) : 23 + Number(minor);
}

function keysAt(components: typeof COMPONENTS, minor: number): string[] {
  return components.filter(({ since, until }) => minor >= since && minor <= until).map(({ key }) => key);
}

/** The volumes of monitoring, by component; empty where the design names no class. */
export function monitoringVolumes({ storageClass, prometheusGiB, alertmanagerGiB }: InfraPlan['monitoring']) {
  if (storageClass === null) return [];
  const spec = (sizeGiB: number) => ({
    storageClassName: storageClass,
    resources: { requests: { storage: `${sizeGiB}Gi` } },
  });
  return [
    { key: 'prometheusK8s', spec: spec(prometheusGiB) },
    { key: 'alertmanagerMain', spec: spec(alertmanagerGiB) },
  ] as const;
}
