import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { UserError } from '../../../i18n/user-error.ts';
import type { MoveFailure, Traffic } from '../../../infra/context.ts';
import type { MoveName } from '../../../infra/moves.ts';
import * as z from '../../../platform/zod.ts';
import { type NdjsonFile, openNdjsonFile } from '../../../session/ndjson-file.ts';
import { parseFacts, type StepFacts, type StepState, withOverlay } from '../../step-state.ts';
import { workspace } from '../workspace.ts';

// The job that carries out infra moves and the programs that follow it share one file of records, to which both append.
// They communicate only through it: a question, its answer and the end of the job survive the end of any of these
// programs.

const text = z.string();
/** Not compared with the table of moves: every session reads these records, and few need the moves. */
const moveName = z.custom<MoveName>((value) => typeof value === 'string' && /^[a-z-]+$/.test(value));
const changeSchema = z
  .object({
    object: text,
    isFile: z.boolean().optional(),
    what: text,
    before: text.nullable(),
    after: text.nullable(),
    copyOf: z.object({ object: text, text }).optional(),
  })
  .readonly();
const userErrorSchema = z.object({ code: text, title: text, cause: text, remedy: text }).readonly();

const requestSchema = z
  .object({
    type: z.literal('order'),
    id: text,
    /** Milliseconds of the clock. */
    at: z.number(),
    action: z.enum(['apply', 'apply-one', 'undo']),
    /** The subject of the action, as the journal has it; null for the whole step. */
    subject: text.nullable(),
    moves: z.array(moveName).readonly(),
    /** The changes that the user confirmed; null: those that the job finds when it begins. */
    shown: z.array(changeSchema).readonly().nullable(),
    /** For an undo: consent to reset to the operators' defaults, and to overwrite changes made by others. */
    toDefaults: z.boolean(),
    overwrites: z.boolean(),
  })
  .readonly();
const questionSchema = z
  .object({
    type: z.literal('question'),
    id: text,
    move: moveName,
    /** The changes that the user has not confirmed. */
    changes: z.array(changeSchema).readonly(),
    typedConfirmation: z.object({ word: text, reason: text }).readonly().optional(),
  })
  .readonly();
const endSchema = z
  .object({
    type: z.literal('end'),
    end: z.enum(['done', 'declined', 'cancelled', 'failed']),
    userError: userErrorSchema.optional(),
    /** When it failed, in milliseconds of the clock. */
    at: z.number().optional(),
  })
  .readonly();
const trafficSchema = z.object({ requests: z.number(), failed: z.number(), failure: text.nullable() });

const recordSchema = z.discriminatedUnion('type', [
  requestSchema,
  /** The job runs. */
  z.object({ type: z.literal('begun') }).readonly(),
  z
    .object({
      type: z.literal('report'),
      line: text,
      item: z
        .object({ subject: text, state: z.enum(['begun', 'done']), detail: text.optional() })
        .readonly()
        .optional(),
    })
    .readonly(),
  /** A fact of the session that the job has recorded. */
  z.object({ type: z.literal('fact'), change: z.record(text, z.unknown()) }).readonly(),
  z.object({ type: z.literal('traffic'), move: moveName, traffic: trafficSchema }).readonly(),
  questionSchema,
  z.object({ type: z.literal('answer'), question: text, isYes: z.boolean() }).readonly(),
  endSchema,
  /** The end was shown to the user. */
  z.object({ type: z.literal('acknowledged') }).readonly(),
]);

export type MoveRequest = z.infer<typeof requestSchema>;
export type MoveQuestion = z.infer<typeof questionSchema>;
export type MoveEnd = z.infer<typeof endSchema> & { readonly userError?: UserError | undefined };
type MoveRecord = z.infer<typeof recordSchema>;

/** The last request to apply or undo infra moves, and everything that was recorded about it. */
export interface MoveRun {
  readonly request: MoveRequest;
  readonly records: readonly MoveRecord[];
  /** The job began to carry out the request. */
  readonly hasBegun: boolean;
  /** The question that waits for an answer; null if none does. */
  readonly question: MoveQuestion | null;
  /** How the job ended; null while it runs, and if it was killed. */
  readonly end: MoveEnd | null;
  readonly isAcknowledged: boolean;
}

/** The name of the job that carries out infra moves, under the jobs of the install directory. */
export const MOVES_JOB = 'infra-moves';

/** Opens the file of records of an install directory. */
export function openMoveRecords(dir: string): NdjsonFile {
  return openNdjsonFile(join(workspace(dir).jobsDir, `${MOVES_JOB}.ndjson`));
}

/** Replaces the records with a new request. The facts of the previous run must have been merged before. */
export function replaceMoveRecords(dir: string, newRequest: MoveRequest): void {
  const file = openMoveRecords(dir);
  rmSync(file.path, { force: true });
  file.append([newRequest]);
}

/**
 * The last run that was read, with the state of its file: the screen and an open question read it several times a
 * second.
 */
let lastReadRun: { readonly fingerprint: string; readonly run: MoveRun | null } | null = null;

/** Reads the last request and its records; null if there is none. Lines that cannot be read are left out. */
export function readMoveRun(dir: string): MoveRun | null {
  const recordsFile = openMoveRecords(dir);
  const fingerprint = computeFileFingerprint(recordsFile.path);
  if (fingerprint === null || lastReadRun?.fingerprint !== fingerprint) {
    const run = parseRun(recordsFile.read());
    lastReadRun = fingerprint === null ? null : { fingerprint, run };
    return run;
  }
  return lastReadRun.run;
}

