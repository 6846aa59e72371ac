import { listJournalFiles } from './journal-file.ts';
import { type JournalLine, parseJournalLine } from './journal-line.ts';
import { readSafely } from './safe-file.ts';

/** Program names of the wizard; other programs hold a directory only for one action. */
const WIZARD_PROGRAM = /^upi-wizard(?: rehearse)?(?: --plain)?$/;

/** A line of the journal about an action or the lock. */
export type ActivityLine = Exclude<JournalLine, { readonly type: 'snapshot' | 'saved' }>;
type OpenedLine = Extract<JournalLine, { readonly type: 'opened' }>;

/** The wizard's previous run in an install directory. */
export interface PreviousRun {
  readonly user: string;
  readonly from: string | null;
  /** End of the run, or time of its last entry if the run did not end properly (ms since the epoch). */
  readonly endedAt: number;
  /** The run was killed, or the machine went down. */
  readonly wasInterrupted: boolean;
  /** Later activity: actions, and commands that ran. */
  readonly laterActivity: readonly ActivityLine[];
  /** Actions without a recorded end when the run ended; a job may have ended them later. */
  readonly unfinishedActions: readonly Extract<ActivityLine, { readonly type: 'begun' }>[];
}

/**
 * Finds the wizard's run before the one that holds the lock now, in the journal; null if there is none. Reads no more
 * of the journal than necessary; of a save, it reads only the time.
 */
export function findPreviousRun(dir: string): PreviousRun | null {
  let lines: TimedLine[] = [];
  for (const file of listJournalFiles(dir)) {
    lines = [...readTimedLines(file), ...lines];
    const ownIndex = lines.findLastIndex(isOpened);
    const previousIndex = lines
      .slice(0, Math.max(ownIndex, 0))
      .findLastIndex((line) => isOpened(line) && WIZARD_PROGRAM.test(line.program));
    const openedLine = lines[previousIndex];
    if (openedLine?.type === 'opened') return toPreviousRun(openedLine, lines.slice(previousIndex + 1, ownIndex));
  }
  return null;
}

function toPreviousRun({ user, from, at, program }: OpenedLine, laterLines: readonly TimedLine[]): PreviousRun {
  const nextIndex = laterLines.findIndex(isOpened);
  const ownLines = nextIndex === -1 ? laterLines : laterLines.slice(0, nextIndex);
  const leftIndex = ownLines.findIndex((line) => line.type === 'left' && line.program === program);
  const endedIds = new Set(laterLines.flatMap((line) => (line.type === 'ended' ? [line.id] : [])));
  const endIndex = leftIndex === -1 ? findEndOfKilledRun(ownLines, endedIds) : leftIndex;
  const runLines = laterLines.slice(0, endIndex + 1);
  const endedInRun = new Set(runLines.flatMap((line) => (line.type === 'ended' ? [line.id] : [])));
  return {
    user,
    from,
    endedAt: Date.parse(laterLines[endIndex]?.at ?? at),
    wasInterrupted: leftIndex === -1,
    laterActivity: laterLines.slice(endIndex + 1).filter((line) => line.type !== 'saved'),
    unfinishedActions: runLines.filter((line) => line.type === 'begun').filter(({ id }) => !endedInRun.has(id)),
  };
}

/**
 * Finds the index of the last line of a killed run: the last save, or the last unfinished action right after that save.
 * An action that ended was carried out by a job, which outlived the run. -1: no save.
 */
function findEndOfKilledRun(ownLines: readonly TimedLine[], endedIds: ReadonlySet<string>): number {
  let endIndex = ownLines.findLastIndex(({ type }) => type === 'saved');
  for (let next = ownLines[endIndex + 1]; next?.type === 'begun' && !endedIds.has(next.id); endIndex += 1)
    next = ownLines[endIndex + 2];
  return endIndex;
}

type TimedLine = ActivityLine | { readonly type: 'saved'; readonly at: string };

const isOpened = (line: TimedLine): line is OpenedLine => line.type === 'opened';

function readTimedLines(file: string): TimedLine[] {
  const readResult = readSafely(file);
  if (readResult.kind !== 'text') return [];
  return readResult.text.split('\n').flatMap((text): TimedLine[] => {
    // Saves are most of the journal, and large: only their time is read.
    const [, at, type] = /^\{"at":"([^"]*)","type":"(\w+)"/.exec(text) ?? [];
    if (at !== undefined && (type === 'saved' || type === 'snapshot'))
      return Number.isNaN(Date.parse(at)) ? [] : [{ type: 'saved', at }];
    const line = parseJournalLine(text);
    return line === null || line.type === 'saved' || line.type === 'snapshot' ? [] : [line];
  });
}
