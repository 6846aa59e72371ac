import { execa } from 'execa';
import { catalogue } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { getMinimalEnvironment } from '../platform/environment.ts';
import { sanitize, sanitizeLine } from '../platform/sanitize.ts';
import { redact } from '../platform/secrets.ts';

const words = () => catalogue().bastion;

interface ProgramResult {
  readonly exitCode?: number;
  readonly stderr?: unknown;
  readonly code?: string;
}

function isProgramResult(result: unknown): result is ProgramResult {
  return typeof result === 'object' && result !== null;
}

/** The failures of ssh or of a copy over it: one for each remedy. */
type SshFailure =
  | 'hostKeyUnknown'
  | 'hostKeyChanged'
  | 'login'
  | 'refused'
  | 'unreachable'
  | 'name'
  | 'full'
  | 'missing'
  | 'other';

/** Messages of ssh on standard error, which are English in any locale, by failure. */
const FAILURE_PATTERNS: readonly (readonly [RegExp, SshFailure])[] = [
  [/^setsid: failed to execute/m, 'missing'],
  [/connect to .*: (?:Permission denied|Operation not permitted|Invalid argument)/, 'unreachable'],
  [/REMOTE HOST IDENTIFICATION HAS CHANGED/, 'hostKeyChanged'],
  [/Host key verification failed|No .* host key is known/, 'hostKeyUnknown'],
  [/Permission denied|Too many authentication failures/, 'login'],
  [/Connection refused/, 'refused'],
  [/timed out|No route to host|Network is unreachable/, 'unreachable'],
  [/Could not resolve hostname/, 'name'],
  [/No space left on device|Disk quota exceeded/, 'full'],
];

/** Whether the ssh program is missing: then no command was run. */
function isSshMissing(result: unknown): boolean {
  return (
    isProgramResult(result) && typeof result.stderr === 'string' && /^setsid: failed to execute/m.test(result.stderr)
  );
}

