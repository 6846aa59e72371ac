import { quoteShellArg } from '../../../platform/shell-quoting.ts';

const formatCpu = (cpu: number) => `${Math.round(cpu * 100) / 100} CPU`;
const formatGib = (bytes: number) => `${Math.round((bytes / 2 ** 30) * 10) / 10} GiB`;
/** Formats the amounts, without those that round to zero. */
const formatNeeds = ({ cpu, memory }: ResourceAmounts) =>
  [formatCpu(cpu), formatGib(memory)].filter((text) => !text.startsWith('0 ')).join(', ') || 'almost no CPU and memory';

interface ResourceAmounts {
  readonly cpu: number;
  readonly memory: number;
}

const operatorRemedy = (operator: string) =>
  `Look at the Operators page, and continue when the operator is available and not degraded. To see the reason: \`oc describe clusteroperator ${quoteShellArg(operator)}\``;

/** Checks before an infra move. */
export const moveChecks = {
  checks: {
    'move-operator': {
      title: 'its operator works',
      wrong: 'the operator that applies the move does not work',
      remedy: operatorRemedy('NAME'),
    },
    'move-update': {
      title: 'no update of OpenShift is in progress',
      wrong: 'OpenShift is being updated',
      remedy: 'Let the update complete, then continue. To see its progress: `oc get clusterversion`',
    },
    'move-pool': {
      title: 'the MachineConfigPools are updated and not paused',
      wrong: 'a MachineConfigPool is updating, paused or degraded',
      remedy: 'Resume a paused pool, and wait until it is updated. To see their state: `oc get machineconfigpools`',
    },
    'move-taint': {
      title: 'the pods to move tolerate the taints of the infra nodes',
      wrong: 'infra nodes have a taint that the pods to move do not tolerate',
      remedy: 'Remove the taint, or choose other infra nodes.',
    },
    'move-cordoned': {
      title: 'no infra node is cordoned',
      wrong: 'infra nodes are cordoned and accept no new pods',
      remedy: 'Uncordon them when their maintenance is over.',
    },
    'move-node-down': {
      title: 'every node can run the pod that is rolled out',
      wrong: 'nodes are not Ready, so the rollout cannot finish there',
      remedy: 'Start these nodes, repair them, or replace them first.',
    },
    'move-pressure': {
      title: 'no node is short of disk space, memory or process ids',
      wrong: 'the kubelet evicts pods from nodes that are short of disk space, memory or process ids',
      remedy: 'Give these nodes more, or free what fills them.',
    },
    'move-strays': {
      title: 'only the infra nodes of the design have the infra label',
      wrong: 'nodes that are not infra nodes in the design have the infra label',
      remedy: 'Remove the label, or add these nodes to the design as infra nodes.',
    },
    'move-room': {
      title: 'the pods to move fit on the infra nodes',
      wrong: 'the infra nodes are too small for the pods to move',
      remedy: 'Give the infra nodes more CPU or memory, or add an infra node.',
    },
    'move-spare-room': {
      title: 'the pods to move fit with one infra node down',
      wrong: 'with one infra node down, not all pods to move fit on the others',
      remedy:
        'All pods run only while all infra nodes are up. For updates and failures, give the nodes more capacity, or add a node.',
    },
    'move-storage': {
      title: 'the StorageClass can provide volumes',
      wrong: 'this StorageClass provides buckets, not volumes',
      remedy: 'Set a StorageClass for file or block storage in the design.',
    },
    'move-volumes': {
      title: 'the StorageClass has a provisioner',
      wrong: 'no provisioner serves this StorageClass',
      remedy: 'Create the PersistentVolumes first; local volumes must be on the infra nodes.',
    },
    'move-budget': {
      title: 'every PodDisruptionBudget allows disruptions',
      wrong: 'a PodDisruptionBudget allows no disruption now',
      remedy:
        'The rollout ignores the budget, but the drain of a node would wait for it. Find out why its pods are not healthy.',
    },
  },
  operatorHubStatus: (phase: string, message: string) =>
    phase === 'Missing' ? 'not installed' : `${phase}${message === '' ? '' : `: ${message}`}`,
  operatorRemedy,
  operatorHubRemedy: 'Install it from OperatorHub, or see why it does not work: `oc get csv -A`',
  pool: {
    paused: (name: string) => `${name} is paused`,
    updating: (name: string, blockedDrain: string) =>
      `${name} is updating its nodes${blockedDrain === '' ? '' : `. ${blockedDrain.replace(/\.$/, '')}`}`,
    degraded: (name: string, message: string) => `${name} is degraded: ${message}`,
  },
  taint: (
    node: string,
    { key, value, effect }: { readonly key: string; readonly value: string; readonly effect: string },
  ) => `${node} has ${key}${value === '' ? '' : `=${value}`}:${effect}`,
  taintFix: (command: string) =>
    `Find out who set it. Add a toleration to the pods to move (the moves keep it), choose other infra nodes, or remove the taint: \`${command}\``,
  unlabel: (command: string) =>
    `Moved pods may run on these nodes, too, but the load balancer sends nothing to them. Add the nodes to the design as infra nodes, or remove the label: \`${command}\``,
  uncordon: (command: string) => `When their maintenance is over: \`${command}\``,
  pressure: (command: string) =>
    `The moves can go on, but pods may not stay there. Give these nodes more, or free what fills them: \`${command}\``,
  startNodes: (command: string) => `Start these nodes, repair them, or replace them first: \`${command}\``,
  resources: {
    amounts: (
      pods: number,
      needs: ResourceAmounts,
      nodes: readonly { readonly name: string; readonly free: ResourceAmounts }[],
    ) =>
      `${pods} ${pods === 1 ? 'pod needs' : 'pods need'} ${formatNeeds(needs)}; free: ${nodes
        .map(({ name, free }) => `${name} ${formatCpu(free.cpu)}, ${formatGib(free.memory)}`)
        .join('; ')}`,
  },
  noProvisioner: 'kubernetes.io/no-provisioner',
  tightBudget: (name: string, healthy: number, desired: number) => `${name} (${healthy} of ${desired} healthy)`,
  blocked: (title: string, cause: string, remedy: string) => `${title}${cause === '' ? '' : `: ${cause}`}. ${remedy}`,
};
