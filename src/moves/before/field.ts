import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../objects/object.ts';
import { isFields, type OwnEntries } from '../edit.ts';

/** A step into a value: a field, or the entry of a list that has these values (a taint: its key and effect). */
export type PathStep = string | Readonly<Record<string, string>>;
export type Path = readonly PathStep[];

/** One field that a write of ours changed. A value that is left out: the field was not there, or is not there any more. */
export interface Field {
  readonly path: Path;
  readonly before?: Json | undefined;
  readonly ours?: Json | undefined;
  /** So many steps of the path were there before; what lies deeper goes again when nothing is left in it. */
  readonly depth: number;
  /** The place that the entry of a list had before. */
  readonly index?: number | undefined;
}

/** How a field is now. `same`: as before our write. `ours`: as we wrote it. `changed`: somebody else changed it since. */
export type FieldState = 'same' | 'ours' | 'changed';

/** The fields in which two values differ. A list is one value, unless its entries have owners of their own. */
export function changedFields(
  before: unknown,
  after: unknown,
  lists: readonly OwnEntries[] = [],
  path: readonly string[] = [],
  depth = 0,
): Field[] {
  // A merge patch cannot write null, and to operators it is as good as unset.
  if (before === null) return changedFields(undefined, after, lists, path, depth);
  const there = before === undefined ? depth : path.length;
  const entries = lists.find((list) => isDeepStrictEqual(list.path, path));
  if (entries) return changedEntries(listOf(before), listOf(after), entries, there);
  const isMapping = isFields(after) && (before === undefined ? Object.keys(after).length > 0 : isFields(before));
  if (isMapping) {
    const old = isFields(before) ? before : {};
    const keys = [...new Set([...Object.keys(old), ...Object.keys(after)])];
    return keys.flatMap((key) => changedFields(old[key], after[key], lists, [...path, key], there));
  }
  if (isDeepStrictEqual(before, after)) return [];
  return [{ path, before: before as Json | undefined, ours: after as Json | undefined, depth: there }];
}

function changedEntries(before: readonly Json[], after: readonly Json[], { path, by }: OwnEntries, depth: number) {
  const steps = new Map<string, Record<string, string>>();
  for (const entry of [...before, ...after]) {
    const step = Object.fromEntries(by.map((key) => [key, String(isFields(entry) ? (entry[key] ?? '') : '')]));
    steps.set(JSON.stringify(step), step);
  }
  return [...steps.values()].flatMap((step): Field[] => {
    const index = before.findIndex((entry) => fits(entry, step));
    const old = before[index];
    const now = after.find((entry) => fits(entry, step));
    if (isSame(old, now)) return [];
    return [{ path: [...path, step], before: old, ours: now, depth, ...(index < 0 ? {} : { index }) }];
  });
}

/** The value at a path; undefined where there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((here, step) => {
    if (typeof step !== 'string') return listOf(here).find((entry) => fits(entry, step));
    return isFields(here) && Object.hasOwn(here, step) ? here[step] : undefined;
  }, value);
}

/** How the field is in this value. @param ours all that we wrote there */
export function stateOf(
  value: unknown,
  { path, before, ours }: Omit<Field, 'ours'> & { readonly ours: readonly unknown[] },
): FieldState {
  const now = valueAt(value, path);
  if (isSame(now, before)) return 'same';
  return ours.some((each) => isSame(now, each)) ? 'ours' : 'changed';
}

/** The value with the field as it was before. Mappings and lists that our write made go when nothing is left in them. */
export function withFieldBack(value: unknown, field: Omit<Field, 'ours'>, at = 0): unknown {
  const { path, before, depth, index } = field;
  if (at === path.length) return before;
  if (value === undefined && before === undefined) return undefined;
  const step = path[at] ?? '';
  const isOfOurs = at > depth;
  if (typeof step === 'string') {
    const { [step]: found, ...rest } = isFields(value) ? value : {};
    const child = withFieldBack(found, field, at + 1);
    if (child !== undefined) return { ...rest, [step]: child };
    return isOfOurs && Object.keys(rest).length === 0 ? undefined : rest;
  }
  const rest = listOf(value).filter((entry) => !fits(entry, step));
  const own = listOf(value).find((entry) => fits(entry, step));
  const child = withFieldBack(own, field, at + 1) as Json | undefined;
  const list = child === undefined ? rest : rest.toSpliced(Math.min(index ?? rest.length, rest.length), 0, child);
  return isOfOurs && list.length === 0 ? undefined : list;
}

/** The merge patch (RFC 7386) that makes one mapping the other. */
export function patchBetween(now: unknown, wanted: unknown): Record<string, Json> {
  const [old, next] = [isFields(now) ? now : {}, isFields(wanted) ? wanted : {}];
  const patch: Record<string, Json> = {};
  for (const key of new Set([...Object.keys(old), ...Object.keys(next)])) {
    const [was, is] = [old[key], next[key]];
    if (isDeepStrictEqual(was, is)) continue;
    if (is === undefined) patch[key] = null;
    else patch[key] = isFields(was) && isFields(is) ? patchBetween(was, is) : is;
  }
  return patch;
}

/** Whether nothing is in it but empty mappings, empty lists and what counts as unset. */
export function isBare(value: unknown): boolean {
  if (isFields(value)) return Object.values(value).every(isBare);
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || value === false || value === '' || value === 0;
}

/** `spec.nodePlacement`, `spec.taints[node-role.kubernetes.io/infra:NoSchedule]`. */
export function pathName(path: Path): string {
  const names = path.map((step) => (typeof step === 'string' ? `.${step}` : `[${Object.values(step).join(':')}]`));
  return names.join('').replace(/^\./, '');
}

function fits(entry: unknown, step: Readonly<Record<string, string>>): boolean {
  return isFields(entry) && Object.entries(step).every(([key, value]) => (entry[key] ?? '') === value);
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Ignores the time that the API adds to a taint. What is null is as good as not there. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(timeless(one ?? undefined), timeless(other ?? undefined));
}

function timeless(value: unknown): unknown {
  if (!isFields(value)) return value;
  const { timeAdded: _time, ...rest } = value;
  return rest;
}
