import { createHash, randomInt } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { SECOND, systemClock, uptime } from '../ports/clock.ts';
import { catalogue, commandLine } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { TroubleError } from '../text/trouble.ts';
import { describeOwner } from './describe-owner.ts';
import { appendToJournal } from './journal-file.ts';
import type { JournalEvent } from './journal-line.ts';
import { unwritable } from './load.ts';
import { type Owner, ownOwner } from './owner.ts';
import {
  type Announcement,
  announce,
  type FoundOwner,
  livingOwners,
  makeOwnersDirectory,
  removeLeftOvers,
} from './owner-files.ts';
import { listens } from './owner-socket.ts';
import type { Session } from './store.ts';

const words = () => catalogue().holder;

/** The right to change the session of an install directory. */
export interface SessionLock {
  readonly owner: Owner;
  /**
   * Must be called before every write.
   * @throws TroubleError `session-taken` once somebody has taken the directory over, `session-moved` once it is not there
   */
  readonly check: () => void;
  /** Who connects is served by this from now on; who connected before has waited. */
  readonly onConnection: Announcement['onConnection'];
  /** May be called again, and while the process ends. */
  readonly release: () => void;
}

/** Another one holds the install directory, or may hold it. */
export class SessionLocked extends TroubleError {
  readonly holder: FoundOwner;

  constructor(dir: string, holder: FoundOwner) {
    const { title, whatToDo } = words().locked;
    super({
      code: 'session-locked',
      title,
      cause: `${describeOwner(holder.owner, holder.liveness)}.`,
      whatToDo: whatToDo(
        commandLine('attach', '--view', '--dir', dir),
        commandLine('attach', '--take-over', '--dir', dir),
        commandLine('detach', '--dir', dir),
      ),
    });
    this.holder = holder;
  }
}

/** How long a socket of ours without an owner file may keep us waiting: another user can make one, and nothing else. */
const SQUATTER = 2 * SECOND;
/** How long another may be about to take the lock before it counts as its holder. */
const HESITANT = 2 * SECOND;

/**
 * Takes the lock of an install directory, also from holders that are provably gone.
 *
 * The announcements decide: whoever sees another that lives, or may live, withdraws its own and tries again, and only
 * who sees none holds the directory, and marks its announcement. Two that announce at once thus both withdraw, and never
 * both hold. An abstract socket, which the kernel frees however we
 * end, lets the processes of one network namespace try one after the other.
 * @param program what takes it, for those who find it taken
 * @throws SessionLocked; TroubleError `session-unwritable`
 */
export async function acquireLock(dir: string, program = 'upi-wizard', version = ''): Promise<SessionLock> {
  try {
    const owners = makeOwnersDirectory(dir);
    const turn = await takeTurn(dir, owners);
    try {
      const announcement = await takeFiles(dir, owners, ownOwner(program, version));
      removeLeftOvers(owners);
      return lockOf(dir, announcement, turn);
    } catch (error) {
      turn.end();
      throw error;
    }
  } catch (error) {
    throw error instanceof TroubleError ? error : unwritable(error);
  }
}

function lockOf(dir: string, announcement: Announcement, turn: Turn): SessionLock {
  const { program, user, from } = announcement.owner;
  let isHeld = true;
  noteSitting(dir, { type: 'opened', program, user, from });
  const release = () => {
    if (!isHeld) return;
    isHeld = false;
    process.off('exit', release);
    // Once another has taken over, the journal is its.
    if (announcement.isThere()) noteSitting(dir, { type: 'left', program });
    try {
      announcement.withdraw();
    } catch {
      // The disk has become read-only: our end frees the directory, and the next who takes it clears our files away.
    }
    turn.end();
  };
  // However the process ends: the next login finds it free.
  process.once('exit', release);
  return {
    owner: announcement.owner,
    check() {
      if (!isHeld || announcement.isThere()) return;
      // Who takes it over leaves it where it is.
      if (existsSync(dir)) throw new TroubleError({ code: 'session-taken', ...words().taken });
      const { title, cause, whatToDo } = words().moved;
      throw new TroubleError({ code: 'session-moved', title, cause: cause(sanitizeLine(dir)), whatToDo });
    },
    onConnection: announcement.onConnection,
    release,
  };
}

/** When somebody came and went, for the report. */
function noteSitting(dir: string, event: JournalEvent): void {
  try {
    appendToJournal(dir, [event]);
  } catch {
    // Nothing depends on it: what must be written down is told where it cannot be.
  }
}

async function takeFiles(dir: string, owners: string, owner: Owner): Promise<Announcement> {
  const firstSeen = new Map<string, number>();
  for (let attempt = 1; ; attempt += 1) {
    const before = await livingOwners(owners);
    const announcement = before.length === 0 ? await announce(owners, owner) : null;
    const others = announcement === null ? before : await othersThan(announcement, owners);
    if (announcement !== null && others.length === 0) return announcement;
    const now = uptime();
    for (const { id } of others) if (!firstSeen.has(id)) firstSeen.set(id, now);
    // Every attempt has a new name: one that stays is of a process that was stopped while it took the lock.
    const holder = others.find(({ id, isHeld }) => isHeld || now - (firstSeen.get(id) ?? now) > HESITANT);
    if (holder !== undefined) throw new SessionLocked(dir, holder);
    await systemClock.sleep(randomInt(5, 20 * Math.min(attempt, 10)));
  }
}

/** Who else is there; we hold the directory when nobody is, and have withdrawn otherwise. */
async function othersThan(announcement: Announcement, owners: string): Promise<readonly FoundOwner[]> {
  try {
    const others = await livingOwners(owners, announcement.id);
    if (others.length === 0) announcement.hold();
    else announcement.withdraw();
    return others;
  } catch (error) {
    announcement.withdraw();
    throw error;
  }
}

interface Turn {
  readonly end: () => void;
}

/** Waits until nobody in this network namespace is taking the lock; a holder keeps its turn and is found at once. */
async function takeTurn(dir: string, owners: string): Promise<Turn> {
  const { dev, ino } = statSync(dir);
  const name = createHash('sha256').update(`${dev}:${ino}`).digest('hex');
  const until = uptime() + SQUATTER;
  for (;;) {
    const server = createServer((connection) => connection.destroy());
    if (await listens(server, `\0upi-wizard-${process.geteuid?.()}-${name}`)) return { end: () => server.close() };
    if (uptime() > until || (await livingOwners(owners)).length > 0) return { end: () => undefined };
    await systemClock.sleep(randomInt(5, 50));
  }
}

/** A session that writes nothing once another has taken the directory over. */
export function guarded(session: Session, { check }: SessionLock): Session {
  return {
    ...session,
    save(state) {
      check();
      session.save(state);
    },
  };
}
