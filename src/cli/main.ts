import { readFileSync } from 'node:fs';
import { catalogue, initLanguage, languageCodes, setProgramName } from '../i18n/catalogue.ts';
import { separateCommands } from '../i18n/prose.ts';
import { describeSystemError } from '../i18n/user-error.ts';
import { sanitize } from '../platform/sanitize.ts';
import { redact } from '../platform/secrets.ts';
import { resolveCommand } from './arguments.ts';
import { dispatch } from './dispatch.ts';
import type { Launcher } from './shared/context.ts';
import { getProgramName } from './shared/error-log.ts';
import { type CommandIo, openOutput, runForExitCode, UsageError } from './shared/io.ts';

const words = () => catalogue().cli;
const DEFAULT_COLUMNS = 80;

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
  const openIo = async (mode?: 'acting' | 'watching') => {
    const { createProcessIo } = await import('./shared/live-io.ts');
    return createProcessIo(io, mode);
  };
  const code = await runForExitCode(
    io,
    async () => {
      if (cwd === null) throw new UsageError(words().noWorkingDirectory);
      if (language.unknown !== null)
        throw new UsageError(words().unknownLanguage(language.unknown, languageCodes().join(', ')));
      return await dispatch(language.argv, {
        io,
        openIo,
        launcher,
        readVersion,
        columns: process.stdout.columns || DEFAULT_COLUMNS,
      });
    },
    resolveCommand(language.argv).name,
  );
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

function readVersion(): string {
  const { version: text } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return text;
}
