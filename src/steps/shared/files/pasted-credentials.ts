import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { type CredentialRequirements, checkCredentials, joinPullSecretLines } from '../../../design/credentials.ts';
import type { Problem } from '../../../design/model.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { UserErrorException } from '../../../i18n/user-error.ts';
import { makeDirectory, syncDirectory } from '../../../platform/files.ts';
import { listPullSecretSecrets, registerSecrets, type Secret } from '../../../platform/secrets.ts';

import { workspace } from '../workspace.ts';

const words = () => catalogue().steps.pastedCredential;

/** A pasted credential that is saved in a separate file. */
export type PastedCredential = 'pull-secret' | 'ssh-key';

/** The maximum length of a pasted text, in characters: ten times the largest pull secret that is known. */
const MAX_LENGTH = 65_536;

/**
 * Checks a pasted credential like a credential file, and writes it into a file of the install directory. Only the user
 * can read that file, and no bundle contains it. An error message holds nothing of the text.
 * @param options.design the design that it is for, as far as known: FIPS mode, mirrors
 * @returns the path as the design names it, relative to the install directory
 * @throws UserErrorException `pasted-…`
 */
export async function savePastedCredential(
  kind: PastedCredential,
  secret: Secret,
  options: { readonly dir: string; readonly design: CredentialRequirements | null },
): Promise<string> {
  const pasted = secret.reveal();
  registerSecrets(listPullSecretSecrets(pasted));
  if (pasted.length > MAX_LENGTH) throw createError('pasted-long', words().tooLong(MAX_LENGTH), words().useFile);
  const text = kind === 'pull-secret' ? joinPullSecretLines(pasted.trim()) : pasted.trim();
  registerSecrets(listPullSecretSecrets(text));
  const problem = checkPastedText(kind, text, options.design ?? DEFAULT_REQUIREMENTS).find(
    ({ severity }) => severity === 'error',
  );
  if (problem !== undefined) throw createError('pasted-wrong', `${problem.message}.`, problem.fix);
  const { pastedPullSecret, pastedSshKey } = workspace(options.dir);
  const file = kind === 'pull-secret' ? pastedPullSecret : pastedSshKey;
  await writePrivate(file, `${text}\n`);
  return `./${relative(options.dir, file)}`;
}

const DEFAULT_REQUIREMENTS: CredentialRequirements = {
  fips: false,
  imageDigestSources: [],
  additionalTrustBundleFile: null,
};

function checkPastedText(kind: PastedCredential, text: string, design: CredentialRequirements): Problem[] {
  const texts = {
    pullSecret: kind === 'pull-secret' ? text : null,
    sshKey: kind === 'ssh-key' ? text : null,
    trustBundle: null,
  };
  const path = kind === 'pull-secret' ? 'credentials.pullSecretFile' : 'credentials.sshKeyFile';
  return checkCredentials(texts, design).filter((problem) => problem.path === path);
}

/** Writes atomically: a file of that name stays as it is until the new one is on disk. */
async function writePrivate(file: string, text: string): Promise<void> {
  makeDirectory(dirname(file));
  const tempFile = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(tempFile, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(tempFile, file);
    syncDirectory(dirname(file));
  } catch (error) {
    await rm(tempFile, { force: true });
    throw error;
  }
}

function createError(code: string, cause: string, remedy: string): UserErrorException {
  return new UserErrorException({ code, title: words().title, cause, remedy });
}
