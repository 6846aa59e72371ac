import { createInfraTaints, INFRA_NODE_SELECTOR, listInfraNodeNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { getField, getString, type Json, type JsonObject, type NewObject } from '../../openshift/object.ts';
import { computeSha256 } from '../../platform/text.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import { applyMergePatch, type Edit, isJsonObject } from '../edit.ts';
import type { ClusterMove } from '../infra-move.ts';
import { MACHINE_NAMESPACE, MACHINE_SET_LABEL, type MachineSetView, ROLE_LABELS } from './machine-set-view.ts';

/**
 * The longest name of a MachineSet: the API adds a hyphen and five characters for a machine. That name is also a host
 * name and a label value, which have 63 characters at most.
 */
const MAX_NAME_LENGTH = 57;
const MACHINE_API_PREFIX = 'machine.openshift.io/';

/**
 * Derives the name of the infra set that is cloned from a worker set: `abc-x7k2p-worker-us-east-2a` gives
 * `abc-x7k2p-infra-us-east-2a`. For any other worker set, the infrastructure name, the role and the zone are joined.
 */
export function deriveInfraSetName(
  { name, zone }: Pick<MachineSetView, 'name' | 'zone'>,
  infrastructureName: string,
): string {
  const isFromInstaller = name.startsWith(`${infrastructureName}-worker`);
  const suffix = isFromInstaller
    ? name.slice(`${infrastructureName}-worker`.length)
    : `-${zone.split(' ').at(-1) ?? ''}`;
  return shortenName(
    `${infrastructureName}-infra${suffix}`
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-')
      .replace(/-+$/, ''),
  );
}

/** Cuts a name that is too long, and appends a hash that keeps it unique. */
function shortenName(name: string): string {
  if (name.length <= MAX_NAME_LENGTH) return name;
  const hash = computeSha256(name).slice(0, 5);
  return `${name.slice(0, MAX_NAME_LENGTH - 6).replace(/-+$/, '')}-${hash}`;
}

/**
 * Clones a worker set as infra set: with another name, the labels and taint of the role and, if requested, another
 * size. It starts with zero machines. Fields that the API, the autoscaler and other controllers added to the worker set
 * are not cloned (documentation of OpenShift, "Creating infrastructure machine sets").
 */
export function buildInfraSet(
  { object, provider }: Pick<MachineSetView, 'object' | 'provider'>,
  { name, design, size }: { readonly name: string; readonly design: Design; readonly size: string | null },
): NewObject {
  const spec = toJsonObject(object.spec);
  const template = toJsonObject(spec.template);
  const machine = toJsonObject(template.spec);
  const value = getField(machine, 'providerSpec', 'value');
  const providerSpec = size === null || provider === null ? {} : { value: provider.createResizePatch(value, size) };
  const roles = Object.fromEntries(ROLE_LABELS.map((key) => [key, 'infra']));
  const matchLabels = renameLabels(toJsonObject(getField(spec, 'selector', 'matchLabels')), name);
  return {
    metadata: {
      name,
      namespace: MACHINE_NAMESPACE,
      labels: {
        ...pickMachineApiLabels(renameLabels(toJsonObject(object.metadata.labels), name)),
        ...roles,
        [MACHINE_SET_LABEL]: name,
      },
    },
    spec: {
      ...spec,
      replicas: 0,
      selector: { matchLabels },
      template: {
        metadata: {
          labels: {
            ...pickMachineApiLabels(toJsonObject(getField(template, 'metadata', 'labels'))),
            ...roles,
            ...matchLabels,
          },
        },
        spec: {
          ...machine,
          metadata: { labels: INFRA_NODE_SELECTOR },
          taints: createInfraTaints(design),
          providerSpec: applyMergePatch(machine.providerSpec, providerSpec) as Json,
        },
      },
    },
  };
}

/** Replaces the name and the role of the machine set in its labels or selector labels; all other labels stay. */
function renameLabels(labels: JsonObject, name: string): Record<string, string> {
  const newLabels: Record<string, string> = {};
  for (const [key, value] of Object.entries(labels)) {
    if (typeof value !== 'string') continue;
    newLabels[key] = key === MACHINE_SET_LABEL ? name : ROLE_LABELS.some((role) => role === key) ? 'infra' : value;
  }
  return newLabels;
}

/** Picks the labels of the machine API: other labels (Hive's pool, Argo CD's instance) would give the set an owner. */
function pickMachineApiLabels(labels: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).flatMap(([key, value]) =>
      key.startsWith(MACHINE_API_PREFIX) && typeof value === 'string' ? [[key, value]] : [],
    ),
  );
}

function toJsonObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** One infra MachineSet to create. */
export interface PlannedInfraSet {
  readonly name: string;
  /** The worker MachineSet of the same zone, which is cloned. */
  readonly source: MachineSetView;
  readonly replicas: number;
}

/** The infra MachineSets to create, or what prevents it. */
export type InfraSetChoice =
  | {
      readonly state: 'sets';
      readonly plannedSets: readonly PlannedInfraSet[];
      readonly existingSets: readonly MachineSetView[];
    }
  /**
   * `clusterApi`: the Cluster API is the authority on these sets. `notCloneable`: none of these sets can be cloned.
   * `taken`: other sets have these names.
   */
  | { readonly state: 'clusterApi' | 'taken' | 'notCloneable'; readonly names: readonly string[] };

