/** The metadata of every object of a cluster. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  generateName?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: unknown[];
  [key: string]: unknown;
}

interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
}

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [key: string]: unknown;
}

/** An object to create. The API adds the identity; a name or a generateName is required. */
export interface NewObject {
  apiVersion?: string;
  kind?: string;
  metadata: Partial<ObjectMeta>;
  [key: string]: unknown;
}

export type JsonRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value at a path of object keys, or undefined if the path does not exist. */
export function getField(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const key of path) current = isRecord(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  return current;
}

/** Returns the list at a path of object keys, or an empty list for anything else. */
export function getList(value: unknown, ...path: readonly string[]): unknown[] {
  const field = getField(value, ...path);
  return Array.isArray(field) ? field : [];
}

/** Returns the string at a path of object keys, or the empty string for anything else. */
export function getString(value: unknown, ...path: readonly string[]): string {
  const field = getField(value, ...path);
  return typeof field === 'string' ? field : '';
}

/** Returns the record at a path of object keys, or an empty one for anything else. */
export function getRecord(value: unknown, ...path: readonly string[]): JsonRecord {
  const field = getField(value, ...path);
  return isRecord(field) ? field : {};
}

/** Returns the condition of a type in the status of an object. */
export function findCondition(object: unknown, type: string): JsonRecord | undefined {
  return getList(object, 'status', 'conditions').find((item): item is JsonRecord => getString(item, 'type') === type);
}

/** Whether the status of an object has a condition that is True. */
export function isConditionTrue(object: unknown, type: string): boolean {
  return findCondition(object, type)?.status === 'True';
}

/** The reason and the message of a condition. */
export interface ConditionReason {
  readonly reason: string;
  readonly message: string;
}

/**
 * Builds a condition of an object, with the time of its last status change.
 * @param now milliseconds since the epoch
 */
export function buildCondition(
  now: number,
  object: KubeObject,
  type: string,
  isTrue: boolean,
  reason = '',
  message = '',
) {
  const status = isTrue ? 'True' : 'False';
  const previousCondition = findCondition(object, type);
  const previousTime = previousCondition?.status === status ? getString(previousCondition, 'lastTransitionTime') : '';
  return { type, status, reason, message, lastTransitionTime: previousTime || formatTimestamp(now) };
}

/** Changes fields of the spec or of the status of an object, in place. */
export function assignFields(object: KubeObject, part: 'spec' | 'status', fields: JsonRecord): void {
  object[part] = { ...getRecord(object, part), ...fields };
}

/**
 * Caches a value that is derived from an object. Objects of the store are frozen and never change, and controllers read
 * each of them repeatedly. For other objects the value is derived each time.
 */
export function memoizeByObject<T, O extends object = KubeObject>(derive: (object: O) => T): (object: O) => T {
  const cache = new WeakMap<O, { readonly value: T }>();
  return (object) => {
    const entry = cache.get(object);
    if (entry !== undefined) return entry.value;
    const value = derive(object);
    if (Object.isFrozen(object)) cache.set(object, { value });
    return value;
  };
}

/** Returns an object as JSON; objects of the store never change, so each is serialised once. */
export const serializeObject = memoizeByObject((object: NewObject) => JSON.stringify(object));

export const encodeBase64 = (text: string): string => Buffer.from(text).toString('base64');

/** Splits a text at its blanks. */
export const splitWords = (text: string): string[] => text.split(/\s+/).filter(Boolean);

/** Formats a time in the format of Kubernetes: RFC 3339 in UTC, whole seconds. */
export function formatTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

// API objects are JSON: lists, records and plain values. A site copies and compares its objects all the time, and
// general-purpose functions would take several times as long as these.

/** Returns a deep copy that shares nothing with the original and is not frozen. */
export function deepCopy<T>(value: T): T;
export function deepCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deepCopy);
  if (!isRecord(value)) return value;
  const copy: JsonRecord = {};
  for (const key of Object.keys(value)) setKey(copy, key, deepCopy(value[key]));
  return copy;
}

/** Sets a key. A plain assignment to `__proto__` would change the prototype of the record. */
function setKey(record: JsonRecord, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(record, key, { value, enumerable: true, writable: true, configurable: true });
  else record[key] = value;
}

/** Whether two JSON values are equal, in any order of keys. A key with the value undefined is a key. */
export function isDeepEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((element, index) => isDeepEqual(element, b[index]));
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isDeepEqual(a[key], b[key]))
  );
}
