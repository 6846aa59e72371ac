import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Design } from '../design/model.ts';
import { type FaultId, findSite, type Site, startSite } from '../rehearsal/site-client.ts';
import { catalogue } from '../text/catalogue.ts';
import type { CommandIo } from './io.ts';
import type { Saved } from './saved.ts';
import type { Programs } from './world.ts';

const words = () => catalogue().cli;

/** How to run a rehearsal. */
export interface RehearsalOptions {
  readonly dir: string;
  /** How many times as fast as life. */
  readonly speed: number;
  readonly seed: number;
  readonly faults: readonly FaultId[];
}

/** `rehearse --stop`: ends the site and the jobs of an install directory, and keeps its world. */
export async function stopRehearsal(dir: string, io: CommandIo): Promise<number> {
  const site = await findSite(siteDirectory(dir));
  if (site === null) {
    io.stderr(`${words().noSite(dir)}\n`);
    return 4;
  }
  const { stopJobs } = await import('../steps/shared/jobs.ts');
  // The jobs of a rehearsal end with it: nothing is left to serve.
  await stopJobs(dir);
  await site.stop();
  io.stderr(`${words().siteStopped}\n`);
  return 0;
}

const siteDirectory = (dir: string) => join(dir, '.upi-wizard', 'site');

/** Finds the site of a directory, or starts it; notes its options for the next time. */
export async function openSite(
  options: RehearsalOptions,
  design: Design,
  saved: Saved,
  io: CommandIo,
  programs: Programs,
): Promise<Site> {
  const { dir, speed, seed, faults } = options;
  const siteDir = siteDirectory(dir);
  if (!existsSync(siteDir)) io.stderr(`${words().siteStarting(siteDir)}\n`);
  const site = await startSite({
    siteDir,
    design,
    speed,
    seed,
    faults,
    siteProgram: programs.site,
    standInProgram: programs.standIn,
  });
  if (site.speed !== speed || site.seed !== seed || site.faults.join() !== faults.join())
    io.stderr(`${words().siteKept(site.speed)}\n`);
  saved.update({ rehearsal: { siteDir, speed: site.speed, seed: site.seed, faults: [...site.faults] } });
  return site;
}
