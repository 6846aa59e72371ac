import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Reader, ReadLimits, Share } from './untar.ts';

const DEEPEST = 40;

/**
 * Reads the files below a directory that are wanted, one after the other, in the order of their names. Links, pipes and devices are left
 * out; what may not be read counts as missing.
 * @returns `isCut` when a limit ended it, or something could not be read
 * @throws the system's error for the directory itself
 */
export async function readTree(
  directory: string,
  { wanted, take }: Reader,
  limits: ReadLimits,
  signal?: AbortSignal,
): Promise<{ readonly isCut: boolean }> {
  let [taken, entries, isCut] = [0, 0, false];
  const isFull = () => taken >= limits.taken || entries > limits.entries;

  async function walk(inside: string, depth: number): Promise<void> {
    const found = await readdir(join(directory, inside), { withFileTypes: true });
    for (const entry of found.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      signal?.throwIfAborted();
      entries += 1;
      if (isFull()) return;
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
      const share = entry.isFile() ? wanted(path) : null;
      try {
        if (entry.isDirectory() && depth < DEEPEST) await walk(path, depth + 1);
        if (share === null) continue;
        const read = await readShare(join(directory, path), share);
        taken += read.content.length;
        take({ path, ...read });
      } catch (error) {
        if (!(error instanceof Error && 'syscall' in error)) throw error;
        isCut = true;
      }
    }
  }

  await walk('', 0);
  return { isCut: isCut || isFull() };
}

async function readShare(path: string, { part, most }: Share) {
  await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  const { size, mtimeMs } = await handle.stat();
  const length = Math.min(size, most);
  const content = Buffer.alloc(length);
  const { bytesRead } = await handle.read(content, 0, length, part === 'start' ? 0 : size - length);
  return { content: content.subarray(0, bytesRead), isWhole: bytesRead === size, modifiedAt: mtimeMs };
}