/** Identifies a file and its content: records are appended, and a new request is a new file. Null: not readable. */
function computeFileFingerprint(path: string): string | null {
  try {
    const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
    return [path, dev, ino, size, mtimeNs].join(' ');
  } catch {
    return null;
  }
}

function parseRun(lines: readonly string[]): MoveRun | null {
  const records = lines.flatMap(parseRecord);
  const [firstRecord] = records;
  if (firstRecord?.type !== 'order') return null;
  const answeredIds = new Set(records.flatMap((entry) => (entry.type === 'answer' ? [entry.question] : [])));
  const endRecord = records.findLast((entry) => entry.type === 'end') ?? null;
  const lastQuestion = records.findLast((entry) => entry.type === 'question') ?? null;
  return {
    request: firstRecord,
    records,
    hasBegun: records.some(({ type }) => type === 'begun'),
    question: lastQuestion === null || endRecord !== null || answeredIds.has(lastQuestion.id) ? null : lastQuestion,
    end: endRecord,
    isAcknowledged: records.some(({ type }) => type === 'acknowledged'),
  };
}

function parseRecord(line: string): MoveRecord[] {
  try {
    const parseResult = recordSchema.safeParse(JSON.parse(line));
    return parseResult.success ? [parseResult.data] : [];
  } catch {
    return [];
  }
}

/** Returns the move that was begun last and is not done, or else the last one that was done; null before the first. */
export function findCurrentMove({ records }: Pick<MoveRun, 'records'>): MoveName | null {
  const items = records.flatMap((entry) => (entry.type === 'report' && entry.item ? [entry.item] : []));
  return (items.at(-1)?.subject as MoveName | undefined) ?? null;
}

/** Finds the failure of a run that ended while it applied a move; null if it did not, and after an undo. */
export function findMoveFailure({ request, records, end }: MoveRun): MoveFailure | null {
  const item = records.flatMap((entry) => (entry.type === 'report' && entry.item ? [entry.item] : [])).at(-1);
  if (end?.userError === undefined || request.action === 'undo' || item?.state !== 'begun') return null;
  return { move: item.subject as MoveName, reason: end.userError.cause, at: end.at ?? null };
}

/** Returns the requests of users during the current move; null if there were none. */
export function findTraffic({ records }: Pick<MoveRun, 'records'>): (Traffic & { readonly move: MoveName }) | null {
  const lastTraffic = records.findLast((entry) => entry.type === 'traffic');
  return lastTraffic === undefined ? null : { move: lastTraffic.move, ...lastTraffic.traffic };
}

/**
 * Creates a state that reads the facts of the session and records every change for the holder of its lock. Of a map
 * only the entries that change are recorded: the holder may change the others meanwhile.
 */
export function createRecordingState(base: StepState, file: Pick<NdjsonFile, 'append'>): StepState {
  const state = withOverlay(base);
  return {
    get: state.get,
    set(name, value) {
      file.append([{ type: 'fact', change: { [name]: toFactChange(state.get(name), value) } }]);
      state.set(name, value);
    },
    setAll(changes) {
      const change = Object.fromEntries(
        Object.entries(changes).map(([name, value]) => [name, toFactChange(state.get(name as keyof StepFacts), value)]),
      );
      file.append([{ type: 'fact', change }]);
      state.setAll(changes);
    },
  };
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the change of a fact. A removed entry of a map is null. */
function toFactChange(oldValue: unknown, newValue: unknown): unknown {
  if (!isMap(newValue)) return newValue;
  const oldEntries = isMap(oldValue) ? oldValue : {};
  const changedEntries = Object.entries(newValue).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(oldEntries[key]),
  );
  const removedKeys = Object.keys(oldEntries).filter((key) => !Object.hasOwn(newValue, key));
  return Object.fromEntries([...changedEntries, ...removedKeys.map((key) => [key, null])]);
}

function applyFactChange(oldValue: unknown, factChange: unknown): unknown {
  if (!isMap(factChange)) return factChange;
  const mergedEntries = { ...(isMap(oldValue) ? oldValue : {}), ...factChange };
  return Object.fromEntries(Object.entries(mergedEntries).filter(([, value]) => value !== null));
}

/**
 * Merges the facts that the job has recorded into those of the session. Each is merged once, in the order in which they
 * were recorded, and all are saved at once.
 */
export function mergeMoveFacts({ request: { id }, records }: MoveRun, stepState: StepState): void {
  const facts = records.flatMap((entry) => (entry.type === 'fact' ? [entry.change] : []));
  const mergedRun = stepState.get('moves-run');
  const mergedCount = mergedRun?.id === id ? mergedRun.facts : 0;
  if (facts.length <= mergedCount) return;
  const changedFacts: StepFacts = {};
  const read = (name: keyof StepFacts) =>
    Object.hasOwn(changedFacts, name) ? changedFacts[name] : stepState.get(name);
  for (const change of facts.slice(mergedCount)) {
    const nextEntries = Object.entries(change).map(([name, value]) => [
      name,
      applyFactChange(read(name as keyof StepFacts), value),
    ]);
    Object.assign(changedFacts, parseFacts(Object.fromEntries(nextEntries)).facts);
  }
  stepState.setAll({ ...changedFacts, 'moves-run': { id, facts: facts.length } });
}

/**
 * Merges the facts that the job of an install directory has recorded so far. Only the holder of the lock saves them.
 */
export function mergeJobFacts({ dir, stepState }: { readonly dir: string; readonly stepState: StepState }): void {
  const run = readMoveRun(dir);
  if (run !== null) mergeMoveFacts(run, stepState);
}
