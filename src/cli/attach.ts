import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { askToLeave, holderOf, overrun } from '../session/ask-holder.ts';
import { describeOwner } from '../session/describe-owner.ts';
import { configDirectory, defaultDirectory } from '../session/directories.ts';
import { ownOwner } from '../session/owner.ts';
import type { FoundOwner } from '../session/owner-files.ts';
import { catalogue, commandLine } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { silence } from './session/in-use.ts';
import { savedSession } from './session/saved-session.ts';
import type { CommandIo } from './shared/io.ts';
import type { LiveIo } from './shared/live-io.ts';
import { UsageError } from './shared/usage.ts';
import { FRONT_END_OPTIONS } from './wizard/front-end.ts';
import type { Host } from './wizard/host.ts';
import { wizardCommand } from './wizard.ts';

const words = () => catalogue().holder.commands;

/**
 * `upi-wizard attach [--dir D] [--view | --take-over]`: the session of an install directory on this terminal, also while
 * another terminal has it.
 */
export async function attachCommand(argv: readonly string[], io: CommandIo, host: Host): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      dir: { type: 'string' },
      view: { type: 'boolean', default: false },
      'take-over': { type: 'boolean', default: false },
      ...FRONT_END_OPTIONS,
    },
  });
  if (values.view && values['take-over']) throw new UsageError(words().oneOf);
  const { dir, holder } = await sessionOf(values.dir, io);
  if (values.view && holder === null) {
    io.stderr(`${words().nobody(sanitizeLine(dir), commandLine('--dir', dir))}\n`);
    return 4;
  }
  const wish = values.view ? 'view' : values['take-over'] ? 'take-over' : 'ask';
  const look = (['plain', 'screen-reader'] as const).flatMap((each) => (values[each] ? [`--${each}`] : []));
  return await wizardCommand(['--dir', dir, ...look], io, host, wish);
}

/**
 * `upi-wizard detach [--dir D] [--yes WORD]`: the session that holds an install directory saves and ends; its jobs go on.
 * @returns 0 when it has ended, 4 when there is none or it goes on
 */
export async function detachCommand(argv: readonly string[], io: LiveIo): Promise<number> {
  const { values } = parseArgs({ args: [...argv], options: { dir: { type: 'string' }, yes: { type: 'string' } } });
  const { dir, holder } = await sessionOf(values.dir, io);
  const say = (line: string) => io.stderr(`${line}\n`);
  const goOn = commandLine('--dir', dir);
  if (holder === null) {
    say(words().nobody(sanitizeLine(dir), goOn));
    return 4;
  }
  const who = describeOwner(holder.owner, holder.liveness);
  const yielding = await askToLeave(dir, holder, 'leave', ownOwner('', ''));
  switch (yielding.kind) {
    case 'left':
      say(words().left(who, goOn));
      return 0;
    case 'stays':
      say(words().stays(who, sanitizeLine(yielding.why)));
      return 4;
    case 'silent': {
      const { word, warning } = silence(holder);
      say(words().silent(who, warning));
      const typed = values.yes ?? (await io.ask?.(words().typeWord(word))) ?? '';
      if (typed.trim() !== word) {
        say(words().stillThere(commandLine('detach', '--dir', dir, '--yes', word)));
        return 4;
      }
      await overrun(dir, holder);
      say(words().left(who, goOn));
      return 0;
    }
  }
}

/**
 * An install directory in which a session is or is about to begin, and who holds it.
 * @throws UsageError where there is none
 */
async function sessionOf(
  named: string | undefined,
  io: CommandIo,
): Promise<{ readonly dir: string; readonly holder: FoundOwner | null }> {
  const dir = named === undefined ? defaultDirectory(io.cwd, configDirectory({ ...io.env })) : resolve(io.cwd, named);
  const holder = await holderOf(dir);
  if (holder === null && !hasSession(dir)) throw new UsageError(words().noSession(sanitizeLine(dir)));
  return { dir, holder };
}

function hasSession(dir: string): boolean {
  try {
    return savedSession(dir) !== null;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // A damaged one is one: the wizard says more about it.
    return true;
  }
}
