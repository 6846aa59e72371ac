import { at, type Json, type JsonObject, listAt, numberAt, textAt } from '../../objects/object.ts';

/** What differs between the clouds in `providerSpec.value` of a MachineSet. The rest is cloned as it is. */
export interface Provider {
  /** Where its machines are made, as the cloud calls it; empty where the set does not say. */
  readonly zone: (value: unknown) => string;
  /** The size of its machines in the words of the cloud: `m5.xlarge`, `8x32` (CPUs x GiB); empty where it does not say. */
  readonly size: (value: unknown) => string;
  /** The form of a size that may be asked for. */
  readonly form: RegExp;
  /** The fields of that size. */
  readonly resized: (value: unknown, size: string) => JsonObject;
  /** The cloud may take its machines back at any time. */
  readonly isSpot?: (value: unknown) => boolean;
}

/** The name of an instance type, a flavor or a profile. */
const TYPE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
/** `8x32`: CPUs x GiB of memory. */
const CPUS_AND_MEMORY = /^[1-9]\d{0,2}x[1-9]\d{0,4}$/;

const typed = (field: string, zone: Provider['zone'], isSpot?: Provider['isSpot']): Provider => ({
  zone,
  size: (value) => textAt(value, field) ?? '',
  form: TYPE,
  resized: (_value, size) => ({ [field]: size }),
  ...(isSpot ? { isSpot } : {}),
});

const textOf =
  (...path: readonly string[]) =>
  (value: unknown) =>
    textAt(value, ...path) ?? '';

/** [CPUs, GiB] of a size that was checked. */
function numbersOf(size: string): readonly [number, number] {
  const [cpus = 0, memory = 0] = size.split('x').map(Number);
  return [cpus, memory];
}

/** A size that is told by CPUs and MiB, where the set says both. */
function sizeOf(cpus: number | null, memoryMiB: number | null): string {
  return cpus === null || memoryMiB === null ? '' : `${cpus}x${Math.round(memoryMiB / 1024)}`;
}

/** By the `kind` of the provider's configuration (openshift/api, machine/v1beta1 and machine/v1; MAPI providers). */
const PROVIDERS: Readonly<Record<string, Provider>> = {
  AWSMachineProviderConfig: typed(
    'instanceType',
    textOf('placement', 'availabilityZone'),
    (value) => at(value, 'spotMarketOptions') !== undefined,
  ),
  AzureMachineProviderSpec: typed(
    'vmSize',
    (value) => `${textAt(value, 'location') ?? ''}${textAt(value, 'zone') ?? ''}`,
    (value) => at(value, 'spotVMOptions') !== undefined,
  ),
  GCPMachineProviderSpec: typed('machineType', textOf('zone'), (value) => at(value, 'preemptible') === true),
  OpenstackProviderSpec: typed('flavor', textOf('availabilityZone')),
  IBMCloudMachineProviderSpec: typed('profile', textOf('zone')),
  VSphereMachineProviderSpec: {
    zone: (value) => {
      // A failure domain is a place in vCenter: it has no name in the set.
      const { datacenter = '', resourcePool = '', datastore = '' } = workspaceOf(value);
      return [textAt(value, 'workspace', 'server') ?? '', datacenter, resourcePool, datastore].join(' ').trim();
    },
    size: (value) => sizeOf(numberAt(value, 'numCPUs'), numberAt(value, 'memoryMiB')),
    form: CPUS_AND_MEMORY,
    resized(value, size) {
      const [cpus, memory] = numbersOf(size);
      const perSocket = numberAt(value, 'numCoresPerSocket') ?? 0;
      // vCenter refuses a number of CPUs that does not fill its sockets.
      const isFilled = perSocket === 0 || cpus % perSocket === 0;
      return { numCPUs: cpus, memoryMiB: memory * 1024, ...(isFilled ? {} : { numCoresPerSocket: cpus }) };
    },
  },
  NutanixMachineProviderConfig: {
    zone: (value) =>
      textAt(value, 'failureDomain', 'name') ??
      textAt(value, 'cluster', 'uuid') ??
      textAt(value, 'cluster', 'name') ??
      '',
    size(value) {
      const [sockets, perSocket] = [numberAt(value, 'vcpuSockets'), numberAt(value, 'vcpusPerSocket')];
      const memory = /^(\d+)(Gi|Mi)$/.exec(textAt(value, 'memorySize') ?? '');
      const mebibytes = memory ? Number(memory[1]) * (memory[2] === 'Gi' ? 1024 : 1) : null;
      return sizeOf(sockets === null || perSocket === null ? null : sockets * perSocket, mebibytes);
    },
    form: CPUS_AND_MEMORY,
    resized(value, size) {
      const [cpus, memory] = numbersOf(size);
      const perSocket = numberAt(value, 'vcpusPerSocket') ?? 1;
      const isFilled = cpus % perSocket === 0;
      return {
        vcpuSockets: isFilled ? cpus / perSocket : cpus,
        ...(isFilled ? {} : { vcpusPerSocket: 1 }),
        memorySize: `${memory}Gi`,
      };
    },
  },
};

function workspaceOf(value: unknown): Readonly<Record<string, string>> {
  const names = ['datacenter', 'resourcePool', 'datastore'];
  return Object.fromEntries(names.map((name) => [name, textAt(value, 'workspace', name) ?? '']));
}

/** How the cloud of this `providerSpec.value` says things; null for one that we do not know. */
export function providerOf(value: unknown): Provider | null {
  const kind = textAt(value, 'kind') ?? '';
  return Object.hasOwn(PROVIDERS, kind) ? (PROVIDERS[kind] ?? null) : null;
}

/** Whether its machines have graphics processors, which infra components do not use: Google names them in the set. */
export function hasAccelerators(value: unknown): boolean {
  return (listAt(value, 'gpus') as readonly Json[]).length > 0;
}
