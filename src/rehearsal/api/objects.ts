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

/** An object before the API has given it an identity; it needs a name or a generateName. */
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
  const found = getField(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Returns the string at a path of object keys, or the empty string for anything else. */
export function getString(value: unknown, ...path: readonly string[]): string {
  const found = getField(value, ...path);
  return typeof found === 'string' ? found : '';
}

/**
 * Caches a value that is derived from an object. Objects of the store are frozen and never change, and controllers read
 * each of them repeatedly. For other objects the value is derived each time.
 */
export function memoizeByObject<T>(read: (object: KubeObject) => T): (object: KubeObject) => T {
  const known = new WeakMap<KubeObject, { readonly value: T }>();
  return (object) => {
    const found = known.get(object);
    if (found !== undefined) return found.value;
    const value = read(object);
    if (Object.isFrozen(object)) known.set(object, { value });
    return value;
  };
}

/** Returns a time in the format of Kubernetes: RFC 3339 in UTC, whole seconds. */
export function formatTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
