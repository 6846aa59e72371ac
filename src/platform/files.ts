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
import { MINUTE, uptime } from './clock.ts';

/** More than any input text needs (bytes). */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;
const NON_BLOCKING = constants.O_RDONLY | constants.O_NONBLOCK;
/** The writer of a pipe may compute for a while; a longer silence means that it hangs. */
const PIPE_TIMEOUT_MS = MINUTE;
const POLL_INTERVAL_MS = 10;

/**
 * Opens a plain file for reading: opening a pipe without a writer would wait forever, and a device has no end.
 * Links are followed.
 * @throws the system's error; `ENOTFILE` for anything but a plain file or directory
 */
export async function openPlainFile(path: string): Promise<FileHandle> {
  const handle = await open(path, NON_BLOCKING);
  try {
    assertPlain(await handle.stat());
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
  assertShort(await handle.stat());
  return await handle.readFile('utf8');
}

/**
 * Reads a file named on the command line: a plain file, or a pipe (`<(…)`, `/dev/stdin`) to its end. A pipe without a
 * writer is empty.
 * @throws the errors of `readPlainFile`; `ETIMEDOUT` for a pipe that is silent for a minute
 */
export function readInputFile(path: string): string {
  const file = openSync(path, NON_BLOCKING);
  try {
    const stat = fstatSync(file);
    if (stat.isFIFO()) return readPipe(file);
    assertPlain(stat);
    assertShort(stat);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/**
 * Reads the standard input to its end.
 * @throws the errors of `readInputFile`
 */
export function readStandardInput(): string {
  const stat = fstatSync(STANDARD_INPUT);
  if (!stat.isFile()) return readPipe(STANDARD_INPUT);
  assertShort(stat);
  return readFileSync(STANDARD_INPUT, 'utf8');
}

const STANDARD_INPUT = 0;

function readPipe(file: number): string {
  const parts: Buffer[] = [];
  const buffer = Buffer.alloc(64 * 1024);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  let size = 0;
  let lastRead = uptime();
  for (;;) {
    const count = tryRead(file, buffer);
    if (count === 0) return Buffer.concat(parts).toString('utf8');
    if (count === null) {
      if (uptime() - lastRead > PIPE_TIMEOUT_MS) throw createError('ETIMEDOUT', 'nothing comes from the pipe');
      Atomics.wait(pause, 0, 0, POLL_INTERVAL_MS);
      continue;
    }
    lastRead = uptime();
    size += count;
    assertShort({ size });
    parts.push(Buffer.from(buffer.subarray(0, count)));
  }
}

/** Returns the number of bytes read; null if none are available yet. */
function tryRead(file: number, buffer: Buffer): number | null {
  try {
    return readSync(file, buffer);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return null;
    throw error;
  }
}

const createError = (code: string, what: string) => Object.assign(new Error(`${code}: ${what}, read`), { code });

function assertPlain(stat: Stats): void {
  if (stat.isFile()) return;
  throw createError(stat.isDirectory() ? 'EISDIR' : 'ENOTFILE', 'not a plain file');
}

function assertShort({ size }: Pick<Stats, 'size'>): void {
  if (size > MAX_TEXT_BYTES) throw createError('EFBIG', 'too large');
}

/**
 * Creates a directory and its missing parents one by one. Node's own recursion never ends where the system forbids
 * creating a directory but reports it as missing (below /proc).
 * @throws the system's error, also if a file has that name
 */
export function makeDirectory(path: string, mode = 0o700): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process created it first.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

// Writes that survive a loss of power: data is synced before a name refers to it, and the directory after that.

/** Syncs a directory: created or renamed entries survive a loss of power only after that. */
export function syncDirectory(path: string): void {
  syncPath(path, constants.O_RDONLY | constants.O_DIRECTORY);
}

/**
 * Writes a file completely or not at all: one of that name stays as it is until the new text is on the disk.
 * @param mode of the file, which gets it before its first byte
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
 * @throws the system's error; `EPERM` if the file is not a plain file or belongs to another user, and the error for a
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
    const isTorn = stat.size > 0 && lastByte.toString() !== '\n';
    try {
      writeFully(descriptor, Buffer.from(isTorn ? `\n${text}` : text));
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

/** The system may write less than requested, and reports the reason only on the next call. */
function writeFully(descriptor: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(descriptor, bytes, offset);
}

/**
 * Makes `copy` a second name of `file` (a hard link): it takes no space, and neither can be half written. On a file
 * system without hard links it is a copy. The caller syncs the directory.
 */
export function linkOrCopy(file: string, copy: string): void {
  const temporaryPath = `${copy}.tmp-${randomBytes(6).toString('hex')}`;
  try {
    try {
      linkSync(file, temporaryPath);
    } catch {
      copyFileSync(file, temporaryPath, constants.COPYFILE_EXCL);
      syncPath(temporaryPath, constants.O_RDONLY);
    }
    renameSync(temporaryPath, copy);
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
 * Whether a record was copied here together with its directory: then its process works in the original. A moved
 * directory keeps its inode, and some file systems change the inode of one that is not moved.
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

/**
 * Looks up a code from outside (a system error, a condition of the API) in a table of text; the set of such codes is
 * open. Our own codes index their tables directly, where the compiler finds gaps.
 * @returns undefined for an unknown code
 */
export function findEntry<T extends object>(table: T, code: string): T[keyof T] | undefined {
  return Object.hasOwn(table, code) ? table[code as keyof T] : undefined;
}
