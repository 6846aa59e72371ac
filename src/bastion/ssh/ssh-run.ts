import { execa } from 'execa';
import { catalogue } from '../../i18n/catalogue.ts';
import { withoutTerminal } from '../without-terminal.ts';
import { createSshError, isProgramResult, isSshMissing } from './ssh-error.ts';
import type { SshTarget } from './ssh-target.ts';

const words = () => catalogue().bastion;

const CONNECT_SECONDS = 5;
/** Default limit of the output (bytes). */
const MAX_BYTES = 1024 * 1024;

/** Options of a read-only login: it forwards nothing and prompts for nothing. */
const SSH_OPTIONS = [
  ...['BatchMode=yes', `ConnectTimeout=${CONNECT_SECONDS}`, 'ConnectionAttempts=1', 'ForwardAgent=no'],
  ...['ClearAllForwardings=yes', 'ForwardX11=no', 'PermitLocalCommand=no', 'ControlMaster=no', 'ControlPath=none'],
  ...['ServerAliveInterval=5', 'ServerAliveCountMax=2', 'LogLevel=ERROR'],
].flatMap((option) => ['-o', option]);

/**
 * Runs a command on another host with the system's ssh.
 * @param options.program the ssh to run
 * @param options.onLine receives each line of standard error and output as it arrives
 * @param options.input its standard input
 * @param options.maxBytes output beyond this is dropped; default 1 MiB
 * @returns its output and exit code
 * @throws UserErrorException `ssh-…` with a remedy, when ssh itself fails
 */
export async function runOverSsh(options: {
  readonly program: string;
  readonly target: SshTarget;
  readonly command: string;
  readonly signal: AbortSignal;
  readonly onLine?: (line: string) => void;
  readonly input?: Uint8Array;
  readonly maxBytes?: number;
}): Promise<{ readonly stdout: string; readonly stderr: string; readonly exitCode: number }> {
  const { program, target, command, signal, onLine, input, maxBytes = MAX_BYTES } = options;
  const login = target.user === null ? [] : ['-l', target.user];
  const port = target.port === null ? [] : ['-p', String(target.port)];
  const argv = ['-T', ...SSH_OPTIONS, ...target.options, ...port, ...login, '--', target.host, command];
  const [launcher, ...rest] = withoutTerminal(program);
  const running = execa(launcher, [...rest, ...argv], {
    reject: false,
    ...(input === undefined ? { stdin: 'ignore' } : { input }),
    cancelSignal: signal,
    env: { LC_ALL: 'C' },
    maxBuffer: maxBytes,
    all: onLine !== undefined,
  });
  const forwardTask = onLine === undefined ? null : forwardLines(running.iterable({ from: 'all' }), onLine);
  const result = await running;
  await forwardTask;
  signal.throwIfAborted();
  if (isSshMissing(result)) throw createSshError(target, result, words().ssh.runTitle(target.host));
  // 255 is the exit code of ssh itself; any other is the command's. Output beyond the limit is not a failure.
  if (result.isMaxBuffer) return { ...readOutput(result), exitCode: 0 };
  if (isProgramResult(result) && result.exitCode !== undefined && result.exitCode !== 255)
    return { ...readOutput(result), exitCode: result.exitCode };
  throw createSshError(target, result, words().ssh.runTitle(target.host));
}

function readOutput({ stdout, stderr }: { readonly stdout?: unknown; readonly stderr?: unknown }) {
  const toText = (value: unknown) => (typeof value === 'string' ? value : '');
  return { stdout: toText(stdout), stderr: toText(stderr) };
}

async function forwardLines(lines: AsyncIterable<unknown>, onLine: (line: string) => void): Promise<void> {
  for await (const line of lines) onLine(String(line));
}
