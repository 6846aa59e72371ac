import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { catalogue } from '../i18n/catalogue.ts';
import { formatChangedObject } from '../i18n/user-error.ts';
import {
  findGitOpsProduct,
  listGitOpsProducts,
  listManagersOfFields,
  listPatchPaths,
} from '../openshift/field-managers.ts';
import { getObjectKind, type Kind } from '../openshift/kinds.ts';
import { getField, type Json, type JsonObject, type KubeObject, type NewObject } from '../openshift/object.ts';
import { sanitize } from '../platform/sanitize.ts';
import type { ClusterReader, PendingReason } from './cluster-reader.ts';
import { formatPlainYaml } from './shared/yaml.ts';

/** Computes a merge patch from the current object. */
export type Patch = (current: KubeObject) => JsonObject;

/**
 * One declarative change of one object. The patch is computed from the current object, so applying it twice writes
 * once.
 */
export interface Edit {
  readonly kind: Kind;
  readonly name: string;
  readonly namespace: string | null;
  /** May repeat values that are already set. */
  readonly patch?: Patch;
  /** Finds why earlier edits are not rolled out yet; null once they are. The edit is written only after that. */
  readonly waitFor?: (cluster: ClusterReader) => Promise<PendingReason | null>;
  /** Creates a missing object; without it, a missing object needs no edit. */
  readonly create?: () => NewObject;
  /** Whether the edit deletes the object. A function if that depends on the current object. */
  readonly isRemoval?: boolean | ((current: KubeObject) => boolean);
  /** How undo treats an object that this edit created. Without it, undo deletes the object unless it was changed. */
  readonly createdObjectPolicy?: CreatedObjectPolicy;
  /** The object that the new one is cloned from, to show the differences. */
  readonly copyOf?: KubeObject;
  /** Lists whose entries can belong to different owners. */
  readonly keyedLists?: readonly KeyedList[];
  /** Fields that hold YAML text, of which the edit sets parts. */
  readonly yamlFields?: readonly (readonly string[])[];
}

/**
 * How undo treats an object that a move created. `whole`: delete it. `parts`: delete it if nothing else is in it.
 * `stays`: keep it.
 */
export type CreatedObjectPolicy = 'whole' | 'parts' | 'stays';

/**
 * A list whose entries have different owners and are compared one by one. `keys`: the fields that identify an entry.
 */
export interface KeyedList {
  readonly path: readonly string[];
  readonly keys: readonly string[];
}

/** Whether the edit deletes this object. */
export function shouldRemove({ isRemoval = false }: Edit, current: KubeObject): boolean {
  return typeof isRemoval === 'function' ? isRemoval(current) : isRemoval;
}

/** A change for the user to compare: YAML of the fields that change. */
export interface MoveChange {
  readonly object: string;
  /** A generated file, not an object of the cluster. */
  readonly isFile?: boolean;
  readonly before: string | null;
  readonly after: string | null;
  /** The managers of the changed fields; absent if there are none. */
  readonly managers?: readonly ChangeManager[];
  /** Identifies the object; absent for a file. */
  readonly editTarget?: EditTarget;
  /** The object that a new one is cloned from; absent if it is no clone. */
  readonly copyOf?: { readonly object: string; readonly text: string };
}

/** Identifies the object that an edit changes. */
export type EditTarget = Pick<Edit, 'kind' | 'name' | 'namespace'>;

/** A manager of fields that a move changes. */
interface ChangeManager {
  /** A GitOps product (Argo CD), or the field manager as the API names it. */
  readonly name: string;
  /** The manager reverts changes that others make. */
  readonly isGitOps: boolean;
}

/**
 * Formats the name of the edited object: `Node i1.ocp45.example.localdomain`, `IngressController
 * openshift-ingress-operator/default`.
 */
export function formatObjectName({ kind, name, namespace }: EditTarget): string {
  return `${getObjectKind(kind)} ${namespace === null ? '' : `${namespace}/`}${name}`;
}

/**
 * Names the objects of changes in few words, for a cell of a table: the first without its namespace, and the number of
 * the others; empty if nothing changes.
 */
export function summarizeObjects(changes: readonly Pick<MoveChange, 'object' | 'editTarget' | 'isFile'>[]): string {
  const [first] = changes;
  if (first === undefined) return '';
  const { editTarget } = first;
  const name =
    editTarget === undefined ? formatChangedObject(first) : formatObjectName({ ...editTarget, namespace: null });
  return catalogue().moves.objects(name, new Set(changes.map((change) => change.object)).size - 1);
}

/** Describes what the edit would change; null if it changes nothing. */
export function describeChange(edit: Edit, current: KubeObject | null): MoveChange | null {
  const { kind, name, namespace } = edit;
  const commonFields = { object: formatObjectName(edit), editTarget: { kind, name, namespace } };
  if (current === null)
    return edit.create ? { ...commonFields, before: null, ...describeCreation(edit.create(), edit) } : null;
  if (shouldRemove(edit, current)) return { ...commonFields, before: toYaml({ spec: current.spec }), after: null };
  const patch = edit.patch?.(current) ?? {};
  if (isApplied(current, patch)) return null;
  const managers = findChangeManagers(current, patch);
  return {
    ...commonFields,
    before: formatFields(pickPatchedFields(current, patch)),
    after: toYaml(applyMergePatch({}, patch)),
    ...(managers.length > 0 ? { managers } : {}),
  };
}

