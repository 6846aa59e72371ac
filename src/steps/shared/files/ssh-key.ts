import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeKeyPair } from '../../../bastion/ssh/ssh-keygen.ts';
import { makeDirectory } from '../../../ports/make-directory.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { TroubleError } from '../../../text/trouble.ts';
import { designPath } from './credentials.ts';

const words = () => catalogue().steps.sshKey;

/**
 * Makes an SSH key pair for the nodes where there is none: the private key without a passphrase (openshift-install
 * gathers logs with it unattended), readable by the user alone. FIPS excludes Ed25519, so the key is ECDSA there.
 * Overwrites nothing.
 * @param publicFile as the design names it; null or empty: the usual place
 * @returns the public key's file as the design should name it
 * @throws TroubleError `ssh-key-…`
 */
export async function makeSshKey(options: {
  readonly publicFile: string | null;
  readonly isFips: boolean;
  /** The directory that relative paths start at. */
  readonly dir: string;
  readonly home?: string;
  readonly signal: AbortSignal;
}): Promise<string> {
  const { isFips, dir, home, signal } = options;
  const named =
    options.publicFile === null || options.publicFile.trim() === '' ? '~/.ssh/id_ed25519.pub' : options.publicFile;
  const file = isFips ? named.replace(/id_ed25519(?=\.pub$)/, 'id_ecdsa') : named;
  const publicPath = designPath(file, dir, home);
  const privatePath = publicPath.replace(/\.pub$/, '');
  if (privatePath === publicPath) throw trouble('ssh-key-name', words().name(file), words().nameFix);
  for (const path of [publicPath, privatePath]) {
    if (existsSync(path)) throw trouble('ssh-key-exists', words().exists(path), words().existsFix);
  }
  makeDirectory(dirname(privatePath));
  const made = await makeKeyPair(privatePath, isFips ? 'ecdsa' : 'ed25519', signal);
  if (made === 'absent') throw trouble('ssh-key-program', words().noProgram, words().noProgramFix);
  if (made !== 'made') throw trouble('ssh-key-failed', made.said, words().failedFix);
  return file;
}

function trouble(code: string, cause: string, whatToDo: string): TroubleError {
  return new TroubleError({ code, title: words().title, cause, whatToDo });
}
