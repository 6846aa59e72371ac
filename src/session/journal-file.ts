import { dirname, join } from 'node:path';
import { systemClock } from '../platform/clock.ts';
import { appendDurably, ensureDirectory } from '../platform/files.ts';
import type { JournalEvent } from './journal-line.ts';

// A separate module: code that only writes the journal does not load its reader.

/** Number of rotated files that are kept. */
export const MAX_ROTATED_FILES = 5;

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
