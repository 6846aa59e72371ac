import { getNodeFqdn, listNodesWithRole } from './derived-facts.ts';
import type { Design, InfraSettings } from './model.ts';

/**
 * Label of an infra node: its role in `oc get nodes`, and the node selector of the workloads moved there. Its value is
 * empty.
 */
export const INFRA_LABEL = 'node-role.kubernetes.io/infra';
/** Role label of an arbiter, and the key of its taint (openshift/machine-config-operator templates/arbiter). */
export const ARBITER_LABEL = 'node-role.kubernetes.io/arbiter';
/** Label by which the operator of OpenShift Data Foundation selects storage nodes. */
export const STORAGE_LABEL = 'cluster.ocs.openshift.io/openshift-storage';
/**
 * Taint that reserves a storage node for OpenShift Data Foundation, whose pods tolerate it by default (Red Hat,
 * Managing and allocating storage resources: dedicated worker nodes).
 */
export const STORAGE_TAINT = { key: 'node.ocs.openshift.io/storage', value: 'true', effect: 'NoSchedule' } as const;
/** Role label of every node that boots with worker.ign; an infra node may lose it. */
export const WORKER_LABEL = 'node-role.kubernetes.io/worker';

/** The node selector of everything that moves to the infra nodes. */
export const INFRA_NODE_SELECTOR = { [INFRA_LABEL]: '' } as const;

/** A Kubernetes toleration or taint. */
export type TaintOrToleration = Readonly<Record<string, string>>;

/** Lists the Kubernetes names of the design's infra nodes. */
export function listInfraNodeNames(design: Design): string[] {
  return listNodesWithRole(design, 'infra').map((node) => getNodeFqdn(design, node));
}

/** Lists the Kubernetes names of the design's storage nodes. */
export function listStorageNodeNames(design: Design): string[] {
  return listNodesWithRole(design, 'storage').map((node) => getNodeFqdn(design, node));
}

/** Tolerations that the DaemonSet controller adds (kubernetes, pkg/controller/daemon/util/daemonset_util.go). */
export const DAEMON_TOLERATIONS: readonly TaintOrToleration[] = [
  ...['not-ready', 'unreachable', 'unschedulable'],
  ...['disk-pressure', 'memory-pressure', 'pid-pressure'],
].map((taint) => ({ key: `node.kubernetes.io/${taint}`, operator: 'Exists' }));

/** Creates the tolerations of the design's infra taint, one per effect. */
export function createInfraTolerations(design: Design): TaintOrToleration[] {
  const { key, value } = design.infra.taint;
  return ['NoSchedule', 'NoExecute'].map(
    (effect): TaintOrToleration => (value === '' ? { key, operator: 'Exists', effect } : { key, value, effect }),
  );
}

/** Creates the infra taints of the nodes, one per effect. An empty value is left out. */
export function createInfraTaints(design: Design): TaintOrToleration[] {
  const { key, value, noExecute } = design.infra.taint;
  const effects = noExecute ? ['NoSchedule', 'NoExecute'] : ['NoSchedule'];
  return effects.map((effect) => ({ key, ...(value === '' ? {} : { value }), effect }));
}

/**
 * Toleration of the control plane's taint, for cluster DNS. DNS runs on every node and tolerates that taint by default.
 * A configured list replaces the default (openshift/api, operator/v1/types_dns.go), so it must include this entry.
 */
export const CONTROL_PLANE_TOLERATION: TaintOrToleration = {
  key: 'node-role.kubernetes.io/master',
  operator: 'Exists',
};

/**
 * Spec of the MachineConfigPool `infra`: the MachineConfigs of the roles worker and infra (machine-config-operator,
 * docs/custom-pools.md).
 */
export const INFRA_POOL_SPEC = {
  machineConfigSelector: {
    matchExpressions: [{ key: 'machineconfiguration.openshift.io/role', operator: 'In', values: ['worker', 'infra'] }],
  },
  nodeSelector: { matchLabels: INFRA_NODE_SELECTOR },
} as const;

/**
 * Returns the number of router pods: at most one per infra node, because routers use host ports. Null leaves the
 * current number.
 */
export function getRouterReplicas(design: Design): number | null {
  const { routerReplicas: replicas } = design.infra;
  return replicas === null ? null : Math.min(replicas, listInfraNodeNames(design).length);
}

/** Returns replicas and rollout strategy of the registry: two replicas need shared storage. */
export function getRegistryRollout(isShared: boolean, nodeCount: number) {
  return isShared
    ? ({ replicas: Math.min(2, nodeCount), rolloutStrategy: 'RollingUpdate' } as const)
    : ({ replicas: 1, rolloutStrategy: 'Recreate' } as const);
}

/** PersistentVolumeClaim of the registry, in its namespace. */
export const REGISTRY_PVC = 'image-registry-storage';

/** Creates the PersistentVolumeClaim specs of monitoring; empty when the design names no StorageClass. */
export function createMonitoringVolumeClaims({
  storageClass,
  prometheusGiB,
  alertmanagerGiB,
}: InfraSettings['monitoring']) {
  if (storageClass === null) return [];
  const createSpec = (sizeGiB: number) => ({
    storageClassName: storageClass,
    resources: { requests: { storage: `${sizeGiB}Gi` } },
  });
  return [
    { key: 'prometheusK8s', spec: createSpec(prometheusGiB) },
    { key: 'alertmanagerMain', spec: createSpec(alertmanagerGiB) },
  ] as const;
}
