import { sanitize } from '../text/sanitize.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** An object of the API past the boundary, with a checked identity and sanitised strings. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  readonly data?: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Who wrote which fields; only of an object that was read for it. */
  readonly managers?: readonly FieldManager[];
}

/** Who wrote fields of an object, as the API keeps it (`metadata.managedFields`). */
export interface FieldManager {
  readonly name: string;
  /** When it wrote last, in milliseconds since the epoch; null where the API does not say. */
  readonly at: number | null;
  /** The fields, as a tree of `f:name`. */
  readonly fields: unknown;
}

/** An object to create, with its kind and version. */
export interface NewObject {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  readonly [key: string]: unknown;
}

/** An object as the API sends it: the items of a list of a built-in kind do not say what they are. */
export type SentObject = Omit<KubeObject, 'apiVersion' | 'kind'> & Partial<Pick<KubeObject, 'apiVersion' | 'kind'>>;

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

/** The value at a path of keys; undefined where any of them is missing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let here: unknown = value;
  for (const key of path) {
    if (here === null || typeof here !== 'object' || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string, unknown>)[key];
  }
  return here;
}

/**
 * The text at a path of keys, in one line whatever the API has sent: what is read here is shown within lines of ours, and a
 * newline in it would make a line that looks like one. Null where there is none, or something else.
 */
export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = linesAt(value, ...path);
  return found === null ? null : oneLine(found);
}

/** As textAt, with its lines, for who shows them apart. */
export function linesAt(value: unknown, ...path: readonly string[]): string | null {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : null;
}

/** A text of the API within a line of ours. */
export function oneLine(text: string): string {
  return /[\n\t]/.test(text) ? text.replace(/[\n\t]+/g, ' ') : text;
}

/** The finite number at a path of keys; null where there is none, or something else. */
export function numberAt(value: unknown, ...path: readonly string[]): number | null {
  const found = at(value, ...path);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

/** The list at a path of keys; empty where there is none, or something else. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Milliseconds since the epoch of an RFC 3339 time; null when it is missing or none. */
export function timeAt(value: unknown, ...path: readonly string[]): number | null {
  const found = textAt(value, ...path);
  const ms = found === null ? Number.NaN : Date.parse(found);
  return Number.isNaN(ms) ? null : ms;
}

/** One entry of `status.conditions`. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly since: number | null;
}

/**
 * `status.conditions` of any object, without entries that have no type. `since` is `lastTransitionTime`, ms since the epoch.
 * @param messageAt linesAt for who shows the lines of a message apart
 */
export function conditionsOf(object: KubeObject, messageAt: typeof textAt = textAt): Condition[] {
  return listAt(object.status, 'conditions').flatMap((entry) => {
    const type = textAt(entry, 'type');
    if (type === null) return [];
    return {
      type,
      // Before Kubernetes 1.19 the conditions of requests have no status: present means true.
      status: textAt(entry, 'status') ?? 'True',
      reason: textAt(entry, 'reason') ?? '',
      message: messageAt(entry, 'message') ?? '',
      since: timeAt(entry, 'lastTransitionTime'),
    };
  });
}

/** Whether a condition is True; Unknown or missing is not. */
export function isTrue(conditions: readonly Condition[], type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}
