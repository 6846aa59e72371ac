import { existsSync, lstatSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError, UserErrorException } from '../i18n/user-error.ts';
import { systemClock } from '../platform/clock.ts';
import { appendDurably, makeDirectory } from '../platform/files.ts';
import * as z from '../platform/zod.ts';
import { diffStates } from './patch.ts';
import { moveAside, readSafely } from './safe-file.ts';
import { unreadableSessionError, unwritableSessionError } from './session-file.ts';
import type { SealedState } from './state.ts';

// Separate from reading the journal: code that only records an action needs nothing else of it.

/** Number of rotated files that are kept. */
const MAX_ROTATED_FILES = 5;

/** Returns all journal files of an install directory, the newest first; only that one is written. */
export function journalFiles(dir: string): readonly [string, ...string[]] {
  const rotated = Array.from({ length: MAX_ROTATED_FILES }, (_, index) =>
    join(dir, '.upi-wizard', `journal.${index + 1}.ndjson`),
  );
  return [join(dir, '.upi-wizard', 'journal.ndjson'), ...rotated];
}

/**
 * Appends events with the current time; the lines are on disk when it returns. Needs no lock. Writes ASCII only, so
 * that displaying the file shows no invisible or control characters.
 * @throws the system's error; then no line was written
 */
export function appendToJournal(dir: string, events: readonly JournalEvent[]): void {
  const [file] = journalFiles(dir);
  const at = new Date(systemClock.now()).toISOString();
  const lines = events.map((event) => `${JSON.stringify({ at, ...event })}\n`).join('');
  makeDirectory(dirname(file));
  appendDurably(
    file,
    lines.replace(/[\u007f-\uffff]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`),
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
  /** An action of a step, before and after it. `subject`: the one part that it concerns. */
  z.object({
    type: z.literal('begun'),
    at,
    id: z.string(),
    step: z.string(),
    action: z.string(),
    subject: z.string().nullable(),
  }),
  z.object({ type: z.literal('ended'), at, id: z.string(), outcome, code: z.string().nullable() }),
]);

/** A line of the journal. `at`: the time of this machine, ISO 8601. */
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
    const parsed = lineSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Size at which the file is rotated (bytes). */
const ROTATE_AT_BYTES = 1024 * 1024;

/** A file that starts with a large snapshot is rotated at this multiple of its size. */
const SNAPSHOT_FACTOR = 8;

/** Reads the lines of one file, oldest first. Skips lines that are truncated, damaged or from a later version. */
export function readJournalFile(file: string): JournalLine[] {
  const read = readSafely(file);
  return read.kind === 'text' ? read.text.split('\n').flatMap((text) => parseJournalLine(text) ?? []) : [];
}

/** Reads all lines of the journal, oldest first. */
export function readJournal(dir: string): JournalLine[] {
  return journalFiles(dir).toReversed().flatMap(readJournalFile);
}

/** Records the saves of an install directory, for the holder of its lock. */
interface SaveJournal {
  /**
   * Records a save before it happens. The first one is a complete snapshot, so that earlier damage does not affect
   * later lines.
   * @throws the system's error
   */
  readonly recordSave: (after: SealedState) => void;
}

/** Opens the save journal of an install directory; writes nothing before the first save. */
export function openSaveJournal(dir: string): SaveJournal {
  const [file] = journalFiles(dir);
  let before: SealedState | null = null;
  let limit = ROTATE_AT_BYTES;
  return {
    recordSave(after) {
      const size = prepareJournalFile(file);
      const isRotationDue = size > limit;
      if (isRotationDue) rotate(dir);
      const patch = before && size > 0 && !isRotationDue ? diffStates(before, after) : null;
      const { checksum, ...state } = after;
      const { serial } = after;
      appendToJournal(dir, [
        patch ? { type: 'saved', serial, checksum, patch } : { type: 'snapshot', serial, checksum, state },
      ]);
      if (!patch)
        limit = Math.max(ROTATE_AT_BYTES, SNAPSHOT_FACTOR * (statSync(file).size - (isRotationDue ? 0 : size)));
      before = after;
    },
  };
}

/**
 * Moves anything but a regular file out of the journal's place.
 * @returns the size of the journal (bytes)
 */
function prepareJournalFile(file: string): number {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (found.isFile()) return found.size;
  moveAside(file);
  return 0;
}

function rotate(dir: string): void {
  const files = journalFiles(dir);
  for (let number = MAX_ROTATED_FILES; number > 0; number -= 1) {
    const file = files[number - 1] ?? '';
    if (existsSync(file)) renameSync(file, files[number] ?? '');
  }
}

/** A private, append-only file of JSON lines. */
export interface NdjsonFile {
  readonly path: string;
  /**
   * Returns the raw lines, oldest first; none if there is no file.
   * @throws UserErrorException `session-unreadable`
   */
  readonly read: () => readonly string[];
  /**
   * Appends lines; they are on disk when it returns.
   * @throws UserErrorException `session-unwritable`, and no line was written
   */
  readonly append: (lines: readonly object[]) => void;
}

/**
 * Returns the path of the undo records of an install directory: the fields of cluster objects before infra moves
 * changed them. A separate file, because the journal drops its oldest lines and these records are needed as long as the
 * cluster exists.
 */
export function undoRecordFile(dir: string): string {
  return join(dir, '.upi-wizard', 'infra-before.ndjson');
}

/**
 * Opens a file of JSON lines.
 * @param path of the file; its directory is created with the first line
 */
export function openNdjsonFile(path: string): NdjsonFile {
  return {
    path,
    read() {
      const read = readSafely(path);
      switch (read.kind) {
        case 'missing':
          return [];
        case 'text':
          return read.text.split('\n').filter((line) => line !== '');
        case 'unfit':
          throw unreadableSessionError(path, catalogue().session.damaged.reasons[read.why]);
        case 'failed':
          throw unreadableSessionError(path, describeSystemError(read.error, 'read'));
      }
    },
    append(lines) {
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      try {
        makeDirectory(dirname(path));
        // ASCII only, as in the journal: displaying the file shows no invisible or control characters.
        appendDurably(
          path,
          text.replace(/[\u007f-\uffff]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`),
        );
      } catch (error) {
        const { userError } = unwritableSessionError(error);
        throw new UserErrorException({ ...userError, cause: `${path}: ${userError.cause}` }, { cause: error });
      }
    },
  };
}
