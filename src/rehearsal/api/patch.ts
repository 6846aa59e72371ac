import { applyPatch, type Operation } from 'rfc6902';
import { deepCopy, isRecord, type JsonRecord, type KubeObject } from './objects.ts';
import { badRequestError, StatusError, unsupportedMediaTypeError } from './status.ts';

const ORDER_PREFIX = '$setElementOrder/';
const DELETE_PREFIX = '$deleteFromPrimitiveList/';
const RETAIN_KEYS = '$retainKeys';
const DIRECTIVE = '$patch';

/** The field that identifies the items of a list, by the name of the list; other lists are replaced. */
const MERGE_KEYS = new Map([
  ...['containers', 'initContainers', 'volumes', 'env', 'imagePullSecrets', 'webhooks'].map((list) => [list, 'name']),
  ...['conditions', 'addresses'].map((list) => [list, 'type']),
  ['ports', 'containerPort'],
  ['volumeMounts', 'mountPath'],
  ['ownerReferences', 'uid'],
] as [string, string][]);
/** The only list of primitive values that a patch merges; a patch replaces all other such lists. */
const SET_LIST = 'finalizers';

/**
 * Applies a strategic merge patch to an object of a built-in kind.
 * The rules are those of k8s.io/apimachinery/pkg/util/strategicpatch.
 * @throws StatusError if a directive is malformed, or an item has no merge key
 */
export function applyStrategicMergePatch(original: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  if (patch[DIRECTIVE] === 'replace') return removeDirectives(patch);
  if (patch[DIRECTIVE] === 'delete') return {};
  if (patch[DIRECTIVE] !== undefined) throw badRequestError(`Unknown patch type: ${String(patch[DIRECTIVE])}`);
  const result: JsonRecord = { ...retainKeys(original, patch[RETAIN_KEYS]) };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    if (value === null) delete result[key];
    else result[key] = mergeField(key, result[key], value);
  }
  for (const [directive, values] of Object.entries(patch)) {
    const key = directive.slice(directive.indexOf('/') + 1);
    const currentList = result[key];
    if (!Array.isArray(currentList) || !Array.isArray(values)) continue;
    if (directive.startsWith(DELETE_PREFIX)) result[key] = currentList.filter((value) => !values.includes(value));
    if (directive.startsWith(ORDER_PREFIX)) result[key] = sortByOrder(key, currentList, values);
  }
  return result;
}

function mergeField(name: string, original: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) return applyStrategicMergePatch(isRecord(original) ? original : {}, patch);
  const originalItems = Array.isArray(original) ? original : [];
  if (name === SET_LIST) return [...new Set([...originalItems, ...patch])];
  const key = MERGE_KEYS.get(name);
  return key === undefined
    ? patch.map((item) => applyStrategicMergePatch({}, item))
    : mergeItems(key, originalItems, patch);
}

function mergeItems(key: string, originalItems: unknown[], patch: unknown[]): unknown[] {
  const isReplacement = (item: unknown) => isRecord(item) && item[DIRECTIVE] === 'replace';
  if (patch.some(isReplacement)) return patch.filter((item) => !isReplacement(item));
  let result = [...originalItems];
  for (const item of patch) {
    if (!isRecord(item) || !(key in item)) {
      throw new StatusError(500, '', `map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    }
    const index = result.findIndex((candidate) => isRecord(candidate) && candidate[key] === item[key]);
    if (item[DIRECTIVE] === 'delete') result = result.filter((_, position) => position !== index);
    else if (index < 0) result.push(applyStrategicMergePatch({}, item));
    else result[index] = applyStrategicMergePatch(result[index], item);
  }
  return result;
}

function retainKeys(original: unknown, keys: unknown): JsonRecord {
  if (!isRecord(original)) return {};
  if (!Array.isArray(keys)) return original;
  return Object.fromEntries(Object.entries(original).filter(([key]) => keys.includes(key)));
}

/** Sorts items as `order` lists them. Items that only the server has follow in their previous order. */
function sortByOrder(name: string, items: unknown[], order: readonly unknown[]): unknown[] {
  const key = MERGE_KEYS.get(name);
  if (key === undefined && name !== SET_LIST) return items;
  const getIdentity = (item: unknown) => (key !== undefined && isRecord(item) ? item[key] : item);
  const orderedIdentities = order.map(getIdentity);
  const getRank = (item: unknown) => {
    const index = orderedIdentities.indexOf(getIdentity(item));
    return index < 0 ? orderedIdentities.length : index;
  };
  return items.toSorted((a, b) => getRank(a) - getRank(b));
}

function removeDirectives(patch: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(patch).filter(([key]) => !key.startsWith('$')));
}

const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';

/**
 * Returns the object after a patch. Custom resources have no strategic merge patch.
 * @throws StatusError 415: the kind does not support the patch type. 400: the body is not a patch. 422: the patch does
 * not fit the object.
 */
export function applyPatchBody(isCustom: boolean, original: KubeObject, mediaType: string, body: unknown): unknown {
  if (mediaType === JSON_PATCH) return applyJsonPatch(original, body);
  if (mediaType !== MERGE_PATCH && (mediaType !== STRATEGIC_PATCH || isCustom))
    throw unsupportedMediaTypeError([JSON_PATCH, MERGE_PATCH, ...(isCustom ? [] : [STRATEGIC_PATCH]), APPLY_PATCH]);
  if (!isRecord(body)) {
    const detail = 'json: cannot unmarshal into Go value of type map[string]interface {}';
    throw badRequestError(`error decoding patch: ${detail}`);
  }
  return mediaType === MERGE_PATCH ? applyMergePatch(original, body) : applyStrategicMergePatch(original, body);
}

/** Applies a JSON merge patch (RFC 7386). */
export function applyMergePatch(original: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: JsonRecord = isRecord(original) ? { ...original } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = applyMergePatch(result[key], value);
  }
  return result;
}

const OPERATIONS = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

function applyJsonPatch(original: KubeObject, body: unknown): unknown {
  if (!Array.isArray(body) || !body.every(isOperation))
    throw badRequestError('error decoding patch: not a list of operations');
  const patchedObject = deepCopy(original);
  const failure = applyPatch(patchedObject, body).find((error) => error !== null);
  if (!failure) return patchedObject;
  throw new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {
    causes: [{ reason: 'FieldValueInvalid', message: failure.message, field: 'patch' }],
  });
}

function isOperation(value: unknown): value is Operation {
  return isRecord(value) && typeof value.path === 'string' && OPERATIONS.has(String(value.op));
}
