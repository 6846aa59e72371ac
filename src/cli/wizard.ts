import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { catalogue } from '../i18n/catalogue.ts';
import type { LockChoice } from './session/lock-resolution.ts';
import { type CommandIo, UsageError } from './shared/io.ts';
import {
  FRONT_END_OPTIONS,
  type Launcher,
  ON_EVENT_OPTION,
  reportNoTerminal,
  selectFrontEnd,
  terminalOptions,
  withTerminal,
} from './wizard/front-end.ts';

// Static imports only for the first frame: loading the libraries for the design, the session and the steps would leave
// the terminal empty for too long.

/**
 * `upi-wizard [--dir D] [--plain]`: the wizard on an install directory, or on the rehearsal in it.
 * @param choice the first choice if another session holds the directory
 */
export async function wizardCommand(
  argv: readonly string[],
  io: CommandIo,
  launcher: Launcher,
  choice: LockChoice = 'ask',
): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: { dir: { type: 'string' }, override: { type: 'string' }, ...ON_EVENT_OPTION, ...FRONT_END_OPTIONS },
  });
  const onEvent = values['on-event'];
  const namedDir = values.dir === undefined ? null : resolve(io.cwd, values.dir);
  const frontEndKind = selectFrontEnd(values, io);
  // With a terminal, the wizard asks for the reason.
  if (values.override !== undefined && (frontEndKind !== 'none' || !values.plain))
    throw new UsageError(catalogue().cli.overridePlain);
  if (frontEndKind === 'none') {
    if (!values.plain) return reportNoTerminal(io);
    const { openDirectory } = await import('./session/open-directory.ts');
    const { runPlainWizard } = await import('./wizard/plain-wizard.ts');
    const { parseOverride } = await import('./wizard/real-installation.ts');
    const override = values.override === undefined ? null : parseOverride(values.override);
    return await runPlainWizard({
      ...(await openDirectory(namedDir, io, 'upi-wizard --plain', launcher.programs)),
      io,
      launcher,
      onEvent,
      override,
    });
  }
  const startup = { dir: namedDir, isRehearsal: false, ...terminalOptions(values), frontEnd: frontEndKind };
  return await withTerminal(launcher, startup, io, async (frontEnd) => {
    const { openDirectory, resolveInstallDirectory } = await import('./session/open-directory.ts');
    const { closeFrontEnd, openOrResolveLock } = await import('./session/lock-resolution.ts');
    const { readProgramVersion } = await import('./shared/runtime.ts');
    const dir = resolveInstallDirectory(namedDir, io);
    const open = () => openDirectory(dir, io, 'upi-wizard', launcher.programs);
    const directory = await openOrResolveLock(open, dir, frontEnd, {
      choice,
      version: readProgramVersion(launcher.programs),
    });
    if (typeof directory === 'string') return await closeFrontEnd(directory, frontEnd);
    const { lock, session } = directory;
    try {
      const { rehearsal } = session.current();
      if (rehearsal !== null) {
        const { resumeRehearsal } = await import('./rehearse-screens.ts');
        return await resumeRehearsal(directory, onEvent, io, launcher, frontEnd);
      }
      const { runFullScreenWizard } = await import('./wizard/full-screen.ts');
      return (await runFullScreenWizard({ ...directory, io, launcher, frontEnd, onEvent, startNotice: null })).code;
    } finally {
      lock.release();
    }
  });
}
