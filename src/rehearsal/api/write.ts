import type { Clock } from '../../platform/clock.ts';
import { listUnavailableGroups } from './admission.ts';
import { applyNamespace, type DecodeContext, decodeBody } from './body.ts';
import { admitCsr, applyApproval, applyStatus, CSR_RESOURCE } from './csr-rules.ts';
import type { ResourceKind } from './kinds/kinds.ts';
import {
  formatTimestamp,
  getList,
  getString,
  isRecord,
  type JsonRecord,
  type KubeObject,
  type NewObject,
} from './objects.ts';
import { applyMergePatch, applyPatchBody, applyStrategicMergePatch } from './patch.ts';
import { formatApiVersion, type ResourceRequest, registry } from './registry.ts';
import {
  badRequestError,
  conflictError,
  type FieldProblem,
  invalidError,
  invalidValue,
  notFoundError,
  requiredValue,
  type Status,
  unsupportedValue,
} from './status.ts';
import type { Store } from './store.ts';
import type { ApiUser } from './user.ts';

// Rules and wording: k8s.io/apimachinery/pkg/util/validation and k8s.io/kubernetes/pkg/apis/core/validation.
const LABEL = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?';
const SUBDOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelPattern = new RegExp(`^${LABEL}$`);
const subdomainPattern = new RegExp(`^${SUBDOMAIN}$`);
const qualifiedPattern = new RegExp(`^${QUALIFIED_NAME}$`);

const labelRule = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${LABEL}')`;
const subdomainRule = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const qualifiedRule = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED_NAME}')`;

/** Returns the problems of an object's name, labels and annotations, and of a node's taints. */
function validateMetadata(kind: ResourceKind, object: NewObject | KubeObject): FieldProblem[] {
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
  if (name.length > 253) return [invalidValue('metadata.name', name, 'must be no more than 253 characters')];
  // A few kinds allow more (RBAC allows colons); none of them is served here.
  return subdomainPattern.test(name) ? [] : [invalidValue('metadata.name', name, subdomainRule)];
}

