import { sanitize } from '../text/sanitize.ts';
import { at, listAt, oneLine } from './object.ts';

type Check = (value: unknown) => boolean;
const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';
// JSON.parse returns JSON at every depth: it is enough to check that the value has fields.
const isFields: Check = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const isTexts: Check = (value) => isFields(value) && Object.values(value as object).every(isText);

const METADATA = Object.entries({
  namespace: isText,
  uid: isText,
  resourceVersion: isText,
  generation: isNumber,
  creationTimestamp: isText,
  deletionTimestamp: isText,
  labels: isTexts,
  annotations: isTexts,
});
const OBJECT = Object.entries({
  apiVersion: isText,
  kind: isText,
  spec: isFields,
  status: isFields,
  data: isTexts,
});

/**
 * The first field by which a value from JSON is no object of the API, as a path with dots; '' for one that has no fields at
 * all; null for one that is, and nulls in it are absent from then on. By hand, since all that a live screen shows passes here
 * every few seconds.
 */
export function wrongField(value: unknown): string | null {
  if (!isFields(value)) return '';
  const object = value as Record<string, unknown>;
  const { metadata } = object;
  if (!isFields(metadata)) return 'metadata';
  const own = metadata as Record<string, unknown>;
  if (typeof own.name !== 'string' || own.name === '') return 'metadata.name';
  // The API holds some names against no form at all (those of certificate requests).
  own.name = oneLine(own.name);
  if (typeof own.namespace === 'string') own.namespace = oneLine(own.namespace);
  const wrong = METADATA.find((check) => !isGoodOrAbsent(own, check));
  if (wrong) return `metadata.${wrong[0]}`;
  return OBJECT.find((check) => !isGoodOrAbsent(object, check))?.[0] ?? null;
}

/** A custom resource keeps a null that somebody wrote (`kubectl edit` does): it means the same as a missing field. */
function isGoodOrAbsent(fields: Record<string, unknown>, [name, isGood]: readonly [string, Check]): boolean {
  const value = fields[name];
  if (value === undefined) return true;
  if (value !== null) return isGood(value);
  fields[name] = undefined;
  return true;
}

/** As wrongField, of a list: its items, with their index. No items at all (null, as Go writes an empty list) are none. */
export function wrongFieldOfList(value: unknown): string | null {
  if (!isFields(value)) return '';
  const { apiVersion, metadata, items } = value as Record<string, unknown>;
  if (!isText(apiVersion)) return 'apiVersion';
  if (metadata !== undefined && !isFields(metadata)) return 'metadata';
  if (items === null) return null;
  if (!Array.isArray(items)) return 'items';
  for (const [index, item] of items.entries()) {
    const wrong = wrongField(item);
    if (wrong !== null) return ['items', index, wrong].filter((part) => part !== '').join('.');
  }
  return null;
}

// The largest text we keep from one field: etcd takes no object above 1.5 MiB.
const TEXT_LIMIT = 1_500_000;

/**
 * Every string (and key) of a JSON value made safe. A lone CR becomes a visible mark before the general rule drops it:
 * dropping could turn a name that differs into one that does not.
 */
export function sanitizeJson(value: unknown): unknown {
  if (typeof value === 'string') {
    return sanitize(value.includes('\r') ? value.replace(/\r(?!\n)/g, '\ufffd') : value, TEXT_LIMIT);
  }
  if (Array.isArray(value)) return value.map(sanitizeJson);
  if (value === null || typeof value !== 'object') return value;
  const safe: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const name = sanitize(key, 1000);
    // Field ownership is long and useless here; no object has a field `__proto__`.
    if (name === 'managedFields' || name === '__proto__') continue;
    safe[name] = sanitizeJson((value as Record<string, unknown>)[key]);
  }
  return safe;
}

/**
 * What in the text of an answer needs a closer look: anything but printable ASCII, written as it is or escaped (Go writes <, >
 * and & as \u003c, \u003e and \u0026), and a key that is nobody's field.
 */
const SUSPECT = /[^\t\n\r -~]|\\[bfr]|\\u(?!00(?:3c|3e|26))|__proto__/i;

/**
 * The value of a JSON text, made safe. Nearly all that comes holds nothing that has to be: one search through the text of an
 * answer costs a hundredth of a copy of all its strings, and leaves no garbage.
 * @throws SyntaxError for what is no JSON
 */
export function parseSafely(json: string): unknown {
  const value: unknown = JSON.parse(json);
  return json.length > TEXT_LIMIT || SUSPECT.test(json) ? sanitizeJson(value) : withoutOwnership(value);
}

/**
 * As `parse`, with the texts in `data` as they are: a ConfigMap's are written back, and a character that is not to be shown
 * must not be lost there. Whoever shows them makes them safe.
 */
export function withExactData(parse: (json: string) => unknown): (json: string) => unknown {
  return (json) => {
    const value = parse(json);
    const data = at(value, 'data');
    if (!isFields(data) || !SUSPECT.test(json)) return value;
    return { ...(value as object), data: at(JSON.parse(json), 'data') };
  };
}

/** Drops the field ownership of an object and of the items of a list: long, and useless here. */
function withoutOwnership(value: unknown): unknown {
  for (const object of [value, ...listAt(value, 'items')]) {
    const metadata = at(object, 'metadata') as Record<string, unknown> | null | undefined;
    // No delete: V8 makes an object slow that loses a field.
    if (metadata?.managedFields !== undefined) metadata.managedFields = undefined;
  }
  return value;
}
