import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap } from 'yaml';
import type { Json } from '../../openshift/object.ts';
import { diffLines } from '../../platform/diff.ts';
import { computeSha256 } from '../../platform/text.ts';
import { isJsonObject, type KeyedList, omitTimeAdded } from '../edit.ts';
import { readYaml } from '../shared/yaml.ts';

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

/** Lists the fields in which two values differ. A list is one value, except the keyed `lists` with several owners. */
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
  const keyedList = lists.find((list) => isDeepStrictEqual(list.path, path));
  if (keyedList) return diffEntries(toList(before), toList(after), keyedList, existingDepth);
  const isMapping =
    isJsonObject(after) && (before === undefined ? Object.keys(after).length > 0 : isJsonObject(before));
  if (isMapping) {
    const oldFields = isJsonObject(before) ? before : {};
    const keys = [...new Set([...Object.keys(oldFields), ...Object.keys(after)])];
    return keys.flatMap((key) => diffFields(oldFields[key], after[key], lists, [...path, key], existingDepth));
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
    const oldEntry = before[index];
    const newEntry = after.find((entry) => matchesEntry(entry, step));
    if (isSameValue(oldEntry, newEntry)) return [];
    return [{ path: [...path, step], before: oldEntry, ours: newEntry, depth, ...(index < 0 ? {} : { index }) }];
  });
}

