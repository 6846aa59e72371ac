import { getColumns } from './kinds/columns.ts';
import type { ResourceKind } from './kinds/kind.ts';
import { coreKinds, type KindDefinition } from './kinds/kinds-core.ts';
import { openshiftKinds } from './kinds/kinds-openshift.ts';
import { anything, flag, integer, list, object, type Schema, text, textList, textMap } from './kinds/schema.ts';
import { resourceKey } from './status.ts';

const metadata: Schema = object({
  name: text,
  generateName: text,
  namespace: text,
  selfLink: text,
  uid: text,
  resourceVersion: text,
  generation: integer,
  creationTimestamp: anything,
  deletionTimestamp: anything,
  deletionGracePeriodSeconds: integer,
  labels: textMap,
  annotations: textMap,
  ownerReferences: list(
    object({
      apiVersion: text,
      kind: text,
      name: text,
      uid: text,
      controller: flag,
      blockOwnerDeletion: flag,
    }),
    'uid',
  ),
  finalizers: { ...textList, isSet: true } as Schema,
  managedFields: anything,
});

/** Every kind that the API serves, by resource key (`nodes`, `clusteroperators.config.openshift.io`). */
export const registry: ReadonlyMap<string, ResourceKind> = new Map(
  [...coreKinds, ...openshiftKinds].map((data) => [resourceKey(data), completeKind(data)]),
);

/**
 * The kind of a resource key.
 * @throws Error if there is no such kind: a mistake of the caller, not of a client
 */
export function findKind(resource: string): ResourceKind {
  const kind = registry.get(resource);
  if (!kind) throw new Error(`no such resource: ${resource}`);
  return kind;
}

/** `v1` or `apps/v1`. */
export function formatApiVersion({ group, version }: Pick<ResourceKind, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

function completeKind({ fields, ...data }: KindDefinition): ResourceKind {
  const schema = object({ apiVersion: text, kind: text, metadata, ...fields });
  return { ...data, schema, columns: getColumns(resourceKey(data)) };
}
