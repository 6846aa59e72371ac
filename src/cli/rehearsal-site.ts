import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { convertErrorToFinding, type Finding } from '../checks/check.ts';
import type { CloudName } from '../design/example.ts';
import type { Design } from '../design/model.ts';
import { catalogue, formatCommandLine } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { formatTimeOfDay, systemClock } from '../platform/clock.ts';
import { REBOOT } from '../platform/manual-actions.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import type { FaultId } from '../rehearsal/site/faults.ts';
import { endOrphanedSites, findSite, readSavedChoices, type SiteClient, startSite } from '../rehearsal/site-client.ts';
import { findDownloadsDir } from '../steps/shared/files/design-paths.ts';
import { workspace } from '../steps/shared/workspace.ts';
import { CLOUD_SCREENS, SCREEN_IDS, type ScreenId } from '../wizard/state.ts';
import type { WorkingSession } from './session/working-session.ts';
import { type CommandIo, formatUserError, UsageError } from './shared/io.ts';
import { getSiteDirectory, type Programs } from './shared/runtime.ts';

const words = () => catalogue().cli;

const SITE_REPLY_TIMEOUT_MS = 10_000;

/** Options of a rehearsal. Null: as in its last run, or the default for a new one. */
export interface RehearsalOptions {
  readonly dir: string;
  /** Speed relative to real time. */
  readonly speed: number | null;
  readonly seed: number | null;
  readonly faults: readonly FaultId[] | null;
  /** The cloud on which the rehearsed cluster already runs; null: as before, or none. */
  readonly cloud: CloudName | null;
  /** The directory of `--mirror`; null: `off`; undefined: the option is missing. */
  readonly mirror?: string | null | undefined;
  /** The value of `--on-event`; undefined without it. */
  readonly onEvent?: string | undefined;
}

const DEFAULT_OPTIONS = { speed: 60, seed: 1 };

/** The options that continue a rehearsal as it was. */
export const UNCHANGED_OPTIONS = { speed: null, seed: null, faults: null, cloud: null };

/** `rehearse --stop`: ends the site and the jobs of an install directory, and keeps the simulated world on disk. */
export async function stopRehearsal(dir: string, io: CommandIo): Promise<number> {
  const siteDir = getSiteDirectory(dir);
  const timeoutController = new AbortController();
  // A hung site accepts the request and never replies.
  const site = await Promise.race([
    findSite(siteDir),
    systemClock.sleep(SITE_REPLY_TIMEOUT_MS, timeoutController.signal).then(() => null),
  ]);
  timeoutController.abort();
  if (site === null && (await endOrphanedSites(siteDir)) === 0) {
    io.stderr(`${words().noSite(sanitizeLine(dir))}\n`);
    return 4;
  }
  const { stopJobs } = await import('../steps/shared/jobs.ts');
  // The jobs of a rehearsal end with its site: without it, they have nothing left to serve.
  await stopJobs(dir);
  await site?.stop();
  io.stderr(`${describeStoppedSite(dir)}\n`);
  return 0;
}

/** `rehearse --repair ID`: simulates a repair at a machine, or in a network that another team runs, or a reboot. */
export async function repairRehearsal(dir: string, repair: string, io: CommandIo): Promise<number> {
  const siteDir = getSiteDirectory(dir);
  const site = await findSite(siteDir);
  if (site === null) {
    const { title, cause, remedy } = catalogue().clusterCommands.target.siteGone;
    const startCommand = formatCommandLine('rehearse', '--dir', dir);
    io.stderr(
      existsSync(siteDir)
        ? formatUserError({
            code: 'site-gone',
            title,
            cause: cause(sanitizeLine(siteDir)),
            remedy: remedy(startCommand),
          })
        : `${words().noSite(sanitizeLine(dir))}\n`,
    );
    return 4;
  }
  try {
    await site.repair(repair);
  } catch (error) {
    if (!(error instanceof UserErrorException) || error.userError.code !== 'site-refused') throw error;
    io.stderr(`${error.userError.cause}\n`);
    return 4;
  }
  io.stdout(`${repair === REBOOT ? catalogue().rehearsal.rebooted() : words().repairDone(repair)}\n`);
  return 0;
}

