import { INFRA_LABEL } from '../../design/infra-placement.ts';
import {
  getField,
  getList,
  getNumber,
  getString,
  type Json,
  type JsonObject,
  type KubeObject,
} from '../../openshift/object.ts';

/** The fields of `providerSpec.value` that differ between clouds. The rest of a MachineSet is cloned as it is. */
interface MachineProvider {
  /** Returns the zone of a MachineSet's machines in the cloud's terms; empty if it sets no zone. */
  readonly getZone: (value: unknown) => string;
  /**
   * Returns the size of a MachineSet's machines in the cloud's terms: `m5.xlarge`, `8x32` (CPUs x GiB); empty if it
   * sets no size.
   */
  readonly getSize: (value: unknown) => string;
  /** The format of a valid size. */
  readonly sizePattern: RegExp;
  /** Creates the patch of the fields that set this size. */
  readonly createResizePatch: (value: unknown, size: string) => JsonObject;
  /** Whether the cloud may reclaim its machines at any time. */
  readonly isSpot?: (value: unknown) => boolean;
}

/** The name of an instance type, a flavor or a profile. */
const INSTANCE_TYPE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
/** `8x32`: CPUs x GiB of memory. */
const CPUS_AND_MEMORY = /^[1-9]\d{0,2}x[1-9]\d{0,4}$/;

const createInstanceTypeProvider = (
  field: string,
  getZone: MachineProvider['getZone'],
  isSpot?: MachineProvider['isSpot'],
): MachineProvider => ({
  getZone,
  getSize: (value) => getString(value, field) ?? '',
  sizePattern: INSTANCE_TYPE,
  createResizePatch: (_value, size) => ({ [field]: size }),
  ...(isSpot ? { isSpot } : {}),
});

const createFieldReader =
  (...path: readonly string[]) =>
  (value: unknown) =>
    getString(value, ...path) ?? '';

/** Parses the CPUs and GiB of a size that matches CPUS_AND_MEMORY. */
function parseSize(size: string): readonly [number, number] {
  const [cpus = 0, memory = 0] = size.split('x').map(Number);
  return [cpus, memory];
}

/** Returns a size of CPUs and memory; empty if the set lacks either. */
function formatSize(cpus: number | null, memoryMiB: number | null): string {
  return cpus === null || memoryMiB === null ? '' : `${cpus}x${Math.round(memoryMiB / 1024)}`;
}

/** Providers by the `kind` of their configuration (openshift/api, machine/v1beta1 and machine/v1; MAPI providers). */
const PROVIDERS: Readonly<Record<string, MachineProvider>> = {
  AWSMachineProviderConfig: createInstanceTypeProvider(
    'instanceType',
    createFieldReader('placement', 'availabilityZone'),
    (value) => getField(value, 'spotMarketOptions') !== undefined,
  ),
  AzureMachineProviderSpec: createInstanceTypeProvider(
    'vmSize',
    (value) => `${getString(value, 'location') ?? ''}${getString(value, 'zone') ?? ''}`,
    (value) => getField(value, 'spotVMOptions') !== undefined,
  ),
  GCPMachineProviderSpec: createInstanceTypeProvider(
    'machineType',
    createFieldReader('zone'),
    (value) => getField(value, 'preemptible') === true,
  ),
  OpenstackProviderSpec: createInstanceTypeProvider('flavor', createFieldReader('availabilityZone')),
  IBMCloudMachineProviderSpec: createInstanceTypeProvider('profile', createFieldReader('zone')),
  VSphereMachineProviderSpec: {
    getZone: (value) => {
      // A failure domain has no name in the set: its location in vCenter identifies it.
      const { datacenter = '', resourcePool = '', datastore = '' } = readWorkspace(value);
      return [getString(value, 'workspace', 'server') ?? '', datacenter, resourcePool, datastore].join(' ').trim();
    },
    getSize: (value) => formatSize(getNumber(value, 'numCPUs'), getNumber(value, 'memoryMiB')),
    sizePattern: CPUS_AND_MEMORY,
    createResizePatch(value, size) {
      const [cpus, memory] = parseSize(size);
      const coresPerSocket = getNumber(value, 'numCoresPerSocket') ?? 0;
      // vCenter rejects a number of CPUs that is no multiple of the cores per socket.
      const isMultiple = coresPerSocket === 0 || cpus % coresPerSocket === 0;
      return { numCPUs: cpus, memoryMiB: memory * 1024, ...(isMultiple ? {} : { numCoresPerSocket: cpus }) };
    },
  },
  NutanixMachineProviderConfig: {
    getZone: (value) =>
      getString(value, 'failureDomain', 'name') ??
      getString(value, 'cluster', 'uuid') ??
      getString(value, 'cluster', 'name') ??
      '',
    getSize(value) {
      const [sockets, vcpusPerSocket] = [getNumber(value, 'vcpuSockets'), getNumber(value, 'vcpusPerSocket')];
      const memory = /^(\d+)(Gi|Mi)$/.exec(getString(value, 'memorySize') ?? '');
      const mebibytes = memory ? Number(memory[1]) * (memory[2] === 'Gi' ? 1024 : 1) : null;
      return formatSize(sockets === null || vcpusPerSocket === null ? null : sockets * vcpusPerSocket, mebibytes);
    },
    sizePattern: CPUS_AND_MEMORY,
    createResizePatch(value, size) {
      const [cpus, memory] = parseSize(size);
      const vcpusPerSocket = getNumber(value, 'vcpusPerSocket') ?? 1;
      const isMultiple = cpus % vcpusPerSocket === 0;
      return {
        vcpuSockets: isMultiple ? cpus / vcpusPerSocket : cpus,
        ...(isMultiple ? {} : { vcpusPerSocket: 1 }),
        memorySize: `${memory}Gi`,
      };
    },
  },
};

