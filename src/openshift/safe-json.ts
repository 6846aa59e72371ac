import { sanitize } from '../platform/sanitize.ts';
import { getField, getList, toSingleLine } from './object.ts';

type Predicate = (value: unknown) => boolean;
const isString: Predicate = (value) => typeof value === 'string';
const isNumber: Predicate = (value) => typeof value === 'number';
// JSON.parse returns JSON at every depth: it is enough to check that the value is an object.
const isObject: Predicate = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const isStringMap: Predicate = (value) => isObject(value) && Object.values(value as object).every(isString);

const METADATA_CHECKS = Object.entries({
  namespace: isString,
  uid: isString,
  resourceVersion: isString,
  generation: isNumber,
  creationTimestamp: isString,
  deletionTimestamp: isString,
  labels: isStringMap,
  annotations: isStringMap,
});
const OBJECT_CHECKS = Object.entries({
  apiVersion: isString,
  kind: isString,
  spec: isObject,
  status: isObject,
  data: isStringMap,
});

/**
 * Finds the first invalid field of an object of the API, as a path with dots. Returns '' for a value that is no JSON
 * object at all, and null for a valid one. Sets fields that are null to undefined, and makes the name and namespace
 * single lines. Written without a schema library, because every object that a screen shows passes here every few
 * seconds.
 */
export function checkAndNormalizeObject(value: unknown): string | null {
  if (!isObject(value)) return '';
  const object = value as Record<string, unknown>;
  const { metadata } = object;
  if (!isObject(metadata)) return 'metadata';
  const fields = metadata as Record<string, unknown>;
  if (typeof fields.name !== 'string' || fields.name === '') return 'metadata.name';
  // The API does not validate some names at all (those of certificate requests).
  fields.name = toSingleLine(fields.name);
  if (typeof fields.namespace === 'string') fields.namespace = toSingleLine(fields.namespace);
  const invalidField = METADATA_CHECKS.find((check) => !checkAndNormalizeField(fields, check));
  if (invalidField) return `metadata.${invalidField[0]}`;
  return OBJECT_CHECKS.find((check) => !checkAndNormalizeField(object, check))?.[0] ?? null;
}

/** Whether a field is valid or absent. An explicit null, which `kubectl edit` may write, means the same as absent. */
function checkAndNormalizeField(
  fields: Record<string, unknown>,
  [name, isValid]: readonly [string, Predicate],
): boolean {
  const value = fields[name];
  if (value === undefined) return true;
  if (value !== null) return isValid(value);
  fields[name] = undefined;
  return true;
}

/**
 * Finds the first invalid field of a list of the API: paths into its items have their index. `items` may be null, as Go
 * writes an empty list.
 */
export function checkAndNormalizeList(value: unknown): string | null {
  if (!isObject(value)) return '';
  const { apiVersion, metadata, items } = value as Record<string, unknown>;
  if (!isString(apiVersion)) return 'apiVersion';
  if (metadata !== undefined && !isObject(metadata)) return 'metadata';
  if (items === null) return null;
  if (!Array.isArray(items)) return 'items';
  for (const [index, item] of items.entries()) {
    const invalidField = checkAndNormalizeObject(item);
    if (invalidField !== null) return ['items', index, invalidField].filter((part) => part !== '').join('.');
  }
  return null;
}

// The limit for the text of one field: etcd takes no object above 1.5 MiB.
const MAX_TEXT_LENGTH = 1_500_000;

/**
 * Sanitizes every string (and key) of a JSON value. A lone CR becomes U+FFFD before `sanitize` drops it: dropping it
 * could make two different names equal.
 */
export function sanitizeJson(value: unknown): unknown {
  if (typeof value === 'string') {
    return sanitize(value.includes('\r') ? value.replace(/\r(?!\n)/g, '\ufffd') : value, MAX_TEXT_LENGTH);
  }
  if (Array.isArray(value)) return value.map(sanitizeJson);
  if (value === null || typeof value !== 'object') return value;
  const sanitizedObject: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const name = sanitize(key, 1000);
    // Field ownership is long and useless here; no object has a field `__proto__`.
    if (name === 'managedFields' || name === '__proto__') continue;
    sanitizedObject[name] = sanitizeJson((value as Record<string, unknown>)[key]);
  }
  return sanitizedObject;
}

/**
 * Parts of a response that need sanitizing: anything but printable ASCII, literal or escaped (Go writes <, > and & as
 * \u003c, \u003e and \u0026), and the key `__proto__`.
 */
const NEEDS_SANITISING = /[^\t\n\r -~]|\\[bfr]|\\u(?!00(?:3c|3e|26))|__proto__/i;

/**
 * Parses a JSON text and sanitizes it. Nearly all responses need no sanitizing: one search through the text costs a
 * hundredth of a copy of all its strings, and leaves no garbage.
 * @throws SyntaxError for what is no JSON
 */
export function parseSafely(json: string): unknown {
  const value: unknown = JSON.parse(json);
  return json.length > MAX_TEXT_LENGTH || NEEDS_SANITISING.test(json) ? sanitizeJson(value) : dropManagedFields(value);
}

/**
 * Wraps `parse` so that the strings of `data` stay unchanged: those of a ConfigMap are written back, and must not lose
 * characters. Callers that show the strings must sanitize them.
 */
export function preserveDataStrings(parse: (json: string) => unknown): (json: string) => unknown {
  return (json) => {
    const value = parse(json);
    const data = getField(value, 'data');
    if (!isObject(data) || !NEEDS_SANITISING.test(json)) return value;
    return { ...(value as object), data: getField(JSON.parse(json), 'data') };
  };
}

/** Drops the field ownership of an object and of the items of a list: long, and useless here. */
function dropManagedFields(value: unknown): unknown {
  for (const object of [value, ...getList(value, 'items')]) {
    const metadata = getField(object, 'metadata') as Record<string, unknown> | null | undefined;
    // Not with `delete`: V8 slows down an object that loses a field.
    if (metadata?.managedFields !== undefined) metadata.managedFields = undefined;
  }
  return value;
}
