import { realpathSync, statSync } from 'node:fs';

/**
 * Identifies the directory at a path, for a record stored in it: `DEV:INODE:PATH`. Null if it cannot be read. The
 * record of a running process names the directory that the process works in; a copy of the directory contains the same
 * record.
 */
export function getDirectoryIdentity(path: string): string | null {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}:${realpathSync(path)}`;
  } catch {
    return null;
  }
}

/**
 * Whether a record was copied here together with its directory: then its process works in the original. Only a change
 * of both path and inode proves a copy: a moved directory has its old inode, and some file systems change inodes on
 * their own.
 * @param recordedIdentity null or undefined: written by a program that did not record it
 */
export function isCopiedDirectory(recordedIdentity: string | null | undefined, path: string): boolean {
  const currentIdentity = getDirectoryIdentity(path);
  if (recordedIdentity === null || recordedIdentity === undefined || currentIdentity === null) return false;
  return (
    parseIdentity(recordedIdentity).inode !== parseIdentity(currentIdentity).inode &&
    parseIdentity(recordedIdentity).path !== parseIdentity(currentIdentity).path
  );
}

function parseIdentity(identity: string): { readonly inode: string; readonly path: string } {
  const [, inode = '', path = ''] = /^(\d+:\d+):(.*)$/s.exec(identity) ?? [];
  return { inode, path };
}
