import { existsSync, lstatSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../platform/clock.ts';
import { appendDurably, ensureDirectory } from '../platform/files.ts';
import * as z from '../platform/zod.ts';
import { diffStates } from './patch.ts';
import { moveAside, readSafely } from './safe-file.ts';
import type { ChecksummedState } from './state.ts';

// A separate module: code that only writes the journal does not load its reader.

/** Number of rotated files that are kept. */
const MAX_ROTATED_FILES = 5;

/** Returns all journal files of an install directory, the newest first; only the newest is written. */
export function listJournalFiles(dir: string): readonly [string, ...string[]] {
  const rotatedFiles = Array.from({ length: MAX_ROTATED_FILES }, (_, index) =>
    join(dir, '.upi-wizard', `journal.${index + 1}.ndjson`),
  );
  return [join(dir, '.upi-wizard', 'journal.ndjson'), ...rotatedFiles];
}

/**
 * Appends events with the current time; the lines are on disk when it returns. Needs no lock.
 * @throws the system's error; then no line was written
 */
export function appendToJournal(dir: string, events: readonly JournalEvent[]): void {
  const [file] = listJournalFiles(dir);
  const at = new Date(systemClock.now()).toISOString();
  appendJsonLines(
    file,
    events.map((event) => ({ at, ...event })),
  );
}

/**
 * Appends JSON values to a file, one on each line; creates the file and its directory. Writes ASCII only, so that
 * displaying the file shows no invisible or control characters.
 * @throws the system's error; then no line was written
 */
export function appendJsonLines(file: string, values: readonly object[]): void {
  const lines = values.map((value) => `${JSON.stringify(value)}\n`).join('');
  ensureDirectory(dirname(file));
  appendDurably(
    file,
    lines.replace(/[\u007f-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

const at = z.string().refine((text) => !Number.isNaN(Date.parse(text)));
const serial = z.number().int();
const outcome = z.enum(['done', 'failed', 'cancelled']);

const path = z.string();
const patchOperation = z.discriminatedUnion('op', [
  z.object({ op: z.literal('add'), path, value: z.unknown() }),
  z.object({ op: z.literal('replace'), path, value: z.unknown() }),
  z.object({ op: z.literal('remove'), path }),
]);

const lineSchema = z.discriminatedUnion('type', [
  /** The complete state, from which recovery starts. */
  z.object({ type: z.literal('snapshot'), at, serial, checksum: z.string(), state: z.record(z.string(), z.unknown()) }),
  /** A save: the changes (RFC 6902), and the checksum of the state after it. */
  z.object({
    type: z.literal('saved'),
    at,
    serial,
    checksum: z.string(),
    patch: z.array(patchOperation).readonly(),
  }),
  /** The lock was acquired or released: program, user, and the address of the login. */
  z.object({ type: z.literal('opened'), at, program: z.string(), user: z.string(), from: z.string().nullable() }),
  z.object({ type: z.literal('left'), at, program: z.string() }),
  /** Start and end of an action of a step. `subject`: the part that the action concerns. */
  z.object({
    type: z.literal('begun'),
    at,
    id: z.string(),
    step: z.string(),
    action: z.string(),
    subject: z.string().nullable(),
    siteAt: at.optional(),
  }),
  z.object({
    type: z.literal('ended'),
    at,
    id: z.string(),
    outcome,
    code: z.string().nullable(),
    siteAt: at.optional(),
  }),
]);

/**
 * A line of the journal. `at`: the time of this machine, ISO 8601. `siteAt`: the time of the site if it differs (in a
 * rehearsal).
 */
export type JournalLine = z.infer<typeof lineSchema>;
type WithoutTime<Line> = Line extends unknown ? Omit<Line, 'at'> : never;
/** An event to record in the journal. */
export type JournalEvent = WithoutTime<JournalLine>;

/**
 * Parses a line of the journal.
 * @returns null for a line that is truncated, damaged or from a later version
 */
export function parseJournalLine(text: string): JournalLine | null {
  if (text === '') return null;
  try {
    const parseResult = lineSchema.safeParse(JSON.parse(text));
    return parseResult.success ? parseResult.data : null;
  } catch {
    return null;
  }
}

/** Size at which the file is rotated (bytes). */
const ROTATE_AT_BYTES = 1024 * 1024;

/** A file that starts with a large snapshot is rotated at this multiple of the snapshot's size. */
const SNAPSHOT_FACTOR = 8;

/** Reads the lines of one file, oldest first. Skips lines that are truncated, damaged or from a later version. */
export function readJournalFile(file: string): JournalLine[] {
  const result = readSafely(file);
  return result.kind === 'text' ? result.text.split('\n').flatMap((text) => parseJournalLine(text) ?? []) : [];
}

/** Reads all lines of the journal, oldest first. */
export function readJournal(dir: string): JournalLine[] {
  return listJournalFiles(dir).toReversed().flatMap(readJournalFile);
}

/**
 * Returns the lines with the time of the site instead of this machine's: in a rehearsal they differ. A line without a
 * site time gets a time between the site times before and after it.
 * @param lines oldest first
 */
export function toSiteTimes(lines: readonly JournalLine[]): JournalLine[] {
  const parseSiteTime = (line: JournalLine) => ('siteAt' in line && line.siteAt ? Date.parse(line.siteAt) : null);
  const knownTimes = lines.flatMap((line) => {
    const siteTime = parseSiteTime(line);
    return siteTime === null ? [] : [{ time: Date.parse(line.at), siteTime }];
  });
  const convert = (time: number): number => {
    const earlierTime = knownTimes.findLast((knownTime) => knownTime.time <= time);
    const laterTime = knownTimes.find((knownTime) => knownTime.time >= time);
    if (earlierTime && laterTime && laterTime.time > earlierTime.time) {
      const share = (time - earlierTime.time) / (laterTime.time - earlierTime.time);
      return earlierTime.siteTime + share * (laterTime.siteTime - earlierTime.siteTime);
    }
    const nearestTime = earlierTime ?? laterTime;
    return nearestTime ? nearestTime.siteTime + time - nearestTime.time : time;
  };
  return lines.map((line) => ({
    ...line,
    at: new Date(parseSiteTime(line) ?? convert(Date.parse(line.at))).toISOString(),
  }));
}

/** Records the saves of an install directory, for the holder of its lock. */
interface SaveJournal {
  /**
   * Records a save before it happens. The first one is a complete snapshot, so that earlier damage does not affect
   * later lines.
   * @throws the system's error
   */
  readonly recordSave: (newState: ChecksummedState) => void;
}

/** Opens the save journal of an install directory; writes nothing before the first save. */
export function openSaveJournal(dir: string): SaveJournal {
  const [file] = listJournalFiles(dir);
  let previousState: ChecksummedState | null = null;
  let limit = ROTATE_AT_BYTES;
  return {
    recordSave(newState) {
      const size = prepareJournalFile(file);
      const isRotationDue = size > limit;
      if (isRotationDue) rotateJournal(dir);
      const patch = previousState && size > 0 && !isRotationDue ? diffStates(previousState, newState) : null;
      const { checksum, ...state } = newState;
      const { serial } = newState;
      appendToJournal(dir, [
        patch ? { type: 'saved', serial, checksum, patch } : { type: 'snapshot', serial, checksum, state },
      ]);
      if (!patch)
        limit = Math.max(ROTATE_AT_BYTES, SNAPSHOT_FACTOR * (statSync(file).size - (isRotationDue ? 0 : size)));
      previousState = newState;
    },
  };
}

/**
 * Moves aside anything at the journal's path that is not a regular file.
 * @returns the size of the journal (bytes)
 */
function prepareJournalFile(file: string): number {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (stat.isFile()) return stat.size;
  moveAside(file);
  return 0;
}

function rotateJournal(dir: string): void {
  const files = listJournalFiles(dir);
  for (let number = MAX_ROTATED_FILES; number > 0; number -= 1) {
    const file = files[number - 1] ?? '';
    if (existsSync(file)) renameSync(file, files[number] ?? '');
  }
}
