import { parseArgs } from 'node:util';
import { catalogue } from '../../text/catalogue.ts';
import type { CommandIo } from '../shared/io.ts';
import { UsageError } from '../shared/usage.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

const SHELLS: Readonly<Record<string, () => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** `upi-wizard completion bash|zsh|fish`: prints a script made from the table of commands. @throws UsageError for another shell */
export function completionCommand(argv: readonly string[], io: CommandIo): number {
  const [shell = '', ...others] = parseArgs({ args: [...argv], options: {}, allowPositionals: true }).positionals;
  const script = Object.hasOwn(SHELLS, shell) && others.length === 0 ? SHELLS[shell] : undefined;
  if (script === undefined) throw new UsageError(catalogue().shells.completion.wrong(Object.keys(SHELLS).join(', ')));
  io.stdout(script());
  return 0;
}
