import { readFileSync } from 'node:fs';
import { calledAs, catalogue, commandLine } from '../text/catalogue.ts';
import { commandsApart } from '../text/command-lines.ts';
import { languageCodes, startLanguage } from '../text/languages.ts';
import { redact } from '../text/redact.ts';
import { sanitize } from '../text/sanitize.ts';
import { systemReason } from '../text/system-reason.ts';
import { rehearsalFaults } from './rehearse/faults.ts';
import { exitCode } from './shared/exit-code.ts';
import type { CommandIo } from './shared/io.ts';
import { openOutput } from './shared/output.ts';
import { programName } from './shared/program-name.ts';
import { UsageError } from './shared/usage.ts';
import type { Programs } from './shared/world.ts';
import type { Host } from './wizard/host.ts';

const words = () => catalogue().cli;

/**
 * Runs the command line.
 * @param argv without node and the script
 * @returns the exit code of the outer interface
 */
export async function run(argv: readonly string[], host: Host): Promise<number> {
  const output = openOutput();
  const cwd = workingDirectory();
  const io: CommandIo = {
    stdout: output.write,
    // Errors may hold what somebody else said.
    stderr: (text) => process.stderr.write(sanitize(redact(commandsApart(text)), Number.POSITIVE_INFINITY)),
    env: process.env,
    cwd: cwd ?? '/',
  };
  calledAs(() => programName(process.argv, process.env));
  guardStreams();
  guardFaults(io);
  const language = await startLanguage(argv, io.env);
  const code = await exitCode(io, async () => {
    if (cwd === null) throw new UsageError(words().noWorkingDirectory);
    refuseEmpty(argv);
    if (language.unknown !== null)
      throw new UsageError(words().unknownLanguage(language.unknown, languageCodes().join(', ')));
    return await dispatch(language.argv, io, host);
  });
  const failure = output.failure();
  if (failure === null) return code;
  io.stderr(`${words().outputFailed(systemReason(failure))}\n`);
  return code === 0 ? 4 : code;
}

/** A reader that goes away (head, a closed pipe) is no fault of ours, and ends who only looks; who acts listens for itself. */
function guardStreams(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' && stream.listenerCount('error') === 1) process.exit(0);
    });
  }
}

/** What nobody has caught is told like any fault of ours, and never as a stack; the wizard saves first, and listens for itself. */
function guardFaults(io: CommandIo): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      if (process.listenerCount(event) === 1)
        void exitCode(io, () => Promise.reject(error)).then((code) => process.exit(code));
    });
  }
}

/** Null where somebody removed it under the shell. */
function workingDirectory(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

/** An empty argument is a variable that nobody set: `--dir "$D"` must not become the working directory. */
function refuseEmpty(argv: readonly string[]): void {
  const index = argv.findIndex((text) => text === '' || /^--[a-z-]+=$/.test(text));
  if (index < 0) return;
  const [option = ''] = /^--[a-z-]+/.exec(argv[index] || (argv[index - 1] ?? '')) ?? [];
  throw new UsageError(words().emptyArgument(option));
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
    case 'attach':
      return (await import('./attach.ts')).attachCommand(rest, io, host);
    case 'detach': {
      const { processIo } = await import('./shared/live-io.ts');
      return (await import('./attach.ts')).detachCommand(rest, processIo(io, false));
    }
    case 'answer': {
      const { processIo } = await import('./shared/live-io.ts');
      return (await import('./answer.ts')).answerCommand(rest, processIo(io, rest.length > 0), host.programs);
    }
    case 'event':
      return (await import('./event.ts')).eventCommand(rest, io);
    case 'sessions': {
      const { processIo } = await import('./shared/live-io.ts');
      return (await import('./sessions.ts')).sessionsCommand(rest, processIo(io, false));
    }
    case 'doctor': {
      const { processIo } = await import('./shared/live-io.ts');
      return (await import('./doctor.ts')).doctorCommand(rest, processIo(io, false));
    }
    case 'check': {
      const { processIo } = await import('./shared/live-io.ts');
      return (await import('./check.ts')).checkCommand(rest, processIo(io, false), host.programs);
    }
    case 'hosts': {
      const isActing = rest.includes('apply') || rest.includes('undo');
      const { processIo } = await import('./shared/live-io.ts');
      return (await import('./hosts.ts')).hostsCommand(rest, processIo(io, isActing), host.programs);
    }
    case 'export': {
      const { processIo } = await import('./shared/live-io.ts');
      return (await import('./export.ts')).exportCommand(rest, processIo(io, false), host.programs, io.cwd);
    }
    case 'diagnose': {
      const { processIo } = await import('./shared/live-io.ts');
      return (await import('./diagnose.ts')).diagnoseCommand(rest, processIo(io, false), host.programs);
    }
    case 'bundle': {
      const { processIo } = await import('./shared/live-io.ts');
      return (await import('./bundle.ts')).bundleCommand(rest, processIo(io, false), version());
    }
    case 'completion':
      return (await import('./completion/index.ts')).completionCommand(rest, io);
    case 'man':
      return (await import('./man.ts')).manCommand(rest, io, { usage: usage(), version: version() });
    case 'help': {
      const { columns } = process.stdout;
      return (await import('./help/index.ts')).helpCommand(rest, io, { columns, usage: usage() });
    }
    default:
      if (command !== undefined && !command.startsWith('-')) throw new UsageError(words().unknownCommand(command));
      return (await import('./wizard.ts')).wizardCommand(argv, io, host);
  }
}

/** In the words of a program that the shell finds by its name; otherwise it ends with how this run was started. */
function usage(): string {
  return `${words().usage(version(), rehearsalFaults(), languageCodes().join(', '))}${calledOtherwise()}`;
}

function calledOtherwise(): string {
  const command = commandLine();
  return command === 'upi-wizard' ? '' : `\n${words().calledAs}\n  ${command}\n`;
}

/** The commands that work with a running cluster. */
async function live(
  command: 'status' | 'csr' | 'infra',
  argv: readonly string[],
  io: CommandIo,
  programs: Programs,
): Promise<number> {
  const { processIo } = await import('./shared/live-io.ts');
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
