import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

// Writes that survive a loss of power: data is synced before a name refers to it, and the directory after that.

/** Syncs a directory: created or renamed entries survive a loss of power only after that. */
export function syncDirectory(path: string): void {
  syncPath(path, constants.O_RDONLY | constants.O_DIRECTORY);
}

/**
 * Writes a file completely or not at all: an existing file stays as it is until the new text is on the disk.
 * @param mode the permissions of the file, set before its first byte is written
 * @throws the system's error
 */
export async function replaceFile(file: string, text: string, mode = 0o600): Promise<void> {
  const temporaryPath = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(temporaryPath, 'wx', mode);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporaryPath, file);
    syncDirectory(dirname(file));
  } catch (error) {
    await rm(temporaryPath, { force: true });
    throw error;
  }
}

/**
 * Appends whole lines to a private file of ours, and returns when they are on the disk. An unfinished line of an
 * earlier run is ended first. Lines that cannot be written leave nothing behind.
 * @param text ends with a newline
 * @throws the system's error; `EPERM` if the file is not a plain file or belongs to another user, `ELOOP` for a
 * symbolic link
 */
export function appendDurably(file: string, text: string): void {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const descriptor = openSync(file, flags, 0o600);
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.uid !== process.geteuid?.())
      throw Object.assign(new Error(`${file} is not ours`), { code: 'EPERM' });
    const lastByte = Buffer.alloc(1);
    if (stat.size > 0) readSync(descriptor, lastByte, 0, 1, stat.size - 1);
    const isLastLineIncomplete = stat.size > 0 && lastByte.toString() !== '\n';
    try {
      writeFully(descriptor, Buffer.from(isLastLineIncomplete ? `\n${text}` : text));
      fdatasyncSync(descriptor);
    } catch (error) {
      ftruncateSync(descriptor, stat.size);
      throw error;
    }
    if (stat.size === 0) syncDirectory(dirname(file));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes all bytes at the position of an open file: repeats a short write, whose reason the system reports only on the
 * next call.
 * @throws the system's error
 */
export function writeFully(descriptor: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(descriptor, bytes, offset);
}

/**
 * Makes `copyPath` a second name of `file` (a hard link), which takes no space and is never half written. On a file
 * system without hard links it is a copy. The caller syncs the directory.
 */
export function linkOrCopy(file: string, copyPath: string): void {
  const temporaryPath = `${copyPath}.tmp-${randomBytes(6).toString('hex')}`;
  try {
    try {
      linkSync(file, temporaryPath);
    } catch {
      copyFileSync(file, temporaryPath, constants.COPYFILE_EXCL);
      syncPath(temporaryPath, constants.O_RDONLY);
    }
    renameSync(temporaryPath, copyPath);
  } finally {
    // Renaming one name of a file to another name of the same file does nothing.
    rmSync(temporaryPath, { force: true });
  }
}

function syncPath(path: string, flags: number): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
