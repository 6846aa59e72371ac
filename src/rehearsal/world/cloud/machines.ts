import { CLOUD_RESOLVER_ADDRESS } from '../../../design/example.ts';
import { SECOND } from '../../../platform/clock.ts';
import {
  assignFields,
  formatTimestamp,
  getField,
  getList,
  getRecord,
  getString,
  isDeepEqual,
  type JsonRecord,
  type KubeObject,
} from '../../api/objects.ts';
import { NO_LEASE_OPTIONS } from '../../hosts/dhcp.ts';
import { deriveDuration, deriveRandom, generateNameSuffix } from '../../site/seeded-random.ts';
import { buildCloudNode, getInstanceSize, isNetworkReady, markReady } from '../nodes/node.ts';
import { createMachineState, type MachineState } from '../saved-world.ts';
import { clearTimer, getOrStartTimer, type World } from '../world.ts';

export const MACHINE_SETS = 'machinesets.machine.openshift.io';
export const MACHINES = 'machines.machine.openshift.io';
export const MACHINE_API_NAMESPACE = 'openshift-machine-api';
export const MACHINE_SET_LABEL = 'machine.openshift.io/cluster-api-machineset';
const ROLE_LABEL = 'machine.openshift.io/cluster-api-machine-role';

/** The parts of `World` that the cloud needs. */
type CloudContext = Pick<World, 'store' | 'clock' | 'seed' | 'faults' | 'requestSave'> & {
  readonly saved: Pick<World['saved'], 'timers'>;
  readonly release: Pick<World['release'], 'kubernetesVersion'>;
  /** Domain that the network's name servers give to nodes. Omitted: the domain of the region. */
  readonly domain?: string;
};

/**
 * Seconds (minimum, maximum) from the request of an instance to its start, from there to its kubelet, and from there to
 * a Ready node.
 */
const [START_SECONDS, BOOT_SECONDS, READY_SECONDS] = [
  [20, 40],
  [90, 150],
  [30, 60],
] as const;
const TERMINATION_TIME = 40 * SECOND;
const NO_CAPACITY_ERROR =
  'error launching instance: InsufficientInstanceCapacity: We currently do not have sufficient capacity in the Availability Zone you requested. Our system will be working on provisioning additional capacity.';

/** Simulates the machine API and the cloud: MachineSets create Machines, which become instances and then nodes. */
export function reconcileMachines(cloud: CloudContext): void {
  const { store } = cloud;
  const sets = store.list(MACHINE_SETS, MACHINE_API_NAMESPACE);
  for (const set of sets) reconcileMachineSet(cloud, set);
  for (const machine of store.list(MACHINES, MACHINE_API_NAMESPACE)) {
    const owner = machine.metadata.labels?.[MACHINE_SET_LABEL];
    // A machine whose MachineSet was deleted is garbage. Control plane Machines have no MachineSet and stay.
    const isOrphan = owner !== undefined && !sets.some(({ metadata }) => metadata.name === owner);
    if (isOrphan) requestDeletion(cloud, machine);
    if (machine.metadata.deletionTimestamp !== undefined) finishDeletion(cloud, machine);
    else advanceMachine(cloud, machine);
  }
  for (const { metadata } of sets) updateMachineSetStatus(cloud, metadata.name);
}

const listMachinesOfSet = ({ store }: CloudContext, setName: string) =>
  store
    .list(MACHINES, MACHINE_API_NAMESPACE)
    .filter(({ metadata }) => metadata.labels?.[MACHINE_SET_LABEL] === setName);

function reconcileMachineSet(cloud: CloudContext, set: KubeObject): void {
  const { name } = set.metadata;
  const machines = listMachinesOfSet(cloud, name).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const replicas = Number(getField(set, 'spec', 'replicas') ?? 1);
  for (const machine of machines.slice(replicas)) requestDeletion(cloud, machine);
  for (let count = machines.length; count < replicas; count += 1) createMachine(cloud, set);
}

