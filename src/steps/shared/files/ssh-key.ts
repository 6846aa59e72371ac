import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { createKeyPair } from '../../../host/ssh.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { UserErrorException } from '../../../i18n/user-error.ts';
import { ensureDirectory } from '../../../platform/files.ts';
import { resolveDesignPath } from './design-paths.ts';

const words = () => catalogue().steps.sshKey;

/**
 * Creates an SSH key pair for the nodes if there is none. The private key is readable by the user alone, and has no
 * passphrase: openshift-install gathers logs with it unattended. The key is Ed25519; in FIPS mode, which excludes
 * Ed25519, it is ECDSA. Overwrites nothing.
 * @param options.publicFile as the design names it; null or empty: the usual path
 * @returns the public key's file as the design should name it
 * @throws UserErrorException `ssh-key-…`
 */
export async function createSshKey(options: {
  readonly publicFile: string | null;
  readonly isFips: boolean;
  /** The directory that relative paths start at. */
  readonly dir: string;
  readonly home?: string;
  readonly signal: AbortSignal;
}): Promise<string> {
  const { isFips, dir, home, signal } = options;
  const requestedFile =
    options.publicFile === null || options.publicFile.trim() === '' ? '~/.ssh/id_ed25519.pub' : options.publicFile;
  const file = isFips ? requestedFile.replace(/id_ed25519(?=\.pub$)/, 'id_ecdsa') : requestedFile;
  const publicPath = resolveDesignPath(file, dir, home);
  const privatePath = publicPath.replace(/\.pub$/, '');
  if (privatePath === publicPath) throw createError('ssh-key-name', words().name(file), words().nameFix);
  for (const path of [publicPath, privatePath]) {
    if (existsSync(path)) throw createError('ssh-key-exists', words().exists(path), words().existsFix);
  }
  ensureDirectory(dirname(privatePath));
  const result = await createKeyPair(privatePath, isFips ? 'ecdsa' : 'ed25519', signal);
  if (result === 'absent') throw createError('ssh-key-program', words().noProgram, words().noProgramFix);
  if (result !== 'created') throw createError('ssh-key-failed', result.message, words().failedFix);
  return file;
}

function createError(code: string, cause: string, remedy: string): UserErrorException {
  return new UserErrorException({ code, title: words().title, cause, remedy });
}
