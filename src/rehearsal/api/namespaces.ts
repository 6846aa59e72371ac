import { listUnavailableGroups } from './admission.ts';
import { isDeepEqual } from './body.ts';
import {
  formatTimestamp,
  getField,
  getList,
  getString,
  isRecord,
  type JsonRecord,
  type KubeObject,
} from './objects.ts';
import { applyMergePatch, MERGE_PATCH } from './patch.ts';
import { type ResourceRequest, registry } from './registry.ts';
import { badRequestError, invalidError, invalidValue, notFoundError, unsupportedMediaTypeError } from './status.ts';
import type { Store } from './store.ts';
import type { WriteContext } from './write.ts';

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

/** Builds the autoscaling/v1 Scale of an object, which `oc scale` reads and patches. */
export function buildScale(object: KubeObject): JsonRecord {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: Number(getField(object, 'spec', 'replicas') ?? 0) },
    status: {
      replicas: Number(getField(object, 'status', 'availableReplicas') ?? getField(object, 'status', 'replicas') ?? 0),
      selector: getString(object, 'status', 'selector'),
    },
  };
}

/**
 * Sets the desired replicas of an object.
 * @param mediaType of a patch; null: the body is a whole Scale
 * @throws StatusError NotFound, Invalid for a number below zero, 415 for another patch type
 */
export function writeScale(
  context: Pick<WriteContext, 'store' | 'isDryRun'>,
  { kind, resource, namespace, name }: ResourceRequest,
  mediaType: string | null,
  body: unknown,
): JsonRecord {
  const before = context.store.get(resource, namespace, name ?? '');
  if (!before) throw notFoundError(kind, name ?? '');
  if (mediaType !== null && mediaType !== MERGE_PATCH) throw unsupportedMediaTypeError([MERGE_PATCH]);
  const after = mediaType === null ? body : applyMergePatch(buildScale(before), body as JsonRecord);
  const replicas = getField(after, 'spec', 'replicas');
  if (typeof replicas !== 'number' || !Number.isInteger(replicas))
    throw badRequestError('spec.replicas is not a number');
  if (replicas < 0) {
    const detail = 'must be greater than or equal to 0';
    throw invalidError({ group: 'autoscaling', kind: 'Scale' }, before.metadata.name, [
      invalidValue('spec.replicas', replicas, detail),
    ]);
  }
  const spec = { ...(before.spec as object), replicas };
  const object = context.store.update(resource, { ...before, spec }, context);
  return buildScale(object);
}
