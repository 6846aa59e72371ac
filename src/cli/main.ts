import { readFileSync } from 'node:fs';
import { catalogue } from '../text/catalogue.ts';
import { languageCodes, startLanguage } from '../text/languages.ts';
import { exitCode } from './exit-code.ts';
import { rehearsalFaults } from './faults.ts';
import type { Host } from './host.ts';
import type { CommandIo } from './io.ts';
import { UsageError } from './usage.ts';
import type { Programs } from './world.ts';

const words = () => catalogue().cli;

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
  const language = await startLanguage(argv, io.env);
  return await exitCode(io, async () => {
    if (language.unknown !== null)
      throw new UsageError(words().unknownLanguage(language.unknown, languageCodes().join(', ')));
    return await dispatch(language.argv, io, host);
  });
}

async function dispatch(argv: readonly string[], io: CommandIo, host: Host): Promise<number> {
  const [command, ...rest] = argv;
  if (argv.includes('--help') || argv.includes('-h')) {
    io.stdout(usage());
    return 0;
  }
  // Each command is loaded on demand: most need a fraction of the program.
  switch (command) {
    case 'design':
      return (await import('./design.ts')).designCommand(rest, io);
    case 'generate':
      return (await import('./generate.ts')).generateCommand(rest, io);
    case 'rehearse':
      return (await import('./rehearse.ts')).rehearseCommand(rest, io, host);
    case 'status':
    case 'csr':
    case 'infra':
      return live(command, rest, io, host.programs);
    case 'help': {
      const { columns } = process.stdout;
      return (await import('./help/index.ts')).helpCommand(rest, io, { columns, usage: usage() });
    }
    default:
      if (command !== undefined && !command.startsWith('-')) throw new UsageError(words().unknownCommand(command));
      return (await import('./wizard.ts')).wizardCommand(argv, io, host);
  }
}

function usage(): string {
  return words().usage(version(), rehearsalFaults(), languageCodes().join(', '));
}

/** The commands that work with a running cluster. */
async function live(
  command: 'status' | 'csr' | 'infra',
  argv: readonly string[],
  io: CommandIo,
  programs: Programs,
): Promise<number> {
  const { processIo } = await import('./live-io.ts');
  const isActing = ['approve', 'apply', 'undo'].some((action) => argv.includes(action));
  const liveIo = processIo(io, isActing, argv.includes('--watch'));
  switch (command) {
    case 'status':
      return (await import('./status.ts')).statusCommand(argv, liveIo, programs);
    case 'csr':
      return (await import('./csr.ts')).csrCommand(argv, liveIo, programs);
    case 'infra':
      return (await import('./infra.ts')).infraCommand(argv, liveIo, programs);
  }
}

function version(): string {
  const { version: text } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return text;
}
