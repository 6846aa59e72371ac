/** What every object of a cluster has. */
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

export interface OwnerReference {
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

/** The value at a path of object keys, or undefined where the path ends early. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const key of path) current = isRecord(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  return current;
}

/** The list at a path of object keys; anything else there is an empty list. */
export function listAt(value: unknown, ...path: readonly string[]): unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The text at a path of object keys; anything else there is the empty string. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}

/**
 * What is read of an object, worked out once: an object of the store is frozen and never changes again, and controllers look at each
 * of them again and again. Anything else is read each time.
 */
export function readOnce<T>(read: (object: KubeObject) => T): (object: KubeObject) => T {
  const known = new WeakMap<KubeObject, { readonly value: T }>();
  return (object) => {
    const found = known.get(object);
    if (found !== undefined) return found.value;
    const value = read(object);
    if (Object.isFrozen(object)) known.set(object, { value });
    return value;
  };
}

/** The time of Kubernetes: RFC 3339 in UTC, whole seconds. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
