import { dirname } from 'node:path';
import { catalogue } from '../text/catalogue.ts';
import { systemReason } from '../text/system-reason.ts';
import type { Trouble } from '../text/trouble.ts';
import { moveAside } from './aside.ts';
import { linesOf } from './journal.ts';
import { journalFiles } from './journal-file.ts';
import type { JournalLine } from './journal-line.ts';
import {
  type Damage,
  newer,
  previousFile,
  type Reading,
  readingOf,
  readingOfFile,
  sessionFile,
  unreadable,
  unwritable,
} from './load.ts';
import { patched } from './patch.ts';
import { unfitDirectory } from './safe-file.ts';
import { freshState, parseState, type SessionState } from './state.ts';

const words = () => catalogue().session;

/** A saved state that was found. `text`: what the session's file holds, null where the state is not in it. */
export interface Loaded {
  readonly state: SessionState;
  readonly serial: number;
  readonly text: string | null;
  readonly notice: Trouble | null;
}

/** A state from the journal or the previous copy, and when it was saved (ms since the epoch). */
interface Rebuilt {
  readonly state: SessionState;
  readonly serial: number;
  readonly savedAt: number;
}

/**
 * The saved state, or a fresh one, for the holder of the lock. Keeps a damaged file under another name and goes on from
 * the last state that the journal or the previous copy still has; `notice` says so.
 * @throws TroubleError `session-newer` for a file of a later program, `session-unreadable` for one that is not ours to
 *   read, which both stay as they are; `session-unwritable`
 */
export function recoverSession(dir: string): Loaded {
  const file = sessionFile(dir);
  const reading = readingOf(dir);
  switch (reading.kind) {
    case 'state':
      return { ...reading, notice: null };
    case 'newer':
      throw newer(file, reading.found);
    case 'unreadable':
      throw unreadable(file, systemReason(reading.error, 'read'));
    case 'none':
      return neverSaved(dir, file);
    case 'damaged':
      return recovered(dir, file, reading.why);
  }
}

/** Where a first save was interrupted before it was confirmed, its answer counts without a word. */
function neverSaved(dir: string, file: string): Loaded {
  const found = rebuild(dir);
  if (found === null) return fresh(null);
  return found.serial === 1 ? { ...found, text: null, notice: null } : recovered(dir, file, 'missing');
}

const fresh = (notice: Trouble | null): Loaded => ({ state: freshState, serial: 0, text: null, notice });

function recovered(dir: string, file: string, damage: Damage): Loaded {
  const { why, title, whatToDo, kept, recovered: told } = words().damaged;
  // Its owner may have the answers that count, and only a person can tell.
  if (damage === 'foreign' || unfitDirectory(dirname(file)) !== null) throw unreadable(file, why[damage]);
  const found = rebuild(dir);
  const place = damage === 'missing' ? null : setAside(file);
  const cause = [words().damaged.cause(file, why[damage]), ...(place === null ? [] : [kept(place)])].join(' ');
  if (found === null) return fresh({ code: 'session-damaged', title, cause, whatToDo });
  const time = new Date(found.savedAt).toISOString().slice(0, 19).replace('T', ' ');
  const notice = { code: 'session-recovered', title: told.title(time), cause, whatToDo: told.whatToDo };
  return { ...found, text: null, notice };
}

function setAside(file: string): string {
  try {
    return moveAside(file);
  } catch (error) {
    throw unwritable(error);
  }
}

/** The last state that the journal or the previous copy has whole; null where neither has one. */
function rebuild(dir: string): Rebuilt | null {
  const journaled = journalFiles(dir).reduce<Rebuilt | null>((found, file) => found ?? lastWhole(linesOf(file)), null);
  const previous: Reading = readingOfFile(previousFile(dir));
  if (previous.kind !== 'state' || (journaled && journaled.serial >= previous.serial)) return journaled;
  return { ...previous, savedAt: previous.modified };
}

/** The last state of a journal's file that has the checksum which was noted for it. */
function lastWhole(lines: readonly JournalLine[]): Rebuilt | null {
  // The end is nearly always whole; only where it is not is every state on the way compared.
  return replay(lines, false) ?? replay(lines, true);
}

function replay(lines: readonly JournalLine[], isEachCompared: boolean): Rebuilt | null {
  let state: Record<string, unknown> | null = null;
  let last: Extract<JournalLine, { type: 'snapshot' | 'saved' }> | null = null;
  let whole: Rebuilt | null = null;
  for (const line of lines) {
    if (line.type !== 'snapshot' && line.type !== 'saved') continue;
    if (line.type === 'snapshot') state = structuredClone(line.state);
    else if (state !== null) state = patched(state, line.patch);
    last = line;
    // A copy: the next patch changes this one.
    if (isEachCompared) whole = wholeState(structuredClone(state), line) ?? whole;
  }
  return isEachCompared ? whole : wholeState(state, last);
}

function wholeState(
  state: Record<string, unknown> | null,
  line: Extract<JournalLine, { type: 'snapshot' | 'saved' }> | null,
): Rebuilt | null {
  if (state === null || line === null) return null;
  const parsed = parseState({ ...state, serial: line.serial, checksum: line.checksum });
  return parsed.kind === 'state' ? { ...parsed, savedAt: Date.parse(line.at) } : null;
}
