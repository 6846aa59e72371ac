import { isDeepStrictEqual } from 'node:util';
import { KINDS, type Kind } from '../../objects/kinds.ts';
import type { Json } from '../../objects/object.ts';
import * as z from '../../ports/zod.ts';
import { type Field, isSame } from './field.ts';
import { type Before, objectKey, type TextField } from './record.ts';

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
const of = {
  cluster: z.string().nullable(),
  move: z.string(),
  kind,
  namespace: z.string().nullable(),
  name: z.string(),
};

const line = z.discriminatedUnion('type', [
  /** What an object had, before a move writes to it. */
  z.object({
    type: z.literal('before'),
    ...of,
    uid: z.string().nullable(),
    making: z.enum(['whole', 'parts', 'stays']).optional(),
    fields: z.array(field).readonly(),
    texts: z.array(text).readonly(),
  }),
  /** The object has all of it again. */
  z.object({ type: z.literal('returned'), ...of }),
  /** Before a move of the load balancers' files, and after its undo. */
  z.object({ type: z.literal('files'), cluster: of.cluster, move: of.move }),
  z.object({ type: z.literal('files-returned'), cluster: of.cluster, move: of.move }),
]);

/** A line about what objects had before our writes. `cluster`: the id of the cluster; null where it says none. */
export type BeforeLine = z.infer<typeof line>;

/** @returns null for a line that is torn, damaged or of a later program */
export function parseBeforeLine(from: string): BeforeLine | null {
  try {
    const parsed = line.safeParse(JSON.parse(from));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** What is still to be given back of one object to what it had before a move. */
export interface Kept extends Omit<Before, 'texts' | 'fields'> {
  readonly fields: readonly KeptField[];
  readonly texts: readonly KeptText[];
}

/** `ours`: all that we wrote there since, the last one last. */
export interface KeptField extends Omit<Field, 'ours'> {
  readonly ours: readonly (Json | undefined)[];
}

/** `ways`: from our texts to the one before, the last one first to go. */
export interface KeptText extends Omit<TextField, 'way' | 'fields'> {
  readonly ways: readonly TextField['way'][];
  readonly fields: readonly KeptField[];
}

/**
 * What the lines of a cluster leave to be given back, in the order in which it was first written. Where a later write
 * found what an earlier one had left, the value of before the earlier one counts; else somebody had changed it between,
 * and theirs counts.
 */
export function keptOf(lines: readonly BeforeLine[], cluster: string | null): Kept[] {
  const kept = new Map<string, Kept>();
  for (const each of lines) {
    if (each.cluster !== cluster || each.type === 'files' || each.type === 'files-returned') continue;
    const key = `${each.move} ${objectKey(each)}`;
    if (each.type === 'returned') kept.delete(key);
    else kept.set(key, joined(kept.get(key), each));
  }
  return [...kept.values()];
}

/** Whether the move has put its files in place of others, and not given those back. */
export function hasPutFiles(lines: readonly BeforeLine[], cluster: string | null, move: string): boolean {
  const own = lines.filter((each) => each.cluster === cluster && each.move === move);
  return own.findLast(({ type }) => type === 'files' || type === 'files-returned')?.type === 'files';
}

function joined(
  old: Kept | undefined,
  { type: _type, cluster: _cluster, ...next }: BeforeLine & { type: 'before' },
): Kept {
  // Another object of the same name, made since; what we made ourselves has no uid in our line.
  const isOther = old === undefined || next.uid === null || (old.uid !== null && old.uid !== next.uid);
  if (isOther)
    return { ...next, fields: joinedFields([], next.fields), texts: next.texts.map((each) => keptText(each)) };
  const texts = next.texts.map((each) =>
    keptText(
      each,
      old.texts.find(({ path }) => isDeepStrictEqual(path, each.path)),
    ),
  );
  const isOurs = old.uid === null && isFoundAsLeft(old, next);
  return {
    ...(isOurs ? old : { ...next, uid: next.uid }),
    fields: joinedFields(old.fields, next.fields),
    texts: [...old.texts.filter(({ path }) => !texts.some((each) => isDeepStrictEqual(each.path, path))), ...texts],
  };
}

/** Whether a write found an object as we had made it. Another one of that name is not ours to delete. */
function isFoundAsLeft(old: Kept, { fields, texts }: Before): boolean {
  return (
    texts.every(({ way }) => old.texts.some(({ ways }) => ways.some(({ from }) => from === way.to))) &&
    fields.every(({ path, before }) =>
      old.fields.some(
        (known) => isDeepStrictEqual(known.path, path) && known.ours.some((ours) => isSame(ours, before)),
      ),
    )
  );
}

function joinedFields(old: readonly KeptField[], next: readonly Field[]): KeptField[] {
  const all = [...old];
  for (const each of next) {
    const place = all.findIndex(({ path }) => isDeepStrictEqual(path, each.path));
    const known = all[place];
    const depth = Math.min(each.depth, ...old.map((one) => madeAbove(each, one)));
    const joint = known === undefined ? { ...each, depth, ours: [each.ours] } : joinedField(known, { ...each, depth });
    all.splice(place < 0 ? all.length : place, 1, joint);
  }
  return all;
}

/** How deep the path was there before an earlier write made a part of it. */
function madeAbove({ path }: Field, earlier: KeptField): number {
  const differs = path.findIndex((step, index) => !isDeepStrictEqual(step, earlier.path[index]));
  const shared = differs < 0 ? path.length : differs;
  return shared > earlier.depth ? earlier.depth : Number.POSITIVE_INFINITY;
}

function joinedField(known: KeptField, next: Field): KeptField {
  const isOurs = known.ours.some((ours) => isSame(ours, next.before));
  if (isOurs) return { ...known, ours: [...known.ours, next.ours] };
  const isAsBefore = isSame(known.before, next.before);
  return { ...(isAsBefore ? known : next), ours: [next.ours] };
}

function keptText({ way, fields, ...rest }: TextField, old?: KeptText): KeptText {
  if (old === undefined) return { ...rest, ways: [way], fields: joinedFields([], fields) };
  // Where this one begins at our last text, it comes before the way from there.
  const from = old.ways.findIndex((each) => each.from === way.to);
  const ways = from < 0 ? [way] : [...old.ways.slice(0, from + 1), way];
  const isAsBefore = from >= 0 || old.ways[0]?.to === way.to;
  return { ...(isAsBefore ? old : rest), ways, fields: joinedFields(old.fields, fields) };
}
