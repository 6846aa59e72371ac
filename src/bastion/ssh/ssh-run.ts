import { execa } from 'execa';
import { catalogue } from '../../text/catalogue.ts';
import { withoutTerminal } from '../without-terminal.ts';
import type { SshTarget } from './ssh-target.ts';
import { hasExitCode, isMissing, sshTrouble } from './ssh-trouble.ts';

const words = () => catalogue().bastion;

const CONNECT_SECONDS = 5;
/** No answer is worth more than this, where nothing else is said. */
const MOST_BYTES = 1024 * 1024;

/** Options that make a login only a look: it forwards nothing and asks nothing. */
const CLOSED = [
  ...['BatchMode=yes', `ConnectTimeout=${CONNECT_SECONDS}`, 'ConnectionAttempts=1', 'ForwardAgent=no'],
  ...['ClearAllForwardings=yes', 'ForwardX11=no', 'PermitLocalCommand=no', 'ControlMaster=no', 'ControlPath=none'],
  ...['ServerAliveInterval=5', 'ServerAliveCountMax=2', 'LogLevel=ERROR'],
].flatMap((option) => ['-o', option]);

/**
 * Runs a command on another host with the system's ssh and returns what it printed.
 * @param options.program the ssh to run
 * @param options.onLine gets each line of standard error and output as it comes
 * @param options.input its standard input
 * @param options.mostBytes what is printed beyond this is dropped; default 1 MiB
 * @returns what it printed, and how it ended
 * @throws TroubleError `ssh-…` with what to do, when ssh itself fails
 */
export async function runOverSsh(options: {
  readonly program: string;
  readonly target: SshTarget;
  readonly command: string;
  readonly signal: AbortSignal;
  readonly onLine?: (line: string) => void;
  readonly input?: Uint8Array;
  readonly mostBytes?: number;
}): Promise<{ readonly stdout: string; readonly stderr: string; readonly exitCode: number }> {
  const { program, target, command, signal, onLine, input, mostBytes = MOST_BYTES } = options;
  const login = target.user === null ? [] : ['-l', target.user];
  const port = target.port === null ? [] : ['-p', String(target.port)];
  const argv = ['-T', ...CLOSED, ...target.options, ...port, ...login, '--', target.host, command];
  const [launcher, ...rest] = withoutTerminal(program);
  const running = execa(launcher, [...rest, ...argv], {
    reject: false,
    ...(input === undefined ? { stdin: 'ignore' } : { input }),
    cancelSignal: signal,
    env: { LC_ALL: 'C' },
    maxBuffer: mostBytes,
    all: onLine !== undefined,
  });
  const told = onLine === undefined ? null : tell(running.iterable({ from: 'all' }), onLine);
  const result = await running;
  await told;
  signal.throwIfAborted();
  if (isMissing(result)) throw sshTrouble(target, result, words().ssh.runTitle(target.host));
  // 255 is ssh's own; any other code is of the command. More output than there is room for is no failure of it.
  if (result.isMaxBuffer) return { ...saidBy(result), exitCode: 0 };
  if (hasExitCode(result) && result.exitCode !== undefined && result.exitCode !== 255)
    return { ...saidBy(result), exitCode: result.exitCode };
  throw sshTrouble(target, result, words().ssh.runTitle(target.host));
}

function saidBy({ stdout, stderr }: { readonly stdout?: unknown; readonly stderr?: unknown }) {
  const text = (said: unknown) => (typeof said === 'string' ? said : '');
  return { stdout: text(stdout), stderr: text(stderr) };
}

async function tell(lines: AsyncIterable<unknown>, onLine: (line: string) => void): Promise<void> {
  for await (const line of lines) onLine(String(line));
}