function readWorkspace(value: unknown): Readonly<Record<string, string>> {
  const names = ['datacenter', 'resourcePool', 'datastore'];
  return Object.fromEntries(names.map((name) => [name, getString(value, 'workspace', name) ?? '']));
}

/** Finds the provider of this `providerSpec.value`; null if we do not know the cloud. */
function findProvider(value: unknown): MachineProvider | null {
  const kind = getString(value, 'kind') ?? '';
  return Object.hasOwn(PROVIDERS, kind) ? (PROVIDERS[kind] ?? null) : null;
}

/**
 * Whether machines of this `providerSpec.value` have GPUs, which infra components do not use. Only GCP and Nutanix list
 * them in the machine set.
 */
function hasAccelerators(value: unknown): boolean {
  return (getList(value, 'gpus') as readonly Json[]).length > 0;
}

/** The namespace of MachineSets and their Machines. */
export const MACHINE_NAMESPACE = 'openshift-machine-api';
/** Labels of the machine API, on a set, in its selector and on its machines (openshift/api, machine/v1beta1). */
export const MACHINE_SET_LABEL = 'machine.openshift.io/cluster-api-machineset';
export const ROLE_LABELS = [
  'machine.openshift.io/cluster-api-machine-role',
  'machine.openshift.io/cluster-api-machine-type',
] as const;

/** Why a MachineSet cannot be cloned for infra machines. */
export type UnfitReason =
  | 'deleted'
  | 'role'
  | 'windows'
  | 'edge'
  | 'tainted'
  | 'gpu'
  | 'spot'
  | 'cluster-api'
  | 'selector'
  | 'provider';

/** A MachineSet as far as the infra moves need it. */
export interface MachineSetView {
  readonly object: KubeObject;
  readonly name: string;
  /** The zone of its machines; empty if the set has none. */
  readonly zone: string;
  readonly size: string;
  readonly replicas: number;
  readonly provider: MachineProvider | null;
  /** Its machines are infra nodes already. */
  readonly isInfra: boolean;
  /** Null: it can be cloned for infra machines. */
  readonly unfitReason: UnfitReason | null;
}

/** Parses a MachineSet. */
export function parseMachineSet(object: KubeObject): MachineSetView {
  const value = getField(object.spec, 'template', 'spec', 'providerSpec', 'value');
  const provider = findProvider(value);
  return {
    object,
    name: object.metadata.name,
    zone: provider?.getZone(value) ?? '',
    size: provider?.getSize(value) ?? '',
    replicas: getNumber(object.spec, 'replicas') ?? 1,
    provider,
    isInfra: getMachineRole(object) === 'infra' || getNodeLabel(object, INFRA_LABEL) !== undefined,
    unfitReason: findUnfitReason(object, value, provider),
  };
}

function findUnfitReason(object: KubeObject, value: unknown, provider: MachineProvider | null): UnfitReason | null {
  const { metadata, spec } = object;
  if (metadata.deletionTimestamp !== undefined) return 'deleted';
  // Since 4.19 the Cluster API may be the authority: then writes to the MachineSet have no effect (openshift/api,
  // machine/v1beta1).
  if (isManagedByClusterApi(object)) return 'cluster-api';
  if (isWindows(object)) return 'windows';
  if (getMachineRole(object) === 'edge' || getNodeLabel(object, 'node-role.kubernetes.io/edge') !== undefined)
    return 'edge';
  if (getMachineRole(object) !== 'worker') return 'role';
  if (getList(spec, 'template', 'spec', 'taints').length > 0) return 'tainted';
  const gpus = metadata.annotations?.['machine.openshift.io/GPU'] ?? '0';
  if (gpus !== '0' || hasAccelerators(value)) return 'gpu';
  if (provider?.isSpot?.(value)) return 'spot';
  // Only the labels are renamed; an expression might select machines of both sets.
  if (getList(spec, 'selector', 'matchExpressions').length > 0) return 'selector';
  return provider === null ? 'provider' : null;
}

function isManagedByClusterApi({ spec, status }: KubeObject): boolean {
  const authorities = [getString(spec, 'authoritativeAPI'), getString(status, 'authoritativeAPI')];
  return authorities.some((name) => name === 'ClusterAPI' || name === 'Migrating');
}

function isWindows({ metadata, spec }: KubeObject): boolean {
  const key = 'machine.openshift.io/os-id';
  return [metadata.labels?.[key], getField(spec, 'template', 'metadata', 'labels', key)].includes('Windows');
}

/** Returns the role that a set gives its machines; `worker` if it gives none. */
function getMachineRole({ metadata, spec }: KubeObject): string {
  const [key] = ROLE_LABELS;
  return getString(spec, 'template', 'metadata', 'labels', key) ?? metadata.labels?.[key] ?? 'worker';
}

function getNodeLabel({ spec }: KubeObject, label: string): string | undefined {
  return getString(spec, 'template', 'spec', 'metadata', 'labels', label) ?? undefined;
}
