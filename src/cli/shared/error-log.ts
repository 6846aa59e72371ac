import { appendFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getHomeDirectory } from '../../platform/environment.ts';
import { ensureDirectory } from '../../platform/files.ts';
import { sanitize } from '../../platform/sanitize.ts';
import { redact } from '../../platform/secrets.ts';

/** The log of internal errors, for the developers; never contains secrets. */
interface ErrorLog {
  readonly path: string;
  /** @returns false if the log cannot be written */
  write(error: unknown): boolean;
}

/** Opens the log of an install directory, or of the user if there is none. */
export function openErrorLog(dir: string): ErrorLog {
  const stateDir = join(dir, '.upi-wizard');
  const path = existsSync(stateDir)
    ? join(stateDir, 'upi-wizard.log')
    : join(getHomeDirectory(), '.local', 'state', 'upi-wizard', 'upi-wizard.log');
  return {
    path,
    write(error) {
      try {
        ensureDirectory(dirname(path));
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
        // An unwritable log must not hide the error itself.
        return false;
      }
    },
  };
}
