import type { IncomingMessage } from 'node:http';
import { parse as parseYaml } from 'yaml';
import type { Clock } from '../../platform/clock.ts';
import { validateMetadata } from './admission.ts';
import { listUnavailableGroups } from './api-services.ts';
import { applyApproval, CSR_RESOURCE } from './csr.ts';
import { kindsByKey, type ResourceKind, type ResourceRequest } from './kinds.ts';
import {
  assignFields,
  formatTimestamp,
  getField,
  getList,
  getString,
  type JsonRecord,
  type KubeObject,
  type NewObject,
} from './objects.ts';
import { applyMergePatch, applyPatchBody, applyStrategicMergePatch, MERGE_PATCH } from './patch.ts';
import { type DecodeContext, decodeBody } from './schema.ts';
import {
  badRequestError,
  conflictError,
  invalidError,
  invalidValue,
  methodNotAllowedError,
  notFoundError,
  requestTooLargeError,
  type Status,
  unsupportedMediaTypeError,
} from './status.ts';
import type { Store } from './store.ts';

/** As kube-apiserver: 3 MiB. */
const BODY_LIMIT_BYTES = 3 * 1024 * 1024;

/** Returns the media type of a request without its parameters, lowercase. */
export function getMediaType({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/**
 * Reads and parses the body of a request; undefined if it is empty.
 * @throws StatusError 413 when it is too long, 415 when it is neither JSON nor YAML, 400 when it cannot be parsed
 */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  // The stream stays open after reading stops, or the error would not reach the client.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    length += bytes.length;
    if (length > BODY_LIMIT_BYTES) throw requestTooLargeError(BODY_LIMIT_BYTES);
    chunks.push(bytes);
  }
  if (length === 0) return undefined;
  const text = Buffer.concat(chunks).toString('utf8');
  const mediaType = getMediaType(request);
  if (mediaType === '' || /^application\/(?:.+\+)?json$/.test(mediaType)) return parseWith(JSON.parse, text);
  if (/^application\/(?:.+\+)?yaml$/.test(mediaType))
    return parseWith((yaml) => parseYaml(yaml, { maxAliasCount: 0 }), text);
  throw unsupportedMediaTypeError(['application/json', 'application/yaml']);
}

