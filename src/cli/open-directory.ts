import { findSite } from '../rehearsal/site-client.ts';
import { defaultDirectory, rememberDirectory } from '../session/directories.ts';
import { openSession } from '../session/store.ts';
import { usableDirectory } from './directory.ts';
import type { CommandIo } from './io.ts';
import { openSaved, type Saved } from './saved.ts';
import { realWorld, siteWorld, type World } from './world.ts';

/** An install directory with its saved state, and the world it belongs to: the real one, or a rehearsal that runs. */
export async function openDirectory(
  named: string | null,
  io: CommandIo,
): Promise<{ readonly dir: string; readonly saved: Saved; readonly world: World }> {
  const dir = usableDirectory(named ?? defaultDirectory(io.cwd));
  const saved = openSaved(openSession(dir));
  const { rehearsal } = saved.current();
  const site = rehearsal === null ? null : await findSite(rehearsal.siteDir);
  rememberDirectory(dir);
  return { dir, saved, world: site === null ? realWorld(dir) : siteWorld(site) };
}
