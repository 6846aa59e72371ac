import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { MINUTE, uptime } from './clock.ts';

/** More than any text that we are given needs (bytes). */
const LONGEST_TEXT = 8 * 1024 * 1024;
const WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK;
/** What writes into a pipe may compute for a while; what is silent for longer hangs. */
const LONGEST_SILENCE = MINUTE;
const LOOK_EVERY_MS = 10;

/**
 * Opens a file for reading that has an end: a pipe that nobody writes into would be waited for without one, and a device has none.
 * Links are followed.
 * @throws the error of the system; `ENOTFILE` for what is no plain file and no directory
 */
export async function openPlainFile(path: string): Promise<FileHandle> {
  const handle = await open(path, WITHOUT_WAITING);
  try {
    assertPlain(await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The text of a plain file. @throws what `openPlainFile` throws; `EFBIG` for more than 8 MiB */
export async function readPlainFile(path: string): Promise<string> {
  await using handle = await openPlainFile(path);
  assertShort(await handle.stat());
  return await handle.readFile('utf8');
}

/**
 * The text of a file that a command was given to read before it begins: a plain file, or a pipe (`<(…)`, `/dev/stdin`) to its end. A pipe
 * into which nobody writes is empty.
 * @throws what `readPlainFile` throws; `ETIMEDOUT` for a pipe that is silent for a minute
 */
export function readGivenFile(path: string): string {
  const file = openSync(path, WITHOUT_WAITING);
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

function readPipe(file: number): string {
  const parts: Buffer[] = [];
  const buffer = Buffer.alloc(64 * 1024);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  let size = 0;
  let heard = uptime();
  for (;;) {
    const count = readNow(file, buffer);
    if (count === 0) return Buffer.concat(parts).toString('utf8');
    if (count === null) {
      if (uptime() - heard > LONGEST_SILENCE) throw failure('ETIMEDOUT', 'nothing comes from the pipe');
      Atomics.wait(pause, 0, 0, LOOK_EVERY_MS);
      continue;
    }
    heard = uptime();
    size += count;
    assertShort({ size });
    parts.push(Buffer.from(buffer.subarray(0, count)));
  }
}

/** Bytes read; null while there are none yet. */
function readNow(file: number, buffer: Buffer): number | null {
  try {
    return readSync(file, buffer);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return null;
    throw error;
  }
}

const failure = (code: string, what: string) => Object.assign(new Error(`${code}: ${what}, read`), { code });

function assertPlain(stat: Stats): void {
  if (stat.isFile()) return;
  throw failure(stat.isDirectory() ? 'EISDIR' : 'ENOTFILE', 'not a plain file');
}

function assertShort({ size }: Pick<Stats, 'size'>): void {
  if (size > LONGEST_TEXT) throw failure('EFBIG', 'too large');
}
