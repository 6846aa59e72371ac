import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
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
