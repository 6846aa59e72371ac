import { execa } from 'execa';
import { getMinimalEnvironment } from '../../platform/environment.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

/**
 * Creates a key pair with the system's ssh-keygen, without a passphrase.
 * @param privatePath must not exist yet; the public key is written next to it, with `.pub`
 * @returns `made`, `absent` without ssh-keygen, or its message in one line
 */
export async function createKeyPair(
  privatePath: string,
  type: 'ed25519' | 'ecdsa',
  signal: AbortSignal,
): Promise<'made' | 'absent' | { readonly message: string }> {
  const kind = type === 'ecdsa' ? ['-t', 'ecdsa', '-b', '521'] : ['-t', 'ed25519'];
  const result = await execa('ssh-keygen', ['-q', ...kind, '-N', '', '-C', 'upi-wizard', '-f', privatePath], {
    all: true,
    reject: false,
    stdin: 'ignore',
    env: getMinimalEnvironment(),
    extendEnv: false,
    cancelSignal: signal,
  });
  signal.throwIfAborted();
  if (result.code === 'ENOENT') return 'absent';
  return result.exitCode === 0 ? 'made' : { message: sanitizeLine(result.all ?? '') };
}