/** Finds the GitOps products that manage the object, then other managers of existing fields that the patch changes. */
function findChangeManagers(current: KubeObject, patch: JsonObject): ChangeManager[] {
  const paths = listPatchPaths(patch).filter((path) => {
    const value = path.reduce<Json | undefined>(
      (parent, key) => (isJsonObject(parent) ? parent[key] : undefined),
      patch,
    );
    return value !== undefined && !isApplied(getField(current, ...path), value);
  });
  const products = listGitOpsProducts(current);
  const otherManagers = listManagersOfFields(current, paths).filter(
    ({ name }) => name !== OWN_FIELD_MANAGER && findGitOpsProduct(name) === null,
  );
  return [
    ...products.map((name): ChangeManager => ({ name, isGitOps: true })),
    ...[...new Set(otherManagers.map(({ name }) => name))].map((name): ChangeManager => ({ name, isGitOps: false })),
  ];
}

/** The field manager of our own writes (`fieldManager` of the client). */
const OWN_FIELD_MANAGER = 'upi-wizard';

/**
 * Returns the new object as YAML; for a clone, its source as well. Both start with name and labels, so that these
 * differences come first.
 */
function describeCreation(object: NewObject, { copyOf, ...edit }: Edit): Pick<MoveChange, 'after' | 'copyOf'> {
  const { metadata, ...rest } = object;
  if (copyOf === undefined) return { after: toYaml(rest) };
  const { name, labels = {} } = copyOf.metadata;
  const text = toYaml({ metadata: { name, labels }, spec: copyOf.spec });
  const { labels: ownLabels = {} } = metadata;
  const after = toYaml({ metadata: { name: metadata.name, labels: ownLabels }, ...rest });
  return { after, copyOf: { object: formatObjectName({ ...edit, name }), text } };
}

/** Formats a value as YAML, sanitized for the screen. */
export function toYaml(value: unknown): string {
  return sanitize(
    formatPlainYaml(value) ?? stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }),
    Number.POSITIVE_INFINITY,
  );
}

/** Applies a JSON merge patch (RFC 7386): null removes a field, a list replaces the whole list. */
export function applyMergePatch(current: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const mergedObject: Record<string, unknown> = isJsonObject(current) ? { ...current } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete mergedObject[key];
    else mergedObject[key] = applyMergePatch(mergedObject[key], value);
  }
  return mergedObject;
}

/**
 * Whether the merge patch would change nothing. Compares whole lists, and ignores the time that the API adds to a
 * taint.
 */
export function isApplied(current: unknown, patch: Json): boolean {
  if (patch === null) return current === undefined || current === null;
  if (Array.isArray(patch))
    return Array.isArray(current) && isDeepStrictEqual(current.map(omitTimeAdded), patch.map(omitTimeAdded));
  if (!isJsonObject(patch)) return current === patch;
  if (!isJsonObject(current)) return false;
  return Object.entries(patch).every(([key, value]) => isApplied(current[key], value));
}

/** Omits the time that the API adds to a taint. */
export function omitTimeAdded(entry: unknown): unknown {
  if (!isJsonObject(entry)) return entry;
  const { timeAdded: _time, ...rest } = entry;
  return rest;
}

/** Returns a merge patch that sets a map to exactly these keys: it removes all others. */
export function replaceMapPatch(current: unknown, values: JsonObject): JsonObject {
  const surplusKeys = isJsonObject(current) ? Object.keys(current).filter((key) => !(key in values)) : [];
  return { ...Object.fromEntries(surplusKeys.map((key) => [key, null])), ...values };
}

/**
 * Returns the part of an object that a patch touches. A map of which the patch touches no existing key is left out: an
 * empty one would look as if its other keys were lost.
 */
function pickPatchedFields(current: unknown, patch: Json): unknown {
  if (!isJsonObject(patch) || !isJsonObject(current)) return current;
  return Object.fromEntries(
    Object.keys(patch)
      .filter((key) => current[key] !== undefined)
      .map((key) => [key, pickPatchedFields(current[key], patch[key] ?? null)] as const)
      .filter(([, value]) => !isEmptyMap(value)),
  );
}

const isEmptyMap = (value: unknown) => isJsonObject(value) && Object.keys(value).length === 0;

/** Formats fields as YAML; empty if the object has none of the fields that the patch sets. */
const formatFields = (fields: unknown) => (isEmptyMap(fields) ? '' : toYaml(fields));

/** Whether a JSON value is an object, not a list and not null. */
export function isJsonObject(value: unknown): value is { readonly [key: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
