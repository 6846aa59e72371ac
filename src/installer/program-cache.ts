import { stat } from 'node:fs/promises';

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
    const known = results.get(key);
    if (known) return await known;
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
