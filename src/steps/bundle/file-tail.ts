import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { catalogue } from '../../i18n/catalogue.ts';
import { describeSystemError } from '../../i18n/user-error.ts';

/** Limit (bytes); of a longer file only the end is read. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads the end of a file, from the start of a line; follows no link and waits for no pipe.
 * @returns `why`: the reason why it cannot be read; null if there is no such file
 */
export async function readFileTail(file: string): Promise<{ readonly text: string } | { readonly why: string | null }> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) return { why: catalogue().bundle.notFile };
      const start = Math.max(0, stat.size - MAX_BYTES);
      const buffer = Buffer.alloc(stat.size - start);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
      const chunk = buffer.subarray(0, bytesRead);
      return { text: chunk.subarray(start === 0 ? 0 : chunk.indexOf(0x0a) + 1).toString('utf8') };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return { why: null };
    return { why: code === 'ELOOP' ? catalogue().bundle.notFile : describeSystemError(error, 'read') };
  }
}
