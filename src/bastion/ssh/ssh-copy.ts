import { getMinimalEnvironment } from '../../platform/environment.ts';
import { withoutTerminal } from '../without-terminal.ts';
import { createSshError, isProgramResult } from './ssh-error.ts';
import type { SshTarget } from './ssh-target.ts';

const CONNECT_SECONDS = 10;

/**
 * Copies the contents of a directory to a directory of another host with the system's tar and ssh. It runs as this
 * user, with this user's keys, known hosts and configuration. Nothing prompts: an unknown host key, or a password that
 * would be needed, is an error. Files keep their modes and are readable by that user alone until they are in place.
 * @param remoteDir relative to the home directory there; letters, digits, `.`, `_`, `-` and `/`
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
  const login = target.user === null ? [] : ['-l', target.user];
  const port = target.port === null ? [] : ['-p', String(target.port)];
  const [launcher, ...rest] = withoutTerminal('ssh');
  // Imported when files are copied: most probes copy none.
  const { execa } = await import('execa');
  const send = execa('tar', ['-C', dir, '-cf', '-', '.'], {
    cancelSignal: signal,
    env: getMinimalEnvironment(),
    extendEnv: false,
  });
  const result = await send
    .pipe(
      launcher,
      [
        ...rest,
        ...['-T', '-o', 'BatchMode=yes', '-o', `ConnectTimeout=${CONNECT_SECONDS}`, '-o', 'ServerAliveInterval=10'],
        // Forwarding from the user's own configuration must not apply to these hosts.
        ...['-o', 'ForwardAgent=no', '-o', 'ForwardX11=no', '-o', 'PermitLocalCommand=no'],
        ...[...target.options, ...port, ...login, '--', target.host, receiveCommand],
      ],
      { reject: false, cancelSignal: signal, env: { LC_ALL: 'C' } },
    )
    .catch((error: unknown) => error);
  signal.throwIfAborted();
  if (isProgramResult(result) && result.exitCode === 0) return;
  throw createSshError(target, result);
}
