import type { ResourceKind, ResourceRequest } from './kinds.ts';
import { getList, getString, isRecord, type NewObject } from './objects.ts';
import { type FieldProblem, invalidValue, requiredValue, StatusError, unsupportedValue } from './status.ts';
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

const LABEL = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?';
const SUBDOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelPattern = new RegExp(`^${LABEL}$`);
const subdomainPattern = new RegExp(`^${SUBDOMAIN}$`);
const qualifiedNamePattern = new RegExp(`^${QUALIFIED_NAME}$`);

const labelRule = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${LABEL}')`;
const subdomainRule = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const qualifiedNameRule = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED_NAME}')`;

/**
 * Returns the problems of an object's name, labels and annotations, and of a node's taints. Rules and wording:
 * k8s.io/apimachinery/pkg/util/validation and k8s.io/kubernetes/pkg/apis/core/validation.
 */
export function validateMetadata(kind: ResourceKind, object: NewObject): FieldProblem[] {
  const { name, generateName, labels = {}, annotations = {} } = object.metadata;
  return [
    ...(name === undefined && !generateName
      ? [requiredValue('metadata.name', 'name or generateName is required')]
      : []),
    ...(name === undefined ? [] : validateName(name)),
    ...Object.entries(labels).flatMap(([key, value]) => [
      ...validateKey('metadata.labels', key),
      ...validateLabelValue('metadata.labels', value),
    ]),
    ...Object.keys(annotations).flatMap((key) => validateKey('metadata.annotations', key)),
    ...(kind.kind === 'Node' && !kind.isCustom ? validateTaints(object) : []),
  ];
}

function validateName(name: string): FieldProblem[] {
  return subdomainPattern.test(name) ? [] : [invalidValue('metadata.name', name, subdomainRule)];
}

function validateKey(field: string, key: string): FieldProblem[] {
  const [name = '', prefix] = key.split('/').reverse();
  if (prefix !== undefined && !subdomainPattern.test(prefix))
    return [invalidValue(field, key, `prefix part ${subdomainRule}`)];
  if (name.length > 63) return [invalidValue(field, key, 'name part must be no more than 63 characters')];
  return qualifiedNamePattern.test(name) ? [] : [invalidValue(field, key, qualifiedNameRule)];
}

function validateLabelValue(field: string, value: string): FieldProblem[] {
  if (value.length > 63) return [invalidValue(field, value, 'must be no more than 63 characters')];
  return labelPattern.test(value) ? [] : [invalidValue(field, value, labelRule)];
}

const TAINT_EFFECTS = ['NoExecute', 'NoSchedule', 'PreferNoSchedule'];

function validateTaints(node: NewObject): FieldProblem[] {
  const taints = getList(node, 'spec', 'taints').filter(isRecord);
  const identities = taints.map((taint) => `${getString(taint, 'key')}:${getString(taint, 'effect')}`);
  return taints.flatMap((taint, index) => {
    const field = `metadata.taints[${index}]`;
    const effect = getString(taint, 'effect');
    const isDuplicate = identities.indexOf(identities[index] ?? '') < index;
    return [
      ...validateKey(`${field}.key`, getString(taint, 'key')),
      ...validateLabelValue(`${field}.value`, getString(taint, 'value')),
      ...(TAINT_EFFECTS.includes(effect) ? [] : [unsupportedValue(`${field}.effect`, effect, TAINT_EFFECTS)]),
      ...(isDuplicate ? [invalidValue(field, taint, 'taints must be unique by key and effect pair')] : []),
    ];
  });
}
