import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { sanitize } from '../text/sanitize.ts';

/** Where we log our own faults, for whoever fixes them; never secrets. */
export interface ErrorLog {
  readonly path: string;
  write(error: unknown): void;
}

/** The log of an install directory, or of the user where there is none. */
export function errorLog(dir: string): ErrorLog {
  const own = join(dir, '.upi-wizard');
  const path = existsSync(own)
    ? join(own, 'upi-wizard.log')
    : join(homedir(), '.local', 'state', 'upi-wizard', 'upi-wizard.log');
  return {
    path,
    write(error) {
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        appendFileSync(path, `${JSON.stringify({ at: new Date().toISOString(), error: sanitize(text, 8000) })}\n`, {
          mode: 0o600,
        });
      } catch {
        // An unwritable log must not hide the fault itself.
      }
    },
  };
}
