import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { catalogue, formatCommandLine } from '../i18n/catalogue.ts';
import { describeSystemError, type UserError, UserErrorException } from '../i18n/user-error.ts';
import { getHomeDirectory } from '../platform/environment.ts';
import { resolveRealPath } from '../platform/files.ts';
import { type FileRejection, getDirectoryRejection, readSafely } from './safe-file.ts';
import { parseState, SCHEMA_VERSION, type SessionState } from './state.ts';

/** Returns the reason why a directory cannot be an install directory; null if it can. A missing directory can. */
export function findDirectoryProblem(dir: string, home = getHomeDirectory()): UserError | null {
  const path = resolve(dir);
  const { remedy, root, home: homeText, symlink, notDirectory, foreign, open } = words().directory;
  let stat: ReturnType<typeof lstatSync>;
  try {
    stat = lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return createUnusableDirectoryError(path, error);
  }
  if (stat?.isSymbolicLink()) return { code: 'directory-symlink', ...symlink, cause: symlink.cause(path), remedy };
  const realPath = stat ? realpathSync(path) : path;
  if (realPath === '/') return { code: 'directory-root', ...root, remedy };
  if (realPath === home || realPath === resolveRealPath(home)) return { code: 'directory-home', ...homeText, remedy };
  if (!stat) return null;
  if (!stat.isDirectory()) return { code: 'directory-file', ...notDirectory, cause: notDirectory.cause(path), remedy };
  if (stat.uid !== process.geteuid?.())
    return { code: 'directory-foreign', ...foreign, cause: foreign.cause(path), remedy };
  return stat.mode & 0o002 ? { code: 'directory-open', ...open, cause: open.cause(path), remedy } : null;
}

/** Builds the user error for a directory that cannot be created or used, from the system's error. */
export function createUnusableDirectoryError(dir: string, error: unknown): UserError {
  const { remedy, unwritable } = words().directory;
  const reason = describeSystemError(error);
  return { code: 'directory-unwritable', title: unwritable.title, cause: unwritable.cause(dir, reason), remedy };
}

const words = () => catalogue().session;

/** Returns the path of the session file, in the state directory of an install directory. */
export function getSessionFile(dir: string): string {
  return join(dir, '.upi-wizard', 'session.json');
}

/** Returns the path of the previous copy: the session file before the last save. */
export function getPreviousSessionFile(dir: string): string {
  return join(dir, '.upi-wizard', 'session.previous.json');
}

/** Why a session file is not valid. `missing`: only its previous copy still exists. */
export type SessionDamage = FileRejection | 'missing' | 'empty' | 'not-json' | 'not-a-session' | 'altered';

/** Result of reading a session file. Reading changes nothing. */
export type SessionReadResult =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'state';
      readonly state: SessionState;
      readonly serial: number;
      readonly text: string;
      /** Ms since the epoch. */
      readonly modifiedAt: number;
    }
  | { readonly kind: 'damaged'; readonly damage: SessionDamage }
  | { readonly kind: 'newer'; readonly fileVersion: number }
  | { readonly kind: 'unreadable'; readonly error: unknown };

/**
 * Reads the saved state for a command that holds no lock; null if nothing was saved yet. Moves and writes nothing.
 * @throws UserErrorException `session-damaged`, `session-newer`, `session-unreadable`, `directory-…` if the path cannot
 * be a directory
 */
export function readSession(dir: string): SessionState | null {
  const file = getSessionFile(dir);
  const result = inspectSession(dir);
  switch (result.kind) {
    case 'none':
      return null;
    case 'state':
      return result.state;
    case 'damaged': {
      const { title, cause, reasons, recoverCommand } = words().damaged;
      const remedy = recoverCommand(formatCommandLine('--dir', dir));
      throw new UserErrorException({
        code: 'session-damaged',
        title,
        cause: cause(file, reasons[result.damage]),
        remedy,
      });
    }
    case 'newer':
      throw createNewerSessionError(file, result.fileVersion);
    case 'unreadable':
      throw createUnreadableSessionError(file, describeSystemError(result.error, 'read'));
  }
}

/**
 * Inspects the saved session of an install directory; a missing file with a previous copy counts as damaged.
 * @throws UserErrorException `directory-…` if the path cannot be a directory
 */
export function inspectSession(dir: string): SessionReadResult {
  const file = getSessionFile(dir);
  const rejection = checkStateDirectory(dir);
  if (rejection !== null) return { kind: 'damaged', damage: rejection };
  const result = inspectSessionFile(file);
  return result.kind === 'none' && existsSync(getPreviousSessionFile(dir))
    ? { kind: 'damaged', damage: 'missing' }
    : result;
}

/** @throws UserErrorException `directory-…` if a part of the path is a file, or the system denies access */
function checkStateDirectory(dir: string): FileRejection | null {
  try {
    return getDirectoryRejection(dirname(getSessionFile(dir)));
  } catch (error) {
    throw new UserErrorException(findDirectoryProblem(dir) ?? createUnusableDirectoryError(dir, error), {
      cause: error,
    });
  }
}

/** Inspects one session file, or its previous copy; changes nothing. */
export function inspectSessionFile(file: string): SessionReadResult {
  const result = readSafely(file);
  switch (result.kind) {
    case 'missing':
      return { kind: 'none' };
    case 'unfit':
      return { kind: 'damaged', damage: result.rejection };
    case 'failed':
      return { kind: 'unreadable', error: result.error };
    case 'text':
      return parseSessionText(result.text, result.modifiedAt);
  }
}

function parseSessionText(text: string, modifiedAt: number): SessionReadResult {
  if (text.trim() === '') return { kind: 'damaged', damage: 'empty' };
  let storedValue: unknown;
  try {
    storedValue = JSON.parse(text);
  } catch {
    return { kind: 'damaged', damage: 'not-json' };
  }
  if (storedValue === null || typeof storedValue !== 'object' || Array.isArray(storedValue))
    return { kind: 'damaged', damage: 'not-a-session' };
  try {
    const parseResult = parseState(storedValue as Record<string, unknown>);
    return parseResult.kind === 'state' ? { ...parseResult, text, modifiedAt } : parseResult;
  } catch (error) {
    // Nested too deeply to be parsed.
    if (error instanceof RangeError) return { kind: 'damaged', damage: 'not-a-session' };
    throw error;
  }
}

/** Builds the user error for a file of a later version. */
export function createNewerSessionError(file: string, fileVersion: number): UserErrorException {
  const { title, cause, remedy } = words().newer;
  return new UserErrorException({
    code: 'session-newer',
    title,
    cause: cause(file, fileVersion, SCHEMA_VERSION),
    remedy,
  });
}

/** Builds the user error for a session file that cannot be read. */
export function createUnreadableSessionError(file: string, reason: string): UserErrorException {
  const { title, cause, remedy } = words().unreadable;
  return new UserErrorException({ code: 'session-unreadable', title, cause: cause(file, reason), remedy });
}

/** Builds the user error for a session whose files cannot be written. */
export function createUnwritableSessionError(error: unknown): UserErrorException {
  return new UserErrorException(
    { code: 'session-unwritable', ...words().unwritable, cause: describeSystemError(error) },
    { cause: error },
  );
}

/** Finds the first of `name`, `name-2`, `name-3` … without a session. */
export function findUnusedDirectory(cwd: string, name: string): string {
  for (let count = 1; ; count += 1) {
    const dir = resolve(cwd, count === 1 ? name : `${name}-${count}`);
    if (!existsSync(getSessionFile(dir)) && !existsSync(getPreviousSessionFile(dir))) return dir;
  }
}
