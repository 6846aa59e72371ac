/** Checks before an infra move. */
const formatCpu = (cpu: number) => `${Math.round(cpu * 100) / 100} CPU`;
const formatGib = (bytes: number) => `${Math.round((bytes / 2 ** 30) * 10) / 10} GiB`;

interface ResourceAmounts {
  readonly cpu: number;
  readonly memory: number;
}

export const moveChecks = {
  checks: {
    'move-operator': {
      title: 'its operator works',
      wrong: 'the operator that carries the move out does not work',
      remedy:
        'Look at the page Operators, and go on when it is available and not degraded. By hand: `oc describe clusteroperator`',
    },
    'move-update': {
      title: 'no update of OpenShift is under way',
      wrong: 'OpenShift is being updated',
      remedy: 'Let the update come to its end, then go on. How far it is: `oc get clusterversion`',
    },
    'move-pool': {
      title: 'the machine config pools are updated and not paused',
      wrong: 'a machine config pool is not at rest',
      remedy: 'Resume a paused pool, and wait until it is updated. How they are: `oc get machineconfigpools`',
    },
    'move-taint': {
      title: 'what moves tolerates the taints of the infra nodes',
      wrong: 'a taint that what moves does not tolerate is on infra nodes',
      remedy: 'Take the taint away, or choose other infra nodes.',
    },
    'move-cordoned': {
      title: 'no infra node is cordoned',
      wrong: 'infra nodes are cordoned and take no new pods',
      remedy: 'Uncordon them when their maintenance is over.',
    },
    'move-strays': {
      title: 'only the infra nodes of the design have their label',
      wrong: 'nodes that the design does not have as infra nodes have their label',
      remedy: 'Take the label away, or add them to the design as infra nodes.',
    },
    'move-room': {
      title: 'what moves fits on the infra nodes',
      wrong: 'the infra nodes are too small for what moves',
      remedy: 'Give the infra nodes more CPU or memory, or add one.',
    },
    'move-spare-room': {
      title: 'what moves fits with one infra node away',
      wrong: 'with one infra node away, not everything that moves fits on the others',
      remedy: 'It runs while all infra nodes do. For updates and failures give them more room, or add one.',
    },
    'move-storage': {
      title: 'the storage class can make volumes',
      wrong: 'this storage class makes buckets, and no volumes',
      remedy: 'Name a class of file or block storage in the design.',
    },
    'move-volumes': {
      title: 'the storage class has a provisioner',
      wrong: 'nobody makes volumes of this storage class',
      remedy: 'Make the PersistentVolumes first, on the infra nodes if they are local.',
    },
    'move-budget': {
      title: 'no PodDisruptionBudget is in the way',
      wrong: 'a PodDisruptionBudget allows no disruption now',
      remedy:
        'The rollout goes on without asking it; the drain of a node would wait. Look why its pods are not healthy.',
    },
  },
  operatorHubStatus: (phase: string, message: string) =>
    phase === 'Missing' ? 'not installed' : `${phase}${message === '' ? '' : `: ${message}`}`,
  operatorHubRemedy: 'Install it from OperatorHub, or see why it does not work: `oc get csv -A`',
  pool: {
    paused: (name: string) => `${name} is paused`,
    updating: (name: string, held: string) =>
      `${name} updates its nodes${held === '' ? '' : `. ${held.replace(/\.$/, '')}`}`,
    degraded: (name: string, message: string) => `${name} is degraded: ${message}`,
  },
  taint: (
    node: string,
    { key, value, effect }: { readonly key: string; readonly value: string; readonly effect: string },
  ) => `${node} has ${key}${value === '' ? '' : `=${value}`}:${effect}`,
  taintFix: (command: string) =>
    `Find out whose it is. Take it away, give what moves a toleration (it stays), or choose other infra nodes: \`${command}\``,
  unlabel: (command: string) =>
    `What moves may go there, too, where the load balancer sends nothing. Add them to the design as infra nodes, or take the label away: \`${command}\``,
  uncordon: (command: string) => `When their maintenance is over: \`${command}\``,
  resources: {
    amounts: (
      pods: number,
      needs: ResourceAmounts,
      nodes: readonly { readonly name: string; readonly free: ResourceAmounts }[],
    ) =>
      `${pods} ${pods === 1 ? 'pod needs' : 'pods need'} ${formatCpu(needs.cpu)}, ${formatGib(needs.memory)}; free: ${nodes
        .map(({ name, free }) => `${name} ${formatCpu(free.cpu)}, ${formatGib(free.memory)}`)
        .join('; ')}`,
  },
  noProvisioner: 'kubernetes.io/no-provisioner',
  tightBudget: (name: string, healthy: number, wanted: number) => `${name} (${healthy} of ${wanted} healthy)`,
  blocked: (title: string, cause: string, remedy: string) => `${title}${cause === '' ? '' : `: ${cause}`}. ${remedy}`,
};
