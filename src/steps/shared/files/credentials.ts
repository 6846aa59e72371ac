import { join, resolve } from 'node:path';
import { type CredentialTexts, credentialProblems, unreadableCredential } from '../../../design/credentials.ts';
import type { Design, Problem } from '../../../design/model.ts';
import { draftOf, valueAt } from '../../../design/paths.ts';
import { homeDirectory } from '../../../ports/home.ts';
import { readPlainFile } from '../../../ports/plain-file.ts';
import { rememberSecrets, secretsOfPullSecret } from '../../../text/redact.ts';
import { systemReason } from '../../../text/system-reason.ts';
import type { StepContext } from '../../contract.ts';

/** Absolute paths of the credential files; null where none is named. */
export type CredentialFiles = StepContext['credentials'];

/** The path of a file that a design names: relative to the directory of the design, `~` being the user's home. */
export function designPath(file: string, dir: string, home: string = homeDirectory()): string {
  const isHome = file === '~' || file.startsWith('~/');
  return isHome && home !== '' ? join(home, file.slice(1)) : resolve(dir, file);
}

/** The places in a design that name files. */
export const FILE_PATHS = [
  'credentials.pullSecretFile',
  'credentials.sshKeyFile',
  'additionalTrustBundleFile',
] as const;

/**
 * A design document as another directory may hold it: the files that it names relative to its own are named by their whole paths.
 * @param from the directory of the document @param to the directory that will hold it; null: any
 */
export function withPlacedFiles(document: unknown, from: string, to: string | null): unknown {
  const draft = draftOf(document);
  for (const path of FILE_PATHS.map((text) => text.split('.'))) {
    const file = valueAt(document, path);
    if (typeof file === 'string' && file !== '' && from !== to && !/^~(?:\/|$)/.test(file))
      draft.put(path, resolve(from, file));
  }
  return draft.current();
}

/** The paths of the credential files of a design. @param dir the directory that relative paths start at */
export function credentialFiles(design: Design, dir: string, home?: string): CredentialFiles {
  const path = (file: string | null) => (file === null ? null : designPath(file, dir, home));
  return {
    pullSecretFile: path(design.credentials.pullSecretFile),
    sshKeyFile: path(design.credentials.sshKeyFile),
    trustBundleFile: path(design.additionalTrustBundleFile),
  };
}

/**
 * The content of the credential files; null where one is not named or not there.
 * @throws the system's error for one that is there and cannot be read
 */
export async function readCredentials(context: { readonly credentials: CredentialFiles }): Promise<CredentialTexts> {
  const [pullSecret, sshKey, trustBundle] = await readAll(context.credentials);
  for (const text of [pullSecret, sshKey, trustBundle]) if (text instanceof Error) throw text;
  return { pullSecret: textOf(pullSecret), sshKey: textOf(sshKey), trustBundle: textOf(trustBundle) };
}

/** What is wrong with the credential files, without revealing their content. One that cannot be read is an error. */
export async function judgeCredentials(files: CredentialFiles, design: Design): Promise<Problem[]> {
  const [pullSecret, sshKey, trustBundle] = await readAll(files);
  const found = {
    'credentials.pullSecretFile': pullSecret,
    'credentials.sshKeyFile': sshKey,
    additionalTrustBundleFile: trustBundle,
  };
  const unreadable = Object.entries(found).flatMap(([path, text]) =>
    text instanceof Error ? [unreadableCredential(path, reasonOf(text))] : [],
  );
  const texts = { pullSecret: textOf(pullSecret), sshKey: textOf(sshKey), trustBundle: textOf(trustBundle) };
  const isJudged = ({ path }: Problem) => !unreadable.some((problem) => problem.path === path);
  return [...unreadable, ...credentialProblems(texts, design).filter(isJudged)];
}

type Found = string | Error | null | undefined;

async function readAll({ pullSecretFile, sshKeyFile, trustBundleFile }: CredentialFiles): Promise<Found[]> {
  const found = await Promise.all([pullSecretFile, sshKeyFile, trustBundleFile].map(read));
  rememberSecrets(secretsOfPullSecret(textOf(found[0]) ?? ''));
  return found;
}

/** Its text; null where it is not named or not there; the error where it cannot be read. */
async function read(path: string | null): Promise<Found> {
  if (path === null) return null;
  try {
    return await readPlainFile(path);
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return codeOf(error) === 'ENOENT' ? null : error;
  }
}

const textOf = (found: Found) => (typeof found === 'string' ? found : null);
const codeOf = (error: Error) => ('code' in error ? String(error.code) : error.message);
const reasonOf = (error: Error) => systemReason(error, 'read');