function validateKey(field: string, key: string): FieldProblem[] {
  const [prefix, name, ...more] = key.includes('/') ? key.split('/') : [undefined, key];
  if (more.length > 0) {
    const detail = `a qualified name ${qualifiedRule.replace(/^name part /, '')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
    return [invalidValue(field, key, detail)];
  }
  if (prefix !== undefined && !subdomainPattern.test(prefix))
    return [invalidValue(field, key, `prefix part ${subdomainRule}`)];
  if (!name) return [invalidValue(field, key, 'name part must be non-empty')];
  if (name.length > 63) return [invalidValue(field, key, 'name part must be no more than 63 characters')];
  return qualifiedPattern.test(name) ? [] : [invalidValue(field, key, qualifiedRule)];
}

function validateLabelValue(field: string, value: string): FieldProblem[] {
  if (value.length > 63) return [invalidValue(field, value, 'must be no more than 63 characters')];
  return labelPattern.test(value) ? [] : [invalidValue(field, value, labelRule)];
}

const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function validateTaints(node: NewObject | KubeObject): FieldProblem[] {
  const identities = new Set<string>();
  return getList(node, 'spec', 'taints')
    .filter(isRecord)
    .flatMap((taint, index) => {
      const field = `metadata.taints[${index}]`;
      const [key, effect] = [getString(taint, 'key'), getString(taint, 'effect')];
      const identity = `${key}:${effect}`;
      const isDuplicate = identities.has(identity);
      identities.add(identity);
      return [
        ...validateKey(`${field}.key`, key),
        ...validateLabelValue(`${field}.value`, getString(taint, 'value')),
        ...(TAINT_EFFECTS.includes(effect)
          ? []
          : [unsupportedValue(`${field}.effect`, effect, TAINT_EFFECTS.toSorted())]),
        ...(isDuplicate ? [invalidValue(field, taint, 'taints must be unique by key and effect pair')] : []),
      ];
    });
}

export interface WriteContext extends DecodeContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly user: ApiUser;
  readonly isDryRun: boolean;
  readonly fieldManager: string;
}

export interface WriteResult {
  readonly object: KubeObject;
  readonly isNew: boolean;
}

/** @throws StatusError for every request that a kube-apiserver rejects */
export async function createObject(
  context: WriteContext,
  request: ResourceRequest,
  body: unknown,
): Promise<WriteResult> {
  const { kind, resource, namespace } = request;
  const object = decodeBody(context, kind, body, 'body');
  applyNamespace(object, namespace);
  if (namespace !== null && !context.store.get('namespaces', null, namespace))
    throw notFoundError(NAMESPACES, namespace);
  if (object.metadata.resourceVersion)
    throw badRequestError('resourceVersion should not be set on objects to be created');
  validateObject(kind, object);
  const admitted = resource === CSR_RESOURCE ? await admitCsr(object, context.user) : prepareForCreate(kind, object);
  for (const key of ['uid', 'deletionTimestamp', 'selfLink']) delete admitted.metadata[key];
  return { object: context.store.create(resource, admitted, context), isNew: true };
}

/** @throws StatusError for every request that a kube-apiserver rejects */
export function updateObject(context: WriteContext, request: ResourceRequest, body: unknown): WriteResult {
  const { kind, namespace } = request;
  const name = request.name ?? '';
  const object = decodeBody(context, kind, body, 'body');
  applyNamespace(object, namespace);
  if (object.metadata.name !== name) {
    throw badRequestError(
      `the name of the object (${object.metadata.name ?? ''}) does not match the name on the URL (${name})`,
    );
  }
  const before = getExisting(context.store, request);
  if (kind.isCustom && !object.metadata.resourceVersion) {
    throw invalidError(kind, name, [invalidValue('metadata.resourceVersion', 0, 'must be specified for an update')]);
  }
  return save(context, request, before, object);
}

/** @throws StatusError for every request that a kube-apiserver rejects */
export function patchObject(
  context: WriteContext,
  request: ResourceRequest,
  mediaType: string,
  body: unknown,
): WriteResult {
  const before = getExisting(context.store, request);
  const patched = applyPatchBody(request.kind, before, mediaType, body);
  const object = decodeBody(context, request.kind, patched, 'patch');
  for (const key of ['name', 'namespace'] as const) {
    if (object.metadata[key] !== before.metadata[key]) {
      const detail = 'field is immutable';
      throw invalidError(request.kind, before.metadata.name, [
        invalidValue(`metadata.${key}`, object.metadata[key] ?? '', detail),
      ]);
    }
  }
  return save(context, request, before, object);
}

/**
 * Simplified server-side apply: the object of the manager is merged over the existing one, and the manager is recorded.
 * Fields that the manager no longer sends stay, and conflicts between managers are not detected.
 * @throws StatusError for every request that a kube-apiserver rejects
 */
export async function applyObject(
  context: WriteContext,
  request: ResourceRequest,
  body: unknown,
): Promise<WriteResult> {
  const { kind, store } = { kind: request.kind, store: context.store };
  if (context.fieldManager === '') {
    throw badRequestError(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  }
  const applied = decodeBody(context, kind, body, 'body');
  const before = store.get(request.resource, request.namespace, request.name ?? '');
  const managedFields = [
    ...(before?.metadata.managedFields ?? []).filter((entry) => getString(entry, 'manager') !== context.fieldManager),
    buildManagedFields(context, kind, applied),
  ];
  if (!before) {
    const metadata = { ...applied.metadata, name: request.name ?? '', managedFields };
    return createObject(context, { ...request, name: null }, { ...applied, metadata });
  }
  const merged = kind.isCustom
    ? applyMergePatch(before, applied)
    : applyStrategicMergePatch(kind.schema, before, applied);
  const object = decodeBody(context, kind, merged, 'body');
  return save(context, request, before, { ...object, metadata: { ...object.metadata, managedFields } });
}

function buildManagedFields({ fieldManager, clock }: WriteContext, kind: ResourceKind, applied: NewObject): JsonRecord {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = applied;
  const { name: _name, namespace: _namespace, ...own } = metadata;
  return {
    manager: fieldManager,
    operation: 'Apply',
    apiVersion: formatApiVersion(kind),
    time: formatTimestamp(clock.now()),
    fieldsType: 'FieldsV1',
    fieldsV1: buildFieldSet({ ...rest, metadata: own }),
  };
}

function buildFieldSet(value: unknown): JsonRecord {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [`f:${key}`, buildFieldSet(item)]));
}

const NAMESPACES = { group: '', plural: 'namespaces', kind: 'Namespace' };

function validateObject(kind: ResourceKind, object: NewObject): void {
  const problems = validateMetadata(kind, object);
  if (problems.length > 0)
    throw invalidError(kind, object.metadata.name ?? object.metadata.generateName ?? '', problems);
}

/** Controllers write the status, not the creator. Only a kubelet registers its node together with its status. */
function prepareForCreate(kind: ResourceKind, object: NewObject): NewObject {
  const result = { ...object };
  if (kind.subresources.includes('status') && kind.kind !== 'Node') delete result.status;
  if (kind.kind === 'Pod') result.status = { phase: 'Pending', qosClass: 'BestEffort' };
  if (kind.kind === 'Namespace') result.status = { phase: 'Active' };
  if (kind.kind === 'Secret' && isRecord(object.stringData)) {
    const encoded = Object.entries(object.stringData).map(([key, value]) => [
      key,
      Buffer.from(String(value)).toString('base64'),
    ]);
    result.data = { ...(isRecord(object.data) ? object.data : {}), ...Object.fromEntries(encoded) };
    delete result.stringData;
  }
  return result;
}

function getExisting(store: Store, { kind, resource, namespace, name }: ResourceRequest): KubeObject {
  const found = store.get(resource, namespace, name ?? '');
  if (!found) throw notFoundError(kind, name ?? '');
  return found;
}

/** Takes from `object` the fields that the subresource can change, and writes it. */
function save(context: WriteContext, request: ResourceRequest, before: KubeObject, object: NewObject): WriteResult {
  const { resource, kind, subresource } = request;
  const { store, clock } = context;
  const { resourceVersion = '', uid = '' } = object.metadata;
  const name = before.metadata.name;
  if (resourceVersion !== '' && resourceVersion !== before.metadata.resourceVersion) throw conflictError(kind, name);
  if (uid !== '' && uid !== before.metadata.uid) {
    throw conflictError(
      kind,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${before.metadata.uid}`,
    );
  }
  const complete: KubeObject = {
    ...object,
    apiVersion: before.apiVersion,
    kind: before.kind,
    metadata: { ...before.metadata, ...object.metadata },
  };
  for (const key of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
    if (!(key in object.metadata)) delete complete.metadata[key];
  }
  validateObject(kind, complete);
  const after = limitToSubresource(request, before, complete, clock.now());
  if (subresource === null && resource === CSR_RESOURCE) after.spec = before.spec;
  const saved = store.update(resource, after, context);
  return { object: deleteIfFinalized(context, request, saved), isNew: false };
}

