import { closeSync, constants, openSync, writeSync } from 'node:fs';

/** How long a line that takes nothing may keep the process from ending. */
const PATIENCE_MS = 1_000;
const PAUSE_MS = 20;

/**
 * Writes to a descriptor before the process ends. A terminal that takes nothing more (a frozen line) is given up after a
 * moment: the end must not hang on it. Says nothing when nobody is there.
 */
export function writeLast(fd: 1 | 2, text: string): void {
  try {
    const own = openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    try {
      writeWithin(own, Buffer.from(text));
    } finally {
      closeSync(own);
    }
  } catch {
    // The terminal went away just now.
  }
}

function writeWithin(fd: number, data: Buffer): void {
  let left = data;
  for (let waited = 0; left.length > 0 && waited <= PATIENCE_MS; ) {
    try {
      left = left.subarray(writeSync(fd, left));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      // Nothing else happens any more: the process may sleep whole.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      waited += PAUSE_MS;
    }
  }
}
