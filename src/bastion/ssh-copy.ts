import { execa } from 'execa';
import { bastion as words } from '../text/en/bastion.ts';
import { sanitize } from '../text/sanitize.ts';
import { TroubleError } from '../text/trouble.ts';

/** Where files go: a host as the SSH client of this user knows it. */
export interface SshTarget {
  /** An address or a name that the design has; never text that was not judged. */
  readonly host: string;
  /** Null: as the user's SSH configuration says, else 22. */
  readonly port: number | null;
  /** Null: as the user's SSH configuration says, else the user's own name. */
  readonly user: string | null;
  /** More arguments for ssh, before the host. */
  readonly options: readonly string[];
}

const CONNECT_SECONDS = 10;

/**
 * Copies what is in a directory to a directory of another host with the system's tar and ssh, as this user and with this
 * user's keys, known hosts and configuration. Nothing is asked: a host key that is not known yet, or a password that would
 * be needed, is an error that says so. Files keep their modes and are readable by that user alone until they are in place.
 * @param remoteDir relative to the home there; letters, digits, `.`, `_`, `-` and `/`
 * @throws TroubleError `ssh-…` with what to do
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
  // What an earlier copy left there and is no part of this one would be put in place with it.
  const receive = `umask 077 && rm -rf -- ${remoteDir}.new && mkdir -p -- ${remoteDir}.new && tar -xpf - -C ${remoteDir}.new && rm -rf -- ${remoteDir} && mv -- ${remoteDir}.new ${remoteDir}`;
  const login = target.user === null ? [] : ['-l', target.user];
  const port = target.port === null ? [] : ['-p', String(target.port)];
  const send = execa('tar', ['-C', dir, '-cf', '-', '.'], { cancelSignal: signal });
  const result = await send
    .pipe(
      'ssh',
      [
        ...['-T', '-o', 'BatchMode=yes', '-o', `ConnectTimeout=${CONNECT_SECONDS}`, '-o', 'ServerAliveInterval=10'],
        ...[...target.options, ...port, ...login, '--', target.host, receive],
      ],
      { reject: false, cancelSignal: signal, env: { LC_ALL: 'C' } },
    )
    .catch((error: unknown) => error);
  signal.throwIfAborted();
  if (hasExitCode(result) && result.exitCode === 0) return;
  throw troubleOf(target, result);
}

interface Ended {
  readonly exitCode?: number;
  readonly stderr?: unknown;
  readonly code?: string;
}

function hasExitCode(result: unknown): result is Ended {
  return typeof result === 'object' && result !== null;
}

/** What ssh says on standard error, in its own English whatever the locale is, by what has to be done about it. */
const KINDS: readonly (readonly [RegExp, keyof typeof words.ssh.kinds])[] = [
  [/REMOTE HOST IDENTIFICATION HAS CHANGED/, 'hostKeyChanged'],
  [/Host key verification failed|No .* host key is known/, 'hostKeyUnknown'],
  [/Permission denied|Too many authentication failures/, 'login'],
  [/Connection refused/, 'refused'],
  [/timed out|No route to host|Network is unreachable/, 'unreachable'],
  [/Could not resolve hostname/, 'name'],
  [/No space left on device|Disk quota exceeded/, 'full'],
];

function troubleOf(target: SshTarget, result: unknown): TroubleError {
  const { stderr, code } = hasExitCode(result) ? result : {};
  const said = sanitize(typeof stderr === 'string' ? stderr : String(result), 2000).trim();
  const lines = said.split('\n').filter((line) => line.trim() !== '' && !/^@+|^Warning: Permanently added/.test(line));
  const kind = code === 'ENOENT' ? 'missing' : (KINDS.find(([pattern]) => pattern.test(said))?.[1] ?? 'other');
  return new TroubleError({
    code: `ssh-${kind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    title: words.ssh.title(target.host),
    cause: lines.at(-1) ?? words.ssh.silent,
    whatToDo: words.ssh.kinds[kind](target.host),
  });
}
