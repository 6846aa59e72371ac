import { dirname, join } from 'node:path';
import { appendDurably } from '../ports/durable.ts';
import { makeDirectory } from '../ports/make-directory.ts';
import { catalogue } from '../text/catalogue.ts';
import { systemReason } from '../text/system-reason.ts';
import { TroubleError } from '../text/trouble.ts';
import { unreadable, unwritable } from './load.ts';
import { readSafely } from './safe-file.ts';

/** A private file of lines of JSON that only grows. */
export interface LinesFile {
  readonly path: string;
  /** The lines, oldest first, as they are; none where there is no file. @throws TroubleError `session-unreadable` */
  readonly read: () => readonly string[];
  /** When it returns, the lines are on the disk. @throws TroubleError `session-unwritable`, and no line was written */
  readonly append: (lines: readonly object[]) => void;
}

/**
 * What the objects of the cluster had before the moves wrote to them, of an install directory. Apart from the journal, which
 * loses its oldest lines: these are needed as long as the cluster lives.
 */
export function beforeFile(dir: string): string {
  return join(dir, '.upi-wizard', 'infra-before.ndjson');
}

/** @param path of the file; its directory is made when the first line is written */
export function linesFile(path: string): LinesFile {
  return {
    path,
    read() {
      const read = readSafely(path);
      switch (read.kind) {
        case 'missing':
          return [];
        case 'text':
          return read.text.split('\n').filter((line) => line !== '');
        case 'unfit':
          throw unreadable(path, catalogue().session.damaged.why[read.why]);
        case 'failed':
          throw unreadable(path, systemReason(read.error, 'read'));
      }
    },
    append(lines) {
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      try {
        makeDirectory(dirname(path));
        // In ASCII, as the journal: whoever shows the file shows no invisible or control character.
        appendDurably(
          path,
          text.replace(/[\u007f-\uffff]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`),
        );
      } catch (error) {
        const { trouble } = unwritable(error);
        throw new TroubleError({ ...trouble, cause: `${path}: ${trouble.cause}` }, { cause: error });
      }
    },
  };
}
