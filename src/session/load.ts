import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { catalogue, commandLine } from '../text/catalogue.ts';
import { systemReason } from '../text/system-reason.ts';
import { TroubleError } from '../text/trouble.ts';
import { directoryProblem, unusableDirectory } from './directory-problem.ts';
import { readSafely, type Unfit, unfitDirectory } from './safe-file.ts';
import { parseState, SCHEMA_VERSION, type SessionState } from './state.ts';

const words = () => catalogue().session;

/** The session's file, kept in the state directory of an install directory. */
export function sessionFile(dir: string): string {
  return join(dir, '.upi-wizard', 'session.json');
}

/** What the session's file held before the last save. */
export function previousFile(dir: string): string {
  return join(dir, '.upi-wizard', 'session.previous.json');
}

/** Why a session's file is not what a session wrote. `missing`: it was there, and only its previous copy still is. */
export type Damage = Unfit | 'missing' | 'empty' | 'not-json' | 'not-a-session' | 'altered';

/** What lies where a session is saved. Reading it changes nothing. */
export type Reading =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'state';
      readonly state: SessionState;
      readonly serial: number;
      readonly text: string;
      /** Ms since the epoch. */
      readonly modified: number;
    }
  | { readonly kind: 'damaged'; readonly why: Damage }
  | { readonly kind: 'newer'; readonly found: number }
  | { readonly kind: 'unreadable'; readonly error: unknown };

/**
 * The saved state for a command that holds no lock; null where nothing was saved yet. Moves and writes nothing.
 * @throws TroubleError `session-damaged`, `session-newer`, `session-unreadable`, `directory-…` where no directory can be
 */
export function readSession(dir: string): SessionState | null {
  const file = sessionFile(dir);
  const reading = readingOf(dir);
  switch (reading.kind) {
    case 'none':
      return null;
    case 'state':
      return reading.state;
    case 'damaged': {
      const { title, cause, why, toRecover } = words().damaged;
      const whatToDo = toRecover(commandLine('--dir', dir));
      throw new TroubleError({ code: 'session-damaged', title, cause: cause(file, why[reading.why]), whatToDo });
    }
    case 'newer':
      throw newer(file, reading.found);
    case 'unreadable':
      throw unreadable(file, systemReason(reading.error, 'read'));
  }
}

/** What lies where the session of an install directory is saved. */
export function readingOf(dir: string): Reading {
  const file = sessionFile(dir);
  const why = unfitState(dir);
  if (why !== null) return { kind: 'damaged', why };
  const reading = readingOfFile(file);
  return reading.kind === 'none' && existsSync(previousFile(dir)) ? { kind: 'damaged', why: 'missing' } : reading;
}

/** @throws TroubleError `directory-…` where the path leads through a file, or the system lets nobody look */
function unfitState(dir: string): Unfit | null {
  try {
    return unfitDirectory(dirname(sessionFile(dir)));
  } catch (error) {
    throw new TroubleError(directoryProblem(dir) ?? unusableDirectory(dir, error), { cause: error });
  }
}

/** What a file of a session holds. */
export function readingOfFile(file: string): Reading {
  const read = readSafely(file);
  switch (read.kind) {
    case 'missing':
      return { kind: 'none' };
    case 'unfit':
      return { kind: 'damaged', why: read.why };
    case 'failed':
      return { kind: 'unreadable', error: read.error };
    case 'text':
      return readingOfText(read.text, read.modified);
  }
}

function readingOfText(text: string, modified: number): Reading {
  if (text.trim() === '') return { kind: 'damaged', why: 'empty' };
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    return { kind: 'damaged', why: 'not-json' };
  }
  if (stored === null || typeof stored !== 'object' || Array.isArray(stored))
    return { kind: 'damaged', why: 'not-a-session' };
  try {
    const parsed = parseState(stored as Record<string, unknown>);
    return parsed.kind === 'state' ? { ...parsed, text, modified } : parsed;
  } catch (error) {
    // Nested deeper than anything can follow.
    if (error instanceof RangeError) return { kind: 'damaged', why: 'not-a-session' };
    throw error;
  }
}

/** The trouble of a file of a later program. */
export function newer(file: string, found: number): TroubleError {
  const { title, cause, whatToDo } = words().newer;
  return new TroubleError({ code: 'session-newer', title, cause: cause(file, found, SCHEMA_VERSION), whatToDo });
}

/** The trouble of a session's file that is not ours to read. */
export function unreadable(file: string, why: string): TroubleError {
  const { title, cause, whatToDo } = words().unreadable;
  return new TroubleError({ code: 'session-unreadable', title, cause: cause(file, why), whatToDo });
}

/** The trouble of a session whose files cannot be written. */
export function unwritable(error: unknown): TroubleError {
  return new TroubleError(
    { code: 'session-unwritable', ...words().unwritable, cause: systemReason(error) },
    { cause: error },
  );
}
