import { at, isRecord, type KubeObject, listAt, type NewObject, textAt, timestamp } from '../../api/objects.ts';
import { READY_CONDITIONS } from '../nodes/object.ts';

/** The CPUs and GiB of an instance type, by its size; what a cloud knows of its types. */
const SIZES: Readonly<Record<string, readonly [number, number]>> = {
  large: [2, 8],
  xlarge: [4, 16],
  '2xlarge': [8, 32],
  '4xlarge': [16, 64],
  '8xlarge': [32, 128],
};

/** The CPUs and GiB of a machine, or of the template of one; null for a type that the cloud does not have. */
export function sizeOf(machine: unknown): readonly [number, number] | null {
  const type = textAt(machine, 'spec', 'providerSpec', 'value', 'instanceType');
  return SIZES[/^[a-z]\d[a-z]*\.(\w+)$/.exec(type)?.[1] ?? ''] ?? null;
}

/** A node as its kubelet registers it on the cloud: labels and taints of the machine, the zone, not ready yet. */
export function cloudNode(
  machine: KubeObject,
  name: string,
  address: string,
  kubernetes: string,
  now: number,
): NewObject {
  const value = at(machine, 'spec', 'providerSpec', 'value');
  const labels = at(machine, 'spec', 'metadata', 'labels');
  const taints = at(machine, 'spec', 'taints');
  const [cpus, memory] = sizeOf(machine) ?? [4, 16];
  const capacity = {
    cpu: String(cpus),
    memory: `${memory * 1024 * 1024}Ki`,
    pods: '250',
    'ephemeral-storage': '125293548Ki',
  };
  const zone = textAt(value, 'placement', 'availabilityZone');
  const role = textAt(machine.metadata.labels, 'machine.openshift.io/cluster-api-machine-role');
  const isMaster = role === 'master';
  return {
    metadata: {
      name,
      labels: {
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'node.kubernetes.io/instance-type': textAt(value, 'instanceType'),
        'node.openshift.io/os_id': 'rhel',
        'topology.kubernetes.io/region': textAt(value, 'placement', 'region'),
        'topology.kubernetes.io/zone': zone,
        ...(isMaster
          ? { 'node-role.kubernetes.io/master': '', 'node-role.kubernetes.io/control-plane': '' }
          : // worker-user-data: every machine of a MachineSet boots as a worker.
            { 'node-role.kubernetes.io/worker': '' }),
        ...(isRecord(labels) ? (labels as Record<string, string>) : {}),
      },
      annotations: { 'machine.openshift.io/machine': `${machine.metadata.namespace}/${machine.metadata.name}` },
    },
    spec: {
      providerID: `aws:///${zone}/i-${(machine.metadata.uid ?? '').replaceAll('-', '').slice(0, 17)}`,
      taints: [
        ...(Array.isArray(taints) ? taints : []),
        ...(isMaster ? [{ key: 'node-role.kubernetes.io/master', effect: 'NoSchedule' }] : []),
        NOT_READY,
      ],
    },
    status: {
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      capacity,
      allocatable: capacity,
      conditions: conditionsAt(now, false),
      nodeInfo: { architecture: 'amd64', kubeletVersion: kubernetes, operatingSystem: 'linux' },
    },
  };
}

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** Whether the network of a node is there; of one that is not there neither. */
export function hasJoined(node: KubeObject | undefined): boolean {
  return node === undefined || !listAt(node, 'spec', 'taints').some((taint) => textAt(taint, 'key') === NOT_READY.key);
}

/** The node once its network is there. */
export function makeReady(node: KubeObject, now: number): void {
  node.status = { ...(isRecord(node.status) ? node.status : {}), conditions: conditionsAt(now, true) };
  const spec = node.spec as { taints?: { key: string }[] };
  spec.taints = spec.taints?.filter(({ key }) => key !== NOT_READY.key);
}

function conditionsAt(now: number, isReady: boolean) {
  const at = timestamp(now);
  const times = { lastHeartbeatTime: at, lastTransitionTime: at };
  return READY_CONDITIONS.map((condition) =>
    condition.type !== 'Ready' || isReady
      ? { ...condition, ...times }
      : {
          ...condition,
          status: 'False',
          reason: 'KubeletNotReady',
          message: 'container runtime network not ready',
          ...times,
        },
  );
}
