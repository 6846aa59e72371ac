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
import { dirname } from 'node:path';

// What is written so that a loss of power cannot take it back: data is synced before a name leads to it, and the
// directory after.

/** After a loss of power, what was made or renamed is there only when its directory was synced. */
export function syncDirectory(path: string): void {
  sync(path, constants.O_RDONLY | constants.O_DIRECTORY);
}

/**
 * Appends whole lines to a private file of ours, and returns when they are on the disk. A line that another run did not
 * finish is ended first; of lines that cannot be written nothing stays.
 * @param text ends with a newline
 * @throws the error of the system; also where the path is a link, no plain file, or of another user
 */
export function appendDurably(file: string, text: string): void {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const descriptor = openSync(file, flags, 0o600);
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.uid !== process.geteuid?.())
      throw Object.assign(new Error(`${file} is not ours`), { code: 'EPERM' });
    const last = Buffer.alloc(1);
    if (stat.size > 0) readSync(descriptor, last, 0, 1, stat.size - 1);
    const isTorn = stat.size > 0 && last.toString() !== '\n';
    try {
      writeWhole(descriptor, Buffer.from(isTorn ? `\n${text}` : text));
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

/** A system may write less than it was given, and say why only when asked again. */
function writeWhole(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
}

/**
 * Makes `copy` the content that `file` has now: another name for it, so that it costs no room and neither can be half of
 * it; a copy where the file system knows no second names. Whoever calls syncs the directory.
 */
export function keepCopy(file: string, copy: string): void {
  const fresh = `${copy}.tmp-${randomBytes(6).toString('hex')}`;
  try {
    try {
      linkSync(file, fresh);
    } catch {
      copyFileSync(file, fresh, constants.COPYFILE_EXCL);
      sync(fresh, constants.O_RDONLY);
    }
    renameSync(fresh, copy);
  } finally {
    // Renaming one name of a file to another of its names does nothing.
    rmSync(fresh, { force: true });
  }
}

function sync(path: string, flags: number): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
