import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkDocument } from '../design/parse.ts';
import { isFaultId } from '../rehearsal/site-client.ts';
import { rememberDirectory } from '../session/directories.ts';
import { openSession } from '../session/store.ts';
import { stopJobs } from '../steps/shared/jobs.ts';
import { catalogue, commandLine } from '../text/catalogue.ts';
import type { Document } from '../wizard/document.ts';
import type { OpenedWizard } from '../wizard/front-end.ts';
import { fullScreenWizard } from './full-screen.ts';
import type { Host } from './host.ts';
import type { CommandIo } from './io.ts';
import { openSite, type RehearsalOptions } from './rehearsal-site.ts';
import { exampleDocument, openSaved } from './saved.ts';
import { siteWorld } from './world.ts';

const words = () => catalogue().cli;

/** Goes on with the rehearsal that lives in an install directory. */
export function resumeRehearsal(
  dir: string,
  { speed, seed, faults }: { readonly speed: number; readonly seed: number; readonly faults: readonly string[] },
  io: CommandIo,
  host: Host,
  opened: OpenedWizard,
): Promise<number> {
  const options = { dir, speed, seed, faults: faults.filter(isFaultId) };
  return rehearseOnScreens(options, null, io, host, opened);
}

/** The full-screen wizard against the site of the directory. */
export async function rehearseOnScreens(
  options: RehearsalOptions,
  answered: Document | null,
  io: CommandIo,
  host: Host,
  opened: OpenedWizard,
): Promise<number> {
  const { dir } = options;
  // The terminal shows the wizard already: nothing may be printed over it.
  const quiet: CommandIo = { ...io, stderr: () => undefined };
  let saved = openSaved(openSession(dir));
  if (answered !== null && !saved.isResumed) {
    saved.update({ design: answered, place: { screen: 'review', field: null } });
    saved = openSaved(openSession(dir));
  }
  const planned = checkDocument(saved.current().design).design ?? checkDocument(exampleDocument()).design;
  if (planned === null) return 1;
  let site = await openSite(options, planned, saved, quiet, host.programs);
  rememberDirectory(dir);
  let built = JSON.stringify(planned);
  const world = siteWorld(site);
  const code = await fullScreenWizard({
    dir,
    saved,
    io,
    host,
    opened,
    world: { ...world, hands: delegate(() => site.hands) },
    // The machines of the site are those of the design: set up anew until the first is switched on; after that, only
    // new ones join them.
    beforeStep: async ({ design }) => {
      const wanted = JSON.stringify(design);
      if (wanted === built) return;
      const { machines } = await site.status();
      const isMissing = design.nodes.some(({ name }) => !machines.some((machine) => machine.name === name));
      if (isMissing || machines.every(({ isOn }) => !isOn)) {
        await site.stop();
        site = await openSite(options, design, saved, quiet, host.programs);
      }
      built = wanted;
    },
  });
  // The rehearsal is at its end: leave nothing running.
  if (saved.current().place.screen === 'report' && existsSync(join(dir, 'report.md'))) {
    await stopJobs(dir);
    await site.stop();
  } else {
    io.stderr(`${words().siteLivesOn(commandLine('rehearse', '--stop', '--dir', dir))}\n`);
  }
  return code;
}

function delegate<T extends object>(current: () => T): T {
  return new Proxy({} as T, { get: (_target, name) => Reflect.get(current(), name) });
}
