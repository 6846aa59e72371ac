import { readSession } from '../../session/load.ts';
import type { SessionState } from '../../session/state.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { TroubleError } from '../../text/trouble.ts';
import { UsageError } from '../shared/usage.ts';

/**
 * The session of an install directory; null where none was saved.
 * @throws UsageError where no directory can be; TroubleError `session-…`
 */
export function savedSession(dir: string): SessionState | null {
  try {
    return readSession(dir);
  } catch (error) {
    if (!(error instanceof TroubleError && error.trouble.code.startsWith('directory-'))) throw error;
    const { title, cause, whatToDo } = error.trouble;
    throw new UsageError(`${title}: ${sanitizeLine(cause)} ${whatToDo}`);
  }
}

/**
 * The same for a command that needs one and can be told of it by nothing but `--dir`.
 * @throws UsageError also where none was saved
 */
export function neededSession(dir: string): SessionState {
  const state = savedSession(dir);
  if (state === null) throw new UsageError(catalogue().holder.commands.noSession(sanitizeLine(dir)));
  return state;
}
