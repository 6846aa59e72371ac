import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { readSession } from '../../session/session-file.ts';
import type { SessionState } from '../../session/state.ts';

import { UsageError } from '../shared/usage.ts';

/**
 * Reads the session of an install directory; null if none was saved.
 * @throws UsageError if the path cannot be an install directory; UserErrorException `session-…`
 */
export function readSavedSession(dir: string): SessionState | null {
  try {
    return readSession(dir);
  } catch (error) {
    if (!(error instanceof UserErrorException && error.userError.code.startsWith('directory-'))) throw error;
    const { title, cause, remedy } = error.userError;
    throw new UsageError(`${title}: ${sanitizeLine(cause)} ${remedy}`);
  }
}

/**
 * Reads the session for a command that needs one and has only `--dir` to name it.
 * @throws UsageError also if none was saved
 */
export function requireSession(dir: string): SessionState {
  const state = readSavedSession(dir);
  if (state === null) throw new UsageError(catalogue().holder.commands.noSession(sanitizeLine(dir)));
  return state;
}