function limitToSubresource(
  { resource, kind, subresource }: ResourceRequest,
  before: KubeObject,
  after: KubeObject,
  now: number,
): KubeObject {
  if (subresource === 'approval') return applyApproval(before, after, now);
  if (subresource === 'status')
    return resource === CSR_RESOURCE ? applyStatus(before, after, now) : withField(before, after, 'status');
  return kind.subresources.includes('status') ? withField(after, before, 'status') : after;
}

/** `base` with one field of `source`, or without it where `source` has none. */
function withField(base: KubeObject, source: KubeObject, field: string): KubeObject {
  const { [field]: _replaced, ...rest } = base;
  const part = field in source ? { [field]: source[field] } : {};
  return { ...rest, apiVersion: base.apiVersion, kind: base.kind, metadata: base.metadata, ...part };
}

/** Deletes an object that is marked for deletion and has no finalizers left. */
function deleteIfFinalized(
  { store, isDryRun }: WriteContext,
  { resource, namespace }: ResourceRequest,
  object: KubeObject,
): KubeObject {
  const { deletionTimestamp, finalizers = [], name } = object.metadata;
  if (deletionTimestamp && finalizers.length === 0 && !isDryRun) store.delete(resource, namespace, name);
  return object;
}

/**
 * Deletes an object, or marks it if finalizers have to run first. A namespace is deleted with all its objects.
 * @param options the DeleteOptions of the body, if any: their preconditions apply
 * @throws StatusError NotFound, Conflict
 */
