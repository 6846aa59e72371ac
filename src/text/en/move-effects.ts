interface Facts {
  readonly isVolume: boolean;
  readonly hasVolumes: boolean;
  readonly noExecute: boolean;
}

interface Said {
  readonly restarts: readonly string[];
  readonly outage: string;
  readonly knownLater: readonly string[];
}

const each = <Name extends string>(words: Readonly<Record<Name, (facts: Facts) => Said>>) => words;

/** What each move causes beside its changes: what restarts, what it costs in outage and why, and what is known only later. */
export const moveEffects = each({
  'machine-sets': () => ({
    restarts: [],
    outage: 'None: machines are added. The cloud bills them from now on (their size is in the diff).',
    knownLater: ['The names of the machines and their nodes: the machine API and the cloud give them.'],
  }),
  autoscaler: () => ({
    restarts: ['pods on workers that are removed: drained, their PodDisruptionBudgets kept'],
    outage: 'None where an application has two replicas. Nodes with pods that must not move stay.',
    knownLater: ['When workers come and go: that depends on what runs. The cloud bills them.'],
  }),
  label: () => ({
    restarts: [],
    outage: 'None: a label moves no pod.',
    knownLater: [],
  }),
  pool: () => ({
    restarts: [],
    outage: 'None: the pool has the configuration of the pool worker, so no node restarts.',
    knownLater: [
      'The rendered configuration (rendered-infra-…): the machine-config-operator makes it once the pool is there. MachineConfigs of yours for the role infra would restart the nodes, one at a time.',
    ],
  }),
  'lb-add': () => ({
    restarts: ['HAProxy: reloaded; open connections stay'],
    outage: 'None: the infra nodes are added, and stay DOWN in the health check until routers run there.',
    knownLater: [],
  }),
  dns: () => ({
    restarts: ['DaemonSet openshift-dns/dns-default: node by node'],
    outage: 'None: pods ask the DNS pods of other nodes meanwhile.',
    knownLater: [],
  }),
  router: () => ({
    restarts: ['Deployment openshift-ingress/router-default: one router at a time'],
    outage:
      'None: the load balancer has the infra nodes already, and the other routers answer meanwhile. Long connections through a router that stops are closed.',
    knownLater: ['On which infra nodes the routers run: the scheduler decides.'],
  }),
  'registry-storage': ({ isVolume }) => ({
    restarts: ['Deployment openshift-image-registry/image-registry'],
    outage: isVolume
      ? 'None where the registry was off. One that had another storage begins with an empty one: its images are not copied.'
      : 'Images in an emptyDir are lost when the pod moves.',
    knownLater: isVolume ? ['The volume behind the claim: its provisioner makes it.'] : [],
  }),
  registry: ({ isVolume }) => ({
    restarts: ['Deployment openshift-image-registry/image-registry', 'CronJob image-pruner: with its next run'],
    outage: isVolume
      ? 'None with two replicas; with one (ReadWriteOnce) nobody can push or pull images until the new pod runs.'
      : 'Images in an emptyDir are lost when the pod moves.',
    knownLater: [],
  }),
  monitoring: ({ hasVolumes }) => ({
    restarts: [
      'StatefulSets prometheus-k8s and alertmanager-main: one replica at a time',
      'the Deployments of openshift-monitoring that the ConfigMap names',
    ],
    outage: hasVolumes
      ? 'None for the cluster. Metrics so far that are in no volume are not kept.'
      : 'None for the cluster. Without volumes, metrics so far are lost with the pods.',
    knownLater: hasVolumes ? ['The volumes: their provisioner makes them when the pods are scheduled.'] : [],
  }),
  'user-workload': () => ({
    restarts: ['StatefulSets and Deployments of openshift-user-workload-monitoring: one replica at a time'],
    outage: 'None for the cluster. Metrics of user projects that are in no volume are lost with the pods.',
    knownLater: [],
  }),
  storage: () => ({
    restarts: ['DaemonSets of the Ceph CSI node plugins: node by node', 'Deployments of the Ceph CSI provisioners'],
    outage:
      'None: mounted volumes stay; a new mount on a node waits until its plugin is back. NoSchedule keeps new pods off the storage nodes; pods that run there stay.',
    knownLater: [],
  }),
  logging: () => ({
    restarts: ['the pods of the log store, part by part', 'the DaemonSet of the collectors: node by node'],
    outage: 'None for applications. Queries of logs may fail meanwhile; collectors send what they kept.',
    knownLater: ['Whether a volume of the log store can be mounted on the infra nodes: the scheduler says.'],
  }),
  'network-diagnostics': () => ({
    restarts: ['Deployment network-check-source and DaemonSet network-check-target of openshift-network-diagnostics'],
    outage: 'None. Nodes that are no infra nodes are not checked any more.',
    knownLater: [],
  }),
  taint: ({ noExecute }) => ({
    restarts: noExecute ? ['all pods on the infra nodes that do not tolerate the taint: evicted'] : [],
    outage: noExecute
      ? 'None for what this plan moves. Evicted pods start elsewhere; an application with one replica is away meanwhile.'
      : 'None: NoSchedule keeps new pods off; pods that run there stay.',
    knownLater: noExecute ? ['Which pods are evicted: those that run there then.'] : [],
  }),
  'lb-final': () => ({
    restarts: ['HAProxy: reloaded; open connections stay'],
    outage: 'None: the routers run on the infra nodes by then.',
    knownLater: [],
  }),
});
