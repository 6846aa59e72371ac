import { catalogue, commandLine } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { asTrouble } from '../../text/trouble.ts';
import type { CommandIo } from './io.ts';
import { errorLog } from './log.ts';
import { UsageError } from './usage.ts';

const words = () => catalogue().cli;

/** Runs a command; reports what it throws in a sentence or two and returns the exit code of the outer interface. */
export async function exitCode(io: CommandIo, command: () => Promise<number>): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if (error instanceof UsageError || isParseArgsError(error)) {
      // Node's own advice runs over several lines; its first sentence says what is wrong.
      const { message } = error as Error;
      const [said = ''] = message.split(error instanceof UsageError ? '\n' : /\.\s|\n/);
      io.stderr(`${words().usageError(sanitizeLine(said), commandLine('--help'))}\n`);
      return 2;
    }
    const trouble = asTrouble(error);
    if (trouble.code !== 'internal') {
      const { code, title, cause, whatToDo } = trouble;
      // A directory that cannot be one is wrong usage; any other trouble is an answer to a right question.
      const isUsage = code.startsWith('directory-');
      io.stderr(`${title}: ${sanitizeLine(cause)}${isUsage ? ' ' : '\n'}${whatToDo}\n`);
      return isUsage ? 2 : 4;
    }
    const log = errorLog(io.cwd);
    const say = log.write(error) ? words().unexpected : words().unexpectedUnlogged;
    io.stderr(`${say(sanitizeLine(trouble.cause), log.path)}\n`);
    return 1;
  }
}

function isParseArgsError(error: unknown): boolean {
  return error instanceof TypeError && String((error as NodeJS.ErrnoException).code ?? '').startsWith('ERR_PARSE_ARGS');
}
