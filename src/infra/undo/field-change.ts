import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../openshift/object.ts';
import { isJsonObject, type KeyedList } from '../edit.ts';

/** A step into a value: a field, or the list entry with these values (a taint: its key and effect). */
type PathStep = string | Readonly<Record<string, string>>;
type ValuePath = readonly PathStep[];

/**
 * One field that a write of ours changed. `before` is undefined for a field that did not exist, `ours` for one that we
 * removed.
 */
export interface FieldChange {
  readonly path: ValuePath;
  readonly before?: Json | undefined;
  readonly ours?: Json | undefined;
  /** Number of path steps that existed before; deeper levels are removed again when they are empty. */
  readonly depth: number;
  /** The position that the list entry had before. */
  readonly index?: number | undefined;
}

/**
 * The state of a field now. `same`: as before our write. `ours`: as we wrote it. `changed`: others changed it since.
 */
export type FieldState = 'same' | 'ours' | 'changed';

/** Lists the fields in which two values differ. A list is one value, unless its entries have different owners. */
export function diffFields(
  before: unknown,
  after: unknown,
  lists: readonly KeyedList[] = [],
  path: readonly string[] = [],
  depth = 0,
): FieldChange[] {
  // A merge patch cannot write null, and operators treat it as unset.
  if (before === null) return diffFields(undefined, after, lists, path, depth);
  const existingDepth = before === undefined ? depth : path.length;
  const entries = lists.find((list) => isDeepStrictEqual(list.path, path));
  if (entries) return diffEntries(toList(before), toList(after), entries, existingDepth);
  const isMapping =
    isJsonObject(after) && (before === undefined ? Object.keys(after).length > 0 : isJsonObject(before));
  if (isMapping) {
    const old = isJsonObject(before) ? before : {};
    const keys = [...new Set([...Object.keys(old), ...Object.keys(after)])];
    return keys.flatMap((key) => diffFields(old[key], after[key], lists, [...path, key], existingDepth));
  }
  if (isDeepStrictEqual(before, after)) return [];
  return [{ path, before: before as Json | undefined, ours: after as Json | undefined, depth: existingDepth }];
}

function diffEntries(before: readonly Json[], after: readonly Json[], { path, keys }: KeyedList, depth: number) {
  const steps = new Map<string, Record<string, string>>();
  for (const entry of [...before, ...after]) {
    const step = Object.fromEntries(keys.map((key) => [key, String(isJsonObject(entry) ? (entry[key] ?? '') : '')]));
    steps.set(JSON.stringify(step), step);
  }
  return [...steps.values()].flatMap((step): FieldChange[] => {
    const index = before.findIndex((entry) => matchesEntry(entry, step));
    const old = before[index];
    const now = after.find((entry) => matchesEntry(entry, step));
    if (isSameValue(old, now)) return [];
    return [{ path: [...path, step], before: old, ours: now, depth, ...(index < 0 ? {} : { index }) }];
  });
}

/** Returns the value at a path; undefined where there is none. */
export function getValueAtPath(value: unknown, path: ValuePath): unknown {
  return path.reduce<unknown>((here, step) => {
    if (typeof step !== 'string') return toList(here).find((entry) => matchesEntry(entry, step));
    return isJsonObject(here) && Object.hasOwn(here, step) ? here[step] : undefined;
  }, value);
}

/**
 * Derives the state of the field in this value.
 * @param ours all values that we wrote there
 */
export function deriveFieldState(
  value: unknown,
  { path, before, ours }: Omit<FieldChange, 'ours'> & { readonly ours: readonly unknown[] },
): FieldState {
  const now = getValueAtPath(value, path);
  if (isSameValue(now, before)) return 'same';
  return ours.some((each) => isSameValue(now, each)) ? 'ours' : 'changed';
}

/**
 * Returns the value with the field as it was before. Mappings and lists that our write created are removed when they
 * are empty.
 */
export function restoreField(value: unknown, field: Omit<FieldChange, 'ours'>, position = 0): unknown {
  const { path, before, depth, index } = field;
  if (position === path.length) return before;
  if (value === undefined && before === undefined) return undefined;
  const step = path[position] ?? '';
  const isCreatedByUs = position > depth;
  if (typeof step === 'string') {
    const { [step]: found, ...rest } = isJsonObject(value) ? value : {};
    const child = restoreField(found, field, position + 1);
    if (child !== undefined) return { ...rest, [step]: child };
    return isCreatedByUs && Object.keys(rest).length === 0 ? undefined : rest;
  }
  const rest = toList(value).filter((entry) => !matchesEntry(entry, step));
  const own = toList(value).find((entry) => matchesEntry(entry, step));
  const child = restoreField(own, field, position + 1) as Json | undefined;
  const list = child === undefined ? rest : rest.toSpliced(Math.min(index ?? rest.length, rest.length), 0, child);
  return isCreatedByUs && list.length === 0 ? undefined : list;
}

/** Creates the merge patch (RFC 7386) that turns one mapping into the other. */
export function createMergePatch(now: unknown, wanted: unknown): Record<string, Json> {
  const [old, next] = [isJsonObject(now) ? now : {}, isJsonObject(wanted) ? wanted : {}];
  const patch: Record<string, Json> = {};
  for (const key of new Set([...Object.keys(old), ...Object.keys(next)])) {
    const [was, is] = [old[key], next[key]];
    if (isDeepStrictEqual(was, is)) continue;
    if (is === undefined) patch[key] = null;
    else patch[key] = isJsonObject(was) && isJsonObject(is) ? createMergePatch(was, is) : is;
  }
  return patch;
}

/** Whether a value holds nothing but empty mappings, empty lists and values that count as unset. */
export function isEmptyValue(value: unknown): boolean {
  if (isJsonObject(value)) return Object.values(value).every(isEmptyValue);
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || value === false || value === '' || value === 0;
}

/** `spec.nodePlacement`, `spec.taints[node-role.kubernetes.io/infra:NoSchedule]`. */
export function formatPath(path: ValuePath): string {
  const names = path.map((step) => (typeof step === 'string' ? `.${step}` : `[${Object.values(step).join(':')}]`));
  return names.join('').replace(/^\./, '');
}

function matchesEntry(entry: unknown, step: Readonly<Record<string, string>>): boolean {
  return isJsonObject(entry) && Object.entries(step).every(([key, value]) => (entry[key] ?? '') === value);
}

function toList(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Compares two values without the time that the API adds to a taint. Null counts as missing. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(withoutTimeAdded(one ?? undefined), withoutTimeAdded(other ?? undefined));
}

function withoutTimeAdded(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { timeAdded: _time, ...rest } = value;
  return rest;
}
