import { WORKER_ROLES } from '../../../design/choices.ts';
import { listNodesWithRole } from '../../../design/derived-facts.ts';
import { MINUTE, SECOND } from '../../../platform/clock.ts';
import { CLIENT_SIGNER, CSR_RESOURCE, SERVING_SIGNER } from '../../api/csr.ts';
import {
  assignFields,
  findCondition,
  formatTimestamp,
  getField,
  getList,
  getRecord,
  getString,
  isConditionTrue,
  isRecord,
  type KubeObject,
  type NewObject,
} from '../../api/objects.ts';
import { createRequest } from '../../pki.ts';
import { generateNameSuffix, pickRandom } from '../../site/seeded-random.ts';
import type { Hardware, MachineState, PoolName } from '../saved-world.ts';
import type { World } from '../world.ts';

type NodeState = 'Ready' | 'NotReady' | 'Unknown';

const READY_CONDITIONS = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
] as const;
const NOT_READY_FIELDS = [
  ...['False', 'KubeletNotReady'],
  'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: no CNI configuration file in /etc/kubernetes/cni/net.d/. Has your network provider started?',
] as const;
const UNKNOWN_FIELDS = ['Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.'] as const;
const NOT_READY_TAINT = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** Builds the conditions of a node that is Ready, NotReady or Unknown. */
function buildNodeConditions(now: number, nodeState: NodeState) {
  const time = formatTimestamp(now);
  return READY_CONDITIONS.map(([type, ...normalFields]) => {
    const isNotReady = nodeState === 'NotReady' && type === 'Ready';
    const [status, reason, message] =
      nodeState === 'Unknown' ? UNKNOWN_FIELDS : isNotReady ? NOT_READY_FIELDS : normalFields;
    return { type, status, reason, message, lastHeartbeatTime: time, lastTransitionTime: time };
  });
}

/** Marks a node as Ready and removes its not-ready taint. */
export function markReady(node: KubeObject, now: number): void {
  assignFields(node, 'status', { conditions: buildNodeConditions(now, 'Ready') });
  const taints = getList(node, 'spec', 'taints').filter((taint) => getString(taint, 'key') !== NOT_READY_TAINT.key);
  assignFields(node, 'spec', { taints });
}

/** Whether the network of a node is ready, or if the node does not exist. */
export function isNetworkReady(node: KubeObject | undefined): boolean {
  return !getList(node, 'spec', 'taints').some((taint) => getString(taint, 'key') === NOT_READY_TAINT.key);
}

