import { isDeepStrictEqual } from 'node:util';
import { KINDS, type Kind } from '../../openshift/kinds.ts';
import type { Json } from '../../openshift/object.ts';
import * as z from '../../platform/zod.ts';
import { type FieldChange, isSameValue } from './field-change.ts';
import { objectKey, type TextChange, type UndoRecord } from './undo-record.ts';

const json: z.ZodType<Json> = z.json();
const step = z.union([z.string(), z.record(z.string(), z.string())]);
const depth = z.number().int().nonnegative();
const field = z.object({
  path: z.array(step).readonly(),
  before: json.optional(),
  ours: json.optional(),
  depth,
  index: z.number().int().nonnegative().optional(),
});
const hunk = z.object({ at: depth, take: depth, put: z.array(z.string()).readonly() });
const text = z.object({
  path: z.array(z.string()).readonly(),
  wasThere: z.boolean(),
  depth,
  way: z.object({ from: z.string(), to: z.string(), hunks: z.array(hunk).readonly() }),
  fields: z.array(field).readonly(),
});
const kind = z.custom<Kind>((value) => typeof value === 'string' && Object.hasOwn(KINDS, value));
const identity = {
  cluster: z.string().nullable(),
  move: z.string(),
  kind,
  namespace: z.string().nullable(),
  name: z.string(),
};

const line = z.discriminatedUnion('type', [
  /** Previous state of an object, recorded before a move writes to it. */
  z.object({
    type: z.literal('before'),
    ...identity,
    uid: z.string().nullable(),
    making: z.enum(['whole', 'parts', 'stays']).optional(),
    fields: z.array(field).readonly(),
    texts: z.array(text).readonly(),
  }),
  /** The object is as before again. */
  z.object({ type: z.literal('returned'), ...identity }),
  /** Recorded before a move of the load balancers' files, and after its undo. */
  z.object({ type: z.literal('files'), cluster: identity.cluster, move: identity.move }),
  z.object({ type: z.literal('files-returned'), cluster: identity.cluster, move: identity.move }),
]);

/**
 * A line about the state of objects before our writes. `cluster`: the ID of the cluster; null where it reports none.
 */
export type UndoLogLine = z.infer<typeof line>;

/**
 * Parses a line of the undo log.
 * @returns null for a line that is truncated, damaged or of a later version
 */
