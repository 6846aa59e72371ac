import { execa } from 'execa';
import { plainEnvironment } from '../../ports/environment.ts';
import { sanitizeLine } from '../../text/sanitize.ts';

/**
 * Makes a key pair with the system's ssh-keygen, without a passphrase.
 * @param privatePath where no file is yet; the public half is beside it, with `.pub`
 * @returns `made`, `absent` when there is no ssh-keygen, or what it said in one line
 */
export async function makeKeyPair(
  privatePath: string,
  type: 'ed25519' | 'ecdsa',
  signal: AbortSignal,
): Promise<'made' | 'absent' | { readonly said: string }> {
  const kind = type === 'ecdsa' ? ['-t', 'ecdsa', '-b', '521'] : ['-t', 'ed25519'];
  const result = await execa('ssh-keygen', ['-q', ...kind, '-N', '', '-C', 'upi-wizard', '-f', privatePath], {
    all: true,
    reject: false,
    stdin: 'ignore',
    env: plainEnvironment(),
    extendEnv: false,
    cancelSignal: signal,
  });
  signal.throwIfAborted();
  if (result.code === 'ENOENT') return 'absent';
  return result.exitCode === 0 ? 'made' : { said: sanitizeLine(result.all ?? '') };
}
