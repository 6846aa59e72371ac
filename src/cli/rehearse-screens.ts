import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkDocument } from '../design/parse.ts';
import type { DesignDocument } from '../design/paths.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { getOwnIdentity } from '../platform/process.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { rememberDirectory } from '../session/install-directories.ts';
import { acquireLock, addLockCheck } from '../session/lock.ts';
import { openSession } from '../session/session.ts';
import { stopJobs } from '../steps/shared/jobs.ts';
import type { FrontEndHandle } from '../wizard/front-end.ts';
import type { RehearsalPace, ScreenId } from '../wizard/state.ts';
import {
  describeRunningSite,
  describeStoppedSite,
  listSiteScreens,
  openRehearsalSite,
  type RehearsalOptions,
  readSiteProblems,
  UNCHANGED_OPTIONS,
} from './rehearsal-site.ts';
import { getDesignInForce } from './session/design-in-force.ts';
import { closeFrontEnd, openOrResolveLock } from './session/lock-resolution.ts';
import type { OpenedDirectory } from './session/open-directory.ts';
import { createExampleDocument, openWorkingSession, type WorkingSession } from './session/working-session.ts';
import type { Launcher } from './shared/context.ts';
import type { CommandIo } from './shared/io.ts';
import { createSiteRuntime, getSiteDirectory, readProgramVersion } from './shared/runtime.ts';
import { runFullScreenWizard, spawnWizard } from './wizard/full-screen.ts';
import { startInstallation } from './wizard/real-installation.ts';

const words = () => catalogue().cli;

/** Resumes the rehearsal in an install directory. */
export function resumeRehearsal(
  { dir, lock, session }: OpenedDirectory,
  onEvent: string | undefined,
  io: CommandIo,
  launcher: Launcher,
  frontEnd: FrontEndHandle,
): Promise<number> {
  return runRehearsal({ dir, ...UNCHANGED_OPTIONS, onEvent }, { lock, session }, io, launcher, frontEnd);
}

/** The initial answers of a rehearsal, and its first screen. */
export interface RehearsalStart {
  readonly document: DesignDocument;
  readonly screen: ScreenId;
}

/** Runs the full-screen wizard against the site of the directory. */
export async function rehearseFullScreen(
  options: RehearsalOptions,
  start: RehearsalStart | null,
  io: CommandIo,
  launcher: Launcher,
  frontEnd: FrontEndHandle,
): Promise<number> {
  const { dir } = options;
  // State that is read before the lock is taken may be older than the last save of another wizard.
  const version = readProgramVersion(launcher.programs);
  const acquire = () => acquireLock(dir, 'upi-wizard rehearse', version);
  const lock = await openOrResolveLock(acquire, dir, frontEnd, { choice: 'ask', version });
  if (typeof lock === 'string') return await closeFrontEnd(lock, frontEnd);
  try {
    let session = openWorkingSession(addLockCheck(openSession(dir), lock));
    if (start !== null && !session.isResumed) {
      session.update({ design: start.document, place: { screen: start.screen, field: null } });
      session = openWorkingSession(addLockCheck(openSession(dir), lock));
    }
    if (options.mirror !== undefined) session.stepState.set('mirror', options.mirror);
    return await runRehearsal(options, { lock, session }, io, launcher, frontEnd);
  } finally {
    lock.release();
  }
}

