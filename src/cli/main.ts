import { readFileSync } from 'node:fs';
import { cli as words } from '../text/en/cli.ts';
import { asTrouble, TroubleError } from '../text/trouble.ts';
import { rehearsalFaults } from './faults.ts';
import type { CommandIo } from './io.ts';
import { errorLog } from './log.ts';
import { UsageError } from './usage.ts';
import type { Host } from './wizard.ts';

/**
 * Runs the command line.
 * @param argv without node and the script
 * @returns the exit code of the outer interface
 */
export async function run(argv: readonly string[], host: Host): Promise<number> {
  const io: CommandIo = {
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    env: process.env,
    cwd: process.cwd(),
  };
  // A reader that goes away (head, a closed pipe) is no fault of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
  });
  try {
    return await dispatch(argv, io, host);
  } catch (error) {
    if (error instanceof UsageError || isParseArgsError(error)) {
      // Node's own advice goes on for lines; its first sentence says what is wrong.
      const { message } = error as Error;
      const [said = ''] = message.split(error instanceof UsageError ? '\n' : /\.\s|\n/);
      io.stderr(`${words.usageError(said.replace(/\.?$/, '.'))}\n`);
      return 2;
    }
    if (error instanceof TroubleError) {
      const { code, title, cause, whatToDo } = error.trouble;
      // A directory that cannot be one was named wrongly; everything else was asked rightly and the answer is no.
      const isUsage = code.startsWith('directory-');
      io.stderr(`${title}: ${cause}${isUsage ? ' ' : '\n'}${whatToDo}\n`);
      return isUsage ? 2 : 4;
    }
    const log = errorLog(io.cwd);
    log.write(error);
    io.stderr(`${words.unexpected(asTrouble(error).cause, log.path)}\n`);
    return 1;
  }
}

async function dispatch(argv: readonly string[], io: CommandIo, host: Host): Promise<number> {
  const [command, ...rest] = argv;
  if (argv.includes('--help') || argv.includes('-h')) {
    io.stdout(words.usage(version()).replace('FAULTS', rehearsalFaults()));
    return 0;
  }
  // Each command is loaded only when it is asked for: most need a fraction of the program.
  switch (command) {
    case 'design':
      return (await import('./design.ts')).designCommand(rest, io);
    case 'generate':
      return (await import('./generate.ts')).generateCommand(rest, io);
    case 'rehearse':
      return (await import('./rehearse.ts')).rehearseCommand(rest, io, host);
    case 'status':
      return (await import('./status.ts')).statusCommand(rest, await liveIo(io, rest), host.programs);
    case 'csr':
      return (await import('./csr.ts')).csrCommand(rest, await liveIo(io, rest), host.programs);
    case 'infra':
      return (await import('./infra.ts')).infraCommand(rest, await liveIo(io, rest), host.programs);
    default:
      if (command !== undefined && !command.startsWith('-')) throw new UsageError(words.unknownCommand(command));
      return (await import('./wizard.ts')).wizardCommand(argv, io, host);
  }
}

async function liveIo(io: CommandIo, argv: readonly string[]) {
  const isActing = ['approve', 'apply', 'undo'].some((action) => argv.includes(action));
  return (await import('./live-io.ts')).processIo(io, isActing, argv.includes('--watch'));
}

function version(): string {
  const { version: text } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return text;
}

function isParseArgsError(error: unknown): boolean {
  return error instanceof TypeError && String((error as NodeJS.ErrnoException).code ?? '').startsWith('ERR_PARSE_ARGS');
}
