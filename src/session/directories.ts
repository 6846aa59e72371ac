import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Conf from 'conf';
import { configHome } from '../ports/home.ts';
import { makeDirectory } from '../ports/make-directory.ts';
import { previousFile, sessionFile } from './load.ts';

/** A session on disk; listed with the one used last first. */
export interface FoundSession {
  readonly dir: string;
  /** Milliseconds since the epoch. */
  readonly savedAt: number;
}

const REMEMBERED = 20;

/** Where the program keeps what does not belong to one installation. */
export function configDirectory(env: NodeJS.ProcessEnv = process.env): string {
  return join(configHome(env), 'upi-wizard');
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
