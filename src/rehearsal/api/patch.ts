import { applyPatch, type Operation } from 'rfc6902';
import { copyOf } from './json.ts';
import type { ResourceKind } from './kinds/kind.ts';
import { isRecord, type JsonRecord, type KubeObject } from './objects.ts';
import { badRequest, StatusError, unsupportedMediaType } from './status.ts';
import { strategicMerge } from './strategic.ts';

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';

/**
 * The object that a patch makes of `before`.
 * @throws StatusError: 415 for a kind of patch that the kind does not know, 400 for a body that is not one, 422 for one
 *   that does not fit the object
 */
export function applyAnyPatch(kind: ResourceKind, before: KubeObject, mediaType: string, body: unknown): unknown {
  switch (mediaType) {
    case JSON_PATCH:
      return applyJsonPatch(before, body);
    case MERGE_PATCH:
      if (!isRecord(body))
        throw badRequest('error decoding patch: json: cannot unmarshal into Go value of type map[string]interface {}');
      return mergePatch(before, body);
    case STRATEGIC_PATCH:
      if (kind.isCustom) throw unsupportedMediaType(patchTypesOf(kind));
      if (!isRecord(body))
        throw badRequest('error decoding patch: json: cannot unmarshal into Go value of type map[string]interface {}');
      return strategicMerge(kind.schema, before, body);
    default:
      throw unsupportedMediaType(patchTypesOf(kind));
  }
}

/** What may be sent as a patch to a kind; custom resources know no strategic merge. */
export function patchTypesOf(kind: Pick<ResourceKind, 'isCustom'>): string[] {
  return kind.isCustom
    ? [JSON_PATCH, MERGE_PATCH, APPLY_PATCH]
    : [JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH];
}

/** RFC 7386. */
export function mergePatch(before: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: JsonRecord = isRecord(before) ? { ...before } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

const OPERATIONS = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

function applyJsonPatch(before: KubeObject, body: unknown): unknown {
  if (!Array.isArray(body)) {
    throw badRequest('error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  }
  if (!body.every(isOperation)) throw badRequest('error decoding patch: not a list of operations');
  const after = copyOf(before);
  const failure = applyPatch(after, body).find((error) => error !== null);
  if (failure) {
    const message = `the server rejected our request due to an error in our request`;
    throw new StatusError(422, 'Invalid', message, {
      causes: [{ reason: 'FieldValueInvalid', message: failure.message, field: 'patch' }],
    });
  }
  return after;
}

function isOperation(value: unknown): value is Operation {
  return isRecord(value) && typeof value.path === 'string' && OPERATIONS.has(String(value.op));
}
