import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Conf from 'conf';
import { getConfigHome } from '../platform/environment.ts';
import { ensureDirectory } from '../platform/files.ts';
import { getPreviousSessionFile, getSessionFile } from './session-file.ts';

/** A session on disk; lists start with the one used last. */
export interface FoundSession {
  readonly dir: string;
  /** Milliseconds since the epoch. */
  readonly savedAt: number;
}

const MAX_REMEMBERED_DIRECTORIES = 20;

/** Returns the directory for files that belong to no single installation. */
export function getConfigDirectory(env: NodeJS.ProcessEnv = process.env): string {
  return join(getConfigHome(env), 'upi-wizard');
}

/**
 * Finds the install directory to use when none is named: the one used last if it still exists, else `upi-cluster` in
 * `cwd`.
 */
export function findDefaultDirectory(cwd: string, configDir = getConfigDirectory()): string {
  return listSessions(configDir)[0]?.dir ?? resolve(cwd, 'upi-cluster');
}

/** Returns the install directory that a command names, or else the default one. */
export function findInstallDirectory(
  namedDir: string | undefined,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<NodeJS.ProcessEnv> },
): string {
  return namedDir === undefined ? findDefaultDirectory(cwd, getConfigDirectory({ ...env })) : resolve(cwd, namedDir);
}

/** Records a directory as the one used last. */
export function rememberDirectory(dir: string, configDir = getConfigDirectory()): void {
  const absolutePath = resolve(dir);
  const dirs = [absolutePath, ...readRememberedDirectories(configDir).filter((other) => other !== absolutePath)].slice(
    0,
    MAX_REMEMBERED_DIRECTORIES,
  );
  try {
    openPreferences(configDir).set({ lastDir: absolutePath, dirs });
  } catch {
    // With an unwritable home the wizard still runs, without remembering the directory.
  }
}

/** Lists the remembered sessions that still exist, the one used last first. */
export function listSessions(configDir = getConfigDirectory()): FoundSession[] {
  return readRememberedDirectories(configDir).flatMap((dir) => {
    // A missing session file is recovered from its previous copy.
    const savedAt = readModifiedTime(getSessionFile(dir)) ?? readModifiedTime(getPreviousSessionFile(dir));
    return savedAt === null ? [] : [{ dir, savedAt }];
  });
}

/** Returns the modification time in ms since the epoch; null if nothing is there. */
function readModifiedTime(path: string): number | null {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return null;
  }
}

function readRememberedDirectories(configDir: string): string[] {
  try {
    const dirs: unknown = openPreferences(configDir).get('dirs');
    return Array.isArray(dirs) ? dirs.filter((dir): dir is string => typeof dir === 'string') : [];
  } catch {
    // A damaged list of directories is not reported: the next use recreates it.
    return [];
  }
}

function openPreferences(configDir: string): Conf<Record<string, unknown>> {
  // Conf would create the directory with Node.js's own function, which may never return.
  ensureDirectory(configDir);
  return new Conf<Record<string, unknown>>({
    cwd: configDir,
    configName: 'config',
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    // Preferences, unlike a session, may be lost.
    clearInvalidConfig: true,
  });
}
