import { journalFiles } from './journal-file.ts';
import { type JournalLine, parseLine } from './journal-line.ts';
import { readSafely } from './safe-file.ts';

/** The wizard in its forms; the other programs that hold a directory do one thing and leave. */
const WIZARD = /^upi-wizard(?: rehearse)?(?: --plain)?$/;

/** A line of the journal about what somebody did. */
export type Happened = Exclude<JournalLine, { readonly type: 'snapshot' | 'saved' }>;
type Opened = Extract<JournalLine, { readonly type: 'opened' }>;

/** The wizard's last time in an install directory before now. */
export interface LastSitting {
  readonly user: string;
  readonly from: string | null;
  /** When it left, or the last sign of one that did not come to that (ms of the machine's clock). */
  readonly at: number;
  /** It was killed, or the machine went down. */
  readonly wasCut: boolean;
  /** What others did since: acts, and commands that came and went. */
  readonly since: readonly Happened[];
  /** Its own acts that have no end. */
  readonly unfinished: readonly Extract<Happened, { readonly type: 'begun' }>[];
}

/**
 * The last sitting before the one that holds the lock now, by the journal; null where the journal knows of none. Reads no
 * more of the journal than it has to, and of the saves only their time.
 */
export function lastSitting(dir: string): LastSitting | null {
  let lines: Mark[] = [];
  for (const file of journalFiles(dir)) {
    lines = [...marksOf(file), ...lines];
    const own = lines.findLastIndex(isOpened);
    const last = lines.slice(0, Math.max(own, 0)).findLastIndex((line) => isOpened(line) && WIZARD.test(line.program));
    const opened = lines[last];
    if (opened?.type === 'opened') return sittingOf(opened, lines.slice(last + 1, own));
  }
  return null;
}

function sittingOf({ user, from, at, program }: Opened, after: readonly Mark[]): LastSitting {
  const next = after.findIndex(isOpened);
  const own = next === -1 ? after : after.slice(0, next);
  const left = own.findIndex((line) => line.type === 'left' && line.program === program);
  const end = left === -1 ? own.findLastIndex(({ type }) => type === 'saved') : left;
  const ended = new Set(after.flatMap((line) => (line.type === 'ended' ? [line.id] : [])));
  const begun = after.slice(0, end + 1).filter((line) => line.type === 'begun');
  return {
    user,
    from,
    at: Date.parse(after[end]?.at ?? at),
    wasCut: left === -1,
    since: after.slice(end + 1).filter((line) => line.type !== 'saved'),
    unfinished: begun.filter(({ id }) => !ended.has(id)),
  };
}

type Mark = Happened | { readonly type: 'saved'; readonly at: string };

const isOpened = (line: Mark): line is Opened => line.type === 'opened';

function marksOf(file: string): Mark[] {
  const read = readSafely(file);
  if (read.kind !== 'text') return [];
  return read.text.split('\n').flatMap((text): Mark[] => {
    // Saves are most of the journal, and large.
    const [, at, type] = /^\{"at":"([^"]*)","type":"(\w+)"/.exec(text) ?? [];
    if (at !== undefined && (type === 'saved' || type === 'snapshot'))
      return Number.isNaN(Date.parse(at)) ? [] : [{ type: 'saved', at }];
    const line = parseLine(text);
    return line === null || line.type === 'saved' || line.type === 'snapshot' ? [] : [line];
  });
}
