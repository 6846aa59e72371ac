import { at, type JsonRecord, type KubeObject, textAt } from './objects.ts';
import { MERGE_PATCH, mergePatch } from './patch.ts';
import type { ResourceRequest } from './request-path.ts';
import { badRequest, invalid, invalidValue, notFound, unsupportedMediaType } from './status.ts';
import type { WriteContext } from './write.ts';

/** The autoscaling/v1 Scale of an object: what `oc scale` reads and patches. */
export function scaleOf(object: KubeObject): JsonRecord {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: Number(at(object, 'spec', 'replicas') ?? 0) },
    status: {
      replicas: Number(at(object, 'status', 'availableReplicas') ?? at(object, 'status', 'replicas') ?? 0),
      selector: textAt(object, 'status', 'selector'),
    },
  };
}

/**
 * Sets how many replicas an object wants.
 * @param mediaType of a patch; null: the body is a whole Scale
 * @throws StatusError NotFound, Invalid for a number below zero, 415 for another kind of patch
 */
export function writeScale(
  context: Pick<WriteContext, 'store' | 'isDryRun'>,
  { kind, resource, namespace, name }: ResourceRequest,
  mediaType: string | null,
  body: unknown,
): JsonRecord {
  const before = context.store.get(resource, namespace, name ?? '');
  if (!before) throw notFound(kind, name ?? '');
  if (mediaType !== null && mediaType !== MERGE_PATCH) throw unsupportedMediaType([MERGE_PATCH]);
  const after = mediaType === null ? body : mergePatch(scaleOf(before), body as JsonRecord);
  const replicas = at(after, 'spec', 'replicas');
  if (typeof replicas !== 'number' || !Number.isInteger(replicas)) throw badRequest('spec.replicas is not a number');
  if (replicas < 0) {
    const why = 'must be greater than or equal to 0';
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, before.metadata.name, [
      invalidValue('spec.replicas', replicas, why),
    ]);
  }
  const spec = { ...(before.spec as object), replicas };
  const object = context.store.update(resource, { ...before, spec }, context);
  return scaleOf(object);
}
