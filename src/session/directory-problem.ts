import { lstatSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError } from '../i18n/system-error.ts';
import type { UserError } from '../i18n/user-error.ts';
import { homeDirectory } from '../platform/home.ts';

const words = () => catalogue().session;

/** Returns the reason why a directory cannot be an install directory; null if it can. A missing directory can. */
export function findDirectoryProblem(dir: string, home = homeDirectory()): UserError | null {
  const path = resolve(dir);
  const { remedy, root, home: homeText, symlink, notDirectory, foreign, open } = words().directory;
  let found: ReturnType<typeof lstatSync>;
  try {
    found = lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return unusableDirectoryError(path, error);
  }
  if (found?.isSymbolicLink()) return { code: 'directory-symlink', ...symlink, cause: symlink.cause(path), remedy };
  const real = found ? realpathSync(path) : path;
  if (real === '/') return { code: 'directory-root', ...root, remedy };
  if (real === home || real === realpathOr(home)) return { code: 'directory-home', ...homeText, remedy };
  if (!found) return null;
  if (!found.isDirectory()) return { code: 'directory-file', ...notDirectory, cause: notDirectory.cause(path), remedy };
  if (found.uid !== process.geteuid?.())
    return { code: 'directory-foreign', ...foreign, cause: foreign.cause(path), remedy };
  return found.mode & 0o002 ? { code: 'directory-open', ...open, cause: open.cause(path), remedy } : null;
}

/** Builds the user error for a directory that cannot be created or used, from the system's error. */
export function unusableDirectoryError(dir: string, error: unknown): UserError {
  const { remedy, unwritable } = words().directory;
  const reason = describeSystemError(error);
  return { code: 'directory-unwritable', title: unwritable.title, cause: unwritable.cause(dir, reason), remedy };
}

function realpathOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
