import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { CloudName } from '../../design/example-cloud.ts';
import type { Design } from '../../design/model.ts';
import { type Finding, findingOf } from '../../diagnosis/finding.ts';
import { systemClock } from '../../ports/clock.ts';
import {
  endLostSites,
  type FaultId,
  findSite,
  keptChoices,
  REPAIRED,
  type Site,
  startSite,
} from '../../rehearsal/site-client.ts';
import { workspace } from '../../steps/shared/workspace.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { timeOfDay } from '../../text/time-of-day.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { Saved } from '../session/saved.ts';
import type { CommandIo } from '../shared/io.ts';
import { UsageError } from '../shared/usage.ts';
import { type Programs, siteDirectory } from '../shared/world.ts';

const words = () => catalogue().cli;

const ANSWER_LIMIT_MS = 10_000;

/** How to run a rehearsal. Null: as it ran before, or as usual where it is new. */
export interface RehearsalOptions {
  readonly dir: string;
  /** How many times as fast as life. */
  readonly speed: number | null;
  readonly seed: number | null;
  readonly faults: readonly FaultId[] | null;
  /** The cloud on which its cluster runs already; null: as before, or none. */
  readonly cloud: CloudName | null;
  /** What `--on-event` says; undefined without it. */
  readonly onEvent?: string | undefined;
}

const USUAL = { speed: 60, seed: 1 };

/** `rehearse --stop`: ends the site and the jobs of an install directory, and keeps its world. */
export async function stopRehearsal(dir: string, io: CommandIo): Promise<number> {
  const siteDir = siteDirectory(dir);
  const over = new AbortController();
  // A site that hangs takes the question and never answers.
  const site = await Promise.race([
    findSite(siteDir),
    systemClock.sleep(ANSWER_LIMIT_MS, over.signal).then(() => null),
  ]);
  over.abort();
  if (site === null && (await endLostSites(siteDir)) === 0) {
    io.stderr(`${words().noSite(sanitizeLine(dir))}\n`);
    return 4;
  }
  const { stopJobs } = await import('../../steps/shared/jobs.ts');
  // The jobs of a rehearsal end with it: nothing is left to serve.
  await stopJobs(dir);
  await site?.stop();
  io.stderr(`${words().siteStopped}\n`);
  return 0;
}

/** `rehearse --repair ID`: somebody goes to the machine, or to who runs the network. */
export async function repairRehearsal(dir: string, fault: string, io: CommandIo): Promise<number> {
  const known = REPAIRED.find((each) => each === fault);
  if (known === undefined) throw new UsageError(words().unrepaired(sanitizeLine(fault, 80), REPAIRED.join(', ')));
  const site = await findSite(siteDirectory(dir));
  if (site === null) {
    io.stderr(`${words().noSite(sanitizeLine(dir))}\n`);
    return 4;
  }
  try {
    await site.repair(known);
  } catch (error) {
    if (!(error instanceof TroubleError) || error.trouble.code !== 'site-refused') throw error;
    io.stderr(`${error.trouble.cause}\n`);
    return 4;
  }
  io.stdout(`${words().repaired(known)}\n`);
  return 0;
}

/** What is wrong with the site itself; nothing where it does not answer, which its steps tell. */
export async function siteFindings(site: Pick<Site, 'status'>): Promise<readonly Finding[]> {
  const unsaved = await site.status().then(
    (status) => status.unsaved,
    () => null,
  );
  // A site that an older version started says nothing of it.
  if (!unsaved) return [];
  const { title, whatToDo } = catalogue().rehearsal.notSaved;
  const { since, detail } = unsaved;
  return [
    findingOf(
      {
        code: 'site-unsaved',
        title: title(timeOfDay(since)),
        cause: sanitizeLine(detail),
        whatToDo,
      },
      'warning',
    ),
  ];
}

/**
 * Finds the site of a directory, or starts it; notes its options for the next time.
 * @throws UsageError for another seed, other faults or another cloud than the rehearsal there began with
 */
export async function openSite(
  options: Omit<RehearsalOptions, 'onEvent'>,
  design: Design,
  saved: Saved,
  io: CommandIo,
  programs: Programs,
): Promise<Site> {
  const { dir, speed, seed, faults, cloud } = options;
  const siteDir = siteDirectory(dir);
  const kept = keptChoices(siteDir);
  if (kept !== null) {
    const { seed: keptSeed, faults: keptFaults } = kept;
    const isOther = (seed ?? keptSeed) !== keptSeed || !isDeepStrictEqual(faults ?? keptFaults, keptFaults);
    if (isOther) throw new UsageError(words().siteKept(keptSeed, keptFaults.join(', ')));
    if (cloud !== null && kept.cloud !== cloud) throw new UsageError(words().cloudKept(cloud));
  }
  if (!existsSync(siteDir)) {
    io.stderr(`${words().siteStarting(siteDir)}\n`);
    // A rehearsal in a checkout is no part of it.
    writeFileSync(join(dir, '.gitignore'), '*\n', { mode: 0o600 });
  }
  const site = await startSite({
    siteDir,
    design,
    cloud,
    speed: speed ?? USUAL.speed,
    seed: seed ?? USUAL.seed,
    faults: faults ?? [],
    siteProgram: programs.site,
    standInProgram: programs.standIn,
  });
  const wanted = speed ?? site.speed;
  if (wanted !== site.speed) await site.setSpeed(wanted);
  if (site.cloud !== null) takeOver(dir, site, saved);
  saved.update({ rehearsal: { siteDir, speed: wanted, seed: site.seed, faults: [...site.faults] } });
  return site;
}

/** A cluster that runs already: its credentials are what a person would have of it, and its installation is over. */
function takeOver(dir: string, site: Site, saved: Saved): void {
  const own = workspace(dir);
  mkdirSync(dirname(own.kubeconfig), { recursive: true, mode: 0o700 });
  for (const name of ['kubeconfig', 'kubeadminPassword'] as const)
    if (!existsSync(own[name])) copyFileSync(site[name], own[name]);
  if (saved.memory.get('stage') === undefined) saved.memory.set('stage', 'bootstrap-removed');
}
