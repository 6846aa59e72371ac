import { SECOND } from '../../../ports/clock.ts';
import { isSame } from '../../api/json.ts';
import { at, isRecord, type JsonRecord, type KubeObject, listAt, textAt, timestamp } from '../../api/objects.ts';
import { chance, jitter, nameSuffix } from '../../site/random.ts';
import { firstSeen, forget, type World } from '../world.ts';
import { cloudNode, hasJoined, makeReady, sizeOf } from './node.ts';

export const SETS = 'machinesets.machine.openshift.io';
export const MACHINES = 'machines.machine.openshift.io';
export const MACHINE_API = 'openshift-machine-api';
const SET_LABEL = 'machine.openshift.io/cluster-api-machineset';
const ROLE = 'machine.openshift.io/cluster-api-machine-role';

/** What the cloud needs of the world. */
export type Cloud = Pick<World, 'store' | 'clock' | 'seed' | 'faults' | 'changed'> & {
  readonly saved: Pick<World['saved'], 'timers'>;
  readonly release: Pick<World['release'], 'kubernetes'>;
  /** The domain that the name servers of its network give to nodes; left out: the region's own. */
  readonly domain?: string;
};

/** From the order of an instance to its start, from there to its kubelet, and from there to a Ready node. */
const [ORDERED, BOOTED, READY] = [
  [20, 40],
  [90, 150],
  [30, 60],
] as const;
const LEAVING = 40 * SECOND;
const NO_CAPACITY =
  'error launching instance: InsufficientInstanceCapacity: We currently do not have sufficient capacity in the Availability Zone you requested. Our system will be working on provisioning additional capacity.';

/** The machine API and the cloud behind it: MachineSets make machines, machines become instances and then nodes. */
export function reconcileMachines(cloud: Cloud): void {
  const { store } = cloud;
  const sets = store.list(SETS, MACHINE_API);
  for (const set of sets) reconcileSet(cloud, set);
  for (const machine of store.list(MACHINES, MACHINE_API)) {
    const owner = machine.metadata.labels?.[SET_LABEL];
    // Without its set a machine is garbage; one that has none (of the control plane) stays.
    const isOrphan = owner !== undefined && !sets.some(({ metadata }) => metadata.name === owner);
    if (isOrphan) leave(cloud, machine);
    if (machine.metadata.deletionTimestamp !== undefined) remove(cloud, machine);
    else advance(cloud, machine);
  }
  for (const { metadata } of sets) report(cloud, metadata.name);
}

const machinesOf = ({ store }: Cloud, set: string) =>
  store.list(MACHINES, MACHINE_API).filter(({ metadata }) => metadata.labels?.[SET_LABEL] === set);

function reconcileSet(cloud: Cloud, set: KubeObject): void {
  const { name } = set.metadata;
  const machines = machinesOf(cloud, name).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const replicas = Number(at(set, 'spec', 'replicas') ?? 1);
  for (const machine of machines.slice(replicas)) leave(cloud, machine);
  for (let count = machines.length; count < replicas; count += 1) makeMachine(cloud, set);
}

function makeMachine(cloud: Cloud, set: KubeObject): void {
  const template = at(set, 'spec', 'template');
  const labels = at(template, 'metadata', 'labels');
  const number = firstFree(cloud, set.metadata.name);
  cloud.store.create(MACHINES, {
    metadata: {
      name: `${set.metadata.name}-${nameSuffix(cloud.seed, 5, set.metadata.name, number)}`,
      generateName: `${set.metadata.name}-`,
      namespace: MACHINE_API,
      labels: isRecord(labels) ? (labels as Record<string, string>) : {},
      finalizers: ['machine.machine.openshift.io'],
    },
    spec: at(template, 'spec') as JsonRecord,
    status: {},
  });
}

/** Counts the machines that a set has ever made. */
function firstFree({ saved }: Cloud, set: string): number {
  const key = `machines of ${set}`;
  const number = (saved.timers[key] ?? 0) + 1;
  saved.timers[key] = number;
  return number;
}

/** Asks for the end of a machine; its finalizer waits for the cloud. */
function leave({ store, clock }: Cloud, { metadata }: KubeObject): void {
  if (metadata.deletionTimestamp !== undefined) return;
  store.mutate(MACHINES, MACHINE_API, metadata.name, (machine) => {
    machine.metadata.deletionTimestamp = timestamp(clock.now());
    machine.status = { ...statusOf(machine), phase: 'Deleting' };
  });
}

function remove(cloud: Cloud, machine: KubeObject): void {
  const { store, clock } = cloud;
  const { name } = machine.metadata;
  if (clock.now() < firstSeen(cloud, `leaving ${name}`) + LEAVING) return;
  for (const key of ['leaving', 'ordered', 'booted', 'ready']) forget(cloud, `${key} ${name}`);
  const node = textAt(machine, 'status', 'nodeRef', 'name');
  if (node !== '') {
    store.delete('nodes', null, node);
    for (const pod of store.list('pods'))
      if (textAt(pod, 'spec', 'nodeName') === node)
        store.delete('pods', pod.metadata.namespace ?? null, pod.metadata.name);
  }
  store.delete(MACHINES, MACHINE_API, name);
}

