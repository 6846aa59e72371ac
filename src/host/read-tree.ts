import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Excerpt, FileVisitor, ReadLimits } from './tar.ts';

const MAX_DEPTH = 40;

/**
 * Reads the selected files below a directory, one after the other, sorted by name. Links, pipes and devices are
 * skipped; unreadable files count as missing.
 * @returns `isCut`: a limit ended the read, or something could not be read
 * @throws the system's error for the directory itself
 */
export async function readDirectoryTree(
  directory: string,
  { selectPart, onFile }: FileVisitor,
  limits: ReadLimits,
  signal?: AbortSignal,
): Promise<{ readonly isCut: boolean }> {
  let [contentBytes, entryCount, isCut] = [0, 0, false];
  const isLimitReached = () => contentBytes >= limits.contentBytes || entryCount > limits.entryCount;

  async function readDirectory(subpath: string, depth: number): Promise<void> {
    const directoryEntries = await readdir(join(directory, subpath), { withFileTypes: true });
    for (const entry of directoryEntries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      signal?.throwIfAborted();
      entryCount += 1;
      if (isLimitReached()) return;
      const path = subpath === '' ? entry.name : `${subpath}/${entry.name}`;
      const excerpt = entry.isFile() ? selectPart(path) : null;
      try {
        if (entry.isDirectory() && depth < MAX_DEPTH) await readDirectory(path, depth + 1);
        if (excerpt === null) continue;
        const filePart = await readExcerpt(join(directory, path), excerpt);
        contentBytes += filePart.content.length;
        onFile({ path, ...filePart });
      } catch (error) {
        if (!(error instanceof Error && 'syscall' in error)) throw error;
        isCut = true;
      }
    }
  }

  await readDirectory('', 0);
  return { isCut: isCut || isLimitReached() };
}

async function readExcerpt(path: string, { part, maxBytes }: Excerpt) {
  await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  const { size, mtimeMs } = await handle.stat();
  const length = Math.min(size, maxBytes);
  const content = Buffer.alloc(length);
  const { bytesRead } = await handle.read(content, 0, length, part === 'start' ? 0 : size - length);
  return { content: content.subarray(0, bytesRead), isComplete: bytesRead === size, modifiedAt: mtimeMs };
}
