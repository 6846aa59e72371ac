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
