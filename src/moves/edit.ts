import { isDeepStrictEqual } from 'node:util';
import { type Kind, objectKindOf } from '../objects/kinds.ts';
import type { Json, JsonObject, KubeObject, NewObject } from '../objects/object.ts';

/** A merge patch, computed from what is there. */
export type Patch = (current: KubeObject) => JsonObject;

/** One declarative change of one object: computed from the current object, so that applying it twice writes once. */
export interface Edit {
  readonly kind: Kind;
  readonly name: string;
  readonly namespace: string | null;
  /** May repeat values that are already set. */
  readonly patch?: Patch;
  /** Creates a missing object; without it, a missing object needs no edit. */
  readonly create?: () => NewObject;
  /** Deletes the object. */
  readonly isRemoval?: boolean;
}

/** A change in words that a person can compare: YAML of the fields that change. */
export interface MoveChange {
  readonly object: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** `Node i1.ocp45.example.localdomain`, `IngressController openshift-ingress-operator/default`. */
export function objectName({ kind, name, namespace }: Edit): string {
  return `${objectKindOf(kind)} ${namespace === null ? '' : `${namespace}/`}${name}`;
}

/** A JSON value after a merge patch (RFC 7386): null takes a field out, a list replaces the whole list. */
export function merged(found: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const result: Record<string, unknown> = isFields(found) ? { ...found } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

/** Whether the merge patch would change nothing. Compares whole lists, and ignores the time that the API adds to a taint. */
export function isApplied(found: unknown, patch: Json): boolean {
  if (patch === null) return found === undefined || found === null;
  if (Array.isArray(patch)) return Array.isArray(found) && isDeepStrictEqual(found.map(timeless), patch);
  if (!isFields(patch)) return found === patch;
  if (!isFields(found)) return false;
  return Object.entries(patch).every(([key, value]) => isApplied(found[key], value));
}

function timeless(entry: unknown): unknown {
  if (!isFields(entry)) return entry;
  const { timeAdded: _time, ...rest } = entry;
  return rest;
}

/** A merge patch that makes a map exactly this: it removes all other keys. */
export function exactly(found: unknown, wanted: JsonObject): JsonObject {
  const surplus = isFields(found) ? Object.keys(found).filter((key) => !(key in wanted)) : [];
  return { ...Object.fromEntries(surplus.map((key) => [key, null])), ...wanted };
}

/** The part of an object that a patch touches. */
export function restrict(found: unknown, patch: Json): unknown {
  if (!isFields(patch) || !isFields(found)) return found;
  return Object.fromEntries(
    Object.keys(patch)
      .filter((key) => found[key] !== undefined)
      .map((key) => [key, restrict(found[key], patch[key] ?? null)]),
  );
}

/** Whether a JSON value is a mapping. */
export function isFields(value: unknown): value is { readonly [key: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
