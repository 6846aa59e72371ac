import { createHash } from 'node:crypto';
import { INFRA_SELECTOR, infraTaints } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { getField, type Json, type JsonObject, type NewObject } from '../../openshift/object.ts';
import { applyMergePatch, isJsonObject } from '../edit.ts';
import { MACHINE_NAMESPACE, MACHINE_SET_LABEL, type MachineSetView, ROLE_LABELS } from './machine-set-view.ts';

/**
 * The longest name of a MachineSet: the API adds a hyphen and five characters for a machine. That name is also a host
 * name and a label value, which have 63 characters at most.
 */
const MAX_NAME_LENGTH = 57;
const MACHINE_API_PREFIX = 'machine.openshift.io/';

/**
 * The name of the infra set that is cloned from a worker set: `abc-x7k2p-worker-us-east-2a` gives
 * `abc-x7k2p-infra-us-east-2a`. Any other name gives the name of the cluster's infrastructure, the role and the zone.
 */
export function infraSetName({ name, zone }: Pick<MachineSetView, 'name' | 'zone'>, infrastructure: string): string {
  const isFromInstaller = name.startsWith(`${infrastructure}-worker`);
  const rest = isFromInstaller ? name.slice(`${infrastructure}-worker`.length) : `-${zone.split(' ').at(-1) ?? ''}`;
  return shortenName(
    `${infrastructure}-infra${rest}`
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-')
      .replace(/-+$/, ''),
  );
}

/** Cuts a name that is too long, and appends a hash that keeps it unique. */
function shortenName(name: string): string {
  if (name.length <= MAX_NAME_LENGTH) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 5);
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
  const providerSpec = size === null || provider === null ? {} : { value: provider.resizePatch(value, size) };
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
          metadata: { labels: INFRA_SELECTOR },
          taints: infraTaints(design),
          providerSpec: applyMergePatch(machine.providerSpec, providerSpec) as Json,
        },
      },
    },
  };
}

/** Changes the selected labels of the set's name and role; all other selected labels stay. */
function renameLabels(labels: JsonObject, name: string): Record<string, string> {
  const renamed: Record<string, string> = {};
  for (const [key, value] of Object.entries(labels)) {
    if (typeof value !== 'string') continue;
    renamed[key] = key === MACHINE_SET_LABEL ? name : ROLE_LABELS.some((role) => role === key) ? 'infra' : value;
  }
  return renamed;
}

/**
 * Only the labels of the machine API: those of others (Hive's pool, Argo CD's instance) would give the set an owner.
 */
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
