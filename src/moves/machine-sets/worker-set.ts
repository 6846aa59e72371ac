import { INFRA_LABEL } from '../../design/infra-placement.ts';
import { at, type KubeObject, listAt, numberAt, textAt } from '../../objects/object.ts';
import { hasAccelerators, type Provider, providerOf } from './providers.ts';

/** Where MachineSets and their Machines live. */
export const MACHINE_NAMESPACE = 'openshift-machine-api';
/** Labels of the machine API, on a set, in its selector and on its machines (openshift/api, machine/v1beta1). */
export const SET_LABEL = 'machine.openshift.io/cluster-api-machineset';
export const ROLE_LABELS = [
  'machine.openshift.io/cluster-api-machine-role',
  'machine.openshift.io/cluster-api-machine-type',
] as const;

/** Why infra machines are not made after the example of a set. */
export type Unfit =
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

/** What counts of a MachineSet here. */
export interface WorkerSet {
  readonly object: KubeObject;
  readonly name: string;
  /** Where its machines are made; empty where the set does not say. */
  readonly zone: string;
  readonly size: string;
  readonly replicas: number;
  readonly provider: Provider | null;
  /** Its machines are infra nodes already. */
  readonly isInfra: boolean;
  /** Null: infra machines can be made after its example. */
  readonly unfit: Unfit | null;
}

/** Reads a MachineSet. */
export function workerSet(object: KubeObject): WorkerSet {
  const value = at(object.spec, 'template', 'spec', 'providerSpec', 'value');
  const provider = providerOf(value);
  return {
    object,
    name: object.metadata.name,
    zone: provider?.zone(value) ?? '',
    size: provider?.size(value) ?? '',
    replicas: numberAt(object.spec, 'replicas') ?? 1,
    provider,
    isInfra: roleOf(object) === 'infra' || nodeLabel(object, INFRA_LABEL) !== undefined,
    unfit: unfitOf(object, value, provider),
  };
}

function unfitOf(object: KubeObject, value: unknown, provider: Provider | null): Unfit | null {
  const { metadata, spec } = object;
  if (metadata.deletionTimestamp !== undefined) return 'deleted';
  // Since 4.19 the Cluster API may be the authority: then what is written here has no effect (openshift/api, machine/v1beta1).
  if (isOfClusterApi(object)) return 'cluster-api';
  if (isWindows(object)) return 'windows';
  if (roleOf(object) === 'edge' || nodeLabel(object, 'node-role.kubernetes.io/edge') !== undefined) return 'edge';
  if (roleOf(object) !== 'worker') return 'role';
  if (listAt(spec, 'template', 'spec', 'taints').length > 0) return 'tainted';
  const gpus = metadata.annotations?.['machine.openshift.io/GPU'] ?? '0';
  if (gpus !== '0' || hasAccelerators(value)) return 'gpu';
  if (provider?.isSpot?.(value)) return 'spot';
  // Only the labels are renamed; an expression might select machines of both sets.
  if (listAt(spec, 'selector', 'matchExpressions').length > 0) return 'selector';
  return provider === null ? 'provider' : null;
}

function isOfClusterApi({ spec, status }: KubeObject): boolean {
  const authorities = [textAt(spec, 'authoritativeAPI'), textAt(status, 'authoritativeAPI')];
  return authorities.some((name) => name === 'ClusterAPI' || name === 'Migrating');
}

function isWindows({ metadata, spec }: KubeObject): boolean {
  const key = 'machine.openshift.io/os-id';
  return [metadata.labels?.[key], at(spec, 'template', 'metadata', 'labels', key)].includes('Windows');
}

/** The role that a set gives its machines; without one it is a worker. */
function roleOf({ metadata, spec }: KubeObject): string {
  const [key] = ROLE_LABELS;
  return textAt(spec, 'template', 'metadata', 'labels', key) ?? metadata.labels?.[key] ?? 'worker';
}

function nodeLabel({ spec }: KubeObject, label: string): string | undefined {
  return textAt(spec, 'template', 'spec', 'metadata', 'labels', label) ?? undefined;
}
