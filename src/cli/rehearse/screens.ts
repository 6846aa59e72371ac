import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkDocument } from '../../design/parse.ts';
import { rememberDirectory } from '../../session/directories.ts';
import { acquireLock, guarded } from '../../session/lock.ts';
import { openSession } from '../../session/store.ts';
import { stopJobs } from '../../steps/shared/jobs.ts';
import { catalogue, commandLine } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { Document } from '../../wizard/design/document.ts';
import type { OpenedWizard } from '../../wizard/front-end.ts';
import { CLOUD_SCREENS, type Rehearsal, SCREEN_IDS, type ScreenId } from '../../wizard/state.ts';
import { designInForce } from '../session/in-force.ts';
import { leftAt, openOrMeet } from '../session/in-use.ts';
import type { OpenedDirectory } from '../session/open-directory.ts';
import { exampleDocument, openSaved, type Saved } from '../session/saved.ts';
import type { CommandIo } from '../shared/io.ts';
import { siteDirectory, siteWorld, versionOf } from '../shared/world.ts';
import { fullScreenWizard, runWizard } from '../wizard/full-screen.ts';
import type { Host } from '../wizard/host.ts';
import { beginInstallation } from '../wizard/real-installation.ts';
import { openSite, type RehearsalOptions, siteFindings } from './site.ts';

const words = () => catalogue().cli;

const AS_BEFORE = { speed: null, seed: null, faults: null, cloud: null };

/** Goes on with the rehearsal that lives in an install directory. */
export function resumeRehearsal(
  { dir, lock, saved }: Pick<OpenedDirectory, 'dir' | 'lock' | 'saved'>,
  onEvent: string | undefined,
  io: CommandIo,
  host: Host,
  opened: OpenedWizard,
): Promise<number> {
  return play({ dir, ...AS_BEFORE, onEvent }, { lock, saved }, io, host, opened);
}

/** Answers that a rehearsal begins with, and the screen that it begins at. */
export interface Answered {
  readonly document: Document;
  readonly screen: ScreenId;
}

/** The full-screen wizard against the site of the directory. */
export async function rehearseOnScreens(
  options: RehearsalOptions,
  answered: Answered | null,
  io: CommandIo,
  host: Host,
  opened: OpenedWizard,
): Promise<number> {
  const { dir } = options;
  // What is read before the lock is taken may be older than the last save of another wizard.
  const version = versionOf(host.programs);
  const take = () => acquireLock(dir, 'upi-wizard rehearse', version);
  const lock = await openOrMeet(take, dir, opened, { wish: 'ask', version });
  if (typeof lock === 'string') return await leftAt(lock, opened);
  try {
    let saved = openSaved(guarded(openSession(dir), lock));
    if (answered !== null && !saved.isResumed) {
      saved.update({ design: answered.document, place: { screen: answered.screen, field: null } });
      saved = openSaved(guarded(openSession(dir), lock));
    }
    return await play(options, { lock, saved }, io, host, opened);
  } finally {
    lock.release();
  }
}

async function play(
  options: RehearsalOptions,
  { lock, saved }: Pick<OpenedDirectory, 'lock' | 'saved'>,
  io: CommandIo,
  host: Host,
  opened: OpenedWizard,
): Promise<number> {
  const { dir } = options;
  // The terminal shows the wizard already: nothing may be printed over it.
  const quiet: CommandIo = { ...io, stderr: () => undefined };
  const planned = designInForce(saved.current()).design ?? checkDocument(exampleDocument()).design;
  if (planned === null) return 1;
  const origin = copiedFrom(dir, saved);
  let site = await openSite(options, planned, saved, quiet, host.programs);
  rememberDirectory(dir);
  let built = JSON.stringify(planned);
  const { speed: runs } = await site.status();
  let pace: Rehearsal = { speed: runs === 0 ? site.speed : runs, isPaused: runs === 0 };
  const keepPace = () => site.setSpeed(pace.isPaused ? 0 : pace.speed);
  const world = siteWorld(site);
  let installDir: string | null = null;
  const { how, code } = await fullScreenWizard({
    dir,
    lock,
    saved,
    io,
    host,
    opened,
    onEvent: options.onEvent,
    said: origin === null ? null : words().siteCopied(sanitizeLine(origin, 100)),
    world: { ...world, hands: delegate(() => site.hands) },
    screens: site.cloud === null ? SCREEN_IDS : CLOUD_SCREENS,
    rehearsal: {
      pace,
      async beginInstallation(named, { document }) {
        installDir = await beginInstallation(dir, named, document, versionOf(host.programs));
      },
      async setPace(wanted) {
        pace = wanted;
        await keepPace();
        const { rehearsal } = saved.current();
        if (rehearsal) saved.update({ rehearsal: { ...rehearsal, speed: wanted.speed } });
      },
    },
    // The machines of the site are those of the design: set up anew until the first is switched on; after that, only
    // new ones join them.
    beforeStep: async ({ design }) => {
      const wanted = JSON.stringify(design);
      // The machines of a cloud are no design's.
      if (wanted === built || site.cloud !== null) return await siteFindings(site);
      const { machines } = await site.status();
      const isMissing = design.nodes.some(({ name }) => !machines.some((machine) => machine.name === name));
      if (isMissing || machines.every(({ isOn }) => !isOn)) {
        await site.stop();
        site = await openSite({ dir, ...AS_BEFORE }, design, saved, quiet, host.programs);
        if (pace.isPaused) await keepPace();
      }
      built = wanted;
      return await siteFindings(site);
    },
  });
  // Another session goes on with it.
  if (how === 'taken-over' || how === 'lost') return code;
  // The rehearsal is at its end: leave nothing running.
  if (how === 'install' || (saved.current().place.screen === 'report' && existsSync(join(dir, 'report.md')))) {
    await stopJobs(dir);
    await site.stop();
  } else {
    io.stderr(`${words().siteLivesOn(commandLine('rehearse', '--stop', '--dir', dir))}\n`);
  }
  if (installDir === null) return code;
  lock.release();
  return runWizard(['--dir', installDir], opened);
}

/** The install directory that this one is a copy of; null where it is none, or was only moved. */
function copiedFrom(dir: string, saved: Saved): string | null {
  const { rehearsal } = saved.current();
  if (rehearsal === null) return null;
  const origin = dirname(dirname(rehearsal.siteDir));
  return rehearsal.siteDir === siteDirectory(dir, rehearsal.siteDir) || !existsSync(origin) ? null : origin;
}

function delegate<T extends object>(current: () => T): T {
  return new Proxy({} as T, { get: (_target, name) => Reflect.get(current(), name) });
}
