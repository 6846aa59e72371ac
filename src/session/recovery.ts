import { dirname } from 'node:path';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError, type UserError } from '../i18n/user-error.ts';
import { formatUtc } from '../platform/clock.ts';
import { readJournalFile } from './journal.ts';
import { journalFiles } from './journal-file.ts';
import { type JournalLine, parseJournalLine } from './journal-line.ts';
import { applyStatePatch } from './patch.ts';
import { getDirectoryRejection, moveAside, readSafely } from './safe-file.ts';
import {
  inspectSession,
  inspectSessionFile,
  newerSessionError,
  previousSessionFile,
  type SessionDamage,
  type SessionReadResult,
  sessionFile,
  unreadableSessionError,
  unwritableSessionError,
} from './session-file.ts';
import { freshState, parseState, type SessionState } from './state.ts';

const words = () => catalogue().session;

/** A saved state that was loaded. `text`: content of the session file; null if the state is not in it. */
export interface LoadedSession {
  readonly state: SessionState;
  readonly serial: number;
  readonly text: string | null;
  readonly notice: UserError | null;
}

/** A state from the journal or the previous copy, and the time of its save (ms since the epoch). */
interface RebuiltState {
  readonly state: SessionState;
  readonly serial: number;
  readonly savedAt: number;
}

/**
 * Loads the saved state, or a fresh one, for the holder of the lock. Moves a damaged file aside and continues with the
 * last state that the journal or the previous copy still has; `notice` reports it.
 * @throws UserErrorException `session-newer` for a file of a later version, `session-unreadable` for one that cannot be
 * read (both stay as they are); `session-unwritable`
 */
export function recoverSession(dir: string): LoadedSession {
  const file = sessionFile(dir);
  const result = inspectSession(dir);
  switch (result.kind) {
    case 'state':
      return { ...result, notice: null };
    case 'newer':
      throw newerSessionError(file, result.fileVersion);
    case 'unreadable':
      throw unreadableSessionError(file, describeSystemError(result.error, 'read'));
    case 'none':
      return recoverFirstSave(dir, file);
    case 'damaged':
      return recoverDamaged(dir, file, result.why);
  }
}

/** A first save that was interrupted before it was confirmed counts without a notice. */
function recoverFirstSave(dir: string, file: string): LoadedSession {
  const rebuiltState = rebuildState(dir);
  if (rebuiltState === null) return startFresh(null);
  return rebuiltState.serial === 1
    ? { ...rebuiltState, text: null, notice: null }
    : recoverDamaged(dir, file, 'missing');
}

const startFresh = (notice: UserError | null): LoadedSession => ({ state: freshState, serial: 0, text: null, notice });

function recoverDamaged(dir: string, file: string, damage: SessionDamage): LoadedSession {
  const { reasons, title, remedy, backupFile: backupText, recovered: recoveredText } = words().damaged;
  // The file of another user may hold the valid answers, so it is not replaced: you decide.
  if (damage === 'foreign' || getDirectoryRejection(dirname(file)) !== null)
    throw unreadableSessionError(file, reasons[damage]);
  const rebuiltState = rebuildState(dir);
  const movedTo = damage === 'missing' ? null : moveDamagedAside(file);
  const cause = [words().damaged.cause(file, reasons[damage]), ...(movedTo === null ? [] : [backupText(movedTo)])].join(
    ' ',
  );
  if (rebuiltState === null) return startFresh({ code: 'session-damaged', title, cause, remedy });
  const time = formatUtc(rebuiltState.savedAt, 'second');
  const notice = { code: 'session-recovered', title: recoveredText.title(time), cause, remedy: recoveredText.remedy };
  return { ...rebuiltState, text: null, notice };
}

function moveDamagedAside(file: string): string {
  try {
    return moveAside(file);
  } catch (error) {
    throw unwritableSessionError(error);
  }
}

/** Rebuilds the last intact state from the journal or the previous copy; null if neither has one. */
function rebuildState(dir: string): RebuiltState | null {
  const fromJournal = journalFiles(dir).reduce<RebuiltState | null>(
    (newestState, file) => newestState ?? findLastIntactState(readJournalFile(file)),
    null,
  );
  const previous: SessionReadResult = inspectSessionFile(previousSessionFile(dir));
  if (previous.kind !== 'state' || (fromJournal && fromJournal.serial >= previous.serial)) return fromJournal;
  return { ...previous, savedAt: previous.modifiedAt };
}

/** Finds the last state in a journal file that matches its recorded checksum. */
function findLastIntactState(lines: readonly JournalLine[]): RebuiltState | null {
  // The end is nearly always intact; every intermediate state is verified only if it is not.
  return replay(lines, false) ?? replay(lines, true);
}

function replay(lines: readonly JournalLine[], shouldVerifyEach: boolean): RebuiltState | null {
  let state: Record<string, unknown> | null = null;
  let last: Extract<JournalLine, { type: 'snapshot' | 'saved' }> | null = null;
  let intact: RebuiltState | null = null;
  for (const line of lines) {
    if (line.type !== 'snapshot' && line.type !== 'saved') continue;
    if (line.type === 'snapshot') state = structuredClone(line.state);
    else if (state !== null) state = applyStatePatch(state, line.patch);
    last = line;
    // A copy, because the next patch changes this one.
    if (shouldVerifyEach) intact = verifyState(structuredClone(state), line) ?? intact;
  }
  return shouldVerifyEach ? intact : verifyState(state, last);
}

function verifyState(
  state: Record<string, unknown> | null,
  line: Extract<JournalLine, { type: 'snapshot' | 'saved' }> | null,
): RebuiltState | null {
  if (state === null || line === null) return null;
  const parsed = parseState({ ...state, serial: line.serial, checksum: line.checksum });
  return parsed.kind === 'state' ? { ...parsed, savedAt: Date.parse(line.at) } : null;
}

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
  /** The run was killed, or the machine went down. */
  readonly wasInterrupted: boolean;
  /** Later activity: actions, and commands that ran. */
  readonly laterActivity: readonly ActivityLine[];
  /** Its own actions without a recorded end. */
  readonly unfinishedActions: readonly Extract<ActivityLine, { readonly type: 'begun' }>[];
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
    unfinishedActions: begun.filter(({ id }) => !endedIds.has(id)),
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
