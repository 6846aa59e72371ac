import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue } from '../text/catalogue.ts';
import { type Trouble, TroubleError } from '../text/trouble.ts';
import { freshState, parseState, SCHEMA_VERSION, type SessionState } from './state.ts';
import { systemReason } from './system-reason.ts';

const words = () => catalogue().session;

/** The session's file, kept in the state directory of an install directory. */
export function sessionFile(dir: string): string {
  return join(dir, '.upi-wizard', 'session.json');
}

/**
 * The saved state, or a fresh one. Moves a damaged file aside, which `notices` reports. Apart from saving, because a
 * command that only looks does not need what saving needs.
 * @throws TroubleError `session-newer` for a file of a later program, which stays as it is; `session-unwritable`
 */
export function loadSession(dir: string, notices: Trouble[] = []): SessionState {
  const file = sessionFile(dir);
  if (!existsSync(file)) return freshState;
  const stored = readStore(file);
  const state = stored === null ? null : parseState(stored);
  if (state === 'newer') throw newer(file, Number(stored?.schemaVersion));
  if (state !== null) return state;
  let number = 1;
  while (existsSync(`${file}.bad-${number}`)) number += 1;
  const kept = `${file}.bad-${number}`;
  renameSync(file, kept);
  const { title, cause, whatToDo } = words().damaged;
  notices.push({ code: 'session-damaged', title, cause: cause(file, kept), whatToDo });
  return freshState;
}

/** Null where it holds no JSON object. */
function readStore(file: string): Record<string, unknown> | null {
  try {
    const stored: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const isObject = stored !== null && typeof stored === 'object' && !Array.isArray(stored);
    return isObject ? (stored as Record<string, unknown>) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw unwritable(error);
  }
}

function newer(file: string, found: number): TroubleError {
  const { title, cause, whatToDo } = words().newer;
  return new TroubleError({ code: 'session-newer', title, cause: cause(file, found, SCHEMA_VERSION), whatToDo });
}

/** The trouble of a session whose files cannot be written. */
export function unwritable(error: unknown): TroubleError {
  return new TroubleError(
    { code: 'session-unwritable', ...words().unwritable, cause: systemReason(error) },
    { cause: error },
  );
}
