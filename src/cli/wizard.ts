import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { capabilitiesOf } from '../terminal/capabilities.ts';
import { catalogue } from '../text/catalogue.ts';
import type { OpenedWizard, Opening } from '../wizard/front-end.ts';
import type { Host } from './host.ts';
import type { CommandIo } from './io.ts';

const words = () => catalogue().cli;

// We import only what the first frame needs: the libraries behind the design, the session and the steps take longer to
// load than a person should look at an empty terminal.

/** `upi-wizard [--dir D] [--plain]`: the wizard on an install directory, or on the rehearsal that lives there. */
export async function wizardCommand(argv: readonly string[], io: CommandIo, host: Host): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: { dir: { type: 'string' }, plain: { type: 'boolean' }, 'screen-reader': { type: 'boolean' } },
  });
  const named = values.dir === undefined ? null : resolve(io.cwd, values.dir);
  if (values.plain) {
    const { openDirectory } = await import('./open-directory.ts');
    const { plainWizard } = await import('./plain-wizard.ts');
    return await plainWizard({ ...(await openDirectory(named, io)), io, host });
  }
  if (!canShowScreens(io)) return 2;
  const opening = { dir: named, isRehearsal: false, isForScreenReader: values['screen-reader'] === true };
  return await onScreens(host, opening, async (opened) => {
    const { openDirectory } = await import('./open-directory.ts');
    const { dir, saved, world } = await openDirectory(named, io);
    const { rehearsal } = saved.current();
    if (rehearsal !== null) {
      const { resumeRehearsal } = await import('./rehearse-screens.ts');
      return await resumeRehearsal(dir, rehearsal, io, host, opened);
    }
    const { fullScreenWizard } = await import('./full-screen.ts');
    return await fullScreenWizard({ dir, saved, world, io, host, opened });
  });
}

/** Says what to do instead where there is no terminal for full screens. */
export function canShowScreens(io: CommandIo): boolean {
  const terminal = capabilitiesOf(io.env, process.stdin, process.stdout);
  const isFit = terminal.isInteractive && !terminal.isDumb;
  if (!isFit) io.stderr(`${words().noTerminal}\n`);
  return isFit;
}

/** Draws the first frame, then does the rest; after a failure it gives the terminal back before it reports it. */
export async function onScreens(
  host: Host,
  opening: Opening,
  rest: (opened: OpenedWizard) => Promise<number>,
): Promise<number> {
  const { openWizard } = await host.loadWizard();
  const isResumed = opening.dir !== null && existsSync(join(opening.dir, '.upi-wizard', 'session.json'));
  // A resumed session starts on the page where it was left, not on the welcome of a new one.
  const opened = openWizard(isResumed ? { ...opening, dir: null } : opening);
  try {
    return await rest(opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}
