import { listUnavailableGroups } from './api-services.ts';
import { kindsByKey } from './kinds.ts';
import { findCondition, formatTimestamp, getRecord, getString, isDeepEqual, type KubeObject } from './objects.ts';
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
    const unavailableGroups = listUnavailableGroups(store);
    if (content.length === 0 && unavailableGroups.length === 0) {
      store.delete('namespaces', null, name);
      continue;
    }
    const conditions = buildDeletionConditions(namespace, content, unavailableGroups, formatTimestamp(now));
    const status = { ...getRecord(namespace, 'status'), phase: 'Terminating', conditions };
    if (isDeepEqual(namespace.status, status)) continue;
    store.mutate('namespaces', null, name, (change) => {
      change.status = status;
    });
  }
}

interface RemainingContent {
  /**
   * The resource in the namespace controller's notation: `routes.route.openshift.io`. In the core group it ends with a
   * dot: `configmaps.`.
   */
  readonly resource: string;
  readonly finalizers: readonly string[];
}

function listRemainingContent(store: Store, namespace: string): RemainingContent[] {
  return [...kindsByKey].flatMap(([key, { namespaced, plural, group }]) => {
    const objects = namespaced ? store.list(key, namespace) : [];
    return objects.map(({ metadata }) => ({ resource: `${plural}.${group}`, finalizers: metadata.finalizers ?? [] }));
  });
}

function buildDeletionConditions(
  namespace: KubeObject,
  content: readonly RemainingContent[],
  unavailableGroups: readonly string[],
  timestamp: string,
) {
  const buildCondition = (
    type: string,
    problem: string | null,
    reasons: readonly [string, string],
    okMessage: string,
  ) => {
    const status = problem === null ? 'False' : 'True';
    const previousCondition = findCondition(namespace, type);
    const lastTransitionTime =
      previousCondition?.status === status ? getString(previousCondition, 'lastTransitionTime') : timestamp;
    const reason = reasons[problem === null ? 1 : 0];
    return { type, status, reason, message: problem ?? okMessage, lastTransitionTime };
  };
  const discovery = unavailableGroups.map((group) => `${group}: stale GroupVersion discovery: ${group}`).join(', ');
  const remainingResources = describeRemaining(
    content.map(({ resource }) => resource),
    (resource, count) => `${resource} has ${count} resource instances`,
  );
  const remainingFinalizers = describeRemaining(
    content.flatMap((each) => each.finalizers),
    (finalizer, count) => `${finalizer} in ${count} resource instances`,
  );
  return [
    buildCondition(
      'NamespaceDeletionDiscoveryFailure',
      unavailableGroups.length === 0
        ? null
        : `Discovery failed for some groups, ${unavailableGroups.length} failing: unable to retrieve the complete list of server APIs: ${discovery}`,
      ['DiscoveryFailed', 'ResourcesDiscovered'],
      'All resources successfully discovered',
    ),
    buildCondition(
      'NamespaceContentRemaining',
      remainingResources && `Some resources are remaining: ${remainingResources}`,
      ['SomeResourcesRemain', 'ContentRemoved'],
      'All content successfully removed',
    ),
    buildCondition(
      'NamespaceFinalizersRemaining',
      remainingFinalizers && `Some content in the namespace has finalizers remaining: ${remainingFinalizers}`,
      ['SomeFinalizersRemain', 'ContentHasNoFinalizers'],
      'All content-preserving finalizers finished',
    ),
  ];
}

/** Describes how often each distinct item occurs; null: there are no items. */
function describeRemaining(items: readonly string[], format: (item: string, count: number) => string): string | null {
  const distinctItems = [...new Set(items)].sort();
  return distinctItems.map((item) => format(item, items.filter((each) => each === item).length)).join(', ') || null;
}
