import { dirname, join } from 'node:path';
import { systemClock } from '../ports/clock.ts';
import { appendDurably } from '../ports/durable.ts';
import { makeDirectory } from '../ports/make-directory.ts';
import type { JournalEvent } from './journal-line.ts';

// Apart from reading the journal: what only notes an act needs nothing else of it.

/** So many old files are kept. */
export const KEPT = 5;

/** All files of the journal of an install directory, the newest first; it is the one that is written. */
export function journalFiles(dir: string): readonly [string, ...string[]] {
  const old = Array.from({ length: KEPT }, (_, index) => join(dir, '.upi-wizard', `journal.${index + 1}.ndjson`));
  return [join(dir, '.upi-wizard', 'journal.ndjson'), ...old];
}

/**
 * Appends what happened, with its time; when it returns, the lines are on the disk. Needs no lock. In ASCII, so that
 * whoever shows the file shows no invisible or control character.
 * @throws the error of the system; then no line was written
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
