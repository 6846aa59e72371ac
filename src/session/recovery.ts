import { dirname } from 'node:path';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError, type UserError } from '../i18n/user-error.ts';
import { formatUtc } from '../platform/clock.ts';
import { readJournalFile } from './journal.ts';
import { listJournalFiles } from './journal-file.ts';
import type { JournalLine } from './journal-line.ts';
import { applyStatePatch } from './patch.ts';
import { getDirectoryRejection, moveAside } from './safe-file.ts';
import {
  createNewerSessionError,
  createUnreadableSessionError,
  createUnwritableSessionError,
  getPreviousSessionFile,
  getSessionFile,
  inspectSession,
  inspectSessionFile,
  type SessionDamage,
  type SessionReadResult,
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
      throw createNewerSessionError(file, result.fileVersion);
    case 'unreadable':
      throw createUnreadableSessionError(file, describeSystemError(result.error, 'read'));
    case 'none':
      return recoverFirstSave(dir, file);
    case 'damaged':
      return recoverDamaged(dir, file, result.damage);
  }
}

/** Recovers a first save that was interrupted before it was confirmed. This needs no notice. */
function recoverFirstSave(dir: string, file: string): LoadedSession {
  const rebuiltState = rebuildState(dir);
  if (rebuiltState === null) return createFreshSession(null);
  return rebuiltState.serial === 1
    ? { ...rebuiltState, text: null, notice: null }
    : recoverDamaged(dir, file, 'missing');
}

const createFreshSession = (notice: UserError | null): LoadedSession => ({
  state: freshState,
  serial: 0,
  text: null,
  notice,
});

function recoverDamaged(dir: string, file: string, damage: SessionDamage): LoadedSession {
  const { reasons, title, remedy, backupFile: backupText, recovered: recoveredText } = words().damaged;
  // The file of another user may hold the valid answers, so it is not replaced: you decide.
  if (damage === 'foreign' || getDirectoryRejection(dirname(file)) !== null)
    throw createUnreadableSessionError(file, reasons[damage]);
  const rebuiltState = rebuildState(dir);
  const backupPath = damage === 'missing' ? null : moveDamagedAside(file);
  const cause = [
    words().damaged.cause(file, reasons[damage]),
    ...(backupPath === null ? [] : [backupText(backupPath)]),
  ].join(' ');
  if (rebuiltState === null) return createFreshSession({ code: 'session-damaged', title, cause, remedy });
  const time = formatUtc(rebuiltState.savedAt, 'second');
  const notice = { code: 'session-recovered', title: recoveredText.title(time), cause, remedy: recoveredText.remedy };
  return { ...rebuiltState, text: null, notice };
}

function moveDamagedAside(file: string): string {
  try {
    return moveAside(file);
  } catch (error) {
    throw createUnwritableSessionError(error);
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

/** Finds the last state in a journal file that matches its recorded checksum; null if there is none. */
function findLastIntactState(lines: readonly JournalLine[]): RebuiltState | null {
  // The end is nearly always intact: every intermediate state is verified only if the end is
  // damaged.
  return replayJournal(lines, false) ?? replayJournal(lines, true);
}

function replayJournal(lines: readonly JournalLine[], shouldVerifyAll: boolean): RebuiltState | null {
  let state: Record<string, unknown> | null = null;
  let lastLine: Extract<JournalLine, { type: 'snapshot' | 'saved' }> | null = null;
  let intactState: RebuiltState | null = null;
  for (const line of lines) {
    if (line.type !== 'snapshot' && line.type !== 'saved') continue;
    if (line.type === 'snapshot') state = structuredClone(line.state);
    else if (state !== null) state = applyStatePatch(state, line.patch);
    lastLine = line;
    // Copied, because the next patch changes `state`.
    if (shouldVerifyAll) intactState = verifyState(structuredClone(state), line) ?? intactState;
  }
  return shouldVerifyAll ? intactState : verifyState(state, lastLine);
}

function verifyState(
  state: Record<string, unknown> | null,
  line: Extract<JournalLine, { type: 'snapshot' | 'saved' }> | null,
): RebuiltState | null {
  if (state === null || line === null) return null;
  const parseResult = parseState({ ...state, serial: line.serial, checksum: line.checksum });
  return parseResult.kind === 'state' ? { ...parseResult, savedAt: Date.parse(line.at) } : null;
}
