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
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getUptime, MINUTE } from './clock.ts';

/** More than any input text needs (bytes). */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;
const NON_BLOCKING = constants.O_RDONLY | constants.O_NONBLOCK;
/** The writer of a pipe may compute for a while; a longer silence means that it hangs. */
const PIPE_TIMEOUT_MS = MINUTE;
const POLL_INTERVAL_MS = 10;

/**
 * Opens a plain file for reading: opening a pipe without a writer would wait forever, and a device has no end. Links
 * are followed.
 * @throws the system's error; `EISDIR` for a directory, `ENOTFILE` for anything else that is not a plain file
 */
export async function openPlainFile(path: string): Promise<FileHandle> {
  const handle = await open(path, NON_BLOCKING);
  try {
    assertPlainFile(await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Reads a plain file as text.
 * @throws the errors of `openPlainFile`; `EFBIG` for more than 8 MiB
 */
export async function readPlainFile(path: string): Promise<string> {
  await using handle = await openPlainFile(path);
  assertSizeLimit(await handle.stat());
  return await handle.readFile('utf8');
}

/**
 * Reads a file named on the command line: a plain file, or a pipe (`<(…)`, `/dev/stdin`) to its end. A pipe without a
 * writer is empty.
 * @throws the errors of `readPlainFile`; `ETIMEDOUT` for a pipe that is silent for a minute
 */
export function readInputFile(path: string): string {
  const descriptor = openSync(path, NON_BLOCKING);
  try {
    const stat = fstatSync(descriptor);
    if (stat.isFIFO()) return readPipe(descriptor);
    assertPlainFile(stat);
    assertSizeLimit(stat);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads the standard input to its end.
 * @throws the errors of `readInputFile`
 */
export function readStandardInput(): string {
  const stat = fstatSync(STANDARD_INPUT_FD);
  if (!stat.isFile()) return readPipe(STANDARD_INPUT_FD);
  assertSizeLimit(stat);
  return readFileSync(STANDARD_INPUT_FD, 'utf8');
}

const STANDARD_INPUT_FD = 0;

function readPipe(descriptor: number): string {
  const parts: Buffer[] = [];
  const buffer = Buffer.alloc(64 * 1024);
  const waitBuffer = new Int32Array(new SharedArrayBuffer(4));
  let size = 0;
  let lastReadAt = getUptime();
  for (;;) {
    const count = tryRead(descriptor, buffer);
    if (count === 0) return Buffer.concat(parts).toString('utf8');
    if (count === null) {
      if (getUptime() - lastReadAt > PIPE_TIMEOUT_MS) throw createError('ETIMEDOUT', 'nothing comes from the pipe');
      Atomics.wait(waitBuffer, 0, 0, POLL_INTERVAL_MS);
      continue;
    }
    lastReadAt = getUptime();
    size += count;
    assertSizeLimit({ size });
    parts.push(Buffer.from(buffer.subarray(0, count)));
  }
}

/** Returns the number of bytes read; null if none are available yet. */
function tryRead(descriptor: number, buffer: Buffer): number | null {
  try {
    return readSync(descriptor, buffer);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return null;
    throw error;
  }
}

const createError = (code: string, reason: string) => Object.assign(new Error(`${code}: ${reason}, read`), { code });

function assertPlainFile(stat: Stats): void {
  if (stat.isFile()) return;
  throw createError(stat.isDirectory() ? 'EISDIR' : 'ENOTFILE', 'not a plain file');
}

function assertSizeLimit({ size }: Pick<Stats, 'size'>): void {
  if (size > MAX_TEXT_BYTES) throw createError('EFBIG', 'too large');
}

/**
 * Creates a directory and its missing parents one by one. The recursion of Node.js never ends where the system forbids
 * creating a directory but reports it as missing (below /proc).
 * @throws the system's error, also if a file has that name
 */
export function ensureDirectory(path: string, mode = 0o700): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) ensureDirectory(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process created it first.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** Returns the path without symbolic links; unchanged if it does not exist or cannot be read. */
export function resolveRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

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
