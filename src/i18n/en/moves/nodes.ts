import { quoteShellArg } from '../../../platform/shell-quoting.ts';
import { joinNames, plural } from '../ui.ts';
import { type EffectFacts, formatNodeSubject, joinFirstNames } from './parts.ts';

/** Texts of the moves that create infra nodes and reserve them. */
export const nodes = {
  'machine-sets': {
    title: 'Infra MachineSets: machines from the cloud',
    action: 'create infra machines in the cloud, which bills them',
    effects: () => ({
      restarts: [],
      outage: 'None: machines are added. The cloud bills them from now on (their size is in the diff).',
      knownLater: ['The names of the machines and their nodes: the machine API and the cloud assign them.'],
    }),
    undoLimits:
      'Each set is scaled to 0 first, and deleted when its machines are gone. Not undone: the data on their disks is lost.',
    unwanted: 'The infra nodes are those of the design: no MachineSets are needed.',
    noCloud: 'No cloud creates machines for this cluster (platform none).',
    noSets: (platform: string) => `The cluster has no MachineSets (platform ${platform}).`,
    clusterApi: (sets: readonly string[]) =>
      `The Cluster API is authoritative for ${joinNames(sets)} (authoritativeAPI): changes to a MachineSet of machine.openshift.io would have no effect. Create the infra machines with MachineSets of cluster.x-k8s.io, label their nodes, then run this again.`,
    notCloneable: (sets: readonly string[]) =>
      `No worker MachineSet can be cloned: ${joinNames(sets)} are for Windows, edge zones, GPUs, spot machines or other roles, or for a cloud that upi-wizard does not support.`,
    taken: (sets: readonly string[]) =>
      `The name is taken by a MachineSet that is not for infra nodes: ${joinNames(sets)}.`,
    badSize: (size: string, example: string) =>
      `${size} is not a machine size of this cloud; the workers have ${example}.`,
    expected: (set: string, number: number) => `${set} (machine ${number})`,
    machine: (name: string, phase: string, node: string | null) =>
      `${name}: ${phase === '' ? 'waiting for its controller' : phase}${node === null ? '' : `, node ${node} not Ready yet`}`,
    progress: (ready: number, desired: number, machines: readonly string[]) =>
      `${ready} of ${plural(desired, 'machine')} Ready.${machines.length === 0 ? '' : ` ${machines.join('; ')}.`} Five to ten minutes are normal.`,
    machineFailed: (name: string, message: string) =>
      `The cloud could not create the machine ${name}: ${message === '' ? 'no reason is reported' : message.replace(/\.$/, '')}. A failed machine stays failed: correct the cause (quota, size, credentials) and delete it, and its MachineSet creates another: \`oc delete machine -n openshift-machine-api ${quoteShellArg(name)}\``,
    done: (ready: number, sets: readonly string[]) => `${plural(ready, 'machine')} of ${joinNames(sets)} Ready.`,
    deletion: (machines: readonly string[]) => `The cloud is deleting the machines. ${machines.join('; ')}.`,
    podsSelectInfraNodes: (pods: readonly string[]) =>
      `Pods on its machines still select infra nodes (${joinNames(pods.slice(0, 3))}${pods.length > 3 ? ', …' : ''}): undo their moves first.`,
  },
  autoscaler: {
    title: 'Autoscaler: a variable number of workers',
    action: 'let the cluster add and remove workers within limits',
    effects: () => ({
      restarts: ['pods on workers that are removed: drained, respecting PodDisruptionBudgets'],
      outage: 'None where an application has two replicas. Nodes with pods that must not move stay.',
      knownLater: ['When workers are added and removed: that depends on the load. The cloud bills them.'],
    }),
    undoLimits: null,
    unwanted: 'The number of workers stays as it is.',
    noSets: 'The cluster has no worker MachineSets to scale.',
    limitsReversed: (minimum: number, maximum: number) =>
      `At least ${minimum} and at most ${maximum} workers: the minimum is above the maximum.`,
    done: (maximum: number | null) =>
      `Workers are added when pods are pending, and removed after ten idle minutes${maximum === null ? '' : `; the cluster has ${maximum} nodes at most, control plane and infra nodes included`}.`,
  },
  'boot-image-record': {
    title: 'Record the boot image of the nodes',
    action: 'record the boot image',
    effects: () => ({
      restarts: [],
      outage:
        'None: no node changes. The Machine Config Operator compares the record with the oldest image that it accepts.',
      knownLater: [],
    }),
    undoLimits: null,
    tooOld: (version: string) =>
      `OpenShift ${version} does not check whether boot images are too old; 4.22 and later do.`,
    singleNode: 'A single-node cluster gets no further nodes: it needs no record.',
    otherPlatform: (platform: string) => `On platform ${platform} you need not record the boot image.`,
    unknownRelease: (release: string) =>
      `The release that installed the cluster has no version of the form x.y.z: ${release === '' ? 'none is reported' : release}.`,
    buildUnknown: (release: string) =>
      `The build of the boot images is unknown: the images or their installer are gone, or another release installed the cluster. The release that installed it is recorded instead: ${release}.`,
    turnedOff: 'Left alone: the comparison of boot images is turned off (spec.bootImageSkewEnforcement.mode None).',
    notObserved: 'The Machine Config Operator does not report the record yet.',
    done: (version: string) => `Recorded: ${version}.`,
  },
  label: {
    title: 'Label the infra nodes',
    action: 'label the nodes by their role',
    effects: () => ({
      restarts: [],
      outage: 'None: a label moves no pod.',
      knownLater: [],
    }),
    undoLimits: null,
    done: (infra: number, storage: number) =>
      [
        ...(infra > 0 || storage === 0 ? [`${formatNodeSubject(infra, 'infra node')} labelled.`] : []),
        ...(storage > 0 ? [`${formatNodeSubject(storage, 'storage node')} labelled.`] : []),
      ].join(' '),
  },
  pool: {
    title: 'MachineConfigPool for the infra nodes',
    action: 'create the MachineConfigPool',
    effects: () => ({
      restarts: [],
      outage: 'None: the pool has the configuration of the worker pool, so no node restarts.',
      knownLater: [
        'The rendered configuration (rendered-infra-…): the Machine Config Operator renders it once the pool exists. Your own MachineConfigs for the role infra would reboot the nodes, one at a time.',
      ],
    }),
    undoLimits: null,
    unwanted: 'The design has no pool for the infra nodes: they stay in the worker pool.',
    several: (pools: readonly string[]) =>
      `More than one MachineConfigPool selects infra nodes: ${joinNames(pools)}. A node can be in one custom pool only: remove one of these pools, or let it select other nodes.`,
    otherNodes: (pool: string, nodes: readonly string[]) =>
      `A MachineConfigPool ${pool} already exists, and its nodeSelector does not select ${joinNames(nodes)}. Let it select the label node-role.kubernetes.io/infra, or choose no pool (infra.pool in the design file).`,
    otherConfiguration: (pool: string) =>
      `A MachineConfigPool ${pool} already exists, and its machineConfigSelector leaves out the role worker: without that configuration its nodes do not work. Let it select the roles worker and infra, or choose no pool (infra.pool in the design file).`,
    paused: (pool: string) =>
      `The MachineConfigPool ${pool} is paused: nodes do not move to it. Resume it: \`oc patch mcp ${quoteShellArg(pool)} --type merge -p '{"spec":{"paused":false}}'\``,
    updating: (updated: number, count: number) => `The pool is updating its nodes: ${updated} of ${count} done.`,
    degraded: (message: string) => `The pool is degraded: ${message}`,
    drainBlocked: (node: string, budget: string, pods: readonly string[]) =>
      `The drain of ${node} waits: the PodDisruptionBudget ${budget} allows none of its pods to be evicted now (${joinFirstNames(pods)}).`,
    done: (count: number) =>
      count === 1 ? 'The pool has 1 node, up to date.' : `The pool has ${count} nodes, all up to date.`,
  },
  taint: {
    title: 'Taint the infra nodes',
    action: 'keep other pods off the infra nodes',
    effects: ({ noExecute }: EffectFacts) => ({
      restarts: noExecute ? ['all pods on the infra nodes that do not tolerate the taint: evicted'] : [],
      outage: noExecute
        ? 'None for what this plan moves. Evicted pods start elsewhere; an application with one replica is down in the meantime.'
        : 'None: NoSchedule keeps new pods off; pods that run there stay.',
      hasOutage: noExecute,
      knownLater: noExecute ? ['Which pods are evicted: those that run there at that time.'] : [],
    }),
    undoLimits:
      'Not undone: pods that a NoExecute taint evicted do not come back on their own; NoSchedule evicts none.',
    tolerationsFirst: (names: readonly string[]) =>
      `The pods there must tolerate the taint first. Not done: ${joinNames(names)}.`,
    done: (count: number) => `${formatNodeSubject(count, 'infra node')} tainted.`,
    daemonSets: (names: readonly string[]) =>
      `These DaemonSets do not tolerate the taint, and stay away from the infra nodes: ${joinNames(names)}. Add a toleration to those that are needed there.`,
    canary: (keys: readonly string[]) =>
      `The canary of the ingress operator tolerates only the key node-role.kubernetes.io/infra (found: ${joinNames(keys)}): it stays away from the infra nodes.`,
    remainingPods: (node: string, pods: readonly string[]) =>
      `${plural(pods.length, 'pod')} still to leave ${node}: ${joinFirstNames(pods)}.`,
    pendingPods: (pods: readonly string[], reason: string) =>
      `${plural(pods.length, 'pod')} evicted by the taint ${pods.length === 1 ? 'waits' : 'wait'} for a node: ${joinFirstNames(pods)}. ${reason}`.trim(),
    budgetsUnreadable: (namespaces: readonly string[]) =>
      `NoExecute ignores PodDisruptionBudgets, but this user has no permission to list those of ${joinNames(namespaces)}: whether the pods there may be evicted could not be checked.`,
    budgetBlocks: (node: string, budget: string, allowed: number, pods: readonly string[]) =>
      `NoExecute ignores PodDisruptionBudgets, so ${node} is tainted only when ${budget} allows ${plural(pods.length, 'pod')} to be evicted (${joinFirstNames(pods)}); now it allows ${allowed === 0 ? 'none' : allowed}.`,
  },
};
