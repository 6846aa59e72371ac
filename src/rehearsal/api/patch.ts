import { applyPatch, type Operation } from 'rfc6902';
import { deepCopy } from './json.ts';
import type { ResourceKind } from './kinds/kind.ts';
import { isRecord, type JsonRecord, type KubeObject } from './objects.ts';
import { badRequestError, StatusError, unsupportedMediaTypeError } from './status.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';

/**
 * The object after a patch.
 * @throws StatusError 415: the kind does not support the patch type. 400: the body is not a patch. 422: the patch does
 * not fit the object.
 */
export function applyPatchBody(kind: ResourceKind, before: KubeObject, mediaType: string, body: unknown): unknown {
  switch (mediaType) {
    case JSON_PATCH:
      return applyJsonPatch(before, body);
    case MERGE_PATCH:
      if (!isRecord(body))
        throw badRequestError(
          'error decoding patch: json: cannot unmarshal into Go value of type map[string]interface {}',
        );
      return applyMergePatch(before, body);
    case STRATEGIC_PATCH:
      if (kind.isCustom) throw unsupportedMediaTypeError(listPatchTypes(kind));
      if (!isRecord(body))
        throw badRequestError(
          'error decoding patch: json: cannot unmarshal into Go value of type map[string]interface {}',
        );
      return applyStrategicMergePatch(kind.schema, before, body);
    default:
      throw unsupportedMediaTypeError(listPatchTypes(kind));
  }
}

/** Lists the patch types that a kind accepts; custom resources have no strategic merge patch. */
function listPatchTypes(kind: Pick<ResourceKind, 'isCustom'>): string[] {
  return kind.isCustom
    ? [JSON_PATCH, MERGE_PATCH, APPLY_PATCH]
    : [JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH];
}

/** Applies a JSON merge patch (RFC 7386). */
export function applyMergePatch(before: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: JsonRecord = isRecord(before) ? { ...before } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = applyMergePatch(result[key], value);
  }
  return result;
}

const OPERATIONS = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

function applyJsonPatch(before: KubeObject, body: unknown): unknown {
  if (!Array.isArray(body)) {
    throw badRequestError('error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  }
  if (!body.every(isOperation)) throw badRequestError('error decoding patch: not a list of operations');
  const after = deepCopy(before);
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
