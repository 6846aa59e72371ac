import { createHash } from 'node:crypto';
import { INFRA_SELECTOR, infraTaints } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { at, type Json, type JsonObject, type NewObject } from '../../objects/object.ts';
import { isFields, merged } from '../edit.ts';
import { MACHINE_NAMESPACE, ROLE_LABELS, SET_LABEL, type WorkerSet } from './worker-set.ts';

/**
 * The longest name of a set: the API adds a hyphen and five characters for a machine, and a name that is also a host name and
 * the value of a label has 63 at most.
 */
const LONGEST = 57;
const OWN_PREFIX = 'machine.openshift.io/';

/**
 * The name of the infra set that is made after a worker set: `abc-x7k2p-worker-us-east-2a` gives `abc-x7k2p-infra-us-east-2a`.
 * Another name gets the name of the cluster's infrastructure, the role and the zone.
 */
export function infraSetName({ name, zone }: Pick<WorkerSet, 'name' | 'zone'>, infrastructure: string): string {
  const isUsual = name.startsWith(`${infrastructure}-worker`);
  const rest = isUsual ? name.slice(`${infrastructure}-worker`.length) : `-${zone.split(' ').at(-1) ?? ''}`;
  return shortened(
    `${infrastructure}-infra${rest}`
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-')
      .replace(/-+$/, ''),
  );
}

/** A name that is too long keeps its beginning, and ends with what tells it from others. */
function shortened(name: string): string {
  if (name.length <= LONGEST) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 5);
  return `${name.slice(0, LONGEST - 6).replace(/-+$/, '')}-${hash}`;
}

/**
 * The infra set after the example of a worker set: a clone of it with another name, the labels and taint of the role and,
 * where asked for, another size. It begins without machines. What the API, the autoscaler and other controllers added to the
 * worker set is not cloned (documentation of OpenShift, "Creating infrastructure machine sets").
 */
export function infraSet(
  { object, provider }: Pick<WorkerSet, 'object' | 'provider'>,
  { name, design, size }: { readonly name: string; readonly design: Design; readonly size: string | null },
): NewObject {
  const spec = fieldsAt(object.spec);
  const template = fieldsAt(spec.template);
  const machine = fieldsAt(template.spec);
  const value = at(machine, 'providerSpec', 'value');
  const providerSpec = size === null || provider === null ? {} : { value: provider.resized(value, size) };
  const roles = Object.fromEntries(ROLE_LABELS.map((key) => [key, 'infra']));
  const matchLabels = renamed(fieldsAt(at(spec, 'selector', 'matchLabels')), name);
  return {
    metadata: {
      name,
      namespace: MACHINE_NAMESPACE,
      labels: { ...own(renamed(fieldsAt(object.metadata.labels), name)), ...roles, [SET_LABEL]: name },
    },
    spec: {
      ...spec,
      replicas: 0,
      selector: { matchLabels },
      template: {
        metadata: { labels: { ...own(fieldsAt(at(template, 'metadata', 'labels'))), ...roles, ...matchLabels } },
        spec: {
          ...machine,
          metadata: { labels: INFRA_SELECTOR },
          taints: infraTaints(design),
          providerSpec: merged(machine.providerSpec, providerSpec) as Json,
        },
      },
    },
  };
}

/** Selected labels: those of the name and the role follow, whatever else is selected stays. */
function renamed(labels: JsonObject, name: string): Record<string, string> {
  const renamed: Record<string, string> = {};
  for (const [key, value] of Object.entries(labels)) {
    if (typeof value !== 'string') continue;
    renamed[key] = key === SET_LABEL ? name : ROLE_LABELS.some((role) => role === key) ? 'infra' : value;
  }
  return renamed;
}

/** The labels of the machine API: those of others (Hive's pool, Argo CD's instance) would give the set an owner. */
function own(labels: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).flatMap(([key, value]) =>
      key.startsWith(OWN_PREFIX) && typeof value === 'string' ? [[key, value]] : [],
    ),
  );
}

function fieldsAt(value: unknown): JsonObject {
  return isFields(value) ? value : {};
}