export function deleteObject(context: WriteContext, request: ResourceRequest, options: unknown): Status | KubeObject {
  const { store, clock } = context;
  const { kind, resource, namespace } = request;
  const name = request.name ?? '';
  const found = store.get(resource, namespace, name);
  if (!found) throw notFoundError(kind, name);
  checkPreconditions(request, found, options);
  const isDryRun = context.isDryRun || getList(options, 'dryRun').includes('All');
  if ((found.metadata.finalizers ?? []).length > 0) {
    if (isDryRun) return found;
    const marked = store.mutate(resource, namespace, name, ({ metadata }) => {
      metadata.deletionTimestamp ??= formatTimestamp(clock.now());
    });
    return marked ?? found;
  }
  if (!isDryRun && resource === 'namespaces' && !deleteNamespaceContent(store, name, formatTimestamp(clock.now()))) {
    return found;
  }
  if (!isDryRun) store.delete(resource, namespace, name);
  // The API returns a pod, because its deletion is graceful; of other objects it returns only the identity.
  if (resource === 'pods') return found;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(kind.group === '' ? {} : { group: kind.group }), kind: kind.plural, uid: found.metadata.uid },
  };
}

function checkPreconditions({ kind }: ResourceRequest, { metadata }: KubeObject, options: unknown): void {
  const preconditions = isRecord(options) ? options.preconditions : undefined;
  const [uid, version] = [getString(preconditions, 'uid'), getString(preconditions, 'resourceVersion')];
  if (uid !== '' && uid !== metadata.uid) {
    const detail = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`;
    throw conflictError(kind, metadata.name, detail);
  }
  if (version !== '' && version !== metadata.resourceVersion) {
    const detail = `Precondition failed: ResourceVersion in precondition: ${version}, ResourceVersion in object meta: ${metadata.resourceVersion}`;
    throw conflictError(kind, metadata.name, detail);
  }
}

/**
 * Deletes the objects of a namespace. If objects with finalizers remain, or an API group is not available, the
 * namespace becomes Terminating, and `finalizeNamespaces` deletes it later.
 * @returns whether the namespace can be deleted now
 */
function deleteNamespaceContent(store: Store, namespace: string, now: string): boolean {
  const remaining = [...registry].flatMap(([resource, { namespaced }]) => {
    if (!namespaced) return [];
    return store.list(resource, namespace).filter(({ metadata }) => {
      const hasFinalizers = (metadata.finalizers ?? []).length > 0;
      if (!hasFinalizers) store.delete(resource, namespace, metadata.name);
      else
        store.mutate(resource, namespace, metadata.name, (change) => {
          change.metadata.deletionTimestamp ??= now;
        });
      return hasFinalizers;
    });
  });
  if (remaining.length === 0 && listUnavailableGroups(store).length === 0) return true;
  store.mutate('namespaces', null, namespace, (change) => {
    change.metadata.deletionTimestamp ??= now;
    change.status = { ...(isRecord(change.status) ? change.status : {}), phase: 'Terminating' };
  });
  return false;
}
