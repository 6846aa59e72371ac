import { plainEnvironment } from '../../ports/environment.ts';
import { withoutTerminal } from '../without-terminal.ts';
import type { SshTarget } from './ssh-target.ts';
import { hasExitCode, sshTrouble } from './ssh-trouble.ts';

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
  const [launcher, ...rest] = withoutTerminal('ssh');
  // Loaded when files are copied: most looks copy none.
  const { execa } = await import('execa');
  const send = execa('tar', ['-C', dir, '-cf', '-', '.'], {
    cancelSignal: signal,
    env: plainEnvironment(),
    extendEnv: false,
  });
  const result = await send
    .pipe(
      launcher,
      [
        ...rest,
        ...['-T', '-o', 'BatchMode=yes', '-o', `ConnectTimeout=${CONNECT_SECONDS}`, '-o', 'ServerAliveInterval=10'],
        // What a person's own configuration lends to hosts is not for these.
        ...['-o', 'ForwardAgent=no', '-o', 'ForwardX11=no', '-o', 'PermitLocalCommand=no'],
        ...[...target.options, ...port, ...login, '--', target.host, receive],
      ],
      { reject: false, cancelSignal: signal, env: { LC_ALL: 'C' } },
    )
    .catch((error: unknown) => error);
  signal.throwIfAborted();
  if (hasExitCode(result) && result.exitCode === 0) return;
  throw sshTrouble(target, result);
}
