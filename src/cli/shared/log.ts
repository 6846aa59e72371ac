import { appendFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { homeDirectory } from '../../ports/home.ts';
import { makeDirectory } from '../../ports/make-directory.ts';
import { redact } from '../../text/redact.ts';
import { sanitize } from '../../text/sanitize.ts';

/** Where we log our own faults, for whoever fixes them; never secrets. */
export interface ErrorLog {
  readonly path: string;
  /** @returns false where the log cannot be written */
  write(error: unknown): boolean;
}

/** The log of an install directory, or of the user where there is none. */
export function errorLog(dir: string): ErrorLog {
  const own = join(dir, '.upi-wizard');
  const path = existsSync(own)
    ? join(own, 'upi-wizard.log')
    : join(homeDirectory(), '.local', 'state', 'upi-wizard', 'upi-wizard.log');
  return {
    path,
    write(error) {
      try {
        makeDirectory(dirname(path));
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        appendFileSync(
          path,
          `${JSON.stringify({ at: new Date().toISOString(), error: sanitize(redact(text), 8000) })}\n`,
          {
            mode: 0o600,
          },
        );
        return true;
      } catch {
        // An unwritable log must not hide the fault itself.
        return false;
      }
    },
  };
}
