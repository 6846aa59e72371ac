import { INFRA_LABEL } from '../../design/infra-placement.ts';
import { getField, getList, getNumber, getString, type KubeObject } from '../../openshift/object.ts';
import { findProvider, hasAccelerators, type MachineProvider } from './providers.ts';

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
