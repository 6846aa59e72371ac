import { fstatSync, writeSync } from 'node:fs';
import { sanitize } from '../../platform/sanitize.ts';

/** The standard output of the process. */
export interface Output {
  /** Writes a text, without control sequences. JSON and YAML escape them before. */
  readonly write: (text: string) => void;
  /** Why a file behind it did not take the whole output; null so far. */
  readonly failure: () => Error | null;
}

/**
 * Opens the standard output. A file gets one synchronous write per text, because a Node stream stops for good at the
 * first full disk. A command that follows a cluster for hours can then continue when there is space again.
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

/** Matches a file or a device, not a pipe or a socket. */
function isFileBehind(descriptor: number): boolean {
  try {
    const stat = fstatSync(descriptor);
    return stat.isFile() || stat.isCharacterDevice();
  } catch {
    return false;
  }
}
