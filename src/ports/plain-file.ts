import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** More than any text that we are given needs (bytes). */
const LONGEST_TEXT = 8 * 1024 * 1024;

/**
 * Opens a file for reading that has an end: a pipe that nobody writes into would be waited for without one, and a device has none.
 * Links are followed.
 * @throws the error of the system; `ENOTFILE` for what is no plain file and no directory
 */
export async function openPlainFile(path: string): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stat = await handle.stat();
  if (stat.isFile()) return handle;
  await handle.close();
  const code = stat.isDirectory() ? 'EISDIR' : 'ENOTFILE';
  throw Object.assign(new Error(`${code}: not a plain file, read`), { code });
}

/** The text of a plain file. @throws what `openPlainFile` throws; `EFBIG` for more than 8 MiB */
export async function readPlainFile(path: string): Promise<string> {
  await using handle = await openPlainFile(path);
  const { size } = await handle.stat();
  if (size > LONGEST_TEXT) throw Object.assign(new Error('EFBIG: too large, read'), { code: 'EFBIG' });
  return await handle.readFile('utf8');
}
