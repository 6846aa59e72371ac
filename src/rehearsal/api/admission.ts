import type { ResourceRequest } from './kinds.ts';
import { getList, getString } from './objects.ts';
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
  // Exempts webhook configurations: otherwise a webhook that does not answer could never be removed.
  if (request.kind.group === 'admissionregistration.k8s.io') return null;
  for (const resource of WEBHOOK_CONFIGURATIONS) {
    for (const configuration of store.list(resource)) {
      const blockingHook = getList(configuration, 'webhooks').find(
        (hook) =>
          getString(hook, 'failurePolicy') !== 'Ignore' &&
          matchesWebhook(store, hook, request) &&
          !isWebhookReachable(store, hook),
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
    getList(rule, field).some((element) => element === '*' || element === value);
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

function isWebhookReachable(store: Store, hook: unknown): boolean {
  const { namespace, name } = getWebhookService(hook);
  // A webhook that is called by its URL runs outside the cluster.
  return name === '' || hasEndpoints(store, namespace, name);
}

/** Whether a service has pods behind it. */
export function hasEndpoints(store: Store, namespace: string, name: string): boolean {
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
