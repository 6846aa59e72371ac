import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { type CredentialNeeds, credentialProblems } from '../../../design/credentials.ts';
import type { Problem } from '../../../design/model.ts';
import { wholePullSecret } from '../../../design/pasted-secrets.ts';
import { syncDirectory } from '../../../ports/durable.ts';
import { makeDirectory } from '../../../ports/make-directory.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { rememberSecrets, secretsOfPullSecret } from '../../../text/redact.ts';
import type { Secret } from '../../../text/secret.ts';
import { TroubleError } from '../../../text/trouble.ts';
import { workspace } from '../workspace.ts';

const words = () => catalogue().steps.pasted;

/** A pasted text that is kept in a file of its own. */
export type PastedCredential = 'pull-secret' | 'ssh-key';

/** The longest text that is taken (characters): ten times the largest pull secret that anybody has seen. */
const LONGEST = 65_536;

/**
 * Judges what a person pasted as a file of it is judged, and writes it into a file of the install directory that only they can
 * read and that no bundle ships. What is wrong with it is thrown in words that hold nothing of it.
 * @param design what it is for, as far as it is known: FIPS mode, mirrors
 * @returns the path as the design names it, relative to the install directory
 * @throws TroubleError `pasted-…`
 */
export async function keepPasted(
  kind: PastedCredential,
  secret: Secret,
  options: { readonly dir: string; readonly design: CredentialNeeds | null },
): Promise<string> {
  const pasted = secret.reveal();
  rememberSecrets(secretsOfPullSecret(pasted));
  if (pasted.length > LONGEST) throw trouble('pasted-long', words().tooLong(LONGEST), words().useFile);
  const text = kind === 'pull-secret' ? wholePullSecret(pasted.trim()) : pasted.trim();
  rememberSecrets(secretsOfPullSecret(text));
  const wrong = problemsOf(kind, text, options.design ?? PLAIN).find(({ severity }) => severity === 'error');
  if (wrong !== undefined) throw trouble('pasted-wrong', `${wrong.message}.`, wrong.fix);
  const { pastedPullSecret, pastedSshKey } = workspace(options.dir);
  const file = kind === 'pull-secret' ? pastedPullSecret : pastedSshKey;
  await writePrivate(file, `${text}\n`);
  return `./${relative(options.dir, file)}`;
}

const PLAIN: CredentialNeeds = { fips: false, imageDigestSources: [], additionalTrustBundleFile: null };

function problemsOf(kind: PastedCredential, text: string, design: CredentialNeeds): Problem[] {
  const texts = {
    pullSecret: kind === 'pull-secret' ? text : null,
    sshKey: kind === 'ssh-key' ? text : null,
    trustBundle: null,
  };
  const path = kind === 'pull-secret' ? 'credentials.pullSecretFile' : 'credentials.sshKeyFile';
  return credentialProblems(texts, design).filter((problem) => problem.path === path);
}

/** Whole or not at all: a file of that name stays as it is until the new one is on the disk. */
async function writePrivate(file: string, text: string): Promise<void> {
  makeDirectory(dirname(file));
  const fresh = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(fresh, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(fresh, file);
    syncDirectory(dirname(file));
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

function trouble(code: string, cause: string, whatToDo: string): TroubleError {
  return new TroubleError({ code, title: words().title, cause, whatToDo });
}
