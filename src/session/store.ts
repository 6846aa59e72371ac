import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Conf from 'conf';
import type { Trouble } from '../text/trouble.ts';
import { loadSession, unwritable } from './load.ts';
import type { SessionState } from './state.ts';

export { sessionFile } from './load.ts';
export { freshState, type SessionState } from './state.ts';

/** The saved state of one install directory. */
export interface Session {
  readonly dir: string;
  /**
   * The saved state, or a fresh one. Moves a damaged file aside (see `notices`).
   * @throws TroubleError `session-newer` for a file of a later program, which stays as it is
   */
  load(): SessionState;
  /** Saves; when it returns, the state is on the disk. @throws TroubleError `session-unwritable` */
  save(state: SessionState): void;
  /** What to tell the user about loading. */
  notices(): readonly Trouble[];
}

/** Opens the session of an install directory; writes nothing before the first save. */
export function openSession(dir: string): Session {
  const home = join(dir, '.upi-wizard');
  const notices: Trouble[] = [];

  return {
    dir,
    notices: () => notices,
    load: () => loadSession(dir, notices),
    save(state) {
      try {
        mkdirSync(home, { recursive: true, mode: 0o700 });
        chmodSync(home, 0o700);
        // conf writes a temporary file, syncs it and renames it; only a sync of the directory puts the rename on disk.
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

function syncDirectory(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
