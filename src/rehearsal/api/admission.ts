import { getList, getString, isRecord, type KubeObject, type NewObject } from './objects.ts';
import type { ResourceRequest } from './registry.ts';
import { StatusError } from './status.ts';
import type { Store } from './store.ts';

const WEBHOOK_CONFIGURATIONS = ['mutating', 'validating'].map(
  (phase) => `${phase}webhookconfigurations.admissionregistration.k8s.io`,
);

/** A request to the API, as the rules of a webhook match it. */
interface AdmissionRequest extends Pick<ResourceRequest, 'kind' | 'resource' | 'namespace'> {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
}

/**
 * The API's error for a change that a webhook must review but cannot: its service has no endpoints, and its
 * failurePolicy is Fail. Null: no webhook blocks the change. A webhook whose service has endpoints allows every change,
 * because the rehearsal runs no webhooks.
 * Wording: k8s.io/apiserver pkg/admission/plugin/webhook, and its service resolver.
 */
export function findWebhookError(store: Store, request: AdmissionRequest): StatusError | null {
  // Otherwise a webhook that does not answer could never be removed.
  if (request.kind.group === 'admissionregistration.k8s.io') return null;
  for (const resource of WEBHOOK_CONFIGURATIONS) {
    for (const configuration of store.list(resource)) {
      const found = getList(configuration, 'webhooks').find(
        (hook) =>
          getString(hook, 'failurePolicy') !== 'Ignore' &&
          matchesWebhook(store, hook, request) &&
          !isReachable(store, hook),
      );
      if (found !== undefined) return createWebhookError(store, found);
    }
  }
  return null;
}

/**
 * Rejects a request that an unreachable webhook blocks.
 * @throws StatusError 500
 */
export function admitByWebhooks(
  store: Store,
  request: ResourceRequest,
  operation: AdmissionRequest['operation'],
): void {
  const { resource, subresource } = request;
  const error = subresource === null ? findWebhookError(store, { ...request, resource, operation }) : null;
  if (error !== null) throw error;
}

function matchesWebhook(store: Store, hook: unknown, { kind, namespace, operation }: AdmissionRequest): boolean {
  const has = (rule: unknown, field: string, value: string) =>
    getList(rule, field).some((each) => each === '*' || each === value);
  const matchesRules = getList(hook, 'rules').some(
    (rule) =>
      has(rule, 'operations', operation) &&
      has(rule, 'apiGroups', kind.group) &&
      has(rule, 'apiVersions', kind.version) &&
      has(rule, 'resources', kind.plural),
  );
  if (!matchesRules || namespace === null) return matchesRules;
  const labels = store.get('namespaces', null, namespace)?.metadata.labels ?? {};
  return getList(hook, 'namespaceSelector', 'matchExpressions').every((expression) => {
    const isListed = getList(expression, 'values').includes(labels[getString(expression, 'key')]);
    const operator = getString(expression, 'operator');
    return operator === 'In' ? isListed : operator === 'NotIn' ? !isListed : true;
  });
}

function getWebhookService(hook: unknown): { readonly namespace: string; readonly name: string } {
  const getServiceField = (field: string) => getString(hook, 'clientConfig', 'service', field);
  return { namespace: getServiceField('namespace'), name: getServiceField('name') };
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
  const { namespace, name } = getWebhookService(hook);
  const service: KubeObject | NewObject | undefined = store.get('services', namespace, name);
  const detail = isRecord(service) ? `no endpoints available for service "${name}"` : `service "${name}" not found`;
  const path = getString(hook, 'clientConfig', 'service', 'path');
  const url = `https://${name}.${namespace}.svc:443${path}?timeout=10s`;
  return new StatusError(
    500,
    'InternalError',
    `Internal error occurred: failed calling webhook "${getString(hook, 'name')}": failed to call webhook: Post "${url}": ${detail}`,
  );
}

const API_SERVICES = 'apiservices.apiregistration.k8s.io';

/** Why an APIService is not available. */
interface ApiServiceProblem {
  readonly reason: string;
  readonly message: string;
}

/**
 * The reason why an APIService is not available, or null if it is. Groups that the API serves on its own always are.
 * Wording: kube-aggregator's available controller (k8s.io/kube-aggregator pkg/controllers/status).
 */
export function findApiServiceProblem(store: Store, object: KubeObject): ApiServiceProblem | null {
  const [namespace, name] = [
    getString(object, 'spec', 'service', 'namespace'),
    getString(object, 'spec', 'service', 'name'),
  ];
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

/** @throws StatusError 503 if a path belongs to an aggregated group that is not available */
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
