import { readFileSync } from 'node:fs';
import { catalogue, commandLine, initLanguage, languageCodes, setProgramName } from '../i18n/catalogue.ts';
import { separateCommands } from '../i18n/prose.ts';
import { describeSystemError } from '../i18n/user-error.ts';
import { sanitize } from '../platform/sanitize.ts';
import { redact } from '../platform/secrets.ts';
import { formatFaults } from './rehearse-faults.ts';
import { getProgramName } from './shared/error-log.ts';
import { type CommandIo, openOutput, runForExitCode, UsageError } from './shared/io.ts';
import type { Programs } from './shared/runtime.ts';
import type { Launcher } from './wizard/front-end.ts';

const words = () => catalogue().cli;

/**
 * Runs the command line.
 * @param argv without node and the script
 * @returns the exit code of the command line
 */
export async function run(argv: readonly string[], launcher: Launcher): Promise<number> {
  const output = openOutput();
  const cwd = getWorkingDirectory();
  const io: CommandIo = {
    stdout: output.write,
    // Errors may contain text from other programs.
    stderr: (text) => process.stderr.write(sanitize(redact(separateCommands(text)), Number.POSITIVE_INFINITY)),
    env: process.env,
    cwd: cwd ?? '/',
  };
  setProgramName(() => getProgramName(process.argv, process.env));
  exitOnClosedPipe();
  reportUncaughtErrors(io);
  const language = await initLanguage(argv, io.env);
  const code = await runForExitCode(io, async () => {
    if (cwd === null) throw new UsageError(words().noWorkingDirectory);
    rejectEmptyArguments(argv);
    if (language.unknown !== null)
      throw new UsageError(words().unknownLanguage(language.unknown, languageCodes().join(', ')));
    return await dispatch(language.argv, io, launcher);
  });
  const failure = output.failure();
  if (failure === null) return code;
  io.stderr(`${words().outputFailed(describeSystemError(failure))}\n`);
  return code === 0 ? 4 : code;
}

/**
 * A reader that closes the pipe (such as head) is not an error and ends a read-only command. Commands that change
 * something have their own listener.
 */
function exitOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' && stream.listenerCount('error') === 1) process.exit(0);
    });
  }
}

/**
 * Reports an uncaught error like any internal error, without a stack trace. The wizard has its own listener, which
 * saves first.
 */
function reportUncaughtErrors(io: CommandIo): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      if (process.listenerCount(event) === 1)
        void runForExitCode(io, () => Promise.reject(error)).then((code) => process.exit(code));
    });
  }
}

