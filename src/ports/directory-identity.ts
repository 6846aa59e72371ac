import { realpathSync, statSync } from 'node:fs';

/**
 * Which directory a path is now, for a record that lies in it: `DEV:INODE:PATH`. Null where it cannot be looked at.
 * The record of a process that runs says so of the directory that the process works in, and a copy of it does too.
 */
export function directoryIdentity(path: string): string | null {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}:${realpathSync(path)}`;
  } catch {
    return null;
  }
}

/**
 * Whether a record was copied here with the directory that it lies in: then its process works for the other one. A directory that
 * was moved keeps its inode, and some file systems change the inode of one that stays.
 * @param recorded null or undefined: by a program that did not record it
 */
export function isCopied(recorded: string | null | undefined, path: string): boolean {
  const now = directoryIdentity(path);
  if (recorded === null || recorded === undefined || now === null) return false;
  return partsOf(recorded).inode !== partsOf(now).inode && partsOf(recorded).path !== partsOf(now).path;
}

function partsOf(identity: string): { readonly inode: string; readonly path: string } {
  const [, inode = '', path = ''] = /^(\d+:\d+):(.*)$/s.exec(identity) ?? [];
  return { inode, path };
}
