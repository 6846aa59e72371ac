import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** More than any text that we are given needs (bytes). */
const LONGEST_TEXT = 8 * 1024 * 1024;
const WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Opens a file for reading that has an end: a pipe that nobody writes into would be waited for without one, and a device has none.
 * Links are followed.
 * @throws the error of the system; `ENOTFILE` for what is no plain file and no directory
 */
export async function openPlainFile(path: string): Promise<FileHandle> {
  const handle = await open(path, WITHOUT_WAITING);
  try {
    assertPlain(await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The text of a plain file. @throws what `openPlainFile` throws; `EFBIG` for more than 8 MiB */
export async function readPlainFile(path: string): Promise<string> {
  await using handle = await openPlainFile(path);
  assertShort(await handle.stat());
  return await handle.readFile('utf8');
}

/** The same, for commands that read one file before they begin. */
export function readPlainFileSync(path: string): string {
  const file = openSync(path, WITHOUT_WAITING);
  try {
    const stat = fstatSync(file);
    assertPlain(stat);
    assertShort(stat);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function assertPlain(stat: Stats): void {
  if (stat.isFile()) return;
  const code = stat.isDirectory() ? 'EISDIR' : 'ENOTFILE';
  throw Object.assign(new Error(`${code}: not a plain file, read`), { code });
}

function assertShort({ size }: Stats): void {
  if (size > LONGEST_TEXT) throw Object.assign(new Error('EFBIG: too large, read'), { code: 'EFBIG' });
}
