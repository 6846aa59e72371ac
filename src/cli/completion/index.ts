import { parseArgs } from 'node:util';
import { catalogue } from '../../i18n/catalogue.ts';
import type { CommandIo } from '../shared/io.ts';
import { UsageError } from '../shared/usage.ts';
import { renderBashCompletion } from './bash.ts';
import { renderFishCompletion } from './fish.ts';
import { renderZshCompletion } from './zsh.ts';

const SHELLS: Readonly<Record<string, () => string>> = {
  bash: renderBashCompletion,
  zsh: renderZshCompletion,
  fish: renderFishCompletion,
};

/**
 * `upi-wizard completion bash|zsh|fish`: prints a completion script, generated from the table of commands.
 * @throws UsageError for another shell
 */
export function completionCommand(argv: readonly string[], io: CommandIo): number {
  const [shell = '', ...others] = parseArgs({ args: [...argv], options: {}, allowPositionals: true }).positionals;
  const script = Object.hasOwn(SHELLS, shell) && others.length === 0 ? SHELLS[shell] : undefined;
  if (script === undefined)
    throw new UsageError(catalogue().shells.completion.unknownShell(Object.keys(SHELLS).join(', ')));
  io.stdout(script());
  return 0;
}
