import { readFileSync } from 'node:fs';
import { catalogue, initLanguage, listLanguageCodes, setProgramName } from '../i18n/catalogue.ts';
import { separateCommands, wrapMessages } from '../i18n/prose.ts';
import { describeSystemError } from '../i18n/user-error.ts';
import { sanitize, sanitizeLine } from '../platform/sanitize.ts';
import { redact } from '../platform/secrets.ts';
import { takeOption } from '../platform/take-option.ts';
import { resolveCommand } from './arguments.ts';
import { getCommand } from './commands.ts';
import { dispatch, isHelpRequested } from './dispatch.ts';
import {
  applyColourChoice,
  detectOutputTheme,
  formatStyledLine,
  type StyledLine,
  takeColourOption,
} from './shared/colours.ts';
import type { Launcher } from './shared/context.ts';
import { type CommandIo, openOutput, runForExitCode, UsageError } from './shared/io.ts';
import { findPager, isLongerThanScreen, showInPager } from './shared/pager.ts';
import { getProgramName, getShortProgramName } from './shared/program-name.ts';

const words = () => catalogue().cli;
const DEFAULT_COLUMNS = 80;

/** Lays out messages for standard error: a terminal would break a long line inside a word. */
const layOutMessages = (text: string) =>
  process.stderr.isTTY ? wrapMessages(text, process.stderr.columns || DEFAULT_COLUMNS) : separateCommands(text);

/**
 * Runs the command line.
 * @param argv without node and the script
 * @returns the exit code of the command line
 */
export async function run(argv: readonly string[], launcher: Launcher): Promise<number> {
  const output = openOutput();
  const cwd = getWorkingDirectory();
  const colourOption = takeColourOption(argv);
  applyColourChoice(colourOption.choice, process.env);
  const pagedOutput = createPagedOutput(output.writeSafe, takeOption(colourOption.argv, '--lang').argv);
  const theme = detectOutputTheme(process.env, process.stdout);
  const writeStyled = (lines: readonly StyledLine[]) =>
    pagedOutput.write(lines.map((line) => `${formatStyledLine(line, theme)}\n`).join(''));
  const io: CommandIo = {
    stdout: (text) => pagedOutput.write(sanitize(text, Number.POSITIVE_INFINITY)),
    ...(theme === null ? {} : { writeStyled }),
    // Errors may contain text from other programs.
    stderr: (text) => process.stderr.write(sanitize(layOutMessages(redact(text)), Number.POSITIVE_INFINITY)),
    env: process.env,
    cwd: cwd ?? '/',
  };
  setProgramName(
    () => getProgramName(process.argv, process.env),
    () => getShortProgramName(process.argv, process.env, cwd ?? '/'),
  );
  exitOnClosedPipe();
  reportUncaughtErrors(io);
  const language = await initLanguage(colourOption.argv, io.env);
  const openIo = async (mode?: 'acting' | 'watching') => {
    const { createProcessIo } = await import('./shared/process-io.ts');
    return createProcessIo(io, mode);
  };
  const code = await runForExitCode(
    io,
    async () => {
      if (cwd === null) throw new UsageError(words().noWorkingDirectory);
      if (language.unknownCode !== null)
        throw new UsageError(words().unknownLanguage(language.unknownCode, listLanguageCodes().join(', ')));
      if (colourOption.unknownChoice !== null)
        throw new UsageError(words().unknownColor(sanitizeLine(colourOption.unknownChoice, 80)));
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
  await pagedOutput.end(io.env);
  const failure = output.getFailure();
  if (failure === null) return code;
  io.stderr(`${words().outputFailed(describeSystemError(failure))}\n`);
  return code === 0 ? 4 : code;
}

/** The output of a command. If it may be paged, it is buffered until it is complete. */
interface PagedOutput {
  readonly write: (text: string) => void;
  /** Shows the buffered output: in a pager if it is longer than the screen. */
  readonly end: (env: CommandIo['env']) => Promise<void>;
}

function createPagedOutput(write: (text: string) => void, argv: readonly string[]): PagedOutput {
  const isPaged = isHelpRequested(argv) || getCommand(resolveCommand(argv).name).isPaged === true;
  const pager = isPaged ? findPager(process.env, process.stdout) : null;
  if (pager === null) return { write, end: () => Promise.resolve() };
  let buffer = '';
  return {
    write(text) {
      buffer += text;
    },
    async end(env) {
      const isShown = isLongerThanScreen(buffer, process.stdout) && (await showInPager(buffer, pager, env));
      if (!isShown) write(buffer);
    },
  };
}

/**
 * Ends a read-only command without an error when the reader of its output closes the pipe, as head does. Commands that
 * change something have their own listener.
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

/** Returns the working directory; null if it was removed while the shell was in it. */
function getWorkingDirectory(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}