async function runRehearsal(
  options: RehearsalOptions,
  { lock, session }: Pick<OpenedDirectory, 'lock' | 'session'>,
  io: CommandIo,
  launcher: Launcher,
  frontEnd: FrontEndHandle,
): Promise<number> {
  const { dir } = options;
  // The terminal already shows the wizard: nothing may be printed over it.
  const silentIo: CommandIo = { ...io, stderr: () => undefined };
  const initialDesign = getDesignInForce(session.getState()).design ?? checkDocument(createExampleDocument()).design;
  if (initialDesign === null) return 1;
  const origin = findCopyOrigin(dir, session);
  let site = await openRehearsalSite(options, initialDesign, session, silentIo, launcher.programs);
  rememberDirectory(dir);
  let siteDesignJson = JSON.stringify(initialDesign);
  const { speed: siteSpeed } = await site.getStatus();
  let isClockHeld = false;
  let pace: RehearsalPace = {
    speed: siteSpeed === 0 ? site.speed : siteSpeed,
    isPaused: siteSpeed === 0,
  };
  // The site runs again when this process ends in any way, unless the user paused it.
  const applyPace = () => site.setSpeed(pace.isPaused ? 0 : pace.speed, isClockHeld ? getOwnIdentity() : null);
  const holdClock = async (shouldHold: boolean) => {
    isClockHeld = shouldHold;
    await applyPace();
  };
  const runtime = createSiteRuntime(site);
  let installDir: string | null = null;
  const { code } = await runFullScreenWizard({
    dir,
    lock,
    session,
    io,
    launcher,
    frontEnd,
    onEvent: options.onEvent,
    startNotice: origin === null ? null : words().siteCopied(sanitizeLine(origin, 100)),
    runtime: { ...runtime, manualActions: createDelegate(() => site.manualActions) },
    screens: listSiteScreens(site),
    rehearsal: {
      pace,
      holdClock,
      async startInstallation(dirOption, { document }) {
        installDir = await startInstallation(dir, dirOption, document, readProgramVersion(launcher.programs));
      },
      async setPace(newPace) {
        pace = newPace;
        await applyPace();
        const { rehearsal } = session.getState();
        if (rehearsal) session.update({ rehearsal: { ...rehearsal, speed: newPace.speed } });
      },
    },
    // The simulated machines follow the design: the site is rebuilt until the first machine is powered on; after that,
    // only new machines are added.
    beforeStep: async ({ design }) => {
      const designJson = JSON.stringify(design);
      // The machines of a cloud do not come from the design.
      if (designJson === siteDesignJson || site.cloud !== null) return await readSiteProblems(site);
      const { machines } = await site.getStatus();
      const hasNewNode = design.nodes.some(({ name }) => !machines.some((machine) => machine.name === name));
      if (hasNewNode || machines.every(({ isOn }) => !isOn)) {
        await site.stop();
        site = await openRehearsalSite({ dir, ...UNCHANGED_OPTIONS }, design, session, silentIo, launcher.programs);
        if (pace.isPaused || isClockHeld) await applyPace();
      }
      siteDesignJson = designJson;
      return await readSiteProblems(site);
    },
    beforeExit: async (leaveReason) => {
      if (isClockHeld && leaveReason !== 'lost') await holdClock(false);
      // Another session continues the rehearsal.
      if (leaveReason === 'taken-over' || leaveReason === 'lost') return [];
      // The rehearsal is finished: leave nothing running.
      const isFinished = session.getState().place.screen === 'report' && existsSync(join(dir, 'report.md'));
      if (leaveReason === 'install' || isFinished) {
        io.stderr(`${words().siteStopping}\n`);
        await stopJobs(dir);
        await site.stop();
      }
      if (leaveReason === 'install') return [];
      return [isFinished ? describeStoppedSite(dir, { isFinished }) : describeRunningSite(dir, pace.isPaused)];
    },
  });
  if (installDir === null) return code;
  lock.release();
  return spawnWizard(['--dir', installDir], frontEnd);
}

/** Finds the install directory that this one was copied from; null if it is not a copy, or was only moved. */
function findCopyOrigin(dir: string, session: WorkingSession): string | null {
  const { rehearsal } = session.getState();
  if (rehearsal === null) return null;
  const origin = dirname(dirname(rehearsal.siteDir));
  return rehearsal.siteDir === getSiteDirectory(dir, rehearsal.siteDir) || !existsSync(origin) ? null : origin;
}

/** Creates an object that reads each property from the current target. */
function createDelegate<T extends object>(getTarget: () => T): T {
  return new Proxy({} as T, { get: (_target, name) => Reflect.get(getTarget(), name) });
}
