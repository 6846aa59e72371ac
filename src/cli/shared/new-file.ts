import { closeSync, constants, fchmodSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Creates a file that does not exist yet, for its owner only, completely or not at all.
 * @returns the system error; null on success
 */
export function writeNewFile(file: string, content: Buffer | string): NodeJS.ErrnoException | null {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  let isCreated = false;
  try {
    const fd = openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    isCreated = true;
    try {
      fchmodSync(fd, 0o600);
      writeFileSync(fd, content);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    return null;
  } catch (error) {
    if (isCreated) rmSync(file, { force: true });
    return error instanceof Error ? error : new Error(String(error));
  }
}
