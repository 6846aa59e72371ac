import { getField, getString, type JsonRecord, type KubeObject } from './objects.ts';
import { applyMergePatch, MERGE_PATCH } from './patch.ts';
import type { ResourceRequest } from './request-path.ts';
import { badRequestError, invalidError, invalidValue, notFoundError, unsupportedMediaTypeError } from './status.ts';
import type { WriteContext } from './write.ts';

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
