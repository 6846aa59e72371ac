import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { type Kind, objectKindOf } from '../../objects/kinds.ts';
import type { Json, JsonObject, KubeObject } from '../../objects/object.ts';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { Cluster, NewObject } from '../client.ts';
import { isClusterError } from '../errors.ts';

const words = () => catalogue().moves;

/** A merge patch, computed from what is there. */
export type Patch = (current: KubeObject) => JsonObject;

/** One change of one object, told as what it should be: computed from what is there, so that doing it twice writes once. */
export interface Edit {
  readonly kind: Kind;
  readonly name: string;
  readonly namespace: string | null;
  /** May repeat what is so already. */
  readonly patch?: Patch;
  /** Made when the object is not there; without it, a missing object needs no edit. */
  readonly create?: () => NewObject;
  /** The object is removed. */
  readonly isRemoval?: boolean;
}

/** A change in words that a person can compare: YAML of the fields that change. */
export interface MoveChange {
  readonly object: string;
  readonly before: string | null;
  readonly after: string | null;
}

const TRIES = 5;

/** `Node i1.ocp45.example.localdomain`, `IngressController openshift-ingress-operator/default`. */
export function objectName({ kind, name, namespace }: Edit): string {
  return `${objectKindOf(kind)} ${namespace === null ? '' : `${namespace}/`}${name}`;
}

/** What the edit would change now; null when nothing. */
export async function changeOf(cluster: Cluster, edit: Edit): Promise<MoveChange | null> {
  const current = await cluster.get(edit.kind, edit.name, edit.namespace ?? undefined);
  const object = objectName(edit);
  if (!current) return edit.create ? { object, before: null, after: toYaml(withoutName(edit.create())) } : null;
  if (edit.isRemoval) return { object, before: toYaml({ spec: current.spec }), after: null };
  const patch = edit.patch?.(current) ?? {};
  if (isApplied(current, patch)) return null;
  return { object, before: toYaml(restrict(current, patch)), after: toYaml(withoutNulls(patch)) };
}

/**
 * Makes the edit: reads, compares, tries dry, writes, reads again and compares, because the API leaves out unknown fields
 * without a word and operators set things back. The write carries the resourceVersion that was read; when somebody else was
 * faster, it starts again.
 * @returns what was done, as a line for the report
 * @throws TroubleError `infra-not-kept`, `infra-conflicts`, `infra-gone`; ClusterError
 */
export async function applyEdit(cluster: Cluster, edit: Edit): Promise<string> {
  const object = objectName(edit);
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    try {
      return await tryEdit(cluster, edit, object);
    } catch (error) {
      if (!isClusterError(error, 'conflict')) throw error;
    }
  }
  const { cause, ...rest } = words().trouble.conflicts;
  throw new TroubleError({ code: 'infra-conflicts', cause: cause(object), ...rest });
}

async function tryEdit(cluster: Cluster, edit: Edit, object: string): Promise<string> {
  const { kind, name, namespace } = edit;
  const current = await cluster.get(kind, name, namespace ?? undefined);
  if (!current) {
    if (!edit.create) return words().report.same(object);
    await cluster.create(kind, edit.create(), { dryRun: true });
    await cluster.create(kind, edit.create());
    return words().report.created(object);
  }
  if (edit.isRemoval) {
    await cluster.remove(kind, name, namespace ?? undefined);
    return words().report.removed(object);
  }
  const patch = edit.patch?.(current) ?? {};
  if (isApplied(current, patch)) return words().report.same(object);
  const locked = withVersion(patch, current);
  await cluster.patch(kind, name, namespace, locked, { dryRun: true });
  await cluster.patch(kind, name, namespace, locked);
  const after = await cluster.get(kind, name, namespace ?? undefined);
  if (!after) throw troubleOf('gone', object);
  if (!isApplied(after, patch)) throw troubleOf('pruned', object);
  return words().report.changed(object);
}

function troubleOf(what: 'gone' | 'pruned', object: string): TroubleError {
  const { cause, ...rest } = words().trouble[what];
  return new TroubleError({ code: what === 'gone' ? 'infra-gone' : 'infra-not-kept', cause: cause(object), ...rest });
}

function withVersion(patch: JsonObject, { metadata }: KubeObject): JsonObject {
  if (metadata.resourceVersion === undefined) return patch;
  const before = isObject(patch.metadata) ? patch.metadata : {};
  return { ...patch, metadata: { ...before, resourceVersion: metadata.resourceVersion } };
}

/** Would the merge patch change nothing? Lists are compared whole; the time that the API adds to a taint does not count. */
export function isApplied(found: unknown, patch: Json): boolean {
  if (patch === null) return found === undefined || found === null;
  if (Array.isArray(patch)) return Array.isArray(found) && isDeepStrictEqual(found.map(timeless), patch);
  if (!isObject(patch)) return found === patch;
  if (!isObject(found)) return false;
  return Object.entries(patch).every(([key, value]) => isApplied(found[key], value));
}

function timeless(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const { timeAdded: _time, ...rest } = entry;
  return rest;
}

/** A merge patch that makes a map exactly this: keys that are there and not wanted are removed. */
export function exactly(found: unknown, wanted: JsonObject): JsonObject {
  const surplus = isObject(found) ? Object.keys(found).filter((key) => !(key in wanted)) : [];
  return { ...Object.fromEntries(surplus.map((key) => [key, null])), ...wanted };
}

/** The part of an object that a patch touches. */
function restrict(found: unknown, patch: Json): unknown {
  if (!isObject(patch) || !isObject(found)) return found;
  return Object.fromEntries(
    Object.keys(patch)
      .filter((key) => found[key] !== undefined)
      .map((key) => [key, restrict(found[key], patch[key] ?? null)]),
  );
}

function withoutNulls(patch: Json): unknown {
  if (!isObject(patch)) return patch;
  return Object.fromEntries(
    Object.entries(patch)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, withoutNulls(value)]),
  );
}

function withoutName({ metadata: _metadata, ...rest }: NewObject): object {
  return rest;
}

function toYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0 });
}

function isObject(value: unknown): value is { readonly [key: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