/**
 * Plans one infra MachineSet per zone, cloned from the worker set of that zone, until the requested number of machines
 * is reached. Zones that have workers now come first. Machines of infra sets with other names count toward that number.
 * @param count infra machines in all
 */
export function chooseInfraSets(
  sets: readonly MachineSetView[],
  infrastructureName: string,
  count: number,
): InfraSetChoice {
  const cloneableSets = sets.filter(({ unfitReason, isInfra }) => unfitReason === null && !isInfra);
  const clusterApiNames = sets.filter(({ unfitReason }) => unfitReason === 'cluster-api').map(({ name }) => name);
  if (clusterApiNames.length > 0) return { state: 'clusterApi', names: clusterApiNames };
  if (cloneableSets.length === 0) return { state: 'notCloneable', names: sets.map(({ name }) => name) };
  const sources = selectOnePerZone(cloneableSets, infrastructureName);
  const sourcesByName = new Map(sources.map((source) => [deriveInfraSetName(source, infrastructureName), source]));
  const takenNames = sets.filter(({ name, isInfra }) => sourcesByName.has(name) && !isInfra).map(({ name }) => name);
  if (takenNames.length > 0) return { state: 'taken', names: takenNames };
  const otherInfraSets = sets.filter(({ name, isInfra }) => isInfra && !sourcesByName.has(name));
  const remainingCount = Math.max(0, count - otherInfraSets.reduce((sum, { replicas }) => sum + replicas, 0));
  const plannedSets = [...sourcesByName].map(([name, source], index) => {
    const replicas =
      Math.floor(remainingCount / sourcesByName.size) + (index < remainingCount % sourcesByName.size ? 1 : 0);
    return { name, source, replicas };
  });
  return {
    state: 'sets',
    plannedSets: plannedSets.filter(({ replicas }) => replicas > 0),
    existingSets: otherInfraSets,
  };
}

/** Selects one set for each zone: the installer's own, else one with machines, else the first by name. */
function selectOnePerZone(cloneableSets: readonly MachineSetView[], infrastructureName: string): MachineSetView[] {
  const isFromInstaller = ({ name }: MachineSetView) => name.startsWith(`${infrastructureName}-worker`);
  const compareByRank = (a: MachineSetView, b: MachineSetView) =>
    Number(isFromInstaller(b)) - Number(isFromInstaller(a)) ||
    Number(b.replicas > 0) - Number(a.replicas > 0) ||
    compareNames(a.name, b.name);
  const zones = Map.groupBy(cloneableSets, ({ zone }) => zone);
  const chosenSets = [...zones.values()].flatMap((sets) => sets.toSorted(compareByRank).slice(0, 1));
  return chosenSets.sort((a, b) => Number(b.replicas > 0) - Number(a.replicas > 0) || compareNames(a.name, b.name));
}

const compareNames = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const NOT_READY_TIMEOUT = '300s';

/**
 * Creates the MachineHealthCheck of the infra machines. It replaces a machine whose node is not Ready for five minutes,
 * unless another one is unhealthy. It also replaces a machine that gets no node within twenty minutes (openshift/api,
 * machine/v1beta1/types_machinehealthcheck.go).
 */
export function createHealthCheckEdit(infrastructureName: string): Edit {
  const metadata = { name: `${infrastructureName}-infra`, namespace: MACHINE_NAMESPACE };
  const matchLabels = Object.fromEntries(ROLE_LABELS.map((key) => [key, 'infra']));
  const unhealthyConditions = ['False', 'Unknown'].map((status) => ({
    type: 'Ready',
    status,
    timeout: NOT_READY_TIMEOUT,
  }));
  const spec = { selector: { matchLabels }, unhealthyConditions, maxUnhealthy: 1, nodeStartupTimeout: '20m' };
  return { kind: 'MachineHealthCheck', ...metadata, create: () => ({ metadata: metadata, spec }) };
}

/**
 * Finds the MachineSets whose machine template sets what the move sets (label, taint); null unless they own every
 * infra node. Undo leaves such nodes alone: the setting is removed with the machines.
 */
export async function findOwningMachineSets(
  cluster: ClusterReader,
  move: ClusterMove,
  design: Design,
): Promise<readonly string[] | null> {
  const { isSetByMachineSet } = move;
  const nodes = listInfraNodeNames(design);
  if (isSetByMachineSet === undefined || nodes.length === 0) return null;
  const options = { namespace: MACHINE_NAMESPACE };
  const machines = await cluster.list('Machine', options);
  const findMachine = (node: string) => machines.find(({ status }) => getString(status, 'nodeRef', 'name') === node);
  const names = nodes.map((node) => findMachine(node)?.metadata.labels?.[MACHINE_SET_LABEL] ?? null);
  if (names.includes(null)) return null;
  const owners = (await cluster.list('MachineSet', options))
    .filter(({ spec }) => isSetByMachineSet(getField(spec, 'template', 'spec'), design))
    .map(({ metadata }) => metadata.name);
  return names.every((name) => name !== null && owners.includes(name)) ? owners : null;
}