export function parseUndoLogLine(input: string): UndoLogLine | null {
  try {
    const parsed = line.safeParse(JSON.parse(input));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** The part of one object that undo has still to restore, for one move. */
export interface PendingRestore extends Omit<UndoRecord, 'texts' | 'fields'> {
  readonly fields: readonly PendingField[];
  readonly texts: readonly PendingText[];
}

/** `ours`: all values that we wrote there since, the latest last. */
export interface PendingField extends Omit<FieldChange, 'ours'> {
  readonly ours: readonly (Json | undefined)[];
}

/** `patches`: from our texts to the previous one; the last one is applied first. */
export interface PendingText extends Omit<TextChange, 'way' | 'fields'> {
  readonly patches: readonly TextChange['way'][];
  readonly fields: readonly PendingField[];
}

/**
 * Derives what undo has still to restore in a cluster from its lines, in the order of the first writes. If a later
 * write found the value that an earlier one had left, the value before the earlier one counts; else others changed it
 * in between, and their value counts.
 */
export function derivePendingRestores(lines: readonly UndoLogLine[], cluster: string | null): PendingRestore[] {
  const restores = new Map<string, PendingRestore>();
  for (const each of lines) {
    if (each.cluster !== cluster || each.type === 'files' || each.type === 'files-returned') continue;
    const key = `${each.move} ${objectKey(each)}`;
    if (each.type === 'returned') restores.delete(key);
    else restores.set(key, mergeRecords(restores.get(key), each));
  }
  return [...restores.values()];
}

/** Whether the move has replaced files by its own, and not restored them. */
export function hasReplacedFiles(lines: readonly UndoLogLine[], cluster: string | null, move: string): boolean {
  const moveLines = lines.filter((each) => each.cluster === cluster && each.move === move);
  return moveLines.findLast(({ type }) => type === 'files' || type === 'files-returned')?.type === 'files';
}

function mergeRecords(
  existing: PendingRestore | undefined,
  { type: _type, cluster: _cluster, ...record }: UndoLogLine & { type: 'before' },
): PendingRestore {
  // Another object of the same name, created since; an object that we created has no uid in our line.
  const isOtherObject =
    existing === undefined || record.uid === null || (existing.uid !== null && existing.uid !== record.uid);
  if (isOtherObject)
    return { ...record, fields: mergeFields([], record.fields), texts: record.texts.map((each) => mergeText(each)) };
  const texts = record.texts.map((each) =>
    mergeText(
      each,
      existing.texts.find(({ path }) => isDeepStrictEqual(path, each.path)),
    ),
  );
  const isAsWeCreated = existing.uid === null && matchesOurWrite(existing, record);
  return {
    ...(isAsWeCreated ? existing : { ...record, uid: record.uid }),
    fields: mergeFields(existing.fields, record.fields),
    texts: [
      ...existing.texts.filter(({ path }) => !texts.some((each) => isDeepStrictEqual(each.path, path))),
      ...texts,
    ],
  };
}

/** Whether a write found an object as we had created it. Another one of that name must not be deleted. */
function matchesOurWrite(existing: PendingRestore, { fields, texts }: UndoRecord): boolean {
  return (
    texts.every(({ way }) => existing.texts.some(({ patches }) => patches.some(({ from }) => from === way.to))) &&
    fields.every(({ path, before }) =>
      existing.fields.some(
        (pendingField) =>
          isDeepStrictEqual(pendingField.path, path) && pendingField.ours.some((ours) => isSameValue(ours, before)),
      ),
    )
  );
}

function mergeFields(existing: readonly PendingField[], changes: readonly FieldChange[]): PendingField[] {
  const all = [...existing];
  for (const each of changes) {
    const index = all.findIndex(({ path }) => isDeepStrictEqual(path, each.path));
    const existingField = all[index];
    const depth = Math.min(each.depth, ...existing.map((one) => getExistingDepth(each, one)));
    const mergedField =
      existingField === undefined
        ? { ...each, depth, ours: [each.ours] }
        : mergeField(existingField, { ...each, depth });
    all.splice(index < 0 ? all.length : index, 1, mergedField);
  }
  return all;
}

/** Depth of the path that existed before an earlier write created a part of it; infinite if it created none. */
function getExistingDepth({ path }: FieldChange, earlier: PendingField): number {
  const differenceIndex = path.findIndex((step, index) => !isDeepStrictEqual(step, earlier.path[index]));
  const sharedSteps = differenceIndex < 0 ? path.length : differenceIndex;
  return sharedSteps > earlier.depth ? earlier.depth : Number.POSITIVE_INFINITY;
}

function mergeField(existing: PendingField, change: FieldChange): PendingField {
  const hasOurValue = existing.ours.some((ours) => isSameValue(ours, change.before));
  if (hasOurValue) return { ...existing, ours: [...existing.ours, change.ours] };
  const isAsBefore = isSameValue(existing.before, change.before);
  return { ...(isAsBefore ? existing : change), ours: [change.ours] };
}

function mergeText({ way, fields, ...rest }: TextChange, existing?: PendingText): PendingText {
  if (existing === undefined) return { ...rest, patches: [way], fields: mergeFields([], fields) };
  // A patch that ends at one of our texts comes before the patch that starts there.
  const from = existing.patches.findIndex((each) => each.from === way.to);
  const patches = from < 0 ? [way] : [...existing.patches.slice(0, from + 1), way];
  const isAsBefore = from >= 0 || existing.patches[0]?.to === way.to;
  return { ...(isAsBefore ? existing : rest), patches, fields: mergeFields(existing.fields, fields) };
}
