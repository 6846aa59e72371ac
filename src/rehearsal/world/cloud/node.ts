import {
  formatTimestamp,
  getField,
  getList,
  getString,
  isRecord,
  type KubeObject,
  type NewObject,
} from '../../api/objects.ts';
import { READY_CONDITIONS } from '../nodes/kubelet.ts';

/** CPUs and GiB of memory by the size in an instance type's name. */
const SIZES: Readonly<Record<string, readonly [number, number]>> = {
  large: [2, 8],
  xlarge: [4, 16],
  '2xlarge': [8, 32],
  '4xlarge': [16, 64],
  '8xlarge': [32, 128],
};

/** Returns CPUs and GiB of memory of a machine or machine template. Null: the cloud has no such instance type. */
export function getInstanceSize(machine: unknown): readonly [number, number] | null {
  const type = getString(machine, 'spec', 'providerSpec', 'value', 'instanceType');
  return SIZES[/^[a-z]\d[a-z]*\.(\w+)$/.exec(type)?.[1] ?? ''] ?? null;
}

/**
 * Builds a node as its kubelet registers it on the cloud: labels and taints of the machine, the zone, not Ready yet.
 */
export function buildCloudNode(
  machine: KubeObject,
  name: string,
  address: string,
  kubernetes: string,
  now: number,
): NewObject {
  const value = getField(machine, 'spec', 'providerSpec', 'value');
  const labels = getField(machine, 'spec', 'metadata', 'labels');
  const taints = getField(machine, 'spec', 'taints');
  const [cpus, memory] = getInstanceSize(machine) ?? [4, 16];
  const capacity = {
    cpu: String(cpus),
    memory: `${memory * 1024 * 1024}Ki`,
    pods: '250',
    'ephemeral-storage': '125293548Ki',
  };
  const zone = getString(value, 'placement', 'availabilityZone');
  const role = getString(machine.metadata.labels, 'machine.openshift.io/cluster-api-machine-role');
  const isMaster = role === 'master';
  return {
    metadata: {
      name,
      labels: {
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'node.kubernetes.io/instance-type': getString(value, 'instanceType'),
        'node.openshift.io/os_id': 'rhel',
        'topology.kubernetes.io/region': getString(value, 'placement', 'region'),
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
        NOT_READY_TAINT,
      ],
    },
    status: {
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      capacity,
      allocatable: capacity,
      conditions: buildConditions(now, false),
      nodeInfo: { architecture: 'amd64', kubeletVersion: kubernetes, operatingSystem: 'linux' },
    },
  };
}

const NOT_READY_TAINT = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** True if the network of a node is ready, or if the node does not exist. */
export function isNetworkReady(node: KubeObject | undefined): boolean {
  return (
    node === undefined ||
    !getList(node, 'spec', 'taints').some((taint) => getString(taint, 'key') === NOT_READY_TAINT.key)
  );
}

/** Marks a node as Ready and removes its not-ready taint. */
export function markReady(node: KubeObject, now: number): void {
  node.status = { ...(isRecord(node.status) ? node.status : {}), conditions: buildConditions(now, true) };
  const spec = node.spec as { taints?: { key: string }[] };
  spec.taints = spec.taints?.filter(({ key }) => key !== NOT_READY_TAINT.key);
}

function buildConditions(now: number, isReady: boolean) {
  const time = formatTimestamp(now);
  const times = { lastHeartbeatTime: time, lastTransitionTime: time };
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
