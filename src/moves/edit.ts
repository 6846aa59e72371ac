import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { type Kind, objectKindOf } from '../objects/kinds.ts';
import { gitOpsOf, managersOf, pathsOf, productOf } from '../objects/managers.ts';
import { at, type Json, type JsonObject, type KubeObject, type NewObject } from '../objects/object.ts';
import { sanitize } from '../text/sanitize.ts';
import { plainYaml } from './shared/plain-yaml.ts';
import type { Sight, Waiting } from './sight.ts';

/** A merge patch, computed from what is there. */
export type Patch = (current: KubeObject) => JsonObject;

/** One declarative change of one object: computed from the current object, so that applying it twice writes once. */
export interface Edit {
  readonly kind: Kind;
  readonly name: string;
  readonly namespace: string | null;
  /** May repeat values that are already set. */
  readonly patch?: Patch;
  /** Waited for before the edit is made: what the edits before it have set in motion. Null: at rest. */
  readonly after?: (sight: Sight) => Promise<Waiting | null>;
  /** Creates a missing object; without it, a missing object needs no edit. */
  readonly create?: () => NewObject;
  /** Deletes the object. A function where that depends on what is there. */
  readonly isRemoval?: boolean | ((current: KubeObject) => boolean);
  /** What becomes of an object that this edit made, once it is undone; without it, it is deleted unless it was changed. */
  readonly making?: Making;
  /** The object that a new one is a copy of: a person compares the two. */
  readonly copyOf?: KubeObject;
  /** Lists whose entries have owners of their own. */
  readonly entries?: readonly OwnEntries[];
  /** Fields whose text is YAML, of which we set parts. */
  readonly yaml?: readonly (readonly string[])[];
}

/** What becomes of an object that we made, when it is undone. `parts`: it is deleted when nothing else is in it. */
export type Making = 'whole' | 'parts' | 'stays';

/** A list whose entries have different owners: each is compared by itself. `by`: the fields that identify an entry. */
export interface OwnEntries {
  readonly path: readonly string[];
  readonly by: readonly string[];
}

/** Whether the edit deletes this object. */
export function removes({ isRemoval = false }: Edit, current: KubeObject): boolean {
  return typeof isRemoval === 'function' ? isRemoval(current) : isRemoval;
}

/** A change in words that a person can compare: YAML of the fields that change. */
export interface MoveChange {
  readonly object: string;
  /** It is a generated file, and no object of the cluster. */
  readonly isFile?: boolean;
  readonly before: string | null;
  readonly after: string | null;
  /** Who manages the fields that change; left out where nobody does. */
  readonly managers?: readonly Manager[];
  /** Where the object is; left out for a file. */
  readonly edited?: Edited;
  /** What a new object is a copy of, to compare it with; left out where it is none. */
  readonly copyOf?: { readonly object: string; readonly text: string };
}

/** The object that an edit is about. */
export type Edited = Pick<Edit, 'kind' | 'name' | 'namespace'>;

/** Who manages fields that a move changes. */
export interface Manager {
  /** A GitOps product (Argo CD), or the field manager as the API names it. */
  readonly name: string;
  /** It sets back what others change. */
  readonly isGitOps: boolean;
}

/** `Node i1.ocp45.example.localdomain`, `IngressController openshift-ingress-operator/default`. */
export function objectName({ kind, name, namespace }: Edit): string {
  return `${objectKindOf(kind)} ${namespace === null ? '' : `${namespace}/`}${name}`;
}

/** What the edit changes of an object as it is; null: nothing. */
export function changeBy(edit: Edit, current: KubeObject | null): MoveChange | null {
  const { kind, name, namespace } = edit;
  const about = { object: objectName(edit), edited: { kind, name, namespace } };
  if (current === null) return edit.create ? { ...about, before: null, ...created(edit.create(), edit) } : null;
  if (removes(edit, current)) return { ...about, before: toYaml({ spec: current.spec }), after: null };
  const patch = edit.patch?.(current) ?? {};
  if (isApplied(current, patch)) return null;
  const managers = managing(current, patch);
  return {
    ...about,
    before: toYaml(restrict(current, patch)),
    after: toYaml(merged({}, patch)),
    ...(managers.length > 0 ? { managers } : {}),
  };
}

/** The products that manage the object, and who else wrote the fields that the patch changes: those that are there. */
function managing(current: KubeObject, patch: JsonObject): Manager[] {
  const paths = pathsOf(patch).filter((path) => {
    const value = path.reduce<Json | undefined>((here, key) => (isFields(here) ? here[key] : undefined), patch);
    return value !== undefined && !isApplied(at(current, ...path), value);
  });
  const products = gitOpsOf(current);
  const others = managersOf(current, paths).filter(({ name }) => name !== OURSELVES && productOf(name) === null);
  return [
    ...products.map((name): Manager => ({ name, isGitOps: true })),
    ...[...new Set(others.map(({ name }) => name))].map((name): Manager => ({ name, isGitOps: false })),
  ];
}

/** The field manager of our own writes (`fieldManager` of the client). */
const OURSELVES = 'upi-wizard';

/** The new object as YAML, and what it is a copy of: both with their name, in which a copy differs first. */
function created(object: NewObject, { copyOf, ...edit }: Edit): Pick<MoveChange, 'after' | 'copyOf'> {
  const { metadata, ...rest } = object;
  if (copyOf === undefined) return { after: toYaml(rest) };
  const { name, labels = {} } = copyOf.metadata;
  const text = toYaml({ metadata: { name, labels }, spec: copyOf.spec });
  const { labels: own = {} } = metadata;
  const after = toYaml({ metadata: { name: metadata.name, labels: own }, ...rest });
  return { after, copyOf: { object: objectName({ ...edit, name }), text } };
}

function toYaml(value: unknown): string {
  return sanitize(
    plainYaml(value) ?? stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }),
    Number.POSITIVE_INFINITY,
  );
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
  if (Array.isArray(patch)) return Array.isArray(found) && isDeepStrictEqual(found.map(timeless), patch.map(timeless));
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
function restrict(found: unknown, patch: Json): unknown {
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
