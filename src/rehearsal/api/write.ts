import type { Clock } from '../../ports/clock.ts';
import { admitRequest, REQUESTS, withApproval, withIssue } from './csr-rules.ts';
import type { ResourceKind } from './kinds/kind.ts';
import { metadataProblems } from './metadata-rules.ts';
import { isRecord, type JsonRecord, type KubeObject, type NewObject, textAt, timestamp } from './objects.ts';
import { applyAnyPatch, mergePatch } from './patch.ts';
import { inNamespace, type Reading, receive } from './receive.ts';
import { apiVersionOf } from './registry.ts';
import type { ResourceRequest } from './request-path.ts';
import { badRequest, conflict, invalid, invalidValue, notFound } from './status.ts';
import type { Store } from './store.ts';
import { strategicMerge } from './strategic.ts';
import type { ApiUser } from './user.ts';

export interface WriteContext extends Reading {
  readonly store: Store;
  readonly clock: Clock;
  readonly user: ApiUser;
  readonly isDryRun: boolean;
  readonly fieldManager: string;
}

export interface Written {
  readonly object: KubeObject;
  readonly isNew: boolean;
}

/** @throws StatusError for whatever a kube-apiserver refuses */
export async function createObject(context: WriteContext, request: ResourceRequest, body: unknown): Promise<Written> {
  const { kind, resource, namespace } = request;
  const object = receive(context, kind, body, 'body');
  inNamespace(object, namespace);
  if (namespace !== null && !context.store.get('namespaces', null, namespace)) throw notFound(NAMESPACES, namespace);
  if (object.metadata.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created');
  check(kind, object);
  const admitted = resource === REQUESTS ? await admitRequest(object, context.user) : prepareNew(kind, object);
  for (const key of ['uid', 'deletionTimestamp', 'selfLink']) delete admitted.metadata[key];
  return { object: context.store.create(resource, admitted, context), isNew: true };
}

/** @throws StatusError for whatever a kube-apiserver refuses */
export function updateObject(context: WriteContext, request: ResourceRequest, body: unknown): Written {
  const { kind, namespace } = request;
  const name = request.name ?? '';
  const object = receive(context, kind, body, 'body');
  inNamespace(object, namespace);
  if (object.metadata.name !== name) {
    throw badRequest(
      `the name of the object (${object.metadata.name ?? ''}) does not match the name on the URL (${name})`,
    );
  }
  const before = existing(context.store, request);
  if (kind.isCustom && !object.metadata.resourceVersion) {
    throw invalid(kind, name, [invalidValue('metadata.resourceVersion', 0, 'must be specified for an update')]);
  }
  return save(context, request, before, object);
}

/** @throws StatusError for whatever a kube-apiserver refuses */
export function patchObject(
  context: WriteContext,
  request: ResourceRequest,
  mediaType: string,
  body: unknown,
): Written {
  const before = existing(context.store, request);
  const patched = applyAnyPatch(request.kind, before, mediaType, body);
  const object = receive(context, request.kind, patched, 'patch');
  for (const key of ['name', 'namespace'] as const) {
    if (object.metadata[key] !== before.metadata[key]) {
      const why = 'field is immutable';
      throw invalid(request.kind, before.metadata.name, [
        invalidValue(`metadata.${key}`, object.metadata[key] ?? '', why),
      ]);
    }
  }
  return save(context, request, before, object);
}

/**
 * Server-side apply in its simple form: what the manager sends is merged over what is there, and the manager is recorded.
 * Fields that it sent before and no longer sends stay, and conflicts between managers are not looked for.
 * @throws StatusError for whatever a kube-apiserver refuses
 */
export async function applyObject(context: WriteContext, request: ResourceRequest, body: unknown): Promise<Written> {
  const { kind, store } = { kind: request.kind, store: context.store };
  if (context.fieldManager === '') {
    throw badRequest(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  }
  const applied = receive(context, kind, body, 'body');
  const before = store.get(request.resource, request.namespace, request.name ?? '');
  const managedFields = [
    ...(before?.metadata.managedFields ?? []).filter((entry) => textAt(entry, 'manager') !== context.fieldManager),
    managed(context, kind, applied),
  ];
  if (!before) {
    const metadata = { ...applied.metadata, name: request.name ?? '', managedFields };
    return createObject(context, { ...request, name: null }, { ...applied, metadata });
  }
  const merged = kind.isCustom ? mergePatch(before, applied) : strategicMerge(kind.schema, before, applied);
  const object = receive(context, kind, merged, 'body');
  return save(context, request, before, { ...object, metadata: { ...object.metadata, managedFields } });
}

function managed({ fieldManager, clock }: WriteContext, kind: ResourceKind, applied: NewObject): JsonRecord {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = applied;
  const { name: _name, namespace: _namespace, ...own } = metadata;
  return {
    manager: fieldManager,
    operation: 'Apply',
    apiVersion: apiVersionOf(kind),
    time: timestamp(clock.now()),
    fieldsType: 'FieldsV1',
    fieldsV1: fieldSet({ ...rest, metadata: own }),
  };
}

function fieldSet(value: unknown): JsonRecord {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [`f:${key}`, fieldSet(item)]));
}

