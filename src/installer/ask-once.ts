import { stat } from 'node:fs/promises';

/**
 * Asks a program something once for the same file, also for several callers at the same time; after a failure or an empty
 * answer the next caller asks again. openshift-install has half a gigabyte: it is not started for every look.
 */
export function askingOnce<T>(): (program: string, ask: () => Promise<T>) => Promise<T> {
  const answers = new Map<string, Promise<T>>();
  return async (program, ask) => {
    const file = await stat(program).catch(() => null);
    if (file === null) return await ask();
    const key = `${program} ${file.ino} ${file.size} ${file.mtimeMs}`;
    const known = answers.get(key);
    if (known) return await known;
    const asked = ask();
    answers.set(key, asked);
    try {
      const answer = await asked;
      if (answer === null) answers.delete(key);
      return answer;
    } catch (error) {
      answers.delete(key);
      throw error;
    }
  };
}
