import { catalogue, commandLine } from '../../i18n/catalogue.ts';
import { toUserError } from '../../i18n/user-error.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

import { openErrorLog } from './error-log.ts';
import type { CommandIo } from './io.ts';
import { UsageError } from './usage.ts';

const words = () => catalogue().cli;

/** Runs a command, reports its error in a sentence or two, and returns the exit code of the command line. */
export async function runForExitCode(io: CommandIo, command: () => Promise<number>): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if (error instanceof UsageError || isParseArgsError(error)) {
      // Node appends advice to the message; only its first sentence states the problem.
      const { message } = error as Error;
      const [sentence = ''] = message.split(error instanceof UsageError ? '\n' : /\.\s|\n/);
      io.stderr(`${words().usageError(sanitizeLine(sentence), commandLine('--help'))}\n`);
      return 2;
    }
    const userError = toUserError(error);
    if (userError.code !== 'internal') {
      const { code, title, cause, remedy } = userError;
      // An unusable directory is wrong usage; any other error is the result of a correct command.
      const isUsage = code.startsWith('directory-');
      io.stderr(`${title}: ${sanitizeLine(cause)}${isUsage ? ' ' : '\n'}${remedy}\n`);
      return isUsage ? 2 : 4;
    }
    const log = openErrorLog(io.cwd);
    const formatMessage = log.write(error) ? words().unexpected : words().unexpectedUnlogged;
    io.stderr(`${formatMessage(sanitizeLine(userError.cause), log.path)}\n`);
    return 1;
  }
}

function isParseArgsError(error: unknown): boolean {
  return error instanceof TypeError && String((error as NodeJS.ErrnoException).code ?? '').startsWith('ERR_PARSE_ARGS');
}