/** The host that a message of ssh names, if any; it may be a jump host. */
const NAMED_HOST = /^\S+@([\w.:-]+): Permission denied|host key is known for \[?([\w.:-]+)/;

/** Creates the error for a failed ssh: its message and a remedy. */
function createSshError(
  target: Pick<SshTarget, 'host'>,
  result: unknown,
  title: string = words().ssh.title(target.host),
): UserErrorException {
  const { stderr, code } = isProgramResult(result) ? result : {};
  const output = sanitize(redact(typeof stderr === 'string' ? stderr : String(result)), 2000).trim();
  const lines = output
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^@+|^Warning: Permanently added/.test(line));
  const [pattern, knownKind] = FAILURE_PATTERNS.find(([pattern]) => pattern.test(output)) ?? [];
  const kind: SshFailure = code === 'ENOENT' ? 'missing' : (knownKind ?? 'other');
  // When a jump host refused, the last message of ssh only says that its connection was closed.
  const matchingLine = pattern && lines.find((line) => pattern.test(line));
  const [, deniedHost, unknownHost] = NAMED_HOST.exec(lines.find((line) => NAMED_HOST.test(line)) ?? '') ?? [];
  const failedHost = deniedHost ?? unknownHost ?? target.host;
  return new UserErrorException({
    code: `ssh-${kind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    title,
    cause: matchingLine ?? lines.at(-1) ?? words().ssh.noMessage,
    remedy: words().ssh.kinds[kind](failedHost),
  });
}

const COPY_CONNECT_TIMEOUT_SECONDS = 10;

/**
 * Copies the contents of a directory to a directory of another host with the system's tar and ssh. Both run as this
 * user, with this user's keys, known hosts and configuration. Nothing prompts: an unknown host key, or a password that
 * would be needed, is an error. Files keep their modes; only the remote user can read them until they are in place.
 * @param options.remoteDir relative to the home directory there; letters, digits, `.`, `_`, `-` and `/`
 * @throws UserErrorException `ssh-…` with a remedy
 */
export async function copyOverSsh(options: {
  readonly dir: string;
  readonly target: SshTarget;
  readonly remoteDir: string;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { dir, target, remoteDir, signal } = options;
  if (!/^[\w./-]+$/.test(remoteDir) || /(?:^|\/)(?:\.{0,2})$|(?:^|\/)\.\.\/|^-/.test(remoteDir))
    throw new Error(`not a plain path: ${remoteDir}`);
  // Removed first: leftovers of an earlier copy would be put in place with the new files.
  const receiveCommand = `umask 077 && rm -rf -- ${remoteDir}.new && mkdir -p -- ${remoteDir}.new && tar -xpf - -C ${remoteDir}.new && rm -rf -- ${remoteDir} && mv -- ${remoteDir}.new ${remoteDir}`;
  const [launcher, ...launcherArgs] = buildSetsidCommand('ssh');
  const tarProcess = execa('tar', ['-C', dir, '-cf', '-', '.'], {
    cancelSignal: signal,
    env: getMinimalEnvironment(),
    extendEnv: false,
  });
  const result = await tarProcess
    .pipe(
      launcher,
      [
        ...launcherArgs,
        ...[
          '-T',
          '-o',
          'BatchMode=yes',
          '-o',
          `ConnectTimeout=${COPY_CONNECT_TIMEOUT_SECONDS}`,
          '-o',
          'ServerAliveInterval=10',
        ],
        // Forwarding from the user's own configuration must not apply to these hosts.
        ...['-o', 'ForwardAgent=no', '-o', 'ForwardX11=no', '-o', 'PermitLocalCommand=no'],
        ...listTargetArguments(target),
        receiveCommand,
      ],
      { reject: false, cancelSignal: signal, env: { LC_ALL: 'C' } },
    )
    .catch((error: unknown) => error);
  signal.throwIfAborted();
  if (isProgramResult(result) && result.exitCode === 0) return;
  throw createSshError(target, result);
}

/**
 * Creates a key pair with the system's ssh-keygen, without a passphrase.
 * @param privatePath must not exist yet; the public key is written next to it, with `.pub`
 * @returns `created`, `absent` without ssh-keygen, or its message in one line
 */
export async function createKeyPair(
  privatePath: string,
  type: 'ed25519' | 'ecdsa',
  signal: AbortSignal,
): Promise<'created' | 'absent' | { readonly message: string }> {
  const keyOptions = type === 'ecdsa' ? ['-t', 'ecdsa', '-b', '521'] : ['-t', 'ed25519'];
  const result = await execa('ssh-keygen', ['-q', ...keyOptions, '-N', '', '-C', 'upi-wizard', '-f', privatePath], {
    all: true,
    reject: false,
    stdin: 'ignore',
    env: getMinimalEnvironment(),
    extendEnv: false,
    cancelSignal: signal,
  });
  signal.throwIfAborted();
  if (result.code === 'ENOENT') return 'absent';
  return result.exitCode === 0 ? 'created' : { message: sanitizeLine(result.all ?? '') };
}

const RUN_CONNECT_TIMEOUT_SECONDS = 5;
/** Default limit of the output (bytes). */
const DEFAULT_MAX_OUTPUT_BYTES = 1024 * 1024;

/** Options of a login that runs one command: nothing is forwarded, and nothing prompts. */
const SSH_OPTIONS = [
  ...['BatchMode=yes', `ConnectTimeout=${RUN_CONNECT_TIMEOUT_SECONDS}`, 'ConnectionAttempts=1', 'ForwardAgent=no'],
  ...['ClearAllForwardings=yes', 'ForwardX11=no', 'PermitLocalCommand=no', 'ControlMaster=no', 'ControlPath=none'],
  ...['ServerAliveInterval=5', 'ServerAliveCountMax=2', 'LogLevel=ERROR'],
].flatMap((option) => ['-o', option]);

/**
 * Runs a command on another host with the system's ssh.
 * @param options.program the ssh to run
 * @param options.onLine receives each line of the command's standard output as it arrives. Standard error is left out:
 * it also has ssh's own messages about the connection, which would be taken for the host's
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
  const { program, target, command, signal, onLine, input, maxBytes = DEFAULT_MAX_OUTPUT_BYTES } = options;
  const argv = ['-T', ...SSH_OPTIONS, ...listTargetArguments(target), command];
  const [launcher, ...launcherArgs] = buildSetsidCommand(program);
  const subprocess = execa(launcher, [...launcherArgs, ...argv], {
    reject: false,
    ...(input === undefined ? { stdin: 'ignore' } : { input }),
    cancelSignal: signal,
    env: { LC_ALL: 'C' },
    maxBuffer: maxBytes,
  });
  const forwardTask = onLine === undefined ? null : forwardLines(subprocess.iterable({ from: 'stdout' }), onLine);
  const result = await subprocess;
  await forwardTask;
  signal.throwIfAborted();
  if (isSshMissing(result)) throw createSshError(target, result, words().ssh.runTitle(target.host));
  // 255 is the exit code of ssh itself; any other is the command's. Output beyond the limit is not a failure.
  if (result.isMaxBuffer) return { ...toOutputTexts(result), exitCode: 0 };
  if (isProgramResult(result) && result.exitCode !== undefined && result.exitCode !== 255)
    return { ...toOutputTexts(result), exitCode: result.exitCode };
  throw createSshError(target, result, words().ssh.runTitle(target.host));
}

/** Lists the arguments of ssh for a host: options, port and user, then the host. */
function listTargetArguments({ host, port, user, options }: SshTarget): readonly string[] {
  const portArguments = port === null ? [] : ['-p', String(port)];
  const userArguments = user === null ? [] : ['-l', user];
  return [...options, ...portArguments, ...userArguments, '--', host];
}

/**
 * Builds the command for a program in a session of its own, without a terminal. `BatchMode` is not enough: ssh starts
 * a second ssh for a jump host without that option. The second ssh would ask for passwords and host keys in the middle
 * of a screen.
 * @param program its exit code and the signals to it are passed on, as if it had been started directly
 */
function buildSetsidCommand(program: string): readonly [string, string] {
  return ['setsid', program];
}

function toOutputTexts({ stdout, stderr }: { readonly stdout?: unknown; readonly stderr?: unknown }) {
  const toText = (value: unknown) => (typeof value === 'string' ? value : '');
  return { stdout: toText(stdout), stderr: toText(stderr) };
}

async function forwardLines(lines: AsyncIterable<unknown>, onLine: (line: string) => void): Promise<void> {
  for await (const line of lines) onLine(String(line));
}

/** A host, as the SSH client of this user reaches it. */
export interface SshTarget {
  /** An address or a name from the design; never unchecked text. */
  readonly host: string;
  /** Null: as the user's SSH configuration says, else 22. */
  readonly port: number | null;
  /** Null: as the user's SSH configuration says, else the user's own name. */
  readonly user: string | null;
  /** More arguments for ssh, before the host. */
  readonly options: readonly string[];
}