/** Returns the value at a path; undefined where there is none. */
export function getValueAtPath(value: unknown, path: ValuePath): unknown {
  return path.reduce<unknown>((container, step) => {
    if (typeof step !== 'string') return toList(container).find((entry) => matchesEntry(entry, step));
    return isJsonObject(container) && Object.hasOwn(container, step) ? container[step] : undefined;
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
  const currentValue = getValueAtPath(value, path);
  if (isSameValue(currentValue, before)) return 'same';
  return ours.some((ourValue) => isSameValue(currentValue, ourValue)) ? 'ours' : 'changed';
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
    const { [step]: currentField, ...rest } = isJsonObject(value) ? value : {};
    const child = restoreField(currentField, field, position + 1);
    if (child !== undefined) return { ...rest, [step]: child };
    return isCreatedByUs && Object.keys(rest).length === 0 ? undefined : rest;
  }
  const otherEntries = toList(value).filter((entry) => !matchesEntry(entry, step));
  const matchingEntry = toList(value).find((entry) => matchesEntry(entry, step));
  const child = restoreField(matchingEntry, field, position + 1) as Json | undefined;
  const list =
    child === undefined
      ? otherEntries
      : otherEntries.toSpliced(Math.min(index ?? otherEntries.length, otherEntries.length), 0, child);
  return isCreatedByUs && list.length === 0 ? undefined : list;
}

/** Creates the merge patch (RFC 7386) that turns one mapping into the other. */
export function createMergePatch(oldValue: unknown, newValue: unknown): Record<string, Json> {
  const [oldFields, newFields] = [isJsonObject(oldValue) ? oldValue : {}, isJsonObject(newValue) ? newValue : {}];
  const patch: Record<string, Json> = {};
  for (const key of new Set([...Object.keys(oldFields), ...Object.keys(newFields)])) {
    const [oldField, newField] = [oldFields[key], newFields[key]];
    if (isDeepStrictEqual(oldField, newField)) continue;
    if (newField === undefined) patch[key] = null;
    else
      patch[key] = isJsonObject(oldField) && isJsonObject(newField) ? createMergePatch(oldField, newField) : newField;
  }
  return patch;
}

/** Whether a value holds nothing but empty mappings, empty lists and values that count as unset. */
export function isEmptyValue(value: unknown): boolean {
  if (isJsonObject(value)) return Object.values(value).every(isEmptyValue);
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || value === false || value === '' || value === 0;
}

/** Formats the path of a field: `spec.nodePlacement`, `spec.taints[node-role.kubernetes.io/infra:NoSchedule]`. */
export function formatFieldPath(path: ValuePath): string {
  const names = path.map((step) => (typeof step === 'string' ? `.${step}` : `[${Object.values(step).join(':')}]`));
  return names.join('').replace(/^\./, '');
}

function matchesEntry(entry: unknown, step: Readonly<Record<string, string>>): boolean {
  return isJsonObject(entry) && Object.entries(step).every(([key, value]) => (entry[key] ?? '') === value);
}

function toList(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Whether two values are equal, without the time that the API adds to a taint. Null counts as missing. */
export function isSameValue(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(omitTimeAdded(a ?? undefined), omitTimeAdded(b ?? undefined));
}

/** A replacement of lines: from line `at` (0 is the first), `take` lines are removed and `put` inserted. */
interface Hunk {
  readonly at: number;
  readonly take: number;
  readonly put: readonly string[];
}

/** The patch from one text to another; lines that both share are not stored. */
export interface TextPatch {
  /** SHA-256 of the text before the patch, and of the text after it. */
  readonly from: string;
  readonly to: string;
  readonly hunks: readonly Hunk[];
}

/** Computes the patch from one text to the other. */
export function diffText(oldText: string, newText: string): TextPatch {
  // The part after the last newline is a line, too: the texts are restored byte for byte.
  const lines = diffLines(addNewline(oldText), addNewline(newText), Number.POSITIVE_INFINITY);
  const hunks: { at: number; take: number; put: string[] }[] = [];
  let at = 0;
  let isInHunk = false;
  for (const { kind, text } of lines) {
    if (kind === 'same') {
      at += 1;
      isInHunk = false;
      continue;
    }
    if (!isInHunk) hunks.push({ at, take: 0, put: [] });
    isInHunk = true;
    const hunk = hunks.at(-1);
    if (hunk === undefined) continue;
    if (kind === 'added') hunk.put.push(text);
    else {
      hunk.take += 1;
      at += 1;
    }
  }
  return { from: computeSha256(oldText), to: computeSha256(newText), hunks };
}

/** Applies patches from the newest to the oldest. Returns null if a patch does not match the text. */
export function applyPatches(text: string, patches: readonly TextPatch[]): string | null {
  return patches.reduceRight<string | null>((current, { from, to, hunks }) => {
    if (current === null || computeSha256(current) !== from) return null;
    const lines = current.split('\n');
    for (const { at, take, put } of hunks.toReversed()) lines.splice(at, take, ...put);
    const patchedText = lines.join('\n');
    return computeSha256(patchedText) === to ? patchedText : null;
  }, text);
}

/** Adds a newline, because diffLines has no line for an empty text and drops one newline at the end. */
function addNewline(text: string): string {
  return `${text}\n`;
}

type PreviousField = Omit<FieldChange, 'ours'>;

/** Parses the mapping of a YAML text; undefined for an empty or invalid text, or another type. */
export function parseYamlMapping(text: string | undefined): unknown {
  const yaml = readYaml(text ?? '');
  return 'value' in yaml && isJsonObject(yaml.value) ? yaml.value : undefined;
}

/** Lists the fields within a YAML text that differ from those of another. */
export function diffYaml(before: string | undefined, after: string): FieldChange[] {
  return diffFields(parseYamlMapping(before), parseYamlMapping(after));
}

/** Restores these fields in the text; everything else in it stays, comments too. */
export function restoreYamlFields(text: string, fields: readonly PreviousField[]): string {
  const yaml = readYaml(text);
  if ('error' in yaml) return text;
  const { document } = yaml;
  for (const field of fields) restoreInDocument(document, field);
  return document.toString({ lineWidth: 0 });
}

function restoreInDocument(document: Document, { path, before, depth }: PreviousField): void {
  if (before !== undefined) {
    document.setIn(path, document.createNode(before));
    return;
  }
  if (document.hasIn(path)) document.deleteIn(path);
  for (let length = path.length - 1; length > depth; length -= 1) {
    const parent: unknown = document.getIn(path.slice(0, length), true);
    if (isMap(parent) && parent.items.length === 0) document.deleteIn(path.slice(0, length));
  }
}
