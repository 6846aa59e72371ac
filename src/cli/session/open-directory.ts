import { findSite } from '../../rehearsal/site-client.ts';
import { configDirectory, defaultDirectory, rememberDirectory } from '../../session/directories.ts';
import { acquireLock, guarded, type SessionLock } from '../../session/lock.ts';
import { openSession } from '../../session/store.ts';
import type { CommandIo } from '../shared/io.ts';
import { type Programs, realWorld, siteDirectory, siteWorld, versionOf, type World } from '../shared/world.ts';
import { freshDirectory } from '../wizard/elsewhere.ts';
import { isFinished } from '../wizard/look-around.ts';
import { usableDirectory } from './directory.ts';
import { openSaved, type Saved } from './saved.ts';

/** An install directory that is ours to change. The caller releases the lock. */
export interface OpenedDirectory {
  readonly dir: string;
  readonly lock: SessionLock;
  readonly saved: Saved;
  /** The real one, or a rehearsal that runs. */
  readonly world: World;
}

/**
 * Takes the lock of an install directory and then reads its saved state: what was read before it would be the state
 * from before the last holder's last save.
 * @param program what takes it, for those who find it taken
 * @throws TroubleError as `acquireLock` and `openSaved`; the lock is free again then
 */
export async function openDirectory(
  named: string | null,
  io: CommandIo,
  program: string,
  programs: Programs,
): Promise<OpenedDirectory> {
  const configDir = configDirectory({ ...io.env });
  const dir = directoryOf(named, io);
  const lock = await acquireLock(dir, program, versionOf(programs));
  try {
    const saved = openSaved(guarded(openSession(dir), lock));
    const { rehearsal } = saved.current();
    const site = rehearsal === null ? null : await findSite(siteDirectory(dir, rehearsal.siteDir));
    rememberDirectory(dir, configDir);
    return { dir, lock, saved, world: site === null ? realWorld(dir) : siteWorld(site) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * The named directory, or the one used last; created when it is missing. After a finished installation a new one begins, whose
 * welcome lists it. @throws TroubleError `directory-…`
 */
export function directoryOf(named: string | null, io: CommandIo): string {
  if (named !== null) return usableDirectory(named);
  const last = defaultDirectory(io.cwd, configDirectory({ ...io.env }));
  return usableDirectory(isFinished(last) ? freshDirectory(io.cwd, 'upi-cluster') : last);
}
