import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from '../../kube/api.ts';
import { readClusterId } from '../../kube/cluster-version.ts';
import { KINDS, type Kind } from '../../openshift/kinds.ts';
import type { Json, KubeObject } from '../../openshift/object.ts';
import { systemClock } from '../../platform/clock.ts';
import * as z from '../../platform/zod.ts';
import type { NdjsonFile } from '../../session/ndjson-file.ts';
import { applyMergePatch, type CreatedObjectPolicy, type Edit } from '../edit.ts';
import type { MoveName } from '../moves.ts';
import {
  diffFields,
  diffText,
  diffYaml,
  type FieldChange,
  getValueAtPath,
  isSameValue,
  type TextPatch,
} from './field-change.ts';

/** A YAML text inside an object, such as config.yaml in a ConfigMap, that the wizard changed. Only the changed parts are
 * recorded. */
interface TextChange {
  readonly path: readonly string[];
  /** Whether there was a text before our write. */
  readonly wasThere: boolean;
  /** As in `FieldChange`: the number of path steps that existed. */
  readonly depth: number;
  /** From our text to the previous one, byte for byte. */
  readonly way: TextPatch;
  /** The same change field by field, for a text that others changed since. */
  readonly fields: readonly FieldChange[];
}

/** The previous state of an object, in every field that a write of ours changes. */
interface UndoRecord {
  readonly move: string;
  readonly kind: Kind;
  readonly namespace: string | null;
  readonly name: string;
  /** Null for an object that did not exist. */
  readonly uid: string | null;
  /** Only for an object that did not exist. */
  readonly making?: CreatedObjectPolicy | undefined;
  readonly fields: readonly FieldChange[];
  readonly texts: readonly TextChange[];
}

/**
 * Captures what undo needs, before an edit is applied.
 * @param current the object as it is; null where there is none
 */
export function captureUndoRecord(move: string, edit: Edit, current: KubeObject | null): UndoRecord {
  const { kind, namespace, name, keyedLists = [], yamlFields = [], createdObjectPolicy } = edit;
  const oldContent = current === null ? undefined : extractContent(current);
  const newContent =
    current === null
      ? extractContent(edit.create?.() ?? {})
      : extractContent(applyMergePatch(current, edit.patch?.(current) ?? {}) as KubeObject);
  const changedFields = diffFields(oldContent, newContent, keyedLists);
  const isText = ({ path }: FieldChange) => yamlFields.some((text) => text.join('\n') === path.join('\n'));
  const texts = changedFields.filter(isText).map(({ path, before: oldValue, ours, depth }): TextChange => {
    const [previousText, ourText] = [String(oldValue ?? ''), String(ours ?? '')];
    const fields = diffYaml(oldValue === undefined ? undefined : previousText, ourText);
    return {
      path: path.map(String),
      wasThere: oldValue !== undefined,
      depth,
      way: diffText(ourText, previousText),
      fields,
    };
  });
  const fields = changedFields.filter((field) => !isText(field));
  const commonFields = { move, kind, namespace, name, fields, texts };
  if (current !== null) return { ...commonFields, uid: current.metadata.uid ?? '' };
  return { ...commonFields, uid: null, making: createdObjectPolicy ?? 'whole' };
}

/**
 * Extracts the part of an object that users and operators decide, without its name, its status and the fields that the
 * API adds.
 */
