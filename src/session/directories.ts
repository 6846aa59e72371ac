import { lstatSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import Conf from 'conf';
import { makeDirectory } from '../ports/make-directory.ts';
import { catalogue } from '../text/catalogue.ts';
import { systemReason } from '../text/system-reason.ts';
import type { Trouble } from '../text/trouble.ts';
import { previousFile, sessionFile } from './load.ts';

const words = () => catalogue().session;

/** A session on disk; listed with the one used last first. */
export interface FoundSession {
  readonly dir: string;
  /** Milliseconds since the epoch. */
  readonly savedAt: number;
}

const REMEMBERED = 20;

/** Where the program keeps what does not belong to one installation. */
export function configDirectory(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'upi-wizard');
}

/** The install directory when none is named: the one used last while it is still there, else `upi-cluster` in `cwd`. */
export function defaultDirectory(cwd: string, configDir = configDirectory()): string {
  return listSessions(configDir)[0]?.dir ?? resolve(cwd, 'upi-cluster');
}

/** Notes that a directory was used last. */
export function rememberDirectory(dir: string, configDir = configDirectory()): void {
  const absolute = resolve(dir);
  const dirs = [absolute, ...remembered(configDir).filter((other) => other !== absolute)].slice(0, REMEMBERED);
  try {
    preferences(configDir).set({ lastDir: absolute, dirs });
  } catch {
    // With an unwritable home we forget the directory, and the wizard still runs.
  }
}

/** The sessions we know of that are still there. */
export function listSessions(configDir = configDirectory()): FoundSession[] {
  return remembered(configDir).flatMap((dir) => {
    // A file that is gone is recovered from the copy before it.
    const savedAt = modifiedAt(sessionFile(dir)) ?? modifiedAt(previousFile(dir));
    return savedAt === null ? [] : [{ dir, savedAt }];
  });
}

/** Milliseconds since the epoch; null where there is nothing. */
function modifiedAt(path: string): number | null {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return null;
  }
}

function remembered(configDir: string): string[] {
  try {
    const dirs: unknown = preferences(configDir).get('dirs');
    return Array.isArray(dirs) ? dirs.filter((dir): dir is string => typeof dir === 'string') : [];
  } catch {
    // A damaged list of directories needs no question: the next use creates it anew.
    return [];
  }
}

function preferences(cwd: string): Conf<Record<string, unknown>> {
  // Conf would make it in Node's way, which may never end.
  makeDirectory(cwd);
  return new Conf<Record<string, unknown>>({
    cwd,
    configName: 'config',
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    // Preferences, unlike a session, may be lost.
    clearInvalidConfig: true,
  });
}

/** Why a directory must not be an install directory; null when it may. A missing one may. */
export function directoryProblem(dir: string, home = homedir()): Trouble | null {
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
