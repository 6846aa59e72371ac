import { join } from 'node:path';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError, UserErrorException } from '../i18n/user-error.ts';
import { appendJsonLines } from './journal-file.ts';
import { readSafely } from './safe-file.ts';
import { createUnreadableSessionError, createUnwritableSessionError } from './session-file.ts';

/** A private, append-only file of JSON lines. */
export interface NdjsonFile {
  readonly path: string;
  /**
   * Returns the raw lines, oldest first; none if there is no file.
   * @throws UserErrorException `session-unreadable`
   */
  readonly read: () => readonly string[];
  /**
   * Appends lines; they are on disk when it returns.
   * @throws UserErrorException `session-unwritable`, and no line was written
   */
  readonly append: (lines: readonly object[]) => void;
}

/**
 * Returns the path of the undo records of an install directory: the fields of cluster objects before infra moves
 * changed them. A separate file, because the journal drops its oldest lines and these records are needed as long as the
 * cluster exists.
 */
export function getUndoLogFile(dir: string): string {
  return join(dir, '.upi-wizard', 'infra-before.ndjson');
}

/**
 * Opens a file of JSON lines.
 * @param path the path of the file, whose directory is created with the first line
 */
export function openNdjsonFile(path: string): NdjsonFile {
  return {
    path,
    read() {
      const result = readSafely(path);
      switch (result.kind) {
        case 'missing':
          return [];
        case 'text':
          return result.text.split('\n').filter((line) => line !== '');
        case 'unfit':
          throw createUnreadableSessionError(path, catalogue().session.damaged.reasons[result.rejection]);
        case 'failed':
          throw createUnreadableSessionError(path, describeSystemError(result.error, 'read'));
      }
    },
    append(lines) {
      try {
        appendJsonLines(path, lines);
      } catch (error) {
        const { userError } = createUnwritableSessionError(error);
        throw new UserErrorException({ ...userError, cause: `${path}: ${userError.cause}` }, { cause: error });
      }
    },
  };
}
