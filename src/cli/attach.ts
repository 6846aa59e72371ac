import { catalogue, formatCommandLine } from '../i18n/catalogue.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { findHolder, forceTakeOver, requestTakeOver } from '../session/holder-client.ts';
import type { FoundHolder } from '../session/holder-files.ts';
import { createHolderRecord, describeHolder } from '../session/holder-files.ts';
import { findInstallDirectory } from '../session/install-directories.ts';
import type { Arguments } from './commands.ts';
import { describeUnresponsiveHolder } from './session/lock-resolution.ts';
import { createNoSessionError, readSavedSession } from './session/open-session.ts';
import type { CommandContext } from './shared/context.ts';
import { type CommandIo, UsageError } from './shared/io.ts';
import { openWizard } from './wizard.ts';

const words = () => catalogue().holder.commands;

/**
 * `upi-wizard attach [--dir D] [--view | --take-over]`: opens the session of an install directory on this terminal,
 * also while another terminal holds it.
 */
export async function attachCommand({ options }: Arguments<'attach'>, context: CommandContext): Promise<number> {
  const { view, 'take-over': takeOver, dir: dirOption, ...frontEndOptions } = options;
  const { io } = context;
  if (view && takeOver) throw new UsageError(words().exclusiveOptions);
  const { dir, holder } = await findSession(dirOption, io);
  if (view && holder === null) {
    io.stderr(`${words().notInUse(sanitizeLine(dir), formatCommandLine('--dir', dir))}\n`);
    return 4;
  }
  return await openWizard({ dir, ...frontEndOptions }, context, view ? 'view' : takeOver ? 'take-over' : 'ask');
}

/**
 * `upi-wizard detach [--dir D] [--yes WORD]`: the session that holds an install directory saves and exits; its jobs
 * keep running.
 * @returns 0 it has ended; 4 there is none, or it continues
 */
export async function detachCommand({ options }: Arguments<'detach'>, { openIo }: CommandContext): Promise<number> {
  const io = await openIo();
  const { dir, holder } = await findSession(options.dir, io);
  const report = (line: string) => io.stderr(`${line}\n`);
  const resumeCommand = formatCommandLine('--dir', dir);
  if (holder === null) {
    report(words().notInUse(sanitizeLine(dir), resumeCommand));
    return 4;
  }
  const holderText = describeHolder(holder.record, holder.liveness);
  const response = await requestTakeOver(dir, holder, 'leave', createHolderRecord('', ''));
  switch (response.kind) {
    case 'left':
      report(words().ended(holderText, resumeCommand));
      return 0;
    case 'stays':
      report(words().refused(holderText, sanitizeLine(response.reason)));
      return 4;
    case 'silent': {
      const { word, warning } = describeUnresponsiveHolder(holder);
      report(words().unresponsive(holderText, warning));
      const typedWord = options.yes ?? (await io.ask?.(words().typeWord(word))) ?? '';
      if (typedWord.trim() !== word) {
        report(words().notEnded(formatCommandLine('detach', '--dir', dir, '--yes', word)));
        return 4;
      }
      await forceTakeOver(dir, holder);
      report(words().ended(holderText, resumeCommand));
      return 0;
    }
  }
}

/**
 * Finds the install directory of the command, and the holder of its session. `holder` is null if no session runs there.
 * @throws UsageError if the directory has no session
 */
async function findSession(
  dirOption: string | undefined,
  io: CommandIo,
): Promise<{ readonly dir: string; readonly holder: FoundHolder | null }> {
  const dir = findInstallDirectory(dirOption, io);
  const holder = await findHolder(dir);
  if (holder === null && !hasSession(dir)) throw createNoSessionError(dir);
  return { dir, holder };
}

function hasSession(dir: string): boolean {
  try {
    return readSavedSession(dir) !== null;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // A damaged session counts as one: the wizard reports the damage.
    return true;
  }
}
