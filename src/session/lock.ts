import { randomInt } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { catalogue, formatCommandLine } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { getUptime, SECOND, systemClock } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { computeSha256 } from '../platform/text.ts';
import {
  createClaim,
  createHolderRecord,
  createHoldersDirectory,
  describeHolder,
  type FoundHolder,
  type HolderRecord,
  type LockClaim,
  pruneHolders,
  removeStaleFiles,
} from './holder-files.ts';
import { tryListen } from './holder-socket.ts';
import { appendToJournal } from './journal-file.ts';
import type { JournalEvent } from './journal-line.ts';
import type { Session } from './session.ts';
import {
  createNewerSessionError,
  createUnwritableSessionError,
  getSessionFile,
  inspectSessionFile,
} from './session-file.ts';

const words = () => catalogue().holder;

/** The right to change the session of an install directory. */
export interface SessionLock {
  readonly record: HolderRecord;
  /**
   * Must be called before every write.
   * @throws UserErrorException `session-taken` if another process has taken the directory over, `session-moved` if it
   * does not exist any more
   */
  readonly assertHeld: () => void;
  /** Sets the connection handler. Earlier connections are queued until then. */
  readonly onConnection: LockClaim['onConnection'];
  /** Idempotent; may be called while the process exits. */
  readonly release: () => void;
}

/** Another process holds the install directory, or may hold it. */
export class SessionLockedError extends UserErrorException {
  readonly holder: FoundHolder;

  constructor(dir: string, holder: FoundHolder) {
    const { title, remedy } = words().locked;
    super({
      code: 'session-locked',
      title,
      cause: `${describeHolder(holder.record, holder.liveness)}.`,
      remedy: remedy(
        formatCommandLine('attach', '--view', '--dir', dir),
        formatCommandLine('attach', '--take-over', '--dir', dir),
        formatCommandLine('detach', '--dir', dir),
      ),
    });
    this.holder = holder;
  }
}

/**
 * Limit (ms) for the wait for an abstract socket whose owner has no holder file: any user can create such a socket, and
 * cause no more than this delay.
 */
const FOREIGN_SOCKET_TIMEOUT_MS = 2 * SECOND;
/** Time (ms) that another process may take to acquire the lock before it counts as the holder. */
const CLAIM_TIMEOUT_MS = 2 * SECOND;

/**
 * Takes the lock of an install directory, also from holders that are provably gone.
 *
 * The claims decide. A process that sees another live (or possibly live) claim withdraws its own and tries again; only
 * one that sees none holds the directory and marks its claim. Two that claim at once both withdraw, and never both
 * hold. An abstract socket, which the kernel frees however the process ends, lets the processes of one network
 * namespace try one after the other.
 * @param program name of the program that takes the lock, shown to others that find it taken
 * @throws SessionLockedError; UserErrorException `session-unwritable`, `session-newer`
 */
export async function acquireLock(dir: string, program = 'upi-wizard', version = ''): Promise<SessionLock> {
  // Taking the lock changes the directory, so a session of a later version is rejected first.
  const savedSession = inspectSessionFile(getSessionFile(dir));
  if (savedSession.kind === 'newer') throw createNewerSessionError(getSessionFile(dir), savedSession.fileVersion);
  try {
    const holdersDir = createHoldersDirectory(dir);
    const mutex = await acquireMutex(dir, holdersDir);
    try {
      const claim = await acquireClaim(dir, holdersDir, createHolderRecord(program, version));
      removeStaleFiles(holdersDir);
      return createLock(dir, claim, mutex);
    } catch (error) {
      mutex.release();
      throw error;
    }
  } catch (error) {
    throw error instanceof UserErrorException ? error : createUnwritableSessionError(error);
  }
}