/** One machine on its way: ordered, started, registered, ready. One that failed stays so. */
function advance(cloud: Cloud, machine: KubeObject): void {
  const { clock, seed, store } = cloud;
  const { name } = machine.metadata;
  const phase = textAt(machine, 'status', 'phase');
  const now = clock.now();
  const takes = (key: string, [least, most]: readonly [number, number]) =>
    firstSeen(cloud, `${key} ${name}`) + jitter(seed, least * SECOND, most * SECOND, name, key);
  if (phase === 'Failed' || phase === 'Deleting') return;
  if (phase === '') {
    firstSeen(cloud, `ordered ${name}`);
    setStatus(cloud, name, { phase: 'Provisioning' });
    return;
  }
  if (phase === 'Provisioning') {
    if (now < takes('ordered', ORDERED)) return;
    const failure = failureOf(cloud, machine);
    if (failure !== null) {
      cloud.saved.timers[FAILED_ONCE] = now;
      setStatus(cloud, name, { phase: 'Failed', errorReason: 'InvalidConfiguration', errorMessage: failure });
    } else
      setStatus(cloud, name, {
        phase: 'Provisioned',
        addresses: [{ type: 'InternalIP', address: addressOf(cloud, machine) }],
      });
    return;
  }
  if (phase === 'Provisioned') {
    if (now < takes('booted', BOOTED)) return;
    const address = addressOf(cloud, machine);
    const region = textAt(machine, 'spec', 'providerSpec', 'value', 'placement', 'region');
    const node = `ip-${address.replaceAll('.', '-')}.${cloud.domain ?? `${region}.compute.internal`}`;
    store.create('nodes', cloudNode(machine, node, address, cloud.release.kubernetes, now));
    setStatus(cloud, name, { phase: 'Running', nodeRef: { kind: 'Node', name: node } });
    return;
  }
  const node = textAt(machine, 'status', 'nodeRef', 'name');
  if (hasJoined(store.get('nodes', null, node)) || now < takes('ready', READY)) return;
  store.mutate('nodes', null, node, (object) => makeReady(object, now));
}

const FAILED_ONCE = 'a machine failed';

/** Why the cloud makes no instance; null where it does. The fault strikes one machine, and not the one in its place. */
function failureOf({ faults, saved }: Cloud, machine: KubeObject): string | null {
  const type = textAt(machine, 'spec', 'providerSpec', 'value', 'instanceType');
  if (sizeOf(machine) === null)
    return `error launching instance: InvalidInstanceType: The requested instance type ${type} is not supported.`;
  const isInfra = machine.metadata.labels?.[ROLE] === 'infra';
  return isInfra && faults.has('machine-fails') && saved.timers[FAILED_ONCE] === undefined ? NO_CAPACITY : null;
}

/** The address of a machine: as long as it lives, the one that it was given first. */
function addressOf({ seed }: Cloud, machine: KubeObject): string {
  const known = textAt(listAt(machine, 'status', 'addresses')[0], 'address');
  if (known !== '') return known;
  const { name } = machine.metadata;
  const part = (key: string, most: number) => Math.floor(chance(seed, name, key) * most);
  return `10.0.${part('network', 96)}.${10 + part('host', 240)}`;
}

const statusOf = ({ status }: KubeObject) => (isRecord(status) ? status : {});

function setStatus({ store, clock }: Cloud, name: string, status: JsonRecord): void {
  store.mutate(MACHINES, MACHINE_API, name, (machine) => {
    machine.status = { ...statusOf(machine), ...status, lastUpdated: timestamp(clock.now()) };
  });
}

function report(cloud: Cloud, name: string): void {
  const { store } = cloud;
  const set = store.get(SETS, MACHINE_API, name);
  if (set === undefined) return;
  const machines = machinesOf(cloud, name);
  const nodes = machines.map((machine) => store.get('nodes', null, textAt(machine, 'status', 'nodeRef', 'name')));
  const ready = nodes.filter((node) => node !== undefined && hasJoined(node)).length;
  const status = {
    replicas: machines.length,
    fullyLabeledReplicas: machines.length,
    ...(ready > 0 ? { readyReplicas: ready, availableReplicas: ready } : {}),
    observedGeneration: set.metadata.generation ?? 1,
  };
  if (isSame(set.status, status)) return;
  store.mutate(SETS, MACHINE_API, name, (change) => {
    change.status = status;
    const [cpus, memory] = sizeOf(at(change, 'spec', 'template')) ?? [0, 0];
    change.metadata.annotations = {
      'machine.openshift.io/vCPU': String(cpus),
      'machine.openshift.io/memoryMb': String(memory * 1024),
      'machine.openshift.io/GPU': '0',
      ...change.metadata.annotations,
    };
  });
}
