import { getList, getString, isRecord, type KubeObject, type NewObject } from './objects.ts';
import type { ResourceRequest } from './request-path.ts';
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
export function hasEndpoints(store: Store, namespace: string, name: string): boolean {
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
