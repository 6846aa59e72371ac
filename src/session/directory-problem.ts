import { lstatSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { homeDirectory } from '../ports/home.ts';
import { catalogue } from '../text/catalogue.ts';
import { systemReason } from '../text/system-reason.ts';
import type { Trouble } from '../text/trouble.ts';

const words = () => catalogue().session;

/** Why a directory must not be an install directory; null when it may. A missing one may. */
export function directoryProblem(dir: string, home = homeDirectory()): Trouble | null {
  const path = resolve(dir);
  const { whatToDo, root, home: ofHome, symlink, notDirectory, foreign, open } = words().directory;
  let found: ReturnType<typeof lstatSync>;
  try {
    found = lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return unusableDirectory(path, error);
  }
  if (found?.isSymbolicLink()) return { code: 'directory-symlink', ...symlink, cause: symlink.cause(path), whatToDo };
  const real = found ? realpathSync(path) : path;
  if (real === '/') return { code: 'directory-root', ...root, whatToDo };
  if (real === home || real === realpathOr(home)) return { code: 'directory-home', ...ofHome, whatToDo };
  if (!found) return null;
  if (!found.isDirectory())
    return { code: 'directory-file', ...notDirectory, cause: notDirectory.cause(path), whatToDo };
  if (found.uid !== process.geteuid?.())
    return { code: 'directory-foreign', ...foreign, cause: foreign.cause(path), whatToDo };
  return found.mode & 0o002 ? { code: 'directory-open', ...open, cause: open.cause(path), whatToDo } : null;
}

/** Why the system would not let us make or use a directory, from the error that it threw. */
export function unusableDirectory(dir: string, error: unknown): Trouble {
  const { whatToDo, unwritable } = words().directory;
  const why = systemReason(error);
  return { code: 'directory-unwritable', title: unwritable.title, cause: unwritable.cause(dir, why), whatToDo };
}

function realpathOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
