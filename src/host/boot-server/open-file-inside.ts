import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';

export interface OpenFile {
  readonly handle: FileHandle;
  /** Bytes. */
  readonly size: number;
  readonly modifiedAt: Date;
}

/**
 * Opens a regular file below a directory; no symbolic link may leave it. The check uses the real path of the open file,
 * which the kernel reports: nothing can be swapped between check and open.
 * @returns null if there is no such file inside, it is not a regular file, or it may not be read
 */
export async function openFileInside(root: string, path: string): Promise<OpenFile | null> {
  let handle: FileHandle | null = null;
  try {
    // Not blocking: opening a named pipe would wait for its writer.
    handle = await open(`${root}/${path}`, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await handle.stat();
    const [realRoot, realFile] = [await realpath(root), await readlink(`/proc/self/fd/${handle.fd}`)];
    if (stat.isFile() && realFile.startsWith(realRoot === '/' ? '/' : `${realRoot}/`)) {
      const openFile = { handle, size: stat.size, modifiedAt: stat.mtime };
      handle = null;
      return openFile;
    }
    return null;
  } catch {
    return null;
  } finally {
    await handle?.close();
  }
}
