import { fstatSync, writeSync } from 'node:fs';
import { sanitize } from '../../text/sanitize.ts';

/** The standard output of the process. */
export interface Output {
  /** Writes a text. Whatever it is, nothing of it moves a cursor or hides: JSON and YAML have escaped that before. */
  readonly write: (text: string) => void;
  /** Why a file behind it did not take all of it; null while it does. */
  readonly failure: () => Error | null;
}

/**
 * Opens it. A file is written at once and again for each text: a stream of Node's ends for good at the first full disk, and what
 * follows a cluster for hours has more to say when there is space again.
 */
export function openOutput(): Output {
  let failure: Error | null = null;
  const isFile = isFileBehind(1) && !process.stdout.isTTY;
  return {
    failure: () => failure,
    write(text) {
      const safe = sanitize(text, Number.POSITIVE_INFINITY);
      if (!isFile) {
        process.stdout.write(safe);
        return;
      }
      try {
        let rest = Buffer.from(safe);
        while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
      } catch (error) {
        failure ??= error instanceof Error ? error : new Error(String(error));
      }
    },
  };
}

/** A file or a device, not a pipe or a socket. */
function isFileBehind(descriptor: number): boolean {
  try {
    const stat = fstatSync(descriptor);
    return stat.isFile() || stat.isCharacterDevice();
  } catch {
    return false;
  }
}
