import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { catalogue } from '../../text/catalogue.ts';
import { systemReason } from '../../text/system-reason.ts';

/** Of a longer file the end is what counts (bytes). */
const LONGEST = 4 * 1024 * 1024;

/**
 * The end of a file, from a whole line on; follows no link and waits for no pipe.
 * @returns the reason in words where it cannot be read; null as the reason where there is none
 */
export async function readPart(file: string): Promise<{ readonly text: string } | { readonly why: string | null }> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) return { why: catalogue().bundle.notFile };
      const start = Math.max(0, stat.size - LONGEST);
      const buffer = Buffer.alloc(stat.size - start);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
      const piece = buffer.subarray(0, bytesRead);
      return { text: piece.subarray(start === 0 ? 0 : piece.indexOf(0x0a) + 1).toString('utf8') };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return { why: null };
    return { why: code === 'ELOOP' ? catalogue().bundle.notFile : systemReason(error, 'read') };
  }
}
