import { existsSync, lstatSync, renameSync, statSync } from 'node:fs';
import { appendToJournal, listJournalFiles, MAX_ROTATED_FILES } from './journal-file.ts';
import { type JournalLine, parseJournalLine } from './journal-line.ts';
import { diffStates } from './patch.ts';
import { moveAside, readSafely } from './safe-file.ts';
import type { ChecksummedState } from './state.ts';

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