/** Builds a node as its kubelet registers the node: not Ready until the network is ready. */
function buildRegisteredNode(options: {
  readonly name: string;
  readonly address: string;
  readonly kind: PoolName;
  /** Whether a control plane node also runs applications. */
  readonly isSchedulable?: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly unknown[];
  readonly cpus: number;
  readonly memoryGiB: number;
  readonly storage?: string;
  readonly nodeInfo: Readonly<Record<string, string>>;
  readonly now: number;
}): NewObject {
  const { name, address, kind, labels, annotations, taints, cpus, memoryGiB, nodeInfo, now } = options;
  const { isSchedulable = false, storage = '125293548Ki' } = options;
  const kindRoles = { master: ['master', 'control-plane'], arbiter: ['arbiter'], worker: ['worker'] }[kind];
  const roles = kind === 'master' && isSchedulable ? [...kindRoles, 'worker'] : kindRoles;
  const memory = `${memoryGiB * 1024 * 1024}Ki`;
  const capacity = { cpu: String(cpus), memory, pods: '250', 'ephemeral-storage': storage };
  return {
    metadata: {
      name,
      labels: {
        ...{ 'kubernetes.io/arch': 'amd64', 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' },
        ...Object.fromEntries(roles.map((role) => [`node-role.kubernetes.io/${role}`, ''])),
        ...labels,
      },
      annotations,
    },
    spec: {
      taints: [
        ...taints,
        // --register-with-taints of kubelet.service in machine-config-operator templates/master and templates/arbiter.
        ...(roles.includes('worker') ? [] : [{ key: `node-role.kubernetes.io/${kind}`, effect: 'NoSchedule' }]),
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
      conditions: buildNodeConditions(now, 'NotReady'),
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: { architecture: 'amd64', operatingSystem: 'linux', ...nodeInfo },
    },
  };
}

/** Builds the node of a simulated machine. */
export function buildNode({ release, saved, clock }: World, hardware: Hardware, state: MachineState, name: string) {
  const { vcpu, memoryGiB, diskGiB } = hardware;
  const kind = state.kind ?? 'worker';
  return buildRegisteredNode({
    ...{ name, address: state.lease?.address ?? '', kind, cpus: vcpu, memoryGiB, taints: [], now: clock.now() },
    isSchedulable: saved.cluster?.mastersSchedulable === true,
    labels: {
      'beta.kubernetes.io/arch': 'amd64',
      'beta.kubernetes.io/os': 'linux',
      'node.openshift.io/os_id': release.os.id,
    },
    annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    ...(diskGiB === undefined ? {} : { storage: `${diskGiB * 1024 * 1000}Ki` }),
    nodeInfo: {
      containerRuntimeVersion: 'cri-o://1.31.7',
      kernelVersion: '5.14.0-427.el9.x86_64',
      kubeProxyVersion: release.kubernetesVersion,
      kubeletVersion: release.kubernetesVersion,
      osImage: `${release.os.name} ${release.rhcos.build}`,
    },
  });
}

/** CPUs and GiB of memory by the size in an instance type's name. */
const INSTANCE_SIZES: Readonly<Record<string, readonly [number, number]>> = {
  large: [2, 8],
  xlarge: [4, 16],
  '2xlarge': [8, 32],
  '4xlarge': [16, 64],
  '8xlarge': [32, 128],
};

/** Returns CPUs and GiB of memory of a machine or machine template. Null: the cloud has no such instance type. */
export function getInstanceSize(machine: unknown): readonly [number, number] | null {
  const type = getString(machine, 'spec', 'providerSpec', 'value', 'instanceType');
  return INSTANCE_SIZES[/^[a-z]\d[a-z]*\.(\w+)$/.exec(type)?.[1] ?? ''] ?? null;
}

/** Builds the node of a cloud machine, with the labels and taints of its Machine. */
export function buildCloudNode(
  machine: KubeObject,
  name: string,
  address: string,
  kubernetesVersion: string,
  now: number,
): NewObject {
  const providerSpec = getField(machine, 'spec', 'providerSpec', 'value');
  const [cpus, memoryGiB] = getInstanceSize(machine) ?? [4, 16];
  const zone = getString(providerSpec, 'placement', 'availabilityZone');
  const { namespace, name: machineName, uid, labels } = machine.metadata;
  // Every machine of a MachineSet boots with worker-user-data, so its node is a worker.
  const kind = labels?.['machine.openshift.io/cluster-api-machine-role'] === 'master' ? 'master' : 'worker';
  const node = buildRegisteredNode({
    ...{ name, address, kind, cpus, memoryGiB, now },
    labels: {
      'node.kubernetes.io/instance-type': getString(providerSpec, 'instanceType'),
      'node.openshift.io/os_id': 'rhel',
      'topology.kubernetes.io/region': getString(providerSpec, 'placement', 'region'),
      'topology.kubernetes.io/zone': zone,
      ...(getRecord(machine, 'spec', 'metadata', 'labels') as Record<string, string>),
    },
    annotations: { 'machine.openshift.io/machine': `${namespace}/${machineName}` },
    taints: getList(machine, 'spec', 'taints'),
    nodeInfo: { kubeletVersion: kubernetesVersion },
  });
  const providerID = `aws:///${zone}/i-${(uid ?? '').replaceAll('-', '').slice(0, 17)}`;
  return { ...node, spec: { ...(isRecord(node.spec) ? node.spec : {}), providerID } };
}

const SERVICE_ACCOUNTS = 'system:serviceaccounts';
const MACHINE_CONFIG_NAMESPACE = 'openshift-machine-config-operator';

/**
 * Submits a CSR of a kubelet.
 * @param nodeName the hostname of an existing node; null: a client certificate by the shared bootstrap credential
 * @param suffixSeeds seeds of the suffix in the name of the request
 * @returns the name of the request
 */
export function submitCsr(
  { store, seed }: World,
  nodeName: string | null,
  requestPem: string,
  suffixSeeds: readonly (string | number)[],
  usages = ['digital signature', nodeName === null ? 'client auth' : 'server auth'],
): string {
  const name = `csr-${generateNameSuffix(seed, 5, ...suffixSeeds)}`;
  const bootstrapper = {
    username: `system:serviceaccount:${MACHINE_CONFIG_NAMESPACE}:node-bootstrapper`,
    groups: [SERVICE_ACCOUNTS, `${SERVICE_ACCOUNTS}:${MACHINE_CONFIG_NAMESPACE}`, 'system:authenticated'],
  };
  store.create(CSR_RESOURCE, {
    metadata: { name, generateName: 'csr-' },
    spec: {
      request: Buffer.from(requestPem).toString('base64'),
      signerName: nodeName === null ? CLIENT_SIGNER : SERVING_SIGNER,
      usages,
      ...(nodeName === null
        ? bootstrapper
        : { username: `system:node:${nodeName}`, groups: ['system:nodes', 'system:authenticated'] }),
    },
    status: {},
  });
  return name;
}

/** A node counts as unknown after its kubelet has been silent for this long (node-monitor-grace-period). */
const NODE_MONITOR_GRACE_PERIOD = 40 * SECOND;

/**
 * Marks nodes Unknown when their machine loses power, and Ready after it has booted. Also updates the taints of
 * cordoned nodes and reports full disks.
 */
export function reconcileNodes(world: World): void {
  const now = world.clock.now();
  for (const node of world.store.list('nodes')) reconcileCordonTaint(world, node);
  for (const machine of Object.values(world.saved.machines)) {
    if (machine.joinedAt === null || machine.hostname === null) continue;
    const node = world.store.get('nodes', null, machine.hostname);
    const readyCondition = findCondition(node, 'Ready');
    const isSilent = machine.stage !== 'joined' && now >= machine.since + NODE_MONITOR_GRACE_PERIOD;
    if (isSilent && getString(readyCondition, 'status') === 'True')
      setNodeConditions(world, machine.hostname, 'Unknown');
    if (machine.stage === 'joined' && getString(readyCondition, 'status') === 'Unknown')
      setNodeConditions(world, machine.hostname, 'Ready');
    if (getString(readyCondition, 'status') !== 'True') continue;
    if (isDiskFull(world, machine, now)) setDiskPressure(world, machine.hostname);
    else if (isConditionTrue(node, 'DiskPressure')) reportLargerDisk(world, machine, machine.hostname);
  }
}

const CORDON_TAINT = 'node.kubernetes.io/unschedulable';

/** Taints a cordoned node, so that it gets no new pods; removes the taint after the uncordon. */
function reconcileCordonTaint(world: World, node: KubeObject): void {
  const taints = getList(node, 'spec', 'taints');
  const otherTaints = taints.filter((candidate) => getString(candidate, 'key') !== CORDON_TAINT);
  const isTainted = otherTaints.length < taints.length;
  const isCordoned = getField(node, 'spec', 'unschedulable') === true;
  if (isCordoned === isTainted) return;
  const taint = { key: CORDON_TAINT, effect: 'NoSchedule', timeAdded: formatTimestamp(world.clock.now()) };
  world.store.mutate('nodes', null, node.metadata.name, (object) => {
    assignFields(object, 'spec', { taints: isCordoned ? [...otherTaints, taint] : otherTaints });
  });
}

/** Disk space of the system, and the growth by the platform's images; GiB, and GiB per minute. */
const SYSTEM_GIB = 14;
const IMAGE_GIB_PER_MINUTE = 3;
/** The kubelet's own limit: imagefs.available<15%. */
const DISK_PRESSURE_RATIO = 0.85;

function isDiskFull(world: World, { name, joinedAt }: MachineState, now: number): boolean {
  const diskGiB = world.hardware.get(name)?.diskGiB;
  if (diskGiB === undefined || joinedAt === null) return false;
  return SYSTEM_GIB + (IMAGE_GIB_PER_MINUTE * (now - joinedAt)) / MINUTE > DISK_PRESSURE_RATIO * diskGiB;
}

const DISK_PRESSURE_TAINT = 'node.kubernetes.io/disk-pressure';

/** Sets DiskPressure as the kubelet does, and adds the taint of the node controller, which keeps new pods away. */
function setDiskPressure(world: World, name: string): void {
  if (isConditionTrue(world.store.get('nodes', null, name), 'DiskPressure')) return;
  const time = formatTimestamp(world.clock.now());
  const condition = {
    ...{ type: 'DiskPressure', status: 'True', reason: 'KubeletHasDiskPressure', message: 'kubelet has disk pressure' },
    ...{ lastHeartbeatTime: time, lastTransitionTime: time },
  };
  world.store.mutate('nodes', null, name, (node) => {
    const otherConditions = getList(node, 'status', 'conditions').filter(
      (nodeCondition) => getString(nodeCondition, 'type') !== condition.type,
    );
    const taint = { key: DISK_PRESSURE_TAINT, effect: 'NoSchedule', timeAdded: time };
    assignFields(node, 'status', { conditions: [...otherConditions, condition] });
    assignFields(node, 'spec', { taints: [...getList(node, 'spec', 'taints'), taint] });
  });
}

/** Reports the node of a machine as newly installed on a larger disk: another size, and no DiskPressure. */
function reportLargerDisk(world: World, machine: MachineState, name: string): void {
  const hardware = world.hardware.get(machine.name);
  if (hardware === undefined) return;
  const { capacity, allocatable } = getRecord(buildNode(world, hardware, machine, name), 'status');
  const conditions = buildNodeConditions(world.clock.now(), 'Ready');
  world.store.mutate('nodes', null, name, (node) => {
    const taints = getList(node, 'spec', 'taints').filter((taint) => getString(taint, 'key') !== DISK_PRESSURE_TAINT);
    assignFields(node, 'status', { capacity, allocatable, conditions });
    assignFields(node, 'spec', { taints });
  });
}

function setNodeConditions({ store, clock }: World, name: string, state: 'Ready' | 'Unknown'): void {
  const conditions = buildNodeConditions(clock.now(), state);
  store.mutate('nodes', null, name, (node) => assignFields(node, 'status', { conditions }));
}

/** Delay after the end of the bootstrap, when the bootstrap node no longer approves every request. */
const SUBMIT_DELAY = 0.5 * MINUTE;

/**
 * Submits CSRs of an attacker on the machine network who fetched the worker configuration, and with it the shared
 * bootstrap credential (live-cluster.md §1.3). One CSR names a node outside the design. The other names a designed
 * node, with rights that no kubelet requests.
 */
export async function submitHostileCsrs(world: World): Promise<void> {
  const { cluster, timers } = world.saved;
  if (!world.faults.has('hostile-csr') || !cluster?.bootstrapCompleteAt || timers['hostile requests'] !== undefined)
    return;
  const now = world.clock.now();
  if (now < cluster.bootstrapCompleteAt + SUBMIT_DELAY) return;
  timers['hostile requests'] = now;
  const targets = listNodesWithRole(world.design, ...WORKER_ROLES);
  const target = pickRandom(targets, world.seed, 'hostile');
  const plannedName = `${target?.name ?? 'w1'}.${cluster.clusterDomain}`;
  const foreignRequest = await createRequest({
    commonName: `system:node:build01.${cluster.clusterDomain}`,
    organization: 'system:nodes',
  });
  submitCsr(world, null, foreignRequest.requestPem, ['hostile', 1]);
  const privilegedRequest = await createRequest({
    commonName: `system:node:${plannedName}`,
    organization: ['system:nodes', 'system:masters'],
    dnsNames: [`api-int.${cluster.clusterDomain}`],
  });
  const usages = ['digital signature', 'client auth', 'server auth'];
  submitCsr(world, null, privilegedRequest.requestPem, ['hostile', 2], usages);
  world.log('hostile certificate requests submitted');
  world.requestSave();
}
