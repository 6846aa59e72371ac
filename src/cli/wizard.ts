import { resolve } from 'node:path';
import type { DesignDocument } from '../design/paths.ts';
import { catalogue } from '../i18n/catalogue.ts';
import type { Arguments } from './commands.ts';
import type { LockChoice } from './session/lock-resolution.ts';
import type { CommandContext } from './shared/context.ts';
import { UsageError } from './shared/io.ts';
import {
  type FrontEndOptions,
  isPlainRequested,
  reportNoTerminal,
  selectFrontEnd,
  terminalOptions,
  withTerminal,
} from './wizard/front-end.ts';

// Static imports only for the first frame: loading the libraries for the design, the session and the steps would leave
// the terminal empty for too long.

/** `upi-wizard [--dir D] [--plain]`: the wizard on an install directory, or on the rehearsal in it. */
export async function wizardCommand({ options }: Arguments<''>, context: CommandContext): Promise<number> {
  if (!options.version) return await openWizard(options, context);
  context.io.stdout(`${context.readVersion()}\n`);
  return 0;
}

interface WizardStart extends FrontEndOptions {
  readonly dir: string | undefined;
  readonly answers?: string | undefined;
  readonly override?: string | undefined;
  readonly mirror?: string | undefined;
  readonly 'on-event'?: string | undefined;
}

/**
 * Opens the wizard.
 * @param choice the first choice if another session holds the directory
 */
export async function openWizard(
  options: WizardStart,
  { io, launcher }: CommandContext,
  choice: LockChoice = 'ask',
): Promise<number> {
  const onEvent = options['on-event'];
  const dirOption = options.dir === undefined ? null : resolve(io.cwd, options.dir);
  const frontEndKind = selectFrontEnd(options, io);
  // The option is for runs without a terminal: on a terminal, the wizard asks for the reason.
  if (options.override !== undefined && (frontEndKind !== 'none' || !isPlainRequested(options)))
    throw new UsageError(catalogue().cli.overridePlain);
  if (frontEndKind === 'none' && !isPlainRequested(options)) return reportNoTerminal(options, false, io);
  const mirror = await resolveMirrorOption(options, io.cwd);
  let answers: DesignDocument | null = null;
  if (options.answers !== undefined) {
    const { readAnswersFile } = await import('./wizard/answers-file.ts');
    const answersFile = readAnswersFile(options.answers, io);
    if (!answersFile.isReadable) return 2;
    if (answersFile.design === null) return 3;
    answers = answersFile.document;
  }
  if (frontEndKind === 'none') {
    const { openDirectory } = await import('./session/open-directory.ts');
    const { runPlainWizard } = await import('./wizard/plain-wizard.ts');
    const { parseOverride } = await import('./wizard/override-option.ts');
    const override = options.override === undefined ? null : parseOverride(options.override);
    return await runPlainWizard({
      ...(await openDirectory(dirOption, io, 'upi-wizard --plain', launcher.programs, answers)),
      mirror,
      io,
      launcher,
      onEvent,
      override,
      hasAnswers: answers !== null,
    });
  }
  const startup = { dir: dirOption, isRehearsal: false, ...terminalOptions(options), frontEnd: frontEndKind };
  return await withTerminal(launcher, startup, io, async (frontEnd) => {
    const { openDirectory, resolveInstallDirectory, resolveNewDirectory } = await import('./session/open-directory.ts');
    const { closeFrontEnd, openOrResolveLock } = await import('./session/lock-resolution.ts');
    const { createRuntime, readProgramVersion } = await import('./shared/runtime.ts');
    const version = readProgramVersion(launcher.programs);
    const open = (dir: string, canChooseOtherInstallation: boolean) =>
      openOrResolveLock(() => openDirectory(dir, io, 'upi-wizard', launcher.programs, answers), dir, frontEnd, {
        choice,
        version,
        canChooseOtherInstallation,
      });
    const openResult = await open(resolveInstallDirectory(dirOption, io), dirOption === null);
    const directory = openResult === 'others' ? await open(resolveNewDirectory(io), false) : openResult;
    if (typeof directory === 'string') return await closeFrontEnd(directory, frontEnd);
    const { lock, session } = directory;
    try {
      if (mirror !== undefined) session.stepState.set('mirror', mirror);
      const { rehearsal } = session.getState();
      if (rehearsal !== null) {
        const { resumeRehearsal } = await import('./rehearse-screens.ts');
        return await resumeRehearsal(directory, onEvent, io, launcher, frontEnd);
      }
      const { runFullScreenWizard } = await import('./wizard/full-screen.ts');
      const runtime = createRuntime(directory.dir);
      const wizardOptions = { ...directory, runtime, io, launcher, frontEnd, onEvent, startNotice: null };
      return (await runFullScreenWizard(wizardOptions)).code;
    } finally {
      lock.release();
    }
  });
}

/** Resolves the directory of `--mirror`; null: off; undefined without the option. */
async function resolveMirrorOption({ mirror }: WizardStart, cwd: string): Promise<string | null | undefined> {
  return mirror === undefined ? undefined : (await import('./wizard/mirror.ts')).resolveMirror(mirror, cwd);
}
