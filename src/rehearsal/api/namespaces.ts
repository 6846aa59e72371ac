import { listUnavailableGroups } from './api-services.ts';
import { isDeepEqual } from './json.ts';
import { formatTimestamp, getList, getString, isRecord, type KubeObject } from './objects.ts';
import { registry } from './registry.ts';
import type { Store } from './store.ts';

/**
 * Deletes the terminating namespaces that are empty. The others get conditions that name the reason, in the wording of
 * k8s.io/kubernetes pkg/controller/namespace/deletion.
 */
export function finalizeNamespaces(store: Store, now: number): void {
  for (const namespace of store.list('namespaces')) {
    if (namespace.metadata.deletionTimestamp === undefined) continue;
    const { name } = namespace.metadata;
    const content = listRemainingContent(store, name);
    const unavailable = listUnavailableGroups(store);
    if (content.length === 0 && unavailable.length === 0) {
      store.delete('namespaces', null, name);
      continue;
    }
    const conditions = buildConditions(namespace, content, unavailable, formatTimestamp(now));
    const status = { ...(isRecord(namespace.status) ? namespace.status : {}), phase: 'Terminating', conditions };
    if (isDeepEqual(namespace.status, status)) continue;
    store.mutate('namespaces', null, name, (change) => {
      change.status = status;
    });
  }
}

interface RemainingContent {
  /** `configmaps.`, `routes.route.openshift.io`: a resource in the controller's notation. */
  readonly resource: string;
  readonly finalizers: readonly string[];
}

function listRemainingContent(store: Store, namespace: string): RemainingContent[] {
  return [...registry].flatMap(([key, { namespaced, plural, group }]) => {
    if (!namespaced) return [];
    return store
      .list(key, namespace)
      .map(({ metadata }) => ({ resource: `${plural}.${group}`, finalizers: metadata.finalizers ?? [] }));
  });
}

function buildConditions(
  namespace: KubeObject,
  content: readonly RemainingContent[],
  unavailable: readonly string[],
  now: string,
) {
  const known = getList(namespace, 'status', 'conditions');
  const condition = (type: string, problem: string | null, reasons: readonly [string, string], okMessage: string) => {
    const status = problem === null ? 'False' : 'True';
    const before = known.find((each) => getString(each, 'type') === type);
    const lastTransitionTime = getString(before, 'status') === status ? getString(before, 'lastTransitionTime') : now;
    return {
      type,
      status,
      reason: reasons[problem === null ? 1 : 0],
      message: problem ?? okMessage,
      lastTransitionTime,
    };
  };
  const discovery = unavailable.map((group) => `${group}: stale GroupVersion discovery: ${group}`).join(', ');
  return [
    condition(
      'NamespaceDeletionDiscoveryFailure',
      unavailable.length === 0
        ? null
        : `Discovery failed for some groups, ${unavailable.length} failing: unable to retrieve the complete list of server APIs: ${discovery}`,
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
      describeRemaining(
        content.map(({ resource }) => resource),
        'Some resources are remaining: ',
        (resource, count) => `${resource} has ${count} resource instances`,
      ),
      ['SomeResourcesRemain', 'ContentRemoved'],
      'All content successfully removed',
    ),
    condition(
      'NamespaceFinalizersRemaining',
      describeRemaining(
        content.flatMap(({ finalizers }) => finalizers),
        'Some content in the namespace has finalizers remaining: ',
        (finalizer, count) => `${finalizer} in ${count} resource instances`,
      ),
      ['SomeFinalizersRemain', 'ContentHasNoFinalizers'],
      'All content-preserving finalizers finished',
    ),
  ];
}

/** Returns the message about what remains, or null if nothing does. */
function describeRemaining(
  all: readonly string[],
  prefix: string,
  formatKind: (what: string, count: number) => string,
): string | null {
  const kinds = [...new Set(all)].sort();
  if (kinds.length === 0) return null;
  return `${prefix}${kinds.map((kind) => formatKind(kind, all.filter((each) => each === kind).length)).join(', ')}`;
}