export function extractContent(object: object): Record<string, unknown> {
  const { apiVersion: _version, kind: _kind, status: _status, metadata, ...rest } = object as Partial<KubeObject>;
  const { labels, annotations } = metadata ?? {};
  const userMetadata = {
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  return Object.keys(userMetadata).length === 0 ? rest : { ...rest, metadata: userMetadata };
}

/** Identifies an object: `Node//w1`. */
function formatObjectKey({ kind, namespace, name }: Pick<UndoRecord, 'kind' | 'namespace' | 'name'>): string {
  return [kind, namespace ?? '', name].join('/');
}

/** Returns the text that a field of an object holds; undefined where there is none. */
export function getTextAtPath(content: unknown, path: readonly string[]): string | undefined {
  const value = getValueAtPath(content, path);
  return typeof value === 'string' ? value : undefined;
}

const jsonSchema: z.ZodType<Json> = z.json();
const stepSchema = z.union([z.string(), z.record(z.string(), z.string())]);
const nonNegativeIntSchema = z.number().int().nonnegative();
const fieldSchema = z.object({
  path: z.array(stepSchema).readonly(),
  before: jsonSchema.optional(),
  ours: jsonSchema.optional(),
  depth: nonNegativeIntSchema,
  index: z.number().int().nonnegative().optional(),
});
const hunkSchema = z.object({
  at: nonNegativeIntSchema,
  take: nonNegativeIntSchema,
  put: z.array(z.string()).readonly(),
});
const textSchema = z.object({
  path: z.array(z.string()).readonly(),
  wasThere: z.boolean(),
  depth: nonNegativeIntSchema,
  way: z.object({ from: z.string(), to: z.string(), hunks: z.array(hunkSchema).readonly() }),
  fields: z.array(fieldSchema).readonly(),
});
const kindSchema = z.custom<Kind>((value) => typeof value === 'string' && Object.hasOwn(KINDS, value));
const identityShape = {
  cluster: z.string().nullable(),
  move: z.string(),
  kind: kindSchema,
  namespace: z.string().nullable(),
  name: z.string(),
};

const lineSchema = z.discriminatedUnion('type', [
  /** Previous state of an object, recorded before a move writes to it. */
  z.object({
    type: z.literal('before'),
    ...identityShape,
    uid: z.string().nullable(),
    making: z.enum(['whole', 'parts', 'stays']).optional(),
    fields: z.array(fieldSchema).readonly(),
    texts: z.array(textSchema).readonly(),
  }),
  /** The object is as before again. */
  z.object({ type: z.literal('returned'), ...identityShape }),
  /** Recorded before a move of the load balancers' files, and after its undo. */
  z.object({ type: z.literal('files'), cluster: identityShape.cluster, move: identityShape.move }),
  z.object({ type: z.literal('files-returned'), cluster: identityShape.cluster, move: identityShape.move }),
]);

/**
 * A line about the state of objects before our writes. `cluster`: the ID of the cluster; null where it reports none.
 */
export type UndoLogLine = z.infer<typeof lineSchema>;

/**
 * Parses a line of the undo log.
 * @returns null for a line that is truncated, damaged or of a later version
 */
function parseUndoLogLine(input: string): UndoLogLine | null {
  try {
    const parseResult = lineSchema.safeParse(JSON.parse(input));
    return parseResult.success ? parseResult.data : null;
  } catch {
    return null;
  }
}

/** The part of one object that undo has still to restore, for one move. */
export interface PendingRestore extends Omit<UndoRecord, 'texts' | 'fields'> {
  readonly fields: readonly PendingField[];
  readonly texts: readonly PendingText[];
}

/** `ours`: all values that we have written to the field, the latest last. */
export interface PendingField extends Omit<FieldChange, 'ours'> {
  readonly ours: readonly (Json | undefined)[];
}

/** `patches`: from our texts to the previous one; the last one is applied first. */
export interface PendingText extends Omit<TextChange, 'way' | 'fields'> {
  readonly patches: readonly TextChange['way'][];
  readonly fields: readonly PendingField[];
}

/**
 * Derives what undo has still to restore in a cluster from the undo log, in the order of the first writes. If a write
 * found the value of our earlier write, the value before that earlier write is restored. Otherwise others changed the
 * value in between, and their value is restored.
 */
export function derivePendingRestores(lines: readonly UndoLogLine[], cluster: string | null): PendingRestore[] {
  const restores = new Map<string, PendingRestore>();
  for (const line of lines) {
    if (line.cluster !== cluster || line.type === 'files' || line.type === 'files-returned') continue;
    const key = `${line.move} ${formatObjectKey(line)}`;
    if (line.type === 'returned') restores.delete(key);
    else restores.set(key, mergeRecords(restores.get(key), line));
  }
  return [...restores.values()];
}

/** Whether the move has replaced files with its own, and not restored the previous ones. */
function hasPlacedFiles(lines: readonly UndoLogLine[], cluster: string | null, move: string): boolean {
  const moveLines = lines.filter((line) => line.cluster === cluster && line.move === move);
  return moveLines.findLast(({ type }) => type === 'files' || type === 'files-returned')?.type === 'files';
}

function mergeRecords(
  pendingRestore: PendingRestore | undefined,
  { type: _type, cluster: _cluster, ...record }: UndoLogLine & { type: 'before' },
): PendingRestore {
  // The first record of this object: nothing is pending, or it is about an earlier object of the same name. An object
  // that we created has no uid in its pending record.
  const isFirstRecord =
    pendingRestore === undefined ||
    record.uid === null ||
    (pendingRestore.uid !== null && pendingRestore.uid !== record.uid);
  if (isFirstRecord)
    return { ...record, fields: mergeFields([], record.fields), texts: record.texts.map((text) => mergeText(text)) };
  const texts = record.texts.map((text) =>
    mergeText(
      text,
      pendingRestore.texts.find(({ path }) => isDeepStrictEqual(path, text.path)),
    ),
  );
  const isAsWeCreated = pendingRestore.uid === null && matchesOurWrite(pendingRestore, record);
  return {
    ...(isAsWeCreated ? pendingRestore : { ...record, uid: record.uid }),
    fields: mergeFields(pendingRestore.fields, record.fields),
    texts: [
      ...pendingRestore.texts.filter(({ path }) => !texts.some((text) => isDeepStrictEqual(text.path, path))),
      ...texts,
    ],
  };
}

/** Whether a write found an object as we had created it. Another object of that name must not be deleted. */
function matchesOurWrite(pendingRestore: PendingRestore, { fields, texts }: UndoRecord): boolean {
  return (
    texts.every(({ way }) => pendingRestore.texts.some(({ patches }) => patches.some(({ from }) => from === way.to))) &&
    fields.every(({ path, before }) =>
      pendingRestore.fields.some(
        (pendingField) =>
          isDeepStrictEqual(pendingField.path, path) && pendingField.ours.some((ours) => isSameValue(ours, before)),
      ),
    )
  );
}

function mergeFields(pendingFields: readonly PendingField[], changes: readonly FieldChange[]): PendingField[] {
  const mergedFields = [...pendingFields];
  for (const change of changes) {
    const index = mergedFields.findIndex(({ path }) => isDeepStrictEqual(path, change.path));
    const existingField = mergedFields[index];
    const depth = Math.min(
      change.depth,
      ...pendingFields.map((pendingField) => getExistingDepth(change, pendingField)),
    );
    const mergedField =
      existingField === undefined
        ? { ...change, depth, ours: [change.ours] }
        : mergeField(existingField, { ...change, depth });
    mergedFields.splice(index < 0 ? mergedFields.length : index, 1, mergedField);
  }
  return mergedFields;
}

/** Returns the depth of the path that existed before an earlier write created a part; infinite if it created none. */
function getExistingDepth({ path }: FieldChange, earlierField: PendingField): number {
  const differenceIndex = path.findIndex((step, index) => !isDeepStrictEqual(step, earlierField.path[index]));
  const sharedSteps = differenceIndex < 0 ? path.length : differenceIndex;
  return sharedSteps > earlierField.depth ? earlierField.depth : Number.POSITIVE_INFINITY;
}

function mergeField(pendingField: PendingField, change: FieldChange): PendingField {
  const hasOurValue = pendingField.ours.some((ours) => isSameValue(ours, change.before));
  if (hasOurValue) return { ...pendingField, ours: [...pendingField.ours, change.ours] };
  const isAsBefore = isSameValue(pendingField.before, change.before);
  return { ...(isAsBefore ? pendingField : change), ours: [change.ours] };
}

function mergeText({ way, fields, ...rest }: TextChange, pendingText?: PendingText): PendingText {
  if (pendingText === undefined) return { ...rest, patches: [way], fields: mergeFields([], fields) };
  // A patch that ends at one of our texts comes before the patch that starts there.
  const patchIndex = pendingText.patches.findIndex((patch) => patch.from === way.to);
  const patches = patchIndex < 0 ? [way] : [...pendingText.patches.slice(0, patchIndex + 1), way];
  const isAsBefore = patchIndex >= 0 || pendingText.patches[0]?.to === way.to;
  return { ...(isAsBefore ? pendingText : rest), patches, fields: mergeFields(pendingText.fields, fields) };
}

/** Records the fields that objects had before the wizard's writes. */
export interface UndoLog {
  /**
   * Records an object before a move writes to it.
   * @param current null if the object does not exist
   * @throws UserErrorException `session-unwritable`: then the write must not happen; ClusterError
   */
  readonly recordObject: (cluster: Cluster, move: MoveName, edit: Edit, current: KubeObject | null) => Promise<void>;
  /**
   * Lists the pending restores of this cluster, in the order of the first writes; null if nothing was ever recorded for
   * it.
   * @throws UserErrorException `session-unreadable`; ClusterError
   */
  readonly listPendingRestores: (cluster: Cluster) => Promise<readonly PendingRestore[] | null>;
  /** Whether a files move has put its files in place, according to the records; null as for `listPendingRestores`. */
  readonly hasPlacedFiles: (cluster: Cluster, move: MoveName) => Promise<boolean | null>;
  /** Records that a files move puts its files in place, before it does, or that it has restored the previous ones. */
  readonly recordFiles: (cluster: Cluster, move: MoveName, type: 'files' | 'files-returned') => Promise<void>;
  /** Records that an object again has all the fields that it had before this move. */
  readonly recordRestored: (cluster: Cluster, restore: PendingRestore) => Promise<void>;
}

/** Creates the undo log in a file. */
export function createUndoLog(file: NdjsonFile): UndoLog {
  const formatNow = () => new Date(systemClock.now()).toISOString();
  const readLines = async (cluster: Cluster) => {
    const allLines = file.read().flatMap((line) => parseUndoLogLine(line) ?? []);
    const id = allLines.length === 0 ? null : await getClusterId(cluster);
    return { id, lines: allLines.filter((line) => line.cluster === id) };
  };
  const append = (line: UndoLogLine) => file.append([{ at: formatNow(), ...line }]);
  return {
    async recordObject(cluster, move, edit, current) {
      append({ type: 'before', cluster: await getClusterId(cluster), ...captureUndoRecord(move, edit, current) });
    },
    async listPendingRestores(cluster) {
      const { lines, id } = await readLines(cluster);
      return lines.length === 0 ? null : derivePendingRestores(lines, id);
    },
    async hasPlacedFiles(cluster, move) {
      const { lines, id } = await readLines(cluster);
      return lines.length === 0 ? null : hasPlacedFiles(lines, id, move);
    },
    async recordFiles(cluster, move, type) {
      append({ type, cluster: await getClusterId(cluster), move });
    },
    async recordRestored(cluster, { move, kind, namespace, name }) {
      append({ type: 'returned', cluster: await getClusterId(cluster), move, kind, namespace, name });
    },
  };
}

const clusterIds = new WeakMap<Cluster, Promise<string | null>>();

/**
 * Returns the ID of the cluster: a file next to a design may later be used with another cluster. Read once per
 * connection.
 */
function getClusterId(cluster: Cluster): Promise<string | null> {
  const clusterId = clusterIds.get(cluster) ?? readClusterId(cluster);
  clusterIds.set(cluster, clusterId);
  clusterId.catch(() => clusterIds.delete(cluster));
  return clusterId;
}
