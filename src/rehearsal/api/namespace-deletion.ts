import { listUnavailableGroups } from './api-services.ts';
import { kindsByKey } from './kinds.ts';
import { assignFields, buildCondition, type KubeObject } from './objects.ts';
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
    const conditions = buildDeletionConditions(namespace, content, unavailableGroups, now);
    store.mutate('namespaces', null, name, (change) =>
      assignFields(change, 'status', { phase: 'Terminating', conditions }),
    );
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
  now: number,
) {
  const buildDeletionCondition = (
    type: string,
    problem: string | null,
    reasons: readonly [string, string],
    okMessage: string,
  ) => {
    const isTrue = problem !== null;
    return buildCondition(now, namespace, type, isTrue, reasons[isTrue ? 0 : 1], problem ?? okMessage);
  };
  const discoveryFailures = unavailableGroups
    .map((group) => `${group}: stale GroupVersion discovery: ${group}`)
    .join(', ');
  const remainingResources = describeCounts(
    content.map(({ resource }) => resource),
    (resource, count) => `${resource} has ${count} resource instances`,
  );
  const remainingFinalizers = describeCounts(
    content.flatMap((contentObject) => contentObject.finalizers),
    (finalizer, count) => `${finalizer} in ${count} resource instances`,
  );
  return [
    buildDeletionCondition(
      'NamespaceDeletionDiscoveryFailure',
      unavailableGroups.length === 0
        ? null
        : `Discovery failed for some groups, ${unavailableGroups.length} failing: unable to retrieve the complete list of server APIs: ${discoveryFailures}`,
      ['DiscoveryFailed', 'ResourcesDiscovered'],
      'All resources successfully discovered',
    ),
    buildDeletionCondition(
      'NamespaceContentRemaining',
      remainingResources && `Some resources are remaining: ${remainingResources}`,
      ['SomeResourcesRemain', 'ContentRemoved'],
      'All content successfully removed',
    ),
    buildDeletionCondition(
      'NamespaceFinalizersRemaining',
      remainingFinalizers && `Some content in the namespace has finalizers remaining: ${remainingFinalizers}`,
      ['SomeFinalizersRemain', 'ContentHasNoFinalizers'],
      'All content-preserving finalizers finished',
    ),
  ];
}

/** Describes how often each distinct item occurs; null: there are no items. */
function describeCounts(items: readonly string[], format: (item: string, count: number) => string): string | null {
  const distinctItems = [...new Set(items)].sort();
  return (
    distinctItems.map((item) => format(item, items.filter((candidate) => candidate === item).length)).join(', ') || null
  );
}
