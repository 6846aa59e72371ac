import { dirname } from 'node:path';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError, type UserError } from '../i18n/user-error.ts';
import { formatUtc } from '../platform/clock.ts';
import { readJournalFile } from './journal.ts';
import { listJournalFiles } from './journal-file.ts';
import { type JournalLine, parseJournalLine } from './journal-line.ts';
import { applyStatePatch } from './patch.ts';
import { getDirectoryRejection, moveAside, readSafely } from './safe-file.ts';
import {
  getPreviousSessionFile,
  getSessionFile,
  inspectSession,
  inspectSessionFile,
  newerSessionError,
  type SessionDamage,
  type SessionReadResult,
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
  const file = getSessionFile(dir);
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

/** Recovers a first save that was interrupted before it was confirmed. This needs no notice. */
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
  const backupPath = damage === 'missing' ? null : moveDamagedAside(file);
  const cause = [
    words().damaged.cause(file, reasons[damage]),
    ...(backupPath === null ? [] : [backupText(backupPath)]),
  ].join(' ');
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
  const journalState = listJournalFiles(dir).reduce<RebuiltState | null>(
    (newestState, file) => newestState ?? findLastIntactState(readJournalFile(file)),
    null,
  );
  const previousCopy: SessionReadResult = inspectSessionFile(getPreviousSessionFile(dir));
  if (previousCopy.kind !== 'state' || (journalState && journalState.serial >= previousCopy.serial))
    return journalState;
  return { ...previousCopy, savedAt: previousCopy.modifiedAt };
}

/** Finds the last state in a journal file that matches its recorded checksum. */
function findLastIntactState(lines: readonly JournalLine[]): RebuiltState | null {
  // The end is nearly always intact: every intermediate state is verified only if the end is
  // damaged.
  return replay(lines, false) ?? replay(lines, true);
}

function replay(lines: readonly JournalLine[], shouldVerifyEach: boolean): RebuiltState | null {
  let state: Record<string, unknown> | null = null;
  let lastLine: Extract<JournalLine, { type: 'snapshot' | 'saved' }> | null = null;
  let intactState: RebuiltState | null = null;
  for (const line of lines) {
    if (line.type !== 'snapshot' && line.type !== 'saved') continue;
    if (line.type === 'snapshot') state = structuredClone(line.state);
    else if (state !== null) state = applyStatePatch(state, line.patch);
    lastLine = line;
    // Copied, because the next patch changes `state`.
    if (shouldVerifyEach) intactState = verifyState(structuredClone(state), line) ?? intactState;
  }
  return shouldVerifyEach ? intactState : verifyState(state, lastLine);
}

function verifyState(
  state: Record<string, unknown> | null,
  line: Extract<JournalLine, { type: 'snapshot' | 'saved' }> | null,
): RebuiltState | null {
  if (state === null || line === null) return null;
  const parseResult = parseState({ ...state, serial: line.serial, checksum: line.checksum });
  return parseResult.kind === 'state' ? { ...parseResult, savedAt: Date.parse(line.at) } : null;
}

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
  const begunLines = laterLines.slice(0, endIndex + 1).filter((line) => line.type === 'begun');
  return {
    user,
    from,
    at: Date.parse(laterLines[endIndex]?.at ?? at),
    wasInterrupted: leftIndex === -1,
    laterActivity: laterLines.slice(endIndex + 1).filter((line) => line.type !== 'saved'),
    unfinishedActions: begunLines.filter(({ id }) => !endedIds.has(id)),
  };
}

/**
 * Finds the last line of a killed run: its last save, or the actions that it began right after that and that never
 * ended. Actions that ended were those of a job, which went on.
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
