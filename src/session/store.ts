import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Conf from 'conf';
import { keepCopy, syncDirectory } from '../ports/durable.ts';
import { makeDirectory } from '../ports/make-directory.ts';
import { catalogue } from '../text/catalogue.ts';
import { type Trouble, TroubleError } from '../text/trouble.ts';
import { moveAside } from './aside.ts';
import { openSaveJournal } from './journal.ts';
import { previousFile, readingOfFile, sessionFile, unwritable } from './load.ts';
import { type Loaded, recoverSession } from './recover.ts';
import { readSafely, unfitDirectory } from './safe-file.ts';
import { type SealedState, type SessionState, seal } from './state.ts';

export { sessionFile } from './load.ts';
export { freshState, type SessionState } from './state.ts';

const words = () => catalogue().session;

/** The saved state of one install directory, for the holder of its lock. */
export interface Session {
  readonly dir: string;
  /**
   * The saved state, or a fresh one. Recovers a damaged one (see `notices`).
   * @throws TroubleError `session-newer`, `session-unreadable`, `session-unwritable`
   */
  load(): SessionState;
  /** Saves; when it returns, the state is on the disk. @throws TroubleError `session-unwritable` */
  save(state: SessionState): void;
  /** What to tell the user about loading. */
  notices(): readonly Trouble[];
}

/** What a run that was killed leaves: unfinished files of conf's and of ours. */
const UNFINISHED = /^session(?:\.previous)?\.json\.tmp-/;

/** Opens the session of an install directory; writes nothing before the first save. */
export function openSession(dir: string): Session {
  const home = join(dir, '.upi-wizard');
  const file = sessionFile(dir);
  const journal = openSaveJournal(dir);
  const notices: Trouble[] = [];
  let isPlaced = false;
  let known: Pick<Loaded, 'serial' | 'text'> | null = null;

  function load(): SessionState {
    const loaded = recoverSession(dir);
    if (loaded.notice) notices.push(loaded.notice);
    known = loaded;
    if (loaded.text === null && loaded.serial > 0) saveRecovered(loaded.state);
    return loaded.state;
  }

  /** At once, so that commands have a session again. */
  function saveRecovered(state: SessionState): void {
    try {
      write(state);
    } catch {
      // The next save says what is wrong; until then the state can be recovered again.
    }
  }

  function write(state: SessionState): void {
    makeDirectory(home);
    chmodSync(home, 0o700);
    for (const name of readdirSync(home)) if (UNFINISHED.test(name)) rmSync(join(home, name), { force: true });
    const before = known ?? recoverSession(dir);
    const after = seal(state, before.serial + 1);
    journal.note(after);
    keepPrevious(before.text);
    const text = JSON.stringify(after, undefined, '\t');
    store(home, after, text);
    syncDirectory(home);
    if (!isPlaced) syncPlace();
    isPlaced = true;
    const read = readSafely(file);
    if (read.kind !== 'text' || read.text !== text) {
      putBack();
      throw unwritableBecause(words().notReadBack);
    }
    known = { serial: after.serial, text };
  }

  /** The way to the state directory, which may be new. */
  function syncPlace(): void {
    syncDirectory(dir);
    try {
      syncDirectory(dirname(dir));
    } catch {
      // A directory above that we may pass and not read: it was not made by us.
    }
  }

  /** Only what is known to be good becomes the previous copy; what is not is kept for a person. */
  function keepPrevious(before: string | null): void {
    const read = readSafely(file);
    if (read.kind === 'missing') return;
    const isGood = read.kind === 'text' && (read.text === before || readingOfFile(file).kind === 'state');
    if (isGood) keepCopy(file, previousFile(dir));
    else moveAside(file);
  }

  function putBack(): void {
    if (readingOfFile(previousFile(dir)).kind === 'state') keepCopy(previousFile(dir), file);
    else rmSync(file, { force: true });
    syncDirectory(home);
  }

  return {
    dir,
    notices: () => notices,
    load,
    save(state) {
      const why = unfitDirectory(home);
      if (why !== null) throw unwritableBecause(`${home}: ${words().damaged.why[why]}`);
      try {
        write(state);
      } catch (error) {
        throw error instanceof TroubleError ? error : unwritable(error);
      }
    },
  };
}

function unwritableBecause(cause: string): TroubleError {
  return new TroubleError({ code: 'session-unwritable', ...words().unwritable, cause });
}

/** conf writes a temporary file, syncs it and renames it. */
function store(home: string, state: SealedState, text: string): void {
  const { SNAP } = process.env;
  // In a terminal that came as a snap, conf would write into the file itself, where a kill leaves half of it.
  delete process.env.SNAP;
  try {
    const conf = new Conf<Record<string, unknown>>({
      cwd: home,
      configName: 'session',
      configFileMode: 0o600,
      // Names of hosts and domains have dots.
      accessPropertiesByDotNotation: false,
      // True would erase a session that cannot be read.
      clearInvalidConfig: false,
      serialize: () => text,
    });
    conf.store = { ...state };
  } finally {
    if (SNAP !== undefined) process.env.SNAP = SNAP;
  }
}
