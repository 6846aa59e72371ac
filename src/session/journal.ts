import { existsSync, lstatSync, renameSync, statSync } from 'node:fs';
import { appendToJournal, journalFiles, MAX_ROTATED_FILES } from './journal-file.ts';
import { type JournalLine, parseJournalLine } from './journal-line.ts';
import { diffStates } from './patch.ts';
import { moveAside, readSafely } from './safe-file.ts';
import type { SealedState } from './state.ts';

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

/**
 * Returns the lines with the time of the site in place of that of this machine: in a rehearsal they differ. A line that
 * has none gets a time between those of its neighbours that have one.
 * @param lines oldest first
 */
export function toSiteTimes(lines: readonly JournalLine[]): JournalLine[] {
  const readSiteTime = (line: JournalLine) => ('siteAt' in line && line.siteAt ? Date.parse(line.siteAt) : null);
  const known = lines.flatMap((line) => {
    const siteTime = readSiteTime(line);
    return siteTime === null ? [] : [{ time: Date.parse(line.at), siteTime }];
  });
  const convert = (time: number): number => {
    const before = known.findLast((each) => each.time <= time);
    const after = known.find((each) => each.time >= time);
    if (before && after && after.time > before.time) {
      const share = (time - before.time) / (after.time - before.time);
      return before.siteTime + share * (after.siteTime - before.siteTime);
    }
    const nearest = before ?? after;
    return nearest ? nearest.siteTime + time - nearest.time : time;
  };
  return lines.map((line) => ({
    ...line,
    at: new Date(readSiteTime(line) ?? convert(Date.parse(line.at))).toISOString(),
  }));
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
