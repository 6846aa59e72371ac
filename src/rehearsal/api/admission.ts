import { kindsByKey, type ResourceRequest } from './kinds.ts';
import {
  findCondition,
  formatTimestamp,
  getList,
  getRecord,
  getString,
  isDeepEqual,
  type KubeObject,
} from './objects.ts';
import { StatusError } from './status.ts';
import type { Store } from './store.ts';

const WEBHOOK_CONFIGURATIONS = ['mutating', 'validating'].map(
  (phase) => `${phase}webhookconfigurations.admissionregistration.k8s.io`,
);

/** A request to the API, as the rules of a webhook match it. */
interface AdmissionRequest extends Pick<ResourceRequest, 'kind' | 'namespace'> {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
}

/**
 * Finds the API's error for a change that a webhook must review but cannot: its service has no endpoints, and its
 * failurePolicy is Fail. Null: no webhook blocks the change. A webhook whose service has endpoints allows every change,
 * because the rehearsal runs no webhooks. Wording: k8s.io/apiserver pkg/admission/plugin/webhook, and its service
 * resolver.
 */
export function findWebhookError(store: Store, request: AdmissionRequest): StatusError | null {
  // Otherwise a webhook that does not answer could never be removed.
  if (request.kind.group === 'admissionregistration.k8s.io') return null;
  for (const resource of WEBHOOK_CONFIGURATIONS) {
    for (const configuration of store.list(resource)) {
      const blockingHook = getList(configuration, 'webhooks').find(
        (hook) =>
          getString(hook, 'failurePolicy') !== 'Ignore' &&
          matchesWebhook(store, hook, request) &&
          !isReachable(store, hook),
      );
      if (blockingHook !== undefined) return createWebhookError(store, blockingHook);
    }
  }
  return null;
}

/**
 * Rejects a request that an unreachable webhook blocks.
 * @throws StatusError 500
 */
export function rejectBlockedRequest(
  store: Store,
  request: ResourceRequest,
  operation: AdmissionRequest['operation'],
): void {
  const error = request.subresource === null ? findWebhookError(store, { ...request, operation }) : null;
  if (error !== null) throw error;
}

function matchesWebhook(store: Store, hook: unknown, { kind, namespace, operation }: AdmissionRequest): boolean {
  const includesValue = (rule: unknown, field: string, value: string) =>
    getList(rule, field).some((each) => each === '*' || each === value);
  const matchesRules = getList(hook, 'rules').some(
    (rule) =>
      includesValue(rule, 'operations', operation) &&
      includesValue(rule, 'apiGroups', kind.group) &&
      includesValue(rule, 'apiVersions', kind.version) &&
      includesValue(rule, 'resources', kind.plural),
  );
  if (!matchesRules || namespace === null) return matchesRules;
  const labels = store.get('namespaces', null, namespace)?.metadata.labels ?? {};
  return getList(hook, 'namespaceSelector', 'matchExpressions').every((expression) => {
    const isListed = getList(expression, 'values').includes(labels[getString(expression, 'key')]);
    const operator = getString(expression, 'operator');
    return operator === 'In' ? isListed : operator === 'NotIn' ? !isListed : true;
  });
}

function getWebhookService(hook: unknown) {
  const getServiceField = (field: string) => getString(hook, 'clientConfig', 'service', field);
  return { namespace: getServiceField('namespace'), name: getServiceField('name'), path: getServiceField('path') };
}

function isReachable(store: Store, hook: unknown): boolean {
  const { namespace, name } = getWebhookService(hook);
  // A webhook that is called by its URL runs outside the cluster.
  return name === '' || hasEndpoints(store, namespace, name);
}

/** Whether a service has pods behind it. */
function hasEndpoints(store: Store, namespace: string, name: string): boolean {
  const endpoints = store.get('endpoints', namespace, name);
  return getList(endpoints, 'subsets').some((subset) => getList(subset, 'addresses').length > 0);
}

function createWebhookError(store: Store, hook: unknown): StatusError {
  const { namespace, name, path } = getWebhookService(hook);
  const detail = store.get('services', namespace, name)
    ? `no endpoints available for service "${name}"`
    : `service "${name}" not found`;
  const url = `https://${name}.${namespace}.svc:443${path}?timeout=10s`;
  return new StatusError(
    500,
    'InternalError',
    `Internal error occurred: failed calling webhook "${getString(hook, 'name')}": failed to call webhook: Post "${url}": ${detail}`,
  );
}

const API_SERVICES = 'apiservices.apiregistration.k8s.io';

/**
 * Finds the reason why an APIService is not available, or null. An APIService without a service is always available,
 * because the API itself serves its group. Wording: kube-aggregator's available controller (k8s.io/kube-aggregator
 * pkg/controllers/status).
 */
export function findApiServiceProblem(
  store: Store,
  { spec }: KubeObject,
): { readonly reason: string; readonly message: string } | null {
  const [namespace = '', name = ''] = ['namespace', 'name'].map((field) => getString(spec, 'service', field));
  if (name === '') return null;
  if (!store.get('services', namespace, name)) {
    return { reason: 'ServiceNotFound', message: `service/${name} in "${namespace}" is not present` };
  }
  if (hasEndpoints(store, namespace, name)) return null;
  return {
    reason: 'MissingEndpoints',
    message: `endpoints for service/${name} in "${namespace}" have no addresses with port name "https"`,
  };
}

/** Lists the aggregated groups and versions (`metrics.k8s.io/v1beta1`) that are not available. */
export function listUnavailableGroups(store: Store): string[] {
  return store
    .list(API_SERVICES)
    .filter((object) => findApiServiceProblem(store, object) !== null)
    .map((object) => `${getString(object, 'spec', 'group')}/${getString(object, 'spec', 'version')}`);
}

/**
 * Rejects a request for an aggregated group that is not available.
 * @throws StatusError 503
 */
export function rejectUnavailableGroup(store: Store, path: string): void {
  const [root, group = '', version = ''] = path.split('/').filter(Boolean);
  if (root !== 'apis' || version === '' || !listUnavailableGroups(store).includes(`${group}/${version}`)) return;
  throw new StatusError(503, 'ServiceUnavailable', 'the server is currently unable to handle the request');
}

/** Lists the groups and versions of the APIServices that pods serve, for the list of all groups. */
export function listAggregatedGroups(store: Store): { readonly group: string; readonly version: string }[] {
  return store
    .list(API_SERVICES)
    .filter((object) => getString(object, 'spec', 'service', 'name') !== '')
    .map((object) => ({ group: getString(object, 'spec', 'group'), version: getString(object, 'spec', 'version') }));
}

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
