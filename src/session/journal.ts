import { existsSync, lstatSync, renameSync, statSync } from 'node:fs';
import { moveAside } from './aside.ts';
import { appendToJournal, journalFiles, KEPT } from './journal-file.ts';
import { type JournalLine, parseLine } from './journal-line.ts';
import { patchBetween } from './patch.ts';
import { readSafely } from './safe-file.ts';
import type { SealedState } from './state.ts';

/** The file is turned when it is larger (bytes). */
const TURNED_AT = 1024 * 1024;
/** A file that begins with a large state takes so many times its size. */
const STATES = 8;

/** The lines of one file, oldest first. Skips what is torn, damaged or of a later program. */
export function linesOf(file: string): JournalLine[] {
  const read = readSafely(file);
  return read.kind === 'text' ? read.text.split('\n').flatMap((text) => parseLine(text) ?? []) : [];
}

/** All that the journal knows, oldest first. */
export function readJournal(dir: string): JournalLine[] {
  return journalFiles(dir).toReversed().flatMap(linesOf);
}

/** The saves in the journal of an install directory, for the holder of its lock. */
export interface SaveJournal {
  /**
   * Notes a save, before it: the first one whole, so that no damage of before spoils what follows.
   * @throws the error of the system
   */
  readonly note: (after: SealedState) => void;
}

export function openSaveJournal(dir: string): SaveJournal {
  const [file] = journalFiles(dir);
  let before: SealedState | null = null;
  let limit = TURNED_AT;
  return {
    note(after) {
      const size = sizeBeside(file);
      const isTurned = size > limit;
      if (isTurned) turn(dir);
      const patch = before && size > 0 && !isTurned ? patchBetween(before, after) : null;
      const { checksum, ...state } = after;
      const { serial } = after;
      appendToJournal(dir, [
        patch ? { type: 'saved', serial, checksum, patch } : { type: 'snapshot', serial, checksum, state },
      ]);
      if (!patch) limit = Math.max(TURNED_AT, STATES * (statSync(file).size - (isTurned ? 0 : size)));
      before = after;
    },
  };
}

/** Moves away what lies in the journal's place and is no file. @returns the size of the journal (bytes) */
function sizeBeside(file: string): number {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (found.isFile()) return found.size;
  moveAside(file);
  return 0;
}

function turn(dir: string): void {
  const files = journalFiles(dir);
  for (let number = KEPT; number > 0; number -= 1) {
    const file = files[number - 1] ?? '';
    if (existsSync(file)) renameSync(file, files[number] ?? '');
  }
}
