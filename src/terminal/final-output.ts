import { closeSync, constants, openSync, writeSync } from 'node:fs';

/** Maximum time that a blocked terminal may delay the end of the process. */
const WRITE_TIMEOUT_MS = 1_000;
const RETRY_INTERVAL_MS = 20;

/**
 * Writes to a descriptor before the process ends. Gives up on a terminal that accepts no more output (a frozen line),
 * so that the end does not hang. Fails silently if the terminal is gone.
 */
export function writeFinalOutput(fd: 1 | 2, text: string): void {
  try {
    const descriptor = openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    try {
      writeWithTimeout(descriptor, Buffer.from(text));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // The terminal disappeared meanwhile.
  }
}

function writeWithTimeout(fd: number, data: Buffer): void {
  let remaining = data;
  for (let waited = 0; remaining.length > 0 && waited <= WRITE_TIMEOUT_MS; ) {
    try {
      remaining = remaining.subarray(writeSync(fd, remaining));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      // Nothing else runs any more: the whole process may block.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_INTERVAL_MS);
      waited += RETRY_INTERVAL_MS;
    }
  }
}