function createLock(dir: string, claim: LockClaim, mutex: Mutex): SessionLock {
  const { program, user, from } = claim.record;
  let isHeld = true;
  recordLockEvent(dir, { type: 'opened', program, user, from });
  const release = () => {
    if (!isHeld) return;
    isHeld = false;
    process.off('exit', release);
    // After a take-over, the journal belongs to the new holder.
    if (claim.isValid()) recordLockEvent(dir, { type: 'left', program });
    try {
      claim.withdraw();
    } catch {
      // The disk has become read-only. The end of this process frees the directory, and the next holder removes our
      // files.
    }
    mutex.release();
  };
  // Releases the lock on every exit, so that the next login finds the directory free.
  process.once('exit', release);
  return {
    record: claim.record,
    assertHeld() {
      if (!isHeld || claim.isValid()) return;
      // A take-over leaves the directory in place.
      if (existsSync(dir)) throw new UserErrorException({ code: 'session-taken', ...words().takenOver });
      const { title, cause, remedy } = words().moved;
      throw new UserErrorException({ code: 'session-moved', title, cause: cause(sanitizeLine(dir)), remedy });
    },
    onConnection: claim.onConnection,
    release,
  };
}

/** Records in the journal that the lock was taken or released, for the report. */
function recordLockEvent(dir: string, event: JournalEvent): void {
  try {
    appendToJournal(dir, [event]);
  } catch {
    // Nothing depends on this entry; required entries report their errors elsewhere.
  }
}

async function acquireClaim(dir: string, holdersDir: string, record: HolderRecord): Promise<LockClaim> {
  const observedAt = new Map<string, number>();
  for (let attempt = 1; ; attempt += 1) {
    const existingHolders = await pruneHolders(holdersDir);
    const claim = existingHolders.length === 0 ? await createClaim(holdersDir, record) : null;
    const otherHolders = claim === null ? existingHolders : await holdOrWithdraw(claim, holdersDir);
    if (claim !== null && otherHolders.length === 0) return claim;
    const now = getUptime();
    for (const { id } of otherHolders) if (!observedAt.has(id)) observedAt.set(id, now);
    // Every attempt has a new name: a claim that remains belongs to a process that was stopped while taking the lock.
    const holder = otherHolders.find(
      ({ id, hasLock }) => hasLock || now - (observedAt.get(id) ?? now) > CLAIM_TIMEOUT_MS,
    );
    if (holder !== undefined) throw new SessionLockedError(dir, holder);
    await systemClock.sleep(randomInt(5, 20 * Math.min(attempt, 10)));
  }
}

/** Lists the other holders. Marks the claim as held if there are none, and withdraws it otherwise. */
async function holdOrWithdraw(claim: LockClaim, holdersDir: string): Promise<readonly FoundHolder[]> {
  try {
    const otherHolders = await pruneHolders(holdersDir, claim.id);
    if (otherHolders.length === 0) claim.markHeld();
    else claim.withdraw();
    return otherHolders;
  } catch (error) {
    claim.withdraw();
    throw error;
  }
}

/** Serialises lock attempts within one network namespace. */
interface Mutex {
  readonly release: () => void;
}

/**
 * Waits until no other process in this network namespace is taking the lock. A holder keeps its mutex; its claim ends
 * the wait at once.
 */
async function acquireMutex(dir: string, holdersDir: string): Promise<Mutex> {
  const { dev, ino } = statSync(dir);
  const name = computeSha256(`${dev}:${ino}`);
  const deadline = getUptime() + FOREIGN_SOCKET_TIMEOUT_MS;
  for (;;) {
    const server = createServer((connection) => connection.destroy());
    if (await tryListen(server, `\0upi-wizard-${process.geteuid?.()}-${name}`))
      return { release: () => server.close() };
    if (getUptime() > deadline || (await pruneHolders(holdersDir)).length > 0) return { release: () => undefined };
    await systemClock.sleep(randomInt(5, 50));
  }
}

/** Wraps a session so that it writes nothing once another process has taken the directory over. */
export function addLockCheck(session: Session, { assertHeld }: SessionLock): Session {
  return {
    ...session,
    save(state) {
      assertHeld();
      session.save(state);
    },
  };
}
