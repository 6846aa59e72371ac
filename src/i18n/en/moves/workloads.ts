import { joinNames } from '../ui.ts';
import { type EffectFacts, formatNodeSubject } from './parts.ts';

/** Texts of the moves that relocate workloads of the cluster: registry, monitoring, storage and logging. */
export const workloads = {
  'registry-storage': {
    title: 'Set up image registry storage',
    action: 'set up registry storage',
    effects: ({ changesOnly, hasRegistryVolume }: EffectFacts) => ({
      restarts: changesOnly('PersistentVolumeClaim', 'StorageClass')
        ? []
        : ['Deployment openshift-image-registry/image-registry'],
      outage: hasRegistryVolume
        ? 'None if the registry was off. If it had other storage, the new storage starts empty: images are not copied.'
        : 'Images in an emptyDir are lost when the pod moves.',
      hasOutage: !hasRegistryVolume,
      knownLater: hasRegistryVolume ? ['The PersistentVolume of the claim: the provisioner creates it.'] : [],
    }),
    undoLimits:
      'Not undone: images pushed since then are not copied to the previous storage; a PersistentVolumeClaim or a StorageClass that the move created stays.',
    unwanted: 'The design has no storage for the registry (infra.registry.storage).',
    noClass:
      'The registry has no StorageClass: the design sets none, and the cluster has no default. Install storage first, then set its StorageClass in the design (Services page: StorageClass; infra.registry.storageClass in the file). For a trial, choose emptyDir as registry storage on the same page.',
    otherClass: (name: string) =>
      `A StorageClass ${name} exists that does not retain volumes, or has another provisioner. Remove it, or choose another one.`,
    claimExists: (claim: string) =>
      `The PersistentVolumeClaim ${claim} exists already: the reclaim policy of its volume decides whether the volume stays: \`oc get pv\``,
    emptyDir:
      'Images in an emptyDir are lost when the pod is deleted, and existing images are not copied: use emptyDir for trials only.',
    unbound: (phase: string, claim: string) =>
      `The PersistentVolumeClaim ${claim} is ${phase}: it must be Bound before the registry can use it.`,
    done: 'The image registry has its storage.',
  },
  registry: {
    title: 'Move the image registry and its pruner to the infra nodes',
    action: 'move the registry',
    effects: ({ changesOnly, hasRegistryVolume }: EffectFacts) =>
      changesOnly('ImagePruner')
        ? { restarts: [], outage: 'None: only the pruner moves, with its next run.', knownLater: [] }
        : {
            restarts: ['Deployment openshift-image-registry/image-registry', 'CronJob image-pruner: with its next run'],
            outage: hasRegistryVolume
              ? 'None with two replicas; with one (ReadWriteOnce) images cannot be pushed or pulled until the new pod runs.'
              : 'Images in an emptyDir are lost when the pod moves.',
            hasOutage: true,
            knownLater: [],
          },
    undoLimits: null,
    unwanted: 'The registry is turned off (managementState Removed), and the design has no storage for it.',
    unmanaged:
      'The registry is Unmanaged (spec.managementState): its operator applies no setting. Set it to Managed first: `oc patch configs.imageregistry.operator.openshift.io cluster --type merge -p \'{"spec":{"managementState":"Managed"}}\'`',
    affinityConflict:
      'The affinity of the registry (spec.affinity of Config cluster) excludes the infra nodes: its pods would stay Pending. Change it first: `oc edit configs.imageregistry.operator.openshift.io cluster`',
    storageFirst: 'The registry is turned off (managementState Removed): set up its storage first (registry-storage).',
    done: 'The image registry runs on the infra nodes.',
  },
  monitoring: {
    title: 'Move monitoring to the infra nodes',
    action: 'move monitoring',
    effects: ({ hasMonitoringVolumes }: EffectFacts) => ({
      restarts: [
        'StatefulSets prometheus-k8s and alertmanager-main: one replica at a time',
        'the Deployments of openshift-monitoring that the ConfigMap names',
      ],
      outage: hasMonitoringVolumes
        ? 'None for the cluster. Existing metrics that are not in a volume are lost.'
        : 'None for the cluster. Without volumes, existing metrics are lost with the pods.',
      knownLater: hasMonitoringVolumes
        ? ['The volumes: their provisioner creates them when the pods are scheduled.']
        : [],
    }),
    undoLimits: 'Not undone: metrics that were lost with pods stay lost, and created volumes stay.',
    tooFew: (count: number) =>
      `Monitoring needs two nodes for its replicas; there ${count === 1 ? 'is one infra node' : `are ${count} infra nodes`}. Add one, or leave monitoring where it is.`,
    noVersion: 'The cluster version is not known yet; the monitoring settings depend on it.',
    unreadable: (configMap: string, reason: string) =>
      `The settings in the ConfigMap ${configMap} are not valid YAML (${reason}). Correct them first; upi-wizard does not overwrite what it cannot read.`,
    immutable: (configMap: string) =>
      `The ConfigMap ${configMap} is immutable: it cannot be changed. Create it again with the same settings, but without the field immutable.`,
    volumesUnchanged: (keys: readonly string[]) =>
      `The volumes that are configured for ${joinNames(keys)} stay as they are: new ones would start empty.`,
    done: 'Monitoring runs on the infra nodes.',
  },
  'user-workload': {
    title: 'Move monitoring for user-defined projects to the infra nodes',
    action: 'move user-defined project monitoring',
    effects: () => ({
      restarts: ['StatefulSets and Deployments of openshift-user-workload-monitoring: one replica at a time'],
      outage: 'None for the cluster. Metrics of user-defined projects that are not in a volume are lost with the pods.',
      knownLater: [],
    }),
    undoLimits: 'Not undone: metrics that were lost with pods stay lost.',
    off: 'Monitoring for user-defined projects is not turned on (enableUserWorkload).',
    done: 'Monitoring for user-defined projects runs on the infra nodes.',
  },
  storage: {
    title: 'Reserve the storage nodes, and run the Ceph CSI plugins on the infra nodes',
    action: 'keep storage nodes for storage, let Ceph volumes be mounted on infra nodes',
    effects: ({ changesOnly }: EffectFacts) => ({
      restarts: changesOnly('Node')
        ? []
        : ['DaemonSets of the Ceph CSI node plugins: node by node', 'Deployments of the Ceph CSI provisioners'],
      outage:
        'None: mounted volumes stay; a new mount on a node waits until its plugin is back. NoSchedule keeps new pods off the storage nodes; pods that run there stay.',
      knownLater: [],
    }),
    undoLimits: null,
    notInstalled: 'OpenShift Data Foundation is not installed; upi-wizard does not install it.',
    unreadable: (key: string) =>
      `${key} in the ConfigMap openshift-storage/rook-ceph-operator-config is not a YAML list. Correct it first; upi-wizard does not overwrite what it cannot read.`,
    untaintedNodes: (nodes: readonly string[]) =>
      `Not tainted: ${joinNames(nodes)}. No other node accepts pods (compute, Ready, not cordoned, without a taint): applications would have nowhere to run.`,
    daemonSets: (names: readonly string[]) =>
      `These DaemonSets do not tolerate node.ocs.openshift.io/storage; no new pod of them starts on the storage nodes: ${joinNames(names)}. Add a toleration to those that are needed there.`,
    done: (hasPlugins: boolean, taintedCount: number) =>
      [
        hasPlugins
          ? 'The plugins that create and mount Ceph volumes tolerate the taint.'
          : 'OpenShift Data Foundation is not installed yet; upi-wizard does not install it.',
        ...(taintedCount > 0 ? [`${formatNodeSubject(taintedCount, 'storage node')} tainted.`] : []),
      ].join(' '),
  },
  logging: {
    title: 'Move logging to the infra nodes',
    action: 'move logging',
    effects: ({ changesOnly }: EffectFacts) => ({
      restarts: [
        ...(changesOnly('ClusterLogForwarder') ? [] : ['the pods of the log store, part by part']),
        ...(changesOnly('LokiStack') ? [] : ['the DaemonSet of the collectors: node by node']),
      ],
      outage:
        'None for applications. Log queries may fail in the meantime; the collectors buffer the logs and send them later.',
      knownLater: ['Whether a volume of the log store can be mounted on the infra nodes: the scheduler decides.'],
    }),
    undoLimits: null,
    notInstalled: 'Logging is not installed; upi-wizard does not install it.',
    legacyObjects: (objects: readonly string[]) =>
      `Left alone: ${joinNames(objects)}. The logging operator, from version 6 on, no longer manages ${objects.length === 1 ? 'it' : 'them'}.`,
    unmanaged: (objects: readonly string[]) =>
      `Unmanaged (spec.managementState), so its operator applies no setting: ${joinNames(objects)}. Set it to Managed first.`,
    done: 'Logging runs on the infra nodes; its collectors run on every node.',
  },
};