function createMachine(cloud: CloudContext, set: KubeObject): void {
  const template = getField(set, 'spec', 'template');
  const number = incrementMachineCount(cloud, set.metadata.name);
  cloud.store.create(MACHINES, {
    metadata: {
      name: `${set.metadata.name}-${generateNameSuffix(cloud.seed, 5, set.metadata.name, number)}`,
      generateName: `${set.metadata.name}-`,
      namespace: MACHINE_API_NAMESPACE,
      labels: getRecord(template, 'metadata', 'labels') as Record<string, string>,
      finalizers: ['machine.machine.openshift.io'],
    },
    spec: getField(template, 'spec') as JsonRecord,
    status: {},
  });
}

/** Increments the number of machines that a MachineSet has created, and returns it. */
function incrementMachineCount({ saved }: CloudContext, set: string): number {
  const key = `machines of ${set}`;
  const number = (saved.timers[key] ?? 0) + 1;
  saved.timers[key] = number;
  return number;
}

/** Marks a machine for deletion. Its finalizer waits for the cloud. */
function requestDeletion({ store, clock }: CloudContext, { metadata }: KubeObject): void {
  if (metadata.deletionTimestamp !== undefined) return;
  store.mutate(MACHINES, MACHINE_API_NAMESPACE, metadata.name, (machine) => {
    machine.metadata.deletionTimestamp = formatTimestamp(clock.now());
    assignFields(machine, 'status', { phase: 'Deleting' });
  });
}

function finishDeletion(cloud: CloudContext, machine: KubeObject): void {
  const { store, clock } = cloud;
  const { name } = machine.metadata;
  if (clock.now() < getOrStartTimer(cloud, `leaving ${name}`) + TERMINATION_TIME) return;
  for (const key of ['leaving', 'ordered', 'booted', 'ready']) clearTimer(cloud, `${key} ${name}`);
  const node = getString(machine, 'status', 'nodeRef', 'name');
  if (node !== '') {
    store.delete('nodes', null, node);
    for (const pod of store.list('pods'))
      if (getString(pod, 'spec', 'nodeName') === node) store.delete('pods', pod.metadata.namespace, pod.metadata.name);
  }
  store.delete(MACHINES, MACHINE_API_NAMESPACE, name);
}

/** Advances one machine: requested, started, registered, Ready. A failed machine stays failed. */
function advanceMachine(cloud: CloudContext, machine: KubeObject): void {
  const { clock, seed, store } = cloud;
  const { name } = machine.metadata;
  const phase = getString(machine, 'status', 'phase');
  const now = clock.now();
  const getDueTime = (key: string, [minimum, maximum]: readonly [number, number]) =>
    getOrStartTimer(cloud, `${key} ${name}`) + deriveDuration(seed, minimum * SECOND, maximum * SECOND, name, key);
  if (phase === 'Failed' || phase === 'Deleting') return;
  if (phase === '') {
    getOrStartTimer(cloud, `ordered ${name}`);
    setMachineStatus(cloud, name, { phase: 'Provisioning' });
    return;
  }
  if (phase === 'Provisioning') {
    if (now < getDueTime('ordered', START_SECONDS)) return;
    const failure = findFailure(cloud, machine);
    if (failure !== null) {
      cloud.saved.timers[FAILURE_TIMER] = now;
      setMachineStatus(cloud, name, { phase: 'Failed', errorReason: 'InvalidConfiguration', errorMessage: failure });
    } else {
      const addresses = [{ type: 'InternalIP', address: getMachineAddress(cloud, machine) }];
      setMachineStatus(cloud, name, { phase: 'Provisioned', addresses });
    }
    return;
  }
  if (phase === 'Provisioned') {
    if (now < getDueTime('booted', BOOT_SECONDS)) return;
    const address = getMachineAddress(cloud, machine);
    const region = getString(machine, 'spec', 'providerSpec', 'value', 'placement', 'region');
    const node = `ip-${address.replaceAll('.', '-')}.${cloud.domain ?? `${region}.compute.internal`}`;
    store.create('nodes', buildCloudNode(machine, node, address, cloud.release.kubernetesVersion, now));
    setMachineStatus(cloud, name, { phase: 'Running', nodeRef: { kind: 'Node', name: node } });
    return;
  }
  const node = getString(machine, 'status', 'nodeRef', 'name');
  if (isNetworkReady(store.get('nodes', null, node)) || now < getDueTime('ready', READY_SECONDS)) return;
  store.mutate('nodes', null, node, (object) => markReady(object, now));
}

