import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { catalogue, formatShortCommandLine } from '../../i18n/catalogue.ts';
import { describeSystemError, getErrorCode, toUserError, type UserError } from '../../i18n/user-error.ts';
import { sanitize, sanitizeLine } from '../../platform/sanitize.ts';
import { formatStyledLine, type StyledLine } from './colours.ts';
import { openErrorLog } from './error-log.ts';

/** A command's input and output, passed in so that tests and other front ends can replace them. */
export interface CommandIo {
  /** Writes the requested result, and nothing else; the text carries its own newlines. */
  readonly stdout: (text: string) => void;
  /** Writes lines in the colours of their tokens; absent: the output has no colours. */
  readonly writeStyled?: (lines: readonly StyledLine[]) => void;
  /** Writes messages and progress. */
  readonly stderr: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths of the command line are relative to this directory. */
  readonly cwd: string;
}

/** The command line was wrong: exit code 2, one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const words = () => catalogue().cli;

/**
 * Runs a command, reports its error in a sentence or two, and returns the exit code of the command line.
 * @param name the command whose help a usage error refers to; empty for the overview
 */
export async function runForExitCode(io: CommandIo, command: () => Promise<number>, name = ''): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if (error instanceof UsageError) {
      const [sentence = ''] = error.message.split('\n');
      const help = formatShortCommandLine(...name.split(' ').filter(Boolean), '--help');
      io.stderr(`${words().usageError(sanitizeLine(sentence), help)}\n`);
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

/**
 * Creates a file that does not exist yet, for its owner only, completely or not at all.
 * @returns the system error; null on success
 */
export function writeNewFile(file: string, content: Buffer | string): NodeJS.ErrnoException | null {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  let isCreated = false;
  try {
    const fd = openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    isCreated = true;
    try {
      fchmodSync(fd, 0o600);
      writeFileSync(fd, content);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    return null;
  } catch (error) {
    if (isCreated) rmSync(file, { force: true });
    return error instanceof Error ? error : new Error(String(error));
  }
}

/**
 * Describes why a file or a directory of output cannot be written and what to do, with one wording for every command.
 * @param place where to name another one, as an option or an argument: `--out`, `DIR`
 */
export function describeUnwritablePath(path: string, error: unknown, place: string): string {
  const { unwritablePath, missingParent } = catalogue().session;
  return getErrorCode(error) === 'ENOENT' && !existsSync(dirname(path))
    ? missingParent(sanitizeLine(path, 200), sanitizeLine(dirname(path), 200), place)
    : unwritablePath(sanitizeLine(path, 200), describeSystemError(error), place);
}

/** Writes lines as the result of a command, in colours if the output takes them. */
export function writeLines(io: CommandIo, lines: readonly StyledLine[]): void {
  if (io.writeStyled !== undefined) io.writeStyled(lines);
  else io.stdout(lines.map((line) => `${formatStyledLine(line, null)}\n`).join(''));
}

/** Formats an error for the commands: title, cause and remedy. */
export function formatUserError({ title, cause, remedy }: UserError): string {
  return catalogue().clusterCommands.userError(title, sanitizeLine(cause), remedy);
}

/** The standard output of the process. */
interface Output {
  /** Writes a text, without control sequences. JSON and YAML escape them before. */
  readonly write: (text: string) => void;
  /** Writes a text that is safe already, with the sequences of its colours. */
  readonly writeSafe: (text: string) => void;
  /** Returns the error of a write to the output file; null if every write succeeded. */
  readonly getFailure: () => Error | null;
}

/**
 * Opens the standard output. A file gets one synchronous write per text, because a Node.js stream stops permanently
 * at the first full disk. A command that follows a cluster for hours can then continue when there is space again.
 */
export function openOutput(): Output {
  let failure: Error | null = null;
  const isFile = isFileOrDevice(1) && !process.stdout.isTTY;
  const writeSafe = (safeText: string) => {
    if (!isFile) {
      process.stdout.write(safeText);
      return;
    }
    try {
      let remainder = Buffer.from(safeText);
      while (remainder.length > 0) remainder = remainder.subarray(writeSync(1, remainder));
    } catch (error) {
      failure ??= error instanceof Error ? error : new Error(String(error));
    }
  };
  return {
    getFailure: () => failure,
    writeSafe,
    write: (text) => writeSafe(sanitize(text, Number.POSITIVE_INFINITY)),
  };
}

/** Whether a descriptor belongs to a file or a device, not to a pipe or a socket. */
function isFileOrDevice(descriptor: number): boolean {
  try {
    const stat = fstatSync(descriptor);
    return stat.isFile() || stat.isCharacterDevice();
  } catch {
    return false;
  }
}
