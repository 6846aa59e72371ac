import { closeSync, constants, fchmodSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';

/** Writes a file that was not there, for its owner only, whole or not at all. @returns what the system said against it */
export function writeNew(file: string, content: Buffer | string): NodeJS.ErrnoException | null {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  let isOurs = false;
  try {
    const fd = openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    isOurs = true;
    try {
      fchmodSync(fd, 0o600);
      writeFileSync(fd, content);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    return null;
  } catch (error) {
    if (isOurs) rmSync(file, { force: true });
    return error instanceof Error ? error : new Error(String(error));
  }
}
