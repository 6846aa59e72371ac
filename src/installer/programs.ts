import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { execa } from 'execa';
import { PASSED_THROUGH_VARIABLES } from '../platform/environment.ts';

/**
 * Finds the absolute path of a program: the first executable file of that name in `preferredDirs`, then in PATH; null
 * if there is none. Empty entries of PATH (the current directory) are not searched.
 */
export async function findProgram(
  name: string,
  preferredDirs: readonly string[],
  pathVariable = process.env.PATH ?? '',
): Promise<string | null> {
  const directories = [...preferredDirs, ...pathVariable.split(':')].filter((directory) => directory !== '');
  for (const directory of directories) {
    const file = resolve(directory, name);
    if (await isExecutable(file)) return file;
  }
  return null;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/**
 * Caches the result of a program for the same version of its file, also for several callers at the same time. After a
 * failure or a null result, the next caller runs it again. openshift-install has half a gigabyte: it is not started for
 * every probe.
 */
export function createProgramCache<T>(): (program: string, run: () => Promise<T>) => Promise<T> {
  const results = new Map<string, Promise<T>>();
  return async (program, run) => {
    const file = await stat(program).catch(() => null);
    if (file === null) return await run();
    const key = `${program} ${file.ino} ${file.size} ${file.mtimeMs}`;
    const cachedResult = results.get(key);
    if (cachedResult) return await cachedResult;
    const result = run();
    results.set(key, result);
    try {
      const value = await result;
      if (value === null) results.delete(key);
      return value;
    } catch (error) {
      results.delete(key);
      throw error;
    }
  };
}

/**
 * Returns the environment of openshift-install and oc: English messages (they are parsed), the proxies, and no other
 * variable of this process.
 */
export function getInstallerEnvironment(): Record<string, string> {
  const variables = PASSED_THROUGH_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { PATH: '/usr/bin:/bin', HOME: '/', ...Object.fromEntries(variables), LANG: 'C', LC_ALL: 'C' };
}

const readVersionOnce = createProgramCache<string | null>();
/** Limit for a program that hangs (real ms). */
const VERSION_TIMEOUT_MS = 10_000;

/** Reads the version that `oc version --client` prints ("4.18.11"), read once per file; null if it prints none. */
export function readOcVersion(program: string): Promise<string | null> {
  return readVersionOnce(program, async () => {
    const { stdout } = await execa(program, ['version', '--client'], {
      env: getInstallerEnvironment(),
      extendEnv: false,
      stdin: 'ignore',
      stderr: 'ignore',
      reject: false,
      timeout: VERSION_TIMEOUT_MS,
    });
    return /^Client Version:\s*v?(\d+\.\d+\S*)/m.exec(stdout ?? '')?.[1] ?? null;
  });
}
