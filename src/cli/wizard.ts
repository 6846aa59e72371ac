import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { catalogue } from '../text/catalogue.ts';
import type { Wish } from './session/in-use.ts';
import type { CommandIo } from './shared/io.ts';
import { UsageError } from './shared/usage.ts';
import {
  comfortsOf,
  FRONT_END_OPTIONS,
  frontEndFor,
  ON_EVENT_OPTION,
  onTerminal,
  withoutTerminal,
} from './wizard/front-end.ts';
import type { Host } from './wizard/host.ts';

// We import only what the first frame needs: the libraries behind the design, the session and the steps take longer to
// load than a person should look at an empty terminal.

/**
 * `upi-wizard [--dir D] [--plain]`: the wizard on an install directory, or on the rehearsal that lives there.
 * @param wish how to meet another session that holds the directory
 */
export async function wizardCommand(
  argv: readonly string[],
  io: CommandIo,
  host: Host,
  wish: Wish = 'ask',
): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: { dir: { type: 'string' }, override: { type: 'string' }, ...ON_EVENT_OPTION, ...FRONT_END_OPTIONS },
  });
  const onEvent = values['on-event'];
  const named = values.dir === undefined ? null : resolve(io.cwd, values.dir);
  const frontEnd = frontEndFor(values, io);
  // Where a person sits, they type the reason where they are asked for it.
  if (values.override !== undefined && (frontEnd !== 'none' || !values.plain))
    throw new UsageError(catalogue().cli.overridePlain);
  if (frontEnd === 'none') {
    if (!values.plain) return withoutTerminal(io);
    const { openDirectory } = await import('./session/open-directory.ts');
    const { plainWizard } = await import('./wizard/plain-wizard.ts');
    const { overrideOption } = await import('./wizard/override.ts');
    const override = values.override === undefined ? null : overrideOption(values.override);
    return await plainWizard({
      ...(await openDirectory(named, io, 'upi-wizard --plain', host.programs)),
      io,
      host,
      onEvent,
      override,
    });
  }
  const opening = { dir: named, isRehearsal: false, ...comfortsOf(values), frontEnd };
  return await onTerminal(host, opening, io, async (opened) => {
    const { openDirectory, directoryOf } = await import('./session/open-directory.ts');
    const { leftAt, openOrMeet } = await import('./session/in-use.ts');
    const { versionOf } = await import('./shared/world.ts');
    const dir = directoryOf(named, io);
    const open = () => openDirectory(dir, io, 'upi-wizard', host.programs);
    const directory = await openOrMeet(open, dir, opened, { wish, version: versionOf(host.programs) });
    if (typeof directory === 'string') return await leftAt(directory, opened);
    const { lock, saved } = directory;
    try {
      const { rehearsal } = saved.current();
      if (rehearsal !== null) {
        const { resumeRehearsal } = await import('./rehearse/screens.ts');
        return await resumeRehearsal(directory, onEvent, io, host, opened);
      }
      const { fullScreenWizard } = await import('./wizard/full-screen.ts');
      return (await fullScreenWizard({ ...directory, io, host, opened, onEvent, said: null })).code;
    } finally {
      lock.release();
    }
  });
}
