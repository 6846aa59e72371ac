import type { DesignDocument } from '../../design/paths.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { findDefaultDirectory, getConfigDirectory, rememberDirectory } from '../../session/install-directories.ts';
import { acquireLock, addLockCheck, type SessionLock } from '../../session/lock.ts';
import { openSession } from '../../session/session.ts';
import { findUnusedDirectory } from '../../session/session-file.ts';
import { type CommandIo, UsageError } from '../shared/io.ts';
import { type Programs, readProgramVersion } from '../shared/runtime.ts';
import { isInstallationFinished } from '../wizard/services.ts';
import { ensureUsableDirectory } from './open-session.ts';
import { openWorkingSession, type WorkingSession } from './working-session.ts';

/** An install directory whose lock is held. The caller releases the lock. */
export interface OpenedDirectory {
  readonly dir: string;
  readonly lock: SessionLock;
  readonly session: WorkingSession;
}

/**
 * Takes the lock of an install directory, and then reads its saved state: what is read earlier may be older than the
 * last holder's last save.
 * @param program name of the program that takes the lock, shown to other sessions
 * @param answers the design that a new installation starts with, at the review
 * @throws UserErrorException as `acquireLock` and `openWorkingSession`; the lock is released then
 * @throws UsageError if the session already has answers
 */
export async function openDirectory(
  dirOption: string | null,
  io: CommandIo,
  program: string,
  programs: Programs,
  answers: DesignDocument | null = null,
): Promise<OpenedDirectory> {
  const configDir = getConfigDirectory({ ...io.env });
  const dir = resolveInstallDirectory(dirOption, io);
  const lock = await acquireLock(dir, program, readProgramVersion(programs));
  try {
    const open = () => openWorkingSession(addLockCheck(openSession(dir), lock));
    let session = open();
    if (answers !== null) {
      if (session.isResumed) throw new UsageError(catalogue().cli.answersInUse(sanitizeLine(dir)));
      session.update({ design: answers, place: { screen: 'review', field: null }, reached: 'review' });
      session = open();
    }
    rememberDirectory(dir, configDir);
    return { dir, lock, session };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Returns the named directory, or the one used last, and creates it if it is missing. After a finished installation,
 * returns a new directory, whose Welcome screen lists the finished one.
 * @throws UserErrorException `directory-…`
 */
export function resolveInstallDirectory(dirOption: string | null, io: CommandIo): string {
  if (dirOption !== null) return ensureUsableDirectory(dirOption);
  const lastDirectory = findDefaultDirectory(io.cwd, getConfigDirectory({ ...io.env }));
  return isInstallationFinished(lastDirectory) ? resolveNewDirectory(io) : ensureUsableDirectory(lastDirectory);
}

/**
 * Creates a new directory, whose Welcome screen lists the existing installations.
 * @throws UserErrorException `directory-…`
 */
export function resolveNewDirectory({ cwd }: Pick<CommandIo, 'cwd'>): string {
  return ensureUsableDirectory(findUnusedDirectory(cwd, 'upi-cluster'));
}