const FAILURE_TIMER = 'a machine failed';

/** Returns why the cloud creates no instance, or null. The fault `machine-fails` affects one machine only. */
function findFailure({ faults, saved }: CloudContext, machine: KubeObject): string | null {
  const type = getString(machine, 'spec', 'providerSpec', 'value', 'instanceType');
  if (getInstanceSize(machine) === null)
    return `error launching instance: InvalidInstanceType: The requested instance type ${type} is not supported.`;
  const isInfra = machine.metadata.labels?.[ROLE_LABEL] === 'infra';
  return isInfra && faults.has('machine-fails') && saved.timers[FAILURE_TIMER] === undefined ? NO_CAPACITY_ERROR : null;
}

/** Returns the address of a machine, which stays the same as long as the machine exists. */
function getMachineAddress({ seed }: CloudContext, machine: KubeObject): string {
  const existingAddress = getString(getList(machine, 'status', 'addresses')[0], 'address');
  if (existingAddress !== '') return existingAddress;
  const { name } = machine.metadata;
  const pickNumber = (key: string, range: number) => Math.floor(deriveRandom(seed, name, key) * range);
  return `10.0.${pickNumber('network', 96)}.${10 + pickNumber('host', 240)}`;
}

function setMachineStatus({ store, clock }: CloudContext, name: string, status: JsonRecord): void {
  const lastUpdated = formatTimestamp(clock.now());
  store.mutate(MACHINES, MACHINE_API_NAMESPACE, name, (machine) =>
    assignFields(machine, 'status', { ...status, lastUpdated }),
  );
}

function updateMachineSetStatus(cloud: CloudContext, name: string): void {
  const { store } = cloud;
  const set = store.get(MACHINE_SETS, MACHINE_API_NAMESPACE, name);
  if (set === undefined) return;
  const machines = listMachinesOfSet(cloud, name);
  const nodes = machines.map((machine) => store.get('nodes', null, getString(machine, 'status', 'nodeRef', 'name')));
  const readyCount = nodes.filter((node) => node !== undefined && isNetworkReady(node)).length;
  const status = {
    replicas: machines.length,
    fullyLabeledReplicas: machines.length,
    ...(readyCount > 0 ? { readyReplicas: readyCount, availableReplicas: readyCount } : {}),
    observedGeneration: set.metadata.generation ?? 1,
  };
  if (isDeepEqual(set.status, status)) return;
  store.mutate(MACHINE_SETS, MACHINE_API_NAMESPACE, name, (machineSet) => {
    machineSet.status = status;
    const [cpus, memory] = getInstanceSize(getField(machineSet, 'spec', 'template')) ?? [0, 0];
    machineSet.metadata.annotations = {
      'machine.openshift.io/vCPU': String(cpus),
      'machine.openshift.io/memoryMb': String(memory * 1024),
      'machine.openshift.io/GPU': '0',
      ...machineSet.metadata.annotations,
    };
  });
}

/** Lists the machines of the world: the simulated hardware, and cloud instances that have joined as nodes. */
export function listMachines(world: World): MachineState[] {
  return [...Object.values(world.saved.machines), ...(world.cloud === null ? [] : listInstances(world))];
}

function listInstances({ store, design }: World): MachineState[] {
  const [network] = design.networks.machine;
  return store.list(MACHINES, MACHINE_API_NAMESPACE).flatMap((machine): MachineState[] => {
    const hostname = getString(machine, 'status', 'nodeRef', 'name');
    const node = store.get('nodes', null, hostname);
    if (node === undefined) return [];
    const { name, labels = {} } = machine.metadata;
    const joinedAt = Date.parse(node.metadata.creationTimestamp);
    const address = getString(getList(machine, 'status', 'addresses')[0], 'address');
    const settings = { prefix: 16, nameServers: [CLOUD_RESOLVER_ADDRESS], routers: [network?.gateway ?? ''] };
    const lease = { ...NO_LEASE_OPTIONS, address, hostname, ...settings };
    const kind = labels[ROLE_LABEL] === 'master' ? 'master' : 'worker';
    return [{ ...createMachineState({ name }, joinedAt), stage: 'joined', lease, hostname, kind, joinedAt }];
  });
}