function parseWith(parse: (text: string) => unknown, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw badRequestError(
      `couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

export interface WriteContext extends DecodeContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly isDryRun: boolean;
}

interface WriteResult {
  readonly object: KubeObject;
  readonly isNew: boolean;
}

/** @throws StatusError for every request that a kube-apiserver rejects */
export function createObject(context: WriteContext, request: ResourceRequest, body: unknown): WriteResult {
  const { kind, resource, namespace } = request;
  // Certificate requests come only from simulated kubelets, which write to the store directly.
  if (resource === CSR_RESOURCE) throw methodNotAllowedError();
  const object = decodeBody(context, kind, body, 'body');
  applyNamespace(object, namespace);
  if (namespace !== null && !context.store.get('namespaces', null, namespace))
    throw notFoundError(NAMESPACES, namespace);
  if (object.metadata.resourceVersion)
    throw badRequestError('resourceVersion should not be set on objects to be created');
  validateObject(kind, object);
  const preparedObject = prepareForCreate(kind, object);
  for (const key of ['uid', 'deletionTimestamp', 'selfLink']) delete preparedObject.metadata[key];
  return { object: context.store.create(resource, preparedObject, context), isNew: true };
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
  const storedObject = getObject(context.store, request);
  if (kind.isCustom && !object.metadata.resourceVersion) {
    throw invalidError(kind, name, [invalidValue('metadata.resourceVersion', 0, 'must be specified for an update')]);
  }
  return saveObject(context, request, storedObject, object);
}

/** @throws StatusError for every request that a kube-apiserver rejects */
export function patchObject(
  context: WriteContext,
  request: ResourceRequest,
  mediaType: string,
  body: unknown,
): WriteResult {
  const storedObject = getObject(context.store, request);
  const patchedBody = applyPatchBody(request.kind.isCustom, storedObject, mediaType, body);
  const object = decodeBody(context, request.kind, patchedBody, 'patch');
  for (const key of ['name', 'namespace'] as const) {
    if (object.metadata[key] !== storedObject.metadata[key]) {
      const detail = 'field is immutable';
      throw invalidError(request.kind, storedObject.metadata.name, [
        invalidValue(`metadata.${key}`, object.metadata[key] ?? '', detail),
      ]);
    }
  }
  return saveObject(context, request, storedObject, object);
}

/**
 * Creates an object, or merges it over the existing one: a simplified server-side apply. Fields that the client no
 * longer sends stay, field managers are not recorded, and conflicts between managers are not detected.
 * @throws StatusError for every request that a kube-apiserver rejects
 */
export function applyObject(context: WriteContext, request: ResourceRequest, body: unknown): WriteResult {
  const { kind, resource, namespace, name } = request;
  const appliedObject = decodeBody(context, kind, body, 'body');
  const storedObject = context.store.get(resource, namespace, name ?? '');
  if (!storedObject) return createObject(context, { ...request, name: null }, appliedObject);
  const mergedObject = kind.isCustom
    ? applyMergePatch(storedObject, appliedObject)
    : applyStrategicMergePatch(storedObject, appliedObject);
  return saveObject(context, request, storedObject, decodeBody(context, kind, mergedObject, 'body'));
}

const NAMESPACES = { group: '', plural: 'namespaces', kind: 'Namespace' };

function validateObject(kind: ResourceKind, object: NewObject): void {
  const problems = validateMetadata(kind, object);
  if (problems.length > 0)
    throw invalidError(kind, object.metadata.name ?? object.metadata.generateName ?? '', problems);
}

/**
 * Sets the initial status. The status of the body is dropped, because controllers write it later. Nodes are an
 * exception: a kubelet registers its node together with its status.
 */
function prepareForCreate(kind: ResourceKind, object: NewObject): NewObject {
  const result = { ...object };
  if (kind.subresources.includes('status') && kind.kind !== 'Node') delete result.status;
  if (kind.kind === 'Pod') result.status = { phase: 'Pending', qosClass: 'BestEffort' };
  if (kind.kind === 'Namespace') result.status = { phase: 'Active' };
  return result;
}

/**
 * Returns the object that a request names.
 * @throws StatusError NotFound
 */
export function getObject(store: Store, { kind, resource, namespace, name }: ResourceRequest): KubeObject {
  const object = store.get(resource, namespace, name ?? '');
  if (!object) throw notFoundError(kind, name ?? '');
  return object;
}

/** Writes the fields of `object` that the request can change: those of its subresource, or all except the status. */
function saveObject(
  context: WriteContext,
  request: ResourceRequest,
  storedObject: KubeObject,
  object: NewObject,
): WriteResult {
  const { resource, kind, subresource } = request;
  const { store, clock } = context;
  const { resourceVersion } = object.metadata;
  if (resourceVersion && resourceVersion !== storedObject.metadata.resourceVersion)
    throw conflictError(kind, storedObject.metadata.name);
  const fullObject: KubeObject = {
    ...object,
    apiVersion: storedObject.apiVersion,
    kind: storedObject.kind,
    metadata: { ...storedObject.metadata, ...object.metadata },
  };
  for (const key of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
    if (!(key in object.metadata)) delete fullObject.metadata[key];
  }
  validateObject(kind, fullObject);
  const updatedObject = limitToSubresource(request, storedObject, fullObject, clock.now());
  if (subresource === null && resource === CSR_RESOURCE) updatedObject.spec = storedObject.spec;
  const savedObject = store.update(resource, updatedObject, context);
  return { object: deleteIfFinalized(context, request, savedObject), isNew: false };
}

function limitToSubresource(
  { resource, kind, subresource }: ResourceRequest,
  storedObject: KubeObject,
  updatedObject: KubeObject,
  now: number,
): KubeObject {
  if (subresource === 'approval') return applyApproval(storedObject, updatedObject, now);
  // An update of the status of a CSR is ignored: the signer writes the status to the store directly.
  if (subresource === 'status')
    return resource === CSR_RESOURCE ? storedObject : replaceField(storedObject, updatedObject, 'status');
  return kind.subresources.includes('status') ? replaceField(updatedObject, storedObject, 'status') : updatedObject;
}

/** Returns `base` with one field of `source`, or without that field if `source` lacks it. */
function replaceField(base: KubeObject, source: KubeObject, field: string): KubeObject {
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
 * Deletes an object, or sets its deletionTimestamp if it has finalizers. A namespace is deleted with all its objects.
 * @param options the DeleteOptions of the body, if any: their preconditions apply
 * @throws StatusError NotFound, Conflict
 */
export function deleteObject(context: WriteContext, request: ResourceRequest, options: unknown): Status | KubeObject {
  const { store, clock } = context;
  const { kind, resource, namespace } = request;
  const object = getObject(store, request);
  const { name } = object.metadata;
  checkPreconditions(request, object, options);
  const isDryRun = context.isDryRun || getList(options, 'dryRun').includes('All');
  if ((object.metadata.finalizers ?? []).length > 0) {
    if (isDryRun) return object;
    const markedObject = store.mutate(resource, namespace, name, ({ metadata }) => {
      metadata.deletionTimestamp ??= formatTimestamp(clock.now());
    });
    return markedObject ?? object;
  }
  if (!isDryRun && resource === 'namespaces' && !deleteNamespaceContent(store, name, formatTimestamp(clock.now()))) {
    return object;
  }
  if (!isDryRun) store.delete(resource, namespace, name);
  // The API returns a pod, because its deletion is graceful; of other objects it returns only the identity.
  if (resource === 'pods') return object;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(kind.group === '' ? {} : { group: kind.group }), kind: kind.plural, uid: object.metadata.uid },
  };
}

function checkPreconditions({ kind }: ResourceRequest, { metadata }: KubeObject, options: unknown): void {
  for (const [field, label] of [
    ['uid', 'UID'],
    ['resourceVersion', 'ResourceVersion'],
  ] as const) {
    const expectedValue = getString(options, 'preconditions', field);
    if (expectedValue === '' || expectedValue === metadata[field]) continue;
    const detail = `${label} in precondition: ${expectedValue}, ${label} in object meta: ${metadata[field]}`;
    throw conflictError(kind, metadata.name, `Precondition failed: ${detail}`);
  }
}

/**
 * Deletes the objects of a namespace. If objects with finalizers remain, or an API group is not available, the
 * namespace becomes Terminating, and `finalizeNamespaces` deletes it later.
 * @returns whether the namespace can be deleted now
 */
function deleteNamespaceContent(store: Store, namespace: string, now: string): boolean {
  const remainingObjects = [...kindsByKey].flatMap(([resource, { namespaced }]) => {
    if (!namespaced) return [];
    return store.list(resource, namespace).filter(({ metadata }) => {
      const hasFinalizers = (metadata.finalizers ?? []).length > 0;
      if (!hasFinalizers) store.delete(resource, namespace, metadata.name);
      else
        store.mutate(resource, namespace, metadata.name, (object) => {
          object.metadata.deletionTimestamp ??= now;
        });
      return hasFinalizers;
    });
  });
  if (remainingObjects.length === 0 && listUnavailableGroups(store).length === 0) return true;
  store.mutate('namespaces', null, namespace, (object) => {
    object.metadata.deletionTimestamp ??= now;
    assignFields(object, 'status', { phase: 'Terminating' });
  });
  return false;
}

/**
 * Sets the namespace of the request path on an object, or removes it for a cluster-scoped kind.
 * @throws StatusError 400 if the object names another namespace
 */
function applyNamespace(object: NewObject, namespace: string | null): void {
  const { namespace: objectNamespace } = object.metadata;
  if (namespace === null) delete object.metadata.namespace;
  else if (objectNamespace === undefined || objectNamespace === '') object.metadata.namespace = namespace;
  else if (objectNamespace !== namespace) {
    throw badRequestError(`the namespace of the provided object does not match the namespace sent on the request`);
  }
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
  request: ResourceRequest,
  mediaType: string | null,
  body: unknown,
): JsonRecord {
  const storedObject = getObject(context.store, request);
  if (mediaType !== null && mediaType !== MERGE_PATCH) throw unsupportedMediaTypeError([MERGE_PATCH]);
  const scale = mediaType === null ? body : applyMergePatch(buildScale(storedObject), body as JsonRecord);
  const replicas = getField(scale, 'spec', 'replicas');
  if (typeof replicas !== 'number' || !Number.isInteger(replicas))
    throw badRequestError('spec.replicas is not a number');
  if (replicas < 0) {
    const detail = 'must be greater than or equal to 0';
    throw invalidError({ group: 'autoscaling', kind: 'Scale' }, storedObject.metadata.name, [
      invalidValue('spec.replicas', replicas, detail),
    ]);
  }
  const spec = { ...(storedObject.spec as object), replicas };
  const object = context.store.update(request.resource, { ...storedObject, spec }, context);
  return buildScale(object);
}
