import { applyPatch, type Operation } from 'rfc6902';
import { deepCopy } from './body.ts';
import type { ResourceKind } from './kinds/kinds.ts';
import type { Schema } from './kinds/schema.ts';
import { isRecord, type JsonRecord, type KubeObject } from './objects.ts';
import { badRequestError, StatusError, unsupportedMediaTypeError } from './status.ts';

const ORDER_PREFIX = '$setElementOrder/';
const DELETE_PREFIX = '$deleteFromPrimitiveList/';
const RETAIN_KEYS = '$retainKeys';
const DIRECTIVE = '$patch';

/**
 * Applies a strategic merge patch; the schema defines which lists are merged, and by which key.
 * The rules are those of k8s.io/apimachinery/pkg/util/strategicpatch.
 * @throws StatusError if a directive is malformed, or an item has no merge key
 */
export function applyStrategicMergePatch(schema: Schema | undefined, original: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  if (patch[DIRECTIVE] === 'replace') return withoutDirectives(patch);
  if (patch[DIRECTIVE] === 'delete') return {};
  if (patch[DIRECTIVE] !== undefined) throw badRequestError(`Unknown patch type: ${String(patch[DIRECTIVE])}`);
  const result: JsonRecord = { ...retainKeys(original, patch[RETAIN_KEYS]) };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    if (value === null) delete result[key];
    else result[key] = mergeField(getFieldSchema(schema, key), result[key], value, getOrder(patch, key));
  }
  for (const [key, values] of Object.entries(patch)) {
    if (key.startsWith(DELETE_PREFIX)) removeValues(result, key.slice(DELETE_PREFIX.length), values);
    else if (key.startsWith(ORDER_PREFIX)) reorderField(result, key.slice(ORDER_PREFIX.length), values, schema);
  }
  return result;
}

function mergeField(schema: Schema | undefined, original: unknown, patch: unknown, order: unknown): unknown {
  if (!Array.isArray(patch)) return applyStrategicMergePatch(schema, isRecord(original) ? original : {}, patch);
  if (schema?.type !== 'list') return patch;
  const before = Array.isArray(original) ? original : [];
  if (schema.isSet) return [...new Set([...before, ...patch])];
  if (schema.mergeKey === undefined) return patch.map((item) => applyStrategicMergePatch(schema.items, {}, item));
  return mergeItems(schema.items, schema.mergeKey, before, patch, order);
}

function mergeItems(items: Schema, key: string, before: unknown[], patch: unknown[], order: unknown): unknown[] {
  if (patch.some((item) => isRecord(item) && item[DIRECTIVE] === 'replace')) {
    return patch.filter((item) => !(isRecord(item) && item[DIRECTIVE] === 'replace'));
  }
  let result = [...before];
  for (const item of patch) {
    if (!isRecord(item) || !(key in item)) {
      throw new StatusError(500, '', `map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    }
    const index = result.findIndex((other) => isRecord(other) && other[key] === item[key]);
    if (item[DIRECTIVE] === 'delete') result = result.filter((_, position) => position !== index);
    else if (index < 0) result.push(applyStrategicMergePatch(items, {}, item));
    else result[index] = applyStrategicMergePatch(items, result[index], item);
  }
  return order === undefined ? result : sortByOrder(result, order, key);
}

function retainKeys(original: unknown, keys: unknown): JsonRecord {
  if (!isRecord(original)) return {};
  if (!Array.isArray(keys)) return original;
  return Object.fromEntries(Object.entries(original).filter(([key]) => keys.includes(key)));
}

function removeValues(target: JsonRecord, key: string, values: unknown): void {
  const current = target[key];
  if (!Array.isArray(values) || !Array.isArray(current)) return;
  target[key] = current.filter((value) => !values.includes(value));
}

/** Reorders a list that the patch does not change otherwise. */
function reorderField(target: JsonRecord, key: string, order: unknown, schema: Schema | undefined): void {
  const current = target[key];
  const field = getFieldSchema(schema, key);
  if (!Array.isArray(current) || field?.type !== 'list') return;
  if (field.isSet || field.mergeKey !== undefined) target[key] = sortByOrder(current, order, field.mergeKey);
}

/** Items named in `order` come first and in its order. Items that only the server has follow in theirs. */
function sortByOrder(items: unknown[], order: unknown, key: string | undefined): unknown[] {
  if (!Array.isArray(order)) return items;
  const identity = (item: unknown) => (key !== undefined && isRecord(item) ? item[key] : item);
  const wanted = order.map(identity);
  const rank = (item: unknown) => {
    const index = wanted.indexOf(identity(item));
    return index < 0 ? wanted.length : index;
  };
  return items.toSorted((a, b) => rank(a) - rank(b));
}

function getOrder(patch: JsonRecord, key: string): unknown {
  return patch[`${ORDER_PREFIX}${key}`];
}

function getFieldSchema(schema: Schema | undefined, key: string): Schema | undefined {
  if (schema?.type === 'object') return Object.hasOwn(schema.fields, key) ? schema.fields[key] : undefined;
  return schema?.type === 'map' ? schema.values : undefined;
}

function withoutDirectives(patch: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(patch).filter(([key]) => !key.startsWith('$')));
}

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
