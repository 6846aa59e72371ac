import { unservedGroups } from './api-services.ts';
import { isSame } from './json.ts';
import { isRecord, type KubeObject, listAt, textAt, timestamp } from './objects.ts';
import { registry } from './registry.ts';
import type { Store } from './store.ts';

/**
 * Ends the namespaces that are being deleted, once nothing is left in them; the others say what keeps them, in the words of
 * k8s.io/kubernetes pkg/controller/namespace/deletion.
 */
export function endNamespaces(store: Store, now: number): void {
  for (const namespace of store.list('namespaces')) {
    if (namespace.metadata.deletionTimestamp === undefined) continue;
    const { name } = namespace.metadata;
    const left = leftIn(store, name);
    const unserved = unservedGroups(store);
    if (left.length === 0 && unserved.length === 0) {
      store.delete('namespaces', null, name);
      continue;
    }
    const conditions = conditionsOf(namespace, left, unserved, timestamp(now));
    const status = { ...(isRecord(namespace.status) ? namespace.status : {}), phase: 'Terminating', conditions };
    if (isSame(namespace.status, status)) continue;
    store.mutate('namespaces', null, name, (change) => {
      change.status = status;
    });
  }
}

interface Left {
  /** `configmaps.`, `routes.route.openshift.io`: as the controller writes a resource. */
  readonly resource: string;
  readonly finalizers: readonly string[];
}

function leftIn(store: Store, namespace: string): Left[] {
  return [...registry].flatMap(([key, { namespaced, plural, group }]) => {
    if (!namespaced) return [];
    return store
      .list(key, namespace)
      .map(({ metadata }) => ({ resource: `${plural}.${group}`, finalizers: metadata.finalizers ?? [] }));
  });
}

function conditionsOf(namespace: KubeObject, left: readonly Left[], unserved: readonly string[], now: string) {
  const known = listAt(namespace, 'status', 'conditions');
  const condition = (type: string, told: string | null, reasons: readonly [string, string], well: string) => {
    const status = told === null ? 'False' : 'True';
    const before = known.find((each) => textAt(each, 'type') === type);
    const lastTransitionTime = textAt(before, 'status') === status ? textAt(before, 'lastTransitionTime') : now;
    return { type, status, reason: reasons[told === null ? 1 : 0], message: told ?? well, lastTransitionTime };
  };
  const discovery = unserved.map((group) => `${group}: stale GroupVersion discovery: ${group}`).join(', ');
  return [
    condition(
      'NamespaceDeletionDiscoveryFailure',
      unserved.length === 0
        ? null
        : `Discovery failed for some groups, ${unserved.length} failing: unable to retrieve the complete list of server APIs: ${discovery}`,
      ['DiscoveryFailed', 'ResourcesDiscovered'],
      'All resources successfully discovered',
    ),
    condition(
      'NamespaceDeletionGroupVersionParsingFailure',
      null,
      ['GroupVersionParsingFailed', 'ParsedGroupVersions'],
      'All legacy kube types successfully parsed',
    ),
    condition(
      'NamespaceDeletionContentFailure',
      null,
      ['ContentDeletionFailed', 'ContentDeleted'],
      'All content successfully deleted, may be waiting on finalization',
    ),
    condition(
      'NamespaceContentRemaining',
      remaining(
        left.map(({ resource }) => resource),
        'Some resources are remaining: ',
        (resource, count) => `${resource} has ${count} resource instances`,
      ),
      ['SomeResourcesRemain', 'ContentRemoved'],
      'All content successfully removed',
    ),
    condition(
      'NamespaceFinalizersRemaining',
      remaining(
        left.flatMap(({ finalizers }) => finalizers),
        'Some content in the namespace has finalizers remaining: ',
        (finalizer, count) => `${finalizer} in ${count} resource instances`,
      ),
      ['SomeFinalizersRemain', 'ContentHasNoFinalizers'],
      'All content-preserving finalizers finished',
    ),
  ];
}

/** Null: nothing. */
function remaining(
  all: readonly string[],
  head: string,
  worded: (what: string, count: number) => string,
): string | null {
  const kinds = [...new Set(all)].sort();
  if (kinds.length === 0) return null;
  return `${head}${kinds.map((kind) => worded(kind, all.filter((each) => each === kind).length)).join(', ')}`;
}
