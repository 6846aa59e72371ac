import { isRecord, type KubeObject, listAt, type NewObject, textAt } from './objects.ts';
import type { ResourceRequest } from './request-path.ts';
import { StatusError } from './status.ts';
import type { Store } from './store.ts';

const CONFIGURATIONS = ['mutating', 'validating'].map(
  (when) => `${when}webhookconfigurations.admissionregistration.k8s.io`,
);

/** What is asked of the API, as a webhook's rules see it. */
interface Asked extends Pick<ResourceRequest, 'kind' | 'resource' | 'namespace'> {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
}

/**
 * Why the API refuses a change that a webhook has to see and cannot: nobody serves its service, and its policy is Fail. Null:
 * it does not refuse it. Nothing here answers for a webhook whose service has endpoints; it lets everything pass.
 * The words: k8s.io/apiserver pkg/admission/plugin/webhook, and those of its service resolver.
 */
export function refusedByWebhook(store: Store, asked: Asked): StatusError | null {
  // Otherwise nobody could ever remove one that does not answer.
  if (asked.kind.group === 'admissionregistration.k8s.io') return null;
  for (const resource of CONFIGURATIONS) {
    for (const configuration of store.list(resource)) {
      const found = listAt(configuration, 'webhooks').find(
        (hook) => textAt(hook, 'failurePolicy') !== 'Ignore' && isAsked(store, hook, asked) && !isServed(store, hook),
      );
      if (found !== undefined) return refusal(store, found);
    }
  }
  return null;
}

/** @throws StatusError where a webhook stands in the way */
export function admitByWebhooks(store: Store, request: ResourceRequest, operation: Asked['operation']): void {
  const { resource, subresource } = request;
  const refused = subresource === null ? refusedByWebhook(store, { ...request, resource, operation }) : null;
  if (refused !== null) throw refused;
}

function isAsked(store: Store, hook: unknown, { kind, namespace, operation }: Asked): boolean {
  const has = (rule: unknown, field: string, value: string) =>
    listAt(rule, field).some((each) => each === '*' || each === value);
  const isOfRules = listAt(hook, 'rules').some(
    (rule) =>
      has(rule, 'operations', operation) &&
      has(rule, 'apiGroups', kind.group) &&
      has(rule, 'apiVersions', kind.version) &&
      has(rule, 'resources', kind.plural),
  );
  if (!isOfRules || namespace === null) return isOfRules;
  const labels = store.get('namespaces', null, namespace)?.metadata.labels ?? {};
  return listAt(hook, 'namespaceSelector', 'matchExpressions').every((expression) => {
    const isAmong = listAt(expression, 'values').includes(labels[textAt(expression, 'key')]);
    const operator = textAt(expression, 'operator');
    return operator === 'In' ? isAmong : operator === 'NotIn' ? !isAmong : true;
  });
}

function serviceOf(hook: unknown): { readonly namespace: string; readonly name: string } {
  const of = (field: string) => textAt(hook, 'clientConfig', 'service', field);
  return { namespace: of('namespace'), name: of('name') };
}

function isServed(store: Store, hook: unknown): boolean {
  const { namespace, name } = serviceOf(hook);
  // One that is called by its URL is outside.
  return name === '' || hasEndpoints(store, namespace, name);
}

/** Whether a service has pods behind it. */
export function hasEndpoints(store: Store, namespace: string, name: string): boolean {
  const endpoints = store.get('endpoints', namespace, name);
  return listAt(endpoints, 'subsets').some((subset) => listAt(subset, 'addresses').length > 0);
}

function refusal(store: Store, hook: unknown): StatusError {
  const { namespace, name } = serviceOf(hook);
  const service: KubeObject | NewObject | undefined = store.get('services', namespace, name);
  const why = isRecord(service) ? `no endpoints available for service "${name}"` : `service "${name}" not found`;
  const path = textAt(hook, 'clientConfig', 'service', 'path');
  const url = `https://${name}.${namespace}.svc:443${path}?timeout=10s`;
  return new StatusError(
    500,
    'InternalError',
    `Internal error occurred: failed calling webhook "${textAt(hook, 'name')}": failed to call webhook: Post "${url}": ${why}`,
  );
}
