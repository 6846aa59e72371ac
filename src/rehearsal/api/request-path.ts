import type { ResourceKind, Subresource } from './kinds/kind.ts';
import { registry } from './registry.ts';

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