const NAMESPACES = { group: '', plural: 'namespaces', kind: 'Namespace' };

function check(kind: ResourceKind, object: NewObject): void {
  const problems = metadataProblems(kind, object);
  if (problems.length > 0) throw invalid(kind, object.metadata.name ?? object.metadata.generateName ?? '', problems);
}

/** Status is what controllers say, not who creates; only a kubelet registers its node together with its status. */
function prepareNew(kind: ResourceKind, object: NewObject): NewObject {
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

function existing(store: Store, { kind, resource, namespace, name }: ResourceRequest): KubeObject {
  const found = store.get(resource, namespace, name ?? '');
  if (!found) throw notFound(kind, name ?? '');
  return found;
}

/** Takes from `object` what the subresource may change, and writes it. */
function save(context: WriteContext, request: ResourceRequest, before: KubeObject, object: NewObject): Written {
  const { resource, kind, subresource } = request;
  const { store, clock } = context;
  const { resourceVersion = '', uid = '' } = object.metadata;
  const name = before.metadata.name;
  if (resourceVersion !== '' && resourceVersion !== before.metadata.resourceVersion) throw conflict(kind, name);
  if (uid !== '' && uid !== before.metadata.uid) {
    throw conflict(
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
  check(kind, complete);
  const after = limitTo(request, before, complete, clock.now());
  if (subresource === null && resource === REQUESTS) after.spec = before.spec;
  const saved = store.update(resource, after, context);
  return { object: finish(context, request, saved), isNew: false };
}

function limitTo(
  { resource, kind, subresource }: ResourceRequest,
  before: KubeObject,
  after: KubeObject,
  now: number,
): KubeObject {
  if (subresource === 'approval') return withApproval(before, after, now);
  if (subresource === 'status')
    return resource === REQUESTS ? withIssue(before, after, now) : withPart(before, after, 'status');
  return kind.subresources.includes('status') ? withPart(after, before, 'status') : after;
}

/** `base` with one field of `source`, or without it where `source` has none. */
function withPart(base: KubeObject, source: KubeObject, field: string): KubeObject {
  const { [field]: _replaced, ...rest } = base;
  const part = field in source ? { [field]: source[field] } : {};
  return { ...rest, apiVersion: base.apiVersion, kind: base.kind, metadata: base.metadata, ...part };
}

/** An object that waited for its last finalizer goes with it. */
function finish(
  { store, isDryRun }: WriteContext,
  { resource, namespace }: ResourceRequest,
  object: KubeObject,
): KubeObject {
  const { deletionTimestamp, finalizers = [], name } = object.metadata;
  if (deletionTimestamp && finalizers.length === 0 && !isDryRun) store.delete(resource, namespace, name);
  return object;
}
