import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { catalogue, commandLine } from '../i18n/catalogue.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { findDefaultDirectory, getConfigDirectory } from '../session/directories.ts';
import { findHolder, forceTakeOver, requestTakeOver } from '../session/holder-client.ts';
import { createOwner, describeOwner } from '../session/owner.ts';
import type { FoundOwner } from '../session/owner-files.ts';
import { describeUnresponsiveHolder } from './session/lock-resolution.ts';
import { readSavedSession } from './session/open-session.ts';
import { type CommandIo, UsageError } from './shared/io.ts';
import type { LiveIo } from './shared/live-io.ts';
import { FRONT_END_OPTIONS, type Launcher } from './wizard/front-end.ts';
import { wizardCommand } from './wizard.ts';

const words = () => catalogue().holder.commands;

/**
 * `upi-wizard attach [--dir D] [--view | --take-over]`: opens the session of an install directory on this terminal,
 * also while another terminal holds it.
 */
export async function attachCommand(argv: readonly string[], io: CommandIo, host: Launcher): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      dir: { type: 'string' },
      view: { type: 'boolean', default: false },
      'take-over': { type: 'boolean', default: false },
      ...FRONT_END_OPTIONS,
    },
  });
  if (values.view && values['take-over']) throw new UsageError(words().exclusiveOptions);
  const { dir, holder } = await findSession(values.dir, io);
  if (values.view && holder === null) {
    io.stderr(`${words().notInUse(sanitizeLine(dir), commandLine('--dir', dir))}\n`);
    return 4;
  }
  const lockChoice = values.view ? 'view' : values['take-over'] ? 'take-over' : 'ask';
  const styleOptions = (['plain', 'screen-reader'] as const).flatMap((each) => (values[each] ? [`--${each}`] : []));
  return await wizardCommand(['--dir', dir, ...styleOptions], io, host, lockChoice);
}

/**
 * `upi-wizard detach [--dir D] [--yes WORD]`: the session that holds an install directory saves and exits; its jobs
 * keep running.
 * @returns 0 it has ended; 4 there is none, or it continues
 */
export async function detachCommand(argv: readonly string[], io: LiveIo): Promise<number> {
  const { values } = parseArgs({ args: [...argv], options: { dir: { type: 'string' }, yes: { type: 'string' } } });
  const { dir, holder } = await findSession(values.dir, io);
  const report = (line: string) => io.stderr(`${line}\n`);
  const resumeCommand = commandLine('--dir', dir);
  if (holder === null) {
    report(words().notInUse(sanitizeLine(dir), resumeCommand));
    return 4;
  }
  const owner = describeOwner(holder.owner, holder.liveness);
  const response = await requestTakeOver(dir, holder, 'leave', createOwner('', ''));
  switch (response.kind) {
    case 'left':
      report(words().ended(owner, resumeCommand));
      return 0;
    case 'stays':
      report(words().refused(owner, sanitizeLine(response.why)));
      return 4;
    case 'silent': {
      const { word, warning } = describeUnresponsiveHolder(holder);
      report(words().unresponsive(owner, warning));
      const typed = values.yes ?? (await io.ask?.(words().typeWord(word))) ?? '';
      if (typed.trim() !== word) {
        report(words().notEnded(commandLine('detach', '--dir', dir, '--yes', word)));
        return 4;
      }
      await forceTakeOver(dir, holder);
      report(words().ended(owner, resumeCommand));
      return 0;
    }
  }
}

/**
 * Finds the install directory of the command, and the holder of its session. `holder` is null if no session runs there.
 * @throws UsageError if the directory has no session
 */
async function findSession(
  named: string | undefined,
  io: CommandIo,
): Promise<{ readonly dir: string; readonly holder: FoundOwner | null }> {
  const dir =
    named === undefined ? findDefaultDirectory(io.cwd, getConfigDirectory({ ...io.env })) : resolve(io.cwd, named);
  const holder = await findHolder(dir);
  if (holder === null && !hasSession(dir)) throw new UsageError(words().noSession(sanitizeLine(dir)));
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
