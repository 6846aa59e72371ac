import { journalFiles } from './journal-file.ts';
import { type JournalLine, parseJournalLine } from './journal-line.ts';
import { readSafely } from './safe-file.ts';

/** The forms of the wizard; other programs that hold a directory do one thing and leave. */
const WIZARD = /^upi-wizard(?: rehearse)?(?: --plain)?$/;

/** A line of the journal about an action or the lock. */
export type ActivityLine = Exclude<JournalLine, { readonly type: 'snapshot' | 'saved' }>;
type OpenedLine = Extract<JournalLine, { readonly type: 'opened' }>;

/** The wizard's previous run in an install directory. */
export interface PreviousRun {
  readonly user: string;
  readonly from: string | null;
  /** When it left, or its last entry if it did not leave properly (ms since the epoch). */
  readonly at: number;
  /** It was killed, or the machine went down. */
  readonly wasInterrupted: boolean;
  /** Later activity: actions, and commands that ran. */
  readonly laterActivity: readonly ActivityLine[];
  /** Its own actions without a recorded end. */
  readonly unfinished: readonly Extract<ActivityLine, { readonly type: 'begun' }>[];
}

/**
 * Finds the wizard's run before the one that holds the lock now, in the journal; null if there is none. Reads no more
 * of the journal than necessary, and only the time of saves.
 */
export function findPreviousRun(dir: string): PreviousRun | null {
  let lines: TimedLine[] = [];
  for (const file of journalFiles(dir)) {
    lines = [...readTimedLines(file), ...lines];
    const own = lines.findLastIndex(isOpened);
    const last = lines.slice(0, Math.max(own, 0)).findLastIndex((line) => isOpened(line) && WIZARD.test(line.program));
    const opened = lines[last];
    if (opened?.type === 'opened') return toPreviousRun(opened, lines.slice(last + 1, own));
  }
  return null;
}

function toPreviousRun({ user, from, at, program }: OpenedLine, after: readonly TimedLine[]): PreviousRun {
  const next = after.findIndex(isOpened);
  const own = next === -1 ? after : after.slice(0, next);
  const left = own.findIndex((line) => line.type === 'left' && line.program === program);
  const end = left === -1 ? own.findLastIndex(({ type }) => type === 'saved') : left;
  const endedIds = new Set(after.flatMap((line) => (line.type === 'ended' ? [line.id] : [])));
  const begun = after.slice(0, end + 1).filter((line) => line.type === 'begun');
  return {
    user,
    from,
    at: Date.parse(after[end]?.at ?? at),
    wasInterrupted: left === -1,
    laterActivity: after.slice(end + 1).filter((line) => line.type !== 'saved'),
    unfinished: begun.filter(({ id }) => !endedIds.has(id)),
  };
}

type TimedLine = ActivityLine | { readonly type: 'saved'; readonly at: string };

const isOpened = (line: TimedLine): line is OpenedLine => line.type === 'opened';

function readTimedLines(file: string): TimedLine[] {
  const read = readSafely(file);
  if (read.kind !== 'text') return [];
  return read.text.split('\n').flatMap((text): TimedLine[] => {
    // Saves are most of the journal, and large.
    const [, at, type] = /^\{"at":"([^"]*)","type":"(\w+)"/.exec(text) ?? [];
    if (at !== undefined && (type === 'saved' || type === 'snapshot'))
      return Number.isNaN(Date.parse(at)) ? [] : [{ type: 'saved', at }];
    const line = parseJournalLine(text);
    return line === null || line.type === 'saved' || line.type === 'snapshot' ? [] : [line];
  });
}
