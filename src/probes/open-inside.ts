import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { setTimeout as realSleep } from 'node:timers/promises';
import type { Clock } from '../platform/clock.ts';

export interface OpenFile {
  readonly handle: FileHandle;
  /** Bytes. */
  readonly size: number;
  readonly modified: Date;
}

/**
 * Opens a regular file below a directory, regardless of symbolic links. The kernel reports the real path of the open
 * file, so that nothing can be swapped in between.
 * @returns null if there is no such file inside, it is not a regular file, or it may not be read
 */
export async function openInside(root: string, path: string): Promise<OpenFile | null> {
  let handle: FileHandle | null = null;
  try {
    // Not blocking: opening a named pipe would wait for its writer.
    handle = await open(`${root}/${path}`, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await handle.stat();
    const [realRoot, realFile] = [await realpath(root), await readlink(`/proc/self/fd/${handle.fd}`)];
    if (stat.isFile() && realFile.startsWith(realRoot === '/' ? '/' : `${realRoot}/`)) {
      const opened = { handle, size: stat.size, modified: stat.mtime };
      handle = null;
      return opened;
    }
    return null;
  } catch {
    return null;
  } finally {
    await handle?.close();
  }
}

// A response takes real time at any speed of the clock, above all on a busy machine. However fast a rehearsal is, a
// probe waits as long in real time as on a real site, up to this limit (milliseconds).
const MAX_REAL_WAIT = 3000;
const SLICES = 6;

/**
 * Starts a deadline: its signal fires after `ms` of the clock, but not before `minimumMs` real milliseconds (default:
 * `ms`, at most 3,000). `end` must be called.
 */
export function startDeadline(
  clock: Clock,
  ms: number,
  minimumMs = Math.min(ms, MAX_REAL_WAIT),
): { readonly signal: AbortSignal; end(): void } {
  const [expired, ended] = [new AbortController(), new AbortController()];
  Promise.all([clock.sleep(ms, ended.signal), sleepWhileResponsive(minimumMs, ended.signal)]).then(
    () => expired.abort(),
    () => {},
  );
  return { signal: expired.signal, end: () => ended.abort() };
}

/**
 * Sleeps for a time in which this process can read a response (milliseconds). While the process is busy, responses stay
 * unread; such a period counts as only one of the slices.
 */
async function sleepWhileResponsive(ms: number, signal: AbortSignal): Promise<void> {
  for (let slice = 0; slice < SLICES; slice += 1) await realSleep(ms / SLICES, undefined, { signal });
}

/** Returns the `code` of a system error; the first one of several (both address families tried). */
export function errorCode(error: unknown): string {
  if (error instanceof AggregateError) return errorCode(error.errors[0]);
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message : String(error);
}