/** Finds problems of the site itself. Returns none if the site does not reply, because the steps report that. */
export async function readSiteProblems(site: Pick<SiteClient, 'getStatus'>): Promise<readonly Finding[]> {
  const saveProblem = await site.getStatus().then(
    (status) => status.unsaved,
    () => null,
  );
  // A site that an older version started does not report whether it could save.
  if (!saveProblem) return [];
  const { title, remedy } = catalogue().rehearsal.notSaved;
  const { since, detail } = saveProblem;
  return [
    convertErrorToFinding(
      {
        code: 'site-unsaved',
        title: title(formatTimeOfDay(since)),
        cause: sanitizeLine(detail),
        remedy,
      },
      'warning',
    ),
  ];
}

/**
 * Finds the site of a directory, or starts it, and saves its options.
 * @throws UsageError if seed, faults or cloud differ from those that the rehearsal began with
 */
export async function openRehearsalSite(
  options: Omit<RehearsalOptions, 'onEvent'>,
  design: Design,
  session: WorkingSession,
  io: CommandIo,
  programs: Programs,
): Promise<SiteClient> {
  const { dir, speed, seed, faults, cloud } = options;
  const siteDir = getSiteDirectory(dir);
  const choices = readSavedChoices(siteDir);
  if (choices !== null) {
    const { seed: savedSeed, faults: savedFaults } = choices;
    const isDifferent = (seed ?? savedSeed) !== savedSeed || !isDeepStrictEqual(faults ?? savedFaults, savedFaults);
    if (isDifferent) throw new UsageError(words().siteOptionsConflict(savedSeed, savedFaults.join(', ')));
    if (cloud !== null && choices.cloud !== cloud) throw new UsageError(words().siteCloudConflict(cloud));
  }
  if (!existsSync(siteDir)) {
    io.stderr(`${words().siteStarting(siteDir)}\n`);
    // Keeps a rehearsal inside a checkout out of version control.
    writeFileSync(join(dir, '.gitignore'), '*\n', { mode: 0o600 });
  }
  const site = await startSite({
    siteDir,
    design,
    cloud,
    speed: speed ?? DEFAULT_OPTIONS.speed,
    seed: seed ?? DEFAULT_OPTIONS.seed,
    faults: faults ?? [],
    hasDownloads: findDownloadsDir({ design, dir, stepState: session.stepState }) === null,
    siteProgram: programs.site,
    standInProgram: programs.standIn,
  });
  const requestedSpeed = speed ?? site.speed;
  if (requestedSpeed !== site.speed) await site.setSpeed(requestedSpeed);
  if (site.cloud !== null) adoptCluster(dir, site, session);
  session.update({ rehearsal: { siteDir, speed: requestedSpeed, seed: site.seed, faults: [...site.faults] } });
  return site;
}

/** Opens the site for a program without screens: a paused clock runs again, because no user is there to resume it. */
export async function openRunningSite(...parameters: Parameters<typeof openRehearsalSite>): Promise<SiteClient> {
  const site = await openRehearsalSite(...parameters);
  if ((await site.getStatus()).speed === 0) await site.setSpeed(site.speed);
  return site;
}

/** Describes how to stop the site, which keeps running after the program has ended. */
export const describeRunningSite = (dir: string, isPaused = false): string =>
  words().siteKeepsRunning(formatCommandLine('rehearse', '--stop', '--dir', dir), isPaused);

/** Describes how to start the stopped site again, which the commands about the rehearsal need. */
export const describeStoppedSite = (dir: string, { isFinished } = { isFinished: false }): string =>
  (isFinished ? words().siteFinished : words().siteStopped)(formatCommandLine('rehearse', '--dir', dir));

/** Lists the screens of a rehearsal: on a cloud, without the installation steps, because the cluster already runs. */
export const listSiteScreens = ({ cloud }: Pick<SiteClient, 'cloud'>): readonly ScreenId[] =>
  cloud === null ? SCREEN_IDS : CLOUD_SCREENS;

/** Adopts a cluster that already runs: copies its credentials, and records that its installation is finished. */
function adoptCluster(dir: string, site: SiteClient, session: WorkingSession): void {
  const paths = workspace(dir);
  mkdirSync(dirname(paths.kubeconfig), { recursive: true, mode: 0o700 });
  for (const name of ['kubeconfig', 'kubeadminPassword'] as const)
    if (!existsSync(paths[name])) copyFileSync(site[name], paths[name]);
  if (session.stepState.get('stage') === undefined) session.stepState.set('stage', 'bootstrap-removed');
}
