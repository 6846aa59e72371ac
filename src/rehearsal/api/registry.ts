import { getColumns } from './kinds/columns.ts';
import { coreKinds, type KindDefinition, openshiftKinds, type ResourceKind, type Subresource } from './kinds/kinds.ts';
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

/** The resource that a path under /api or /apis addresses. */
export interface ResourceRequest {
  /** The resource key. */
  readonly resource: string;
  readonly kind: ResourceKind;
  /** Null: the whole cluster. */
  readonly namespace: string | null;
  /** Null: the collection. */
  readonly name: string | null;
  readonly subresource: Subresource | null;
}

const kindsByPath = new Map(
  [...registry].map(([resource, kind]) => [`${kind.group}/${kind.version}/${kind.plural}`, { resource, kind }]),
);

/**
 * Parses a path such as `/apis/apps/v1/namespaces/default/deployments/x/status`; null: the site serves no such path.
 */
export function parseResourcePath(path: string): ResourceRequest | null {
  const parts = decodeParts(path);
  if (!parts) return null;
  const [root, ...rest] = parts;
  if (root === 'api') return parseInGroup('', rest);
  if (root === 'apis') return parseInGroup(rest[0] ?? '', rest.slice(1));
  return null;
}

function parseInGroup(group: string, [version = '', ...rest]: readonly string[]): ResourceRequest | null {
  const isInNamespace = rest[0] === 'namespaces' && rest.length > 2 && !isNamespaceSubresource(group, rest);
  const namespace = isInNamespace ? (rest[1] ?? '') : null;
  const [plural = '', name = null, subresource = null, ...more] = isInNamespace ? rest.slice(2) : rest;
  const found = kindsByPath.get(`${group}/${version}/${plural}`);
  if (!found || more.length > 0 || name === '') return null;
  const { kind } = found;
  if (isInNamespace && !kind.namespaced) return null;
  if (name !== null && kind.namespaced && !isInNamespace) return null;
  const known = kind.subresources.find((item) => item === subresource) ?? null;
  if (subresource !== null && known === null) return null;
  return { ...found, namespace, name, subresource: known };
}

/** `/api/v1/namespaces/x/status` is the namespace's own status, not a kind in it. */
function isNamespaceSubresource(group: string, rest: readonly string[]): boolean {
  return group === '' && rest.length === 3 && (rest[2] === 'status' || rest[2] === 'finalize');
}

function decodeParts(path: string): string[] | null {
  try {
    return path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return null;
  }
}
