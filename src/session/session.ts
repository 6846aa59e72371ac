import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Conf from 'conf';
import { catalogue } from '../i18n/catalogue.ts';
import { type UserError, UserErrorException } from '../i18n/user-error.ts';
import { ensureDirectory, linkOrCopy, syncDirectory } from '../platform/files.ts';
import { openSaveJournal } from './journal.ts';
import { type LoadedSession, recoverSession } from './recovery.ts';
import { getDirectoryRejection, moveAside, readSafely } from './safe-file.ts';
import {
  createUnwritableSessionError,
  getPreviousSessionFile,
  getSessionFile,
  inspectSessionFile,
} from './session-file.ts';
import { addChecksum, type ChecksummedState, type SessionState } from './state.ts';

const words = () => catalogue().session;

/** The saved state of one install directory, for the holder of its lock. */
export interface Session {
  readonly dir: string;
  /**
   * Loads the saved state, or a fresh one. Recovers a damaged state and reports that in `getNotices`.
   * @throws UserErrorException `session-newer`, `session-unreadable`, `session-unwritable`
   */
  load(): SessionState;
  /**
   * Saves the state; it is on disk when this returns.
   * @throws UserErrorException `session-unwritable`
   */
  save(state: SessionState): void;
  /** Returns notices for the user about loading. */
  getNotices(): readonly UserError[];
}

/** Temporary files that a killed run leaves behind, conf's and our own. */
const TEMPORARY_FILE = /^session(?:\.previous)?\.json\.tmp-/;

/** Opens the session of an install directory; writes nothing before the first save. */
export function openSession(dir: string): Session {
  const stateDir = join(dir, '.upi-wizard');
  const file = getSessionFile(dir);
  const journal = openSaveJournal(dir);
  const notices: UserError[] = [];
  let isPathSynced = false;
  let lastSavedSession: Pick<LoadedSession, 'serial' | 'text'> | null = null;

  function load(): SessionState {
    const loadedSession = recoverSession(dir);
    if (loadedSession.notice) notices.push(loadedSession.notice);
    lastSavedSession = loadedSession;
    if (loadedSession.text === null && loadedSession.serial > 0) saveRecoveredState(loadedSession.state);
    return loadedSession.state;
  }

  /** Saves at once, so that commands have a session again. */
  function saveRecoveredState(state: SessionState): void {
    try {
      write(state);
    } catch {
      // The next save reports the problem; until then the state can be recovered again.
    }
  }

  function write(state: SessionState): void {
    ensureDirectory(stateDir);
    chmodSync(stateDir, 0o700);
    for (const name of readdirSync(stateDir))
      if (TEMPORARY_FILE.test(name)) rmSync(join(stateDir, name), { force: true });
    const lastSession = lastSavedSession ?? recoverSession(dir);
    const checksummedState = addChecksum(state, lastSession.serial + 1);
    journal.recordSave(checksummedState);
    backUpSessionFile(lastSession.text);
    const text = JSON.stringify(checksummedState, undefined, '\t');
    writeSessionFile(stateDir, checksummedState, text);
    syncDirectory(stateDir);
    if (!isPathSynced) syncParents();
    isPathSynced = true;
    const result = readSafely(file);
    if (result.kind !== 'text' || result.text !== text) {
      restoreSessionFile();
      throw createSaveError(words().notVerified);
    }
    lastSavedSession = { serial: checksummedState.serial, text };
  }

  /** Syncs the parent directories of the state directory, which may be new. */
  function syncParents(): void {
    syncDirectory(dir);
    try {
      syncDirectory(dirname(dir));
    } catch {
      // A directory above that we may traverse but not read: it was not created by us.
    }
  }

  /** Backs up the session file: a valid file becomes the previous copy, an invalid one is moved aside. */
  function backUpSessionFile(previousText: string | null): void {
    const result = readSafely(file);
    if (result.kind === 'missing') return;
    const isValid =
      result.kind === 'text' && (result.text === previousText || inspectSessionFile(file).kind === 'state');
    if (isValid) linkOrCopy(file, getPreviousSessionFile(dir));
    else moveAside(file);
  }

  function restoreSessionFile(): void {
    if (inspectSessionFile(getPreviousSessionFile(dir)).kind === 'state') linkOrCopy(getPreviousSessionFile(dir), file);
    else rmSync(file, { force: true });
    syncDirectory(stateDir);
  }

  return {
    dir,
    getNotices: () => notices,
    load,
    save(state) {
      const rejection = getDirectoryRejection(stateDir);
      if (rejection !== null) throw createSaveError(`${stateDir}: ${words().damaged.reasons[rejection]}`);
      try {
        write(state);
      } catch (error) {
        throw error instanceof UserErrorException ? error : createUnwritableSessionError(error);
      }
    },
  };
}

function createSaveError(cause: string): UserErrorException {
  return new UserErrorException({ code: 'session-unwritable', ...words().unwritable, cause });
}

/** Writes the session file with conf, which writes a temporary file, syncs it and renames it. */
function writeSessionFile(stateDir: string, state: ChecksummedState, text: string): void {
  const { SNAP } = process.env;
  // In a terminal installed as a snap, conf would write into the file itself, which a kill leaves half written.
  delete process.env.SNAP;
  try {
    const conf = new Conf<Record<string, unknown>>({
      cwd: stateDir,
      configName: 'session',
      configFileMode: 0o600,
      // Names of hosts and domains have dots.
      accessPropertiesByDotNotation: false,
      // True would erase a session that cannot be read.
      clearInvalidConfig: false,
      serialize: () => text,
    });
    conf.store = { ...state };
  } finally {
    if (SNAP !== undefined) process.env.SNAP = SNAP;
  }
}
