import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { resolve } from 'node:path';

/**
 * Finds the absolute path of a program: the first executable file of that name in `programPath`, then in PATH; null if
 * there is none. Empty entries of PATH (the current directory) are not searched.
 */
export async function findProgram(
  name: string,
  programPath: readonly string[],
  path = process.env.PATH ?? '',
): Promise<string | null> {
  const directories = [...programPath, ...path.split(':')].filter((directory) => directory !== '');
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
