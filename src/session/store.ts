import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import Conf from 'conf';
import { session as words } from '../text/en/session.ts';
import { type Trouble, TroubleError } from '../text/trouble.ts';
import { freshState, parseState, SCHEMA_VERSION, type SessionState } from './state.ts';
import { systemReason } from './system-reason.ts';

export { freshState, type SessionState } from './state.ts';

/** The saved state of one install directory. */
export interface Session {
  readonly dir: string;
  /**
   * What was saved last, or a fresh state. A damaged file is moved aside (see `notices`).
   * @throws TroubleError `session-newer` for a file of a later program, which is left as it is
   */
  load(): SessionState;
  /** Saves; when it returns, the state is on the disk. @throws TroubleError `session-unwritable` */
  save(state: SessionState): void;
  /** What the user has to be told about loading. */
  notices(): readonly Trouble[];
}

/** The session's file, kept in the state directory of an install directory. */
export function sessionFile(dir: string): string {
  return join(dir, '.upi-wizard', 'session.json');
}

/** Opens the session of an install directory; nothing is written until the first save. */
export function openSession(dir: string): Session {
  const home = join(dir, '.upi-wizard');
  const file = sessionFile(dir);
  const notices: Trouble[] = [];

  const moveAside = (): SessionState => {
    let number = 1;
    while (existsSync(`${file}.bad-${number}`)) number += 1;
    const kept = `${file}.bad-${number}`;
    renameSync(file, kept);
    const { title, cause, whatToDo } = words.damaged;
    notices.push({ code: 'session-damaged', title, cause: cause(file, kept), whatToDo });
    return freshState;
  };

  return {
    dir,
    notices: () => notices,
    load() {
      if (!existsSync(file)) return freshState;
      const stored = readStore(home);
      const state = stored === null ? null : parseState(stored);
      if (state === 'newer') throw newer(file, Number(stored?.schemaVersion));
      return state ?? moveAside();
    },
    save(state) {
      try {
        mkdirSync(home, { recursive: true, mode: 0o700 });
        chmodSync(home, 0o700);
        // conf writes a temporary file, syncs it and renames it; the rename itself is on the disk after the directory is.
        openStore(home).store = { ...state };
        syncDirectory(home);
      } catch (error) {
        throw unwritable(error);
      }
    },
  };
}

function openStore(home: string): Conf<Record<string, unknown>> {
  return new Conf<Record<string, unknown>>({
    cwd: home,
    configName: 'session',
    configFileMode: 0o600,
    // Names of hosts and domains have dots.
    accessPropertiesByDotNotation: false,
    // True would erase a session that cannot be read.
    clearInvalidConfig: false,
  });
}

/** null for what is no JSON object. */
function readStore(home: string): Record<string, unknown> | null {
  try {
    return openStore(home).store;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw unwritable(error);
  }
}

function syncDirectory(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function newer(file: string, found: number): TroubleError {
  const { title, cause, whatToDo } = words.newer;
  return new TroubleError({ code: 'session-newer', title, cause: cause(file, found, SCHEMA_VERSION), whatToDo });
}

/** The trouble of a session whose files cannot be written. */
export function unwritable(error: unknown): TroubleError {
  return new TroubleError(
    { code: 'session-unwritable', ...words.unwritable, cause: systemReason(error) },
    { cause: error },
  );
}