/** Null if the directory was removed while the shell was in it. */
function getWorkingDirectory(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

/** An empty argument comes from an unset variable: `--dir "$D"` must not become the working directory. */
function rejectEmptyArguments(argv: readonly string[]): void {
  const index = argv.findIndex((text) => text === '' || /^--[a-z-]+=$/.test(text));
  if (index < 0) return;
  const [option = ''] = /^--[a-z-]+/.exec(argv[index] || (argv[index - 1] ?? '')) ?? [];
  throw new UsageError(words().emptyArgument(option));
}

async function dispatch(argv: readonly string[], io: CommandIo, launcher: Launcher): Promise<number> {
  const [command, ...rest] = argv;
  if (argv.includes('--help') || argv.includes('-h')) {
    io.stdout(formatUsage());
    return 0;
  }
  // Each command is loaded on demand: most need only a part of the program.
  switch (command) {
    case 'design':
      return (await import('./design.ts')).designCommand(rest, io);
    case 'generate':
      return (await import('./generate.ts')).generateCommand(rest, io);
    case 'rehearse':
      return (await import('./rehearse.ts')).rehearseCommand(rest, io, launcher);
    case 'status':
    case 'csr':
    case 'infra':
      return runLiveCommand(command, rest, io, launcher.programs);
    case 'attach':
      return (await import('./attach.ts')).attachCommand(rest, io, launcher);
    case 'detach': {
      const { createProcessIo } = await import('./shared/live-io.ts');
      return (await import('./attach.ts')).detachCommand(rest, createProcessIo(io, false));
    }
    case 'answer': {
      const { createProcessIo } = await import('./shared/live-io.ts');
      return (await import('./answer.ts')).answerCommand(rest, createProcessIo(io, rest.length > 0), launcher.programs);
    }
    case 'event':
      return (await import('./event.ts')).eventCommand(rest, io);
    case 'sessions': {
      const { createProcessIo } = await import('./shared/live-io.ts');
      return (await import('./sessions.ts')).sessionsCommand(rest, createProcessIo(io, false));
    }
    case 'doctor': {
      const { createProcessIo } = await import('./shared/live-io.ts');
      return (await import('./doctor.ts')).doctorCommand(rest, createProcessIo(io, false));
    }
    case 'check': {
      const { createProcessIo } = await import('./shared/live-io.ts');
      return (await import('./check.ts')).checkCommand(rest, createProcessIo(io, false), launcher.programs);
    }
    case 'hosts': {
      const isActing = rest.includes('apply') || rest.includes('undo');
      const { createProcessIo } = await import('./shared/live-io.ts');
      return (await import('./hosts.ts')).hostsCommand(rest, createProcessIo(io, isActing), launcher.programs);
    }
    case 'export': {
      const { createProcessIo } = await import('./shared/live-io.ts');
      return (await import('./export.ts')).exportCommand(rest, createProcessIo(io, false), launcher.programs, io.cwd);
    }
    case 'diagnose': {
      const { createProcessIo } = await import('./shared/live-io.ts');
      return (await import('./diagnose.ts')).diagnoseCommand(rest, createProcessIo(io, false), launcher.programs);
    }
    case 'bundle': {
      const { createProcessIo } = await import('./shared/live-io.ts');
      return (await import('./bundle.ts')).bundleCommand(rest, createProcessIo(io, false), readVersion());
    }
    case 'completion':
      return (await import('./completion.ts')).completionCommand(rest, io);
    case 'man':
      return (await import('./man.ts')).manCommand(rest, io, { usage: formatUsage(), version: readVersion() });
    case 'help': {
      const { columns } = process.stdout;
      return (await import('./help/index.ts')).helpCommand(rest, io, { columns, usage: formatUsage() });
    }
    default:
      if (command !== undefined && !command.startsWith('-')) throw new UsageError(words().unknownCommand(command));
      return (await import('./wizard.ts')).wizardCommand(argv, io, launcher);
  }
}

/**
 * The output of `--help`. If the shell does not find `upi-wizard` by name, it ends with the command that started this
 * run.
 */
function formatUsage(): string {
  return `${words().usage(readVersion(), formatFaults(), languageCodes().join(', '))}${formatInvocationHint()}`;
}

function formatInvocationHint(): string {
  const command = commandLine();
  return command === 'upi-wizard' ? '' : `\n${words().invocationHint}\n  ${command}\n`;
}

/** Runs the commands that work with a running cluster. */
async function runLiveCommand(
  command: 'status' | 'csr' | 'infra',
  argv: readonly string[],
  io: CommandIo,
  programs: Programs,
): Promise<number> {
  const { createProcessIo } = await import('./shared/live-io.ts');
  const isActing = ['approve', 'apply', 'undo'].some((action) => argv.includes(action));
  const liveIo = createProcessIo(io, isActing, argv.includes('--watch'));
  switch (command) {
    case 'status':
      return (await import('./status.ts')).statusCommand(argv, liveIo, programs);
    case 'csr':
      return (await import('./csr.ts')).csrCommand(argv, liveIo, programs);
    case 'infra':
      return (await import('./infra.ts')).infraCommand(argv, liveIo, programs);
  }
}

function readVersion(): string {
  const { version: text } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return text;
}
