import { shellWord } from '../shell-word.ts';
import { trouble, why } from './move-why.ts';
import { plural } from './plural.ts';

/** Words of the infra moves: what each does and says of itself, and what is wrong. */
const areNodes = (count: number, node: string) => `${plural(count, node)} ${count === 1 ? 'is' : 'are'}`;
const list = (names: readonly string[]) => names.join(', ');
/** The first of many. */
const some = (names: readonly string[]) => (names.length > 3 ? `${list(names.slice(0, 3))} …` : list(names));

export const moves = {
  /** Of each move: its name as a title, what it does and what it says of itself. */
  each: {
    'machine-sets': {
      title: 'Infra MachineSets: machines from the cloud',
      does: 'make infra machines on the cloud, which bills them',
      unwanted: 'The infra nodes are those of the design: no MachineSets are needed.',
      noCloud: 'No cloud makes machines for this cluster (platform None).',
      noSets: (platform: string) => `The cluster has no MachineSets (platform ${platform}).`,
      clusterApi: (sets: readonly string[]) =>
        `The Cluster API is the authority on ${list(sets)} (authoritativeAPI): what we write to a MachineSet of machine.openshift.io would have no effect. Make the infra machines with MachineSets of cluster.x-k8s.io, label their nodes, then run this again.`,
      noExample: (sets: readonly string[]) =>
        `No worker MachineSet can be cloned: ${list(sets)} are for Windows, edge zones, graphics processors, spot machines or other roles, or of a cloud that we do not know.`,
      taken: (sets: readonly string[]) =>
        `The name is taken by a MachineSet that is not for infra nodes: ${list(sets)}.`,
      badSize: (size: string, example: string) =>
        `${size} is no size of this cloud's machines; the workers have ${example}.`,
      expected: (set: string, number: number) => `${set} (machine ${number})`,
      machine: (name: string, phase: string, node: string | null) =>
        `${name}: ${phase === '' ? 'waiting for its controller' : phase}${node === null ? '' : `, node ${node} not Ready yet`}`,
      coming: (ready: number, wanted: number, machines: readonly string[]) =>
        `${ready} of ${plural(wanted, 'machine')} Ready.${machines.length === 0 ? '' : ` ${machines.join('; ')}.`} Five to ten minutes are normal.`,
      machineFailed: (name: string, message: string) =>
        `The cloud could not make the machine ${name}: ${message === '' ? 'it does not say why' : message.replace(/\.$/, '')}. A failed machine stays failed: correct the cause (quota, size, credentials) and delete it, and its set makes another: \`oc delete machine -n openshift-machine-api ${shellWord(name)}\``,
      done: (ready: number, sets: readonly string[]) => `${plural(ready, 'machine')} Ready, of ${list(sets)}.`,
      leaving: (machines: readonly string[]) => `The cloud takes the machines away. ${machines.join('; ')}.`,
      selected: (pods: readonly string[]) =>
        `Pods on its machines still select infra nodes (${list(pods.slice(0, 3))}${pods.length > 3 ? ', …' : ''}): undo their moves first.`,
    },
    autoscaler: {
      title: 'Autoscaler: workers that come and go',
      does: 'let the cluster make and remove workers within limits',
      unwanted: 'The number of workers stays as it is.',
      noSets: 'The cluster has no worker MachineSets to scale.',
      crossed: (least: number, most: number) =>
        `At least ${least} and at most ${most} workers: the limits are the wrong way round.`,
      done: (most: number | null) =>
        `Workers come when pods wait for room, and go after ten idle minutes${most === null ? '' : `; the cluster has ${most} nodes at most, control plane and infra nodes included`}.`,
    },
    label: {
      title: 'Label the infra nodes',
      does: 'label the nodes by their role',
      done: (infra: number, storage: number) =>
        [
          ...(infra > 0 || storage === 0 ? [`${areNodes(infra, 'infra node')} labelled.`] : []),
          ...(storage > 0 ? [`${areNodes(storage, 'storage node')} labelled.`] : []),
        ].join(' '),
    },
    pool: {
      title: 'Machine config pool for the infra nodes',
      does: 'make the machine config pool',
      unwanted: 'The design wants no pool for the infra nodes: they stay in the pool "worker".',
      several: (pools: readonly string[]) =>
        `More than one MachineConfigPool selects infra nodes: ${list(pools)}. A node can be in one custom pool only: remove one, or let it select other nodes.`,
      otherNodes: (pool: string, nodes: readonly string[]) =>
        `A MachineConfigPool ${pool} is there already, and its nodeSelector does not select ${list(nodes)}. Give it the label node-role.kubernetes.io/infra to select, or choose no pool (infra.pool).`,
      otherConfiguration: (pool: string) =>
        `A MachineConfigPool ${pool} is there already, and its machineConfigSelector leaves out the role worker: without that configuration its nodes do not work. Let it select the roles worker and infra, or choose no pool (infra.pool).`,
      paused: (pool: string) =>
        `The MachineConfigPool ${pool} is paused: nodes do not change over to it. Let it go on: \`oc patch mcp ${shellWord(pool)} --type merge -p '{"spec":{"paused":false}}'\``,
      updating: (updated: number, count: number) => `The pool updates its nodes: ${updated} of ${count}.`,
      degraded: (message: string) => `The pool is degraded: ${message}`,
      held: (node: string, budget: string, pods: readonly string[]) =>
        `The drain of ${node} waits: the PodDisruptionBudget ${budget} lets none of its pods go now (${some(pods)}).`,
      done: (count: number) =>
        count === 1 ? 'The pool has 1 node, up to date.' : `The pool has ${count} nodes, all up to date.`,
    },
    'lb-add': { title: 'Add the infra nodes to the load balancer', does: 'add infra nodes to the load balancer' },
    dns: {
      title: 'Let cluster DNS run on the infra nodes',
      does: 'let DNS run on infra nodes',
      unmanaged:
        'The DNS operator is Unmanaged (spec.managementState): it applies no setting. Set it to Managed first: `oc patch dns.operator default --type merge -p \'{"spec":{"managementState":"Managed"}}\'`',
      notTaken:
        'The DNS operator has not applied the tolerations yet. It ignores them while they leave no node for DNS.',
      done: 'Cluster DNS tolerates the taint.',
    },
    router: {
      title: 'Move the routers to the infra nodes',
      does: 'move the router',
      done: (count: number, further: readonly string[]) =>
        further.length === 0
          ? `${plural(count, 'router runs', 'routers run')} on the infra nodes.`
          : `${plural(count, 'router')} and those of ${list(further)} run on the infra nodes.`,
      missing: (names: readonly string[]) =>
        `The design names IngressControllers that are not in the cluster: ${list(names)}. Make them first, or take them out of infra.routers.`,
      crowded: (names: readonly string[], routers: number, nodes: number) =>
        `The routers of ${list(names)} use the same ports of their nodes: ${routers} routers, ${plural(nodes, 'infra node')}. Lower the number of routers, add infra nodes, or give one of them other ports (spec.endpointPublishingStrategy.hostNetwork).`,
      sharded: (names: readonly string[]) =>
        `Left alone, because a routeSelector or namespaceSelector makes ${names.length === 1 ? 'it' : 'them'} serve only some routes: ${list(names)}.`,
      others: (names: readonly string[]) =>
        `Left alone, because the design does not name it (infra.routers): ${list(names)}.`,
      leaving: 'waiting for the routers to leave the infra nodes',
      stay: (nodes: readonly string[]) =>
        `Routers run on ${list(nodes)}: the load balancer must forward traffic to these nodes.`,
    },
    'registry-storage': {
      title: 'Give the image registry its storage',
      does: 'give the registry storage',
      unwanted: 'The design gives the registry no storage (infra.registry.storage).',
      noClass:
        'The registry has no storage class: the design names none, and the cluster has no default. Install storage first, then name its class in the design (infra.registry.storageClass).',
      otherClass: (name: string) =>
        `A storage class ${name} is there that keeps no volumes, or has another provisioner. Remove it, or name a class of your own.`,
      claimed: (claim: string) =>
        `The claim ${claim} is there already: its volume stays or goes by its own reclaim policy: \`oc get pv\``,
      emptyDir:
        'The images of the registry are lost with each pod of it, and those it has now are not copied: an emptyDir is for trials.',
      unbound: (phase: string, claim: string) =>
        `The volume claim ${claim} is ${phase}: its volume is not provisioned yet.`,
      done: 'The image registry has its storage.',
    },
    registry: {
      title: 'Move the image registry and its pruner to the infra nodes',
      does: 'move the registry',
      unwanted: 'The registry is turned off (managementState Removed), and the design gives it no storage.',
      unmanaged:
        'The registry is Unmanaged (spec.managementState): its operator applies no setting. Set it to Managed first: `oc patch configs.imageregistry.operator.openshift.io cluster --type merge -p \'{"spec":{"managementState":"Managed"}}\'`',
      elsewhere:
        'The affinity of the registry (spec.affinity of Config cluster) requires other nodes than the infra nodes: its pods would find none. Change it first: `oc edit configs.imageregistry.operator.openshift.io cluster`',
      storageFirst:
        'The registry is turned off (managementState Removed): give it its storage first (registry-storage).',
      done: 'The image registry runs on the infra nodes.',
    },
    monitoring: {
      title: 'Move monitoring to the infra nodes',
      does: 'move monitoring',
      tooFew: (count: number) =>
        `Monitoring needs two nodes for its replicas; there ${count === 1 ? 'is one infra node' : `are ${count} infra nodes`}. Add one, or leave monitoring where it is.`,
      noVersion: 'The cluster version is not known yet; the monitoring settings depend on it.',
      unreadable: (map: string, why: string) =>
        `The settings in the ConfigMap ${map} are not valid YAML (${why}). Correct them first; we do not overwrite what we cannot read.`,
      immutable: (map: string) =>
        `The ConfigMap ${map} is immutable: nobody may change it. Make it anew without that field, with the same settings.`,
      volumesKept: (keys: readonly string[]) =>
        `The volumes that are configured for ${list(keys)} stay as they are: others would begin empty.`,
      done: 'Monitoring runs on the infra nodes.',
    },
    'user-workload': {
      title: 'Move the monitoring of user projects to the infra nodes',
      does: 'move user-project monitoring',
      off: 'Monitoring of user projects is not turned on (enableUserWorkload).',
      done: 'The monitoring of user projects runs on the infra nodes.',
    },
    storage: {
      title: 'Keep the storage nodes for storage, and let its plugins run on the infra nodes',
      does: 'keep storage nodes for storage, let Ceph volumes be mounted on infra nodes',
      notInstalled: 'OpenShift Data Foundation is not installed; upi-wizard does not install it.',
      unreadable: (key: string) =>
        `${key} in the ConfigMap openshift-storage/rook-ceph-operator-config is no YAML list. Correct it first; we do not overwrite what we cannot read.`,
      noRoom: (nodes: readonly string[]) =>
        `Not tainted: ${list(nodes)}. No other node takes pods (compute, Ready, not cordoned, without a taint): applications would have nowhere to run.`,
      daemonSets: (names: readonly string[]) =>
        `These DaemonSets do not tolerate node.ocs.openshift.io/storage; no new pod of them comes to the storage nodes: ${list(names)}. Give those a toleration that are needed there.`,
      done: (hasPlugins: boolean, tainted: number) =>
        [
          hasPlugins
            ? 'The plugins that make and mount Ceph volumes tolerate the taint.'
            : 'OpenShift Data Foundation is not installed yet; upi-wizard does not install it.',
          ...(tainted > 0 ? [`${areNodes(tainted, 'storage node')} tainted.`] : []),
        ].join(' '),
    },
    logging: {
      title: 'Move logging to the infra nodes',
      does: 'move logging',
      notInstalled: 'Logging is not installed; upi-wizard does not install it.',
      leftOver: (objects: readonly string[]) =>
        `Left alone, because its operator (version 6 or later) does not look at it any more: ${list(objects)}.`,
      unmanaged: (objects: readonly string[]) =>
        `Unmanaged (spec.managementState), so its operator applies no setting: ${list(objects)}. Set it to Managed first.`,
      done: 'Logging runs on the infra nodes; its collectors run on every node.',
    },
    'network-diagnostics': {
      title: 'Move the network checks to the infra nodes',
      does: 'move the network checks',
      unwanted: 'The design does not choose it (infra.also).',
      tooOld: (version: string) => `OpenShift ${version} has no setting for where the network checks run.`,
      off: 'The network checks are turned off (networkDiagnostics.mode).',
      done: 'The network checks run on the infra nodes.',
    },
    taint: {
      title: 'Taint the infra nodes',
      does: 'keep everything else off',
      first: (names: readonly string[]) => `The pods there must tolerate the taint first. Not done: ${list(names)}.`,
      done: (count: number) => `${areNodes(count, 'infra node')} tainted.`,
      daemonSets: (names: readonly string[]) =>
        `These DaemonSets do not tolerate the taint, and stay away from the infra nodes: ${list(names)}. Give those a toleration that are needed there.`,
      canary: (keys: readonly string[]) =>
        `The canary of the ingress operator tolerates the key node-role.kubernetes.io/infra alone (found: ${list(keys)}): it stays away from the infra nodes.`,
      leaving: (node: string, pods: readonly string[]) =>
        `${plural(pods.length, 'pod')} still to leave ${node}: ${some(pods)}.`,
      homeless: (pods: readonly string[], why: string) =>
        `${plural(pods.length, 'pod')} that had to leave ${pods.length === 1 ? 'waits' : 'wait'} for a node: ${some(pods)}. ${why}`.trim(),
      budgetsUnseen: (namespaces: readonly string[]) =>
        `NoExecute asks no PodDisruptionBudget, and this user may not list those of ${list(namespaces)}: whether the pods there may leave the infra nodes could not be looked at.`,
      budget: (node: string, budget: string, allowed: number, pods: readonly string[]) =>
        `NoExecute asks no PodDisruptionBudget, so ${node} gets it only when ${budget} lets ${plural(pods.length, 'pod')} leave (${some(pods)}); now it allows ${allowed === 0 ? 'none' : allowed}.`,
    },
    'lb-final': {
      title: 'Take the compute nodes out of the load balancer',
      does: 'take compute nodes out of the load balancer',
    },
  },
  /** Of a move, in commands and on the screen. */
  states: {
    done: 'done',
    needed: 'to do',
    moving: 'under way',
    blocked: 'blocked',
    absent: 'not needed',
    failed: 'failed',
  },
  why,
  /** What undo does not take back, by move. */
  notBack: {
    'machine-sets':
      'Each set is scaled to 0 first, and deleted when its machines are gone. Not taken back: what is on their disks.',
    'registry-storage':
      'Not taken back: the claim and a storage class made for it stay, and images that were pushed since are not copied to the storage of before.',
    monitoring: 'Not taken back: metrics that were lost with pods, and volumes that were made: they stay.',
    'user-workload': 'Not taken back: metrics that were lost with pods.',
    taint: 'Not taken back: pods that had to leave do not come back by themselves.',
  },
  report: {
    same: (object: string) => `${object}: unchanged`,
    changed: (object: string) => `${object}: changed`,
    created: (object: string) => `${object}: created`,
    removed: (object: string) => `${object}: removed`,
  },
  trouble,
};
