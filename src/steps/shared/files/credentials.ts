import { join, resolve } from 'node:path';
import { type CredentialTexts, checkCredentials, unreadableCredentialProblem } from '../../../design/credentials.ts';
import type { Design, Problem } from '../../../design/model.ts';
import { createDocumentDraft, getValueAt } from '../../../design/paths.ts';
import { describeSystemError } from '../../../i18n/user-error.ts';
import { homeDirectory } from '../../../platform/environment.ts';
import { readPlainFile } from '../../../platform/files.ts';
import { listPullSecretSecrets, registerSecrets } from '../../../platform/secrets.ts';

import type { StepContext } from '../../contract.ts';

/** Absolute paths of the credential files; null where none is named. */
export type CredentialFiles = StepContext['credentials'];

/**
 * Resolves the path of a file that a design names: relative to the directory of the design, `~` being the user's home.
 */
export function resolveDesignPath(file: string, dir: string, home: string = homeDirectory()): string {
  const isHome = file === '~' || file.startsWith('~/');
  return isHome && home !== '' ? join(home, file.slice(1)) : resolve(dir, file);
}

/** The keys of a design that name files. */
export const FILE_KEYS = ['credentials.pullSecretFile', 'credentials.sshKeyFile', 'additionalTrustBundleFile'] as const;

/**
 * Converts a design document for another directory: paths relative to its own directory become absolute.
 * @param from the directory of the document
 * @param to the directory that will hold it; null: any
 */
export function withAbsoluteFilePaths(document: unknown, from: string, to: string | null): unknown {
  const draft = createDocumentDraft(document);
  for (const path of FILE_KEYS.map((text) => text.split('.'))) {
    const file = getValueAt(document, path);
    if (typeof file === 'string' && file !== '' && from !== to && !/^~(?:\/|$)/.test(file))
      draft.set(path, resolve(from, file));
  }
  return draft.current();
}

/**
 * Resolves the paths of the credential files of a design.
 * @param dir the directory that relative paths start at
 */
export function resolveCredentialFiles(design: Design, dir: string, home?: string): CredentialFiles {
  const path = (file: string | null) => (file === null ? null : resolveDesignPath(file, dir, home));
  return {
    pullSecretFile: path(design.credentials.pullSecretFile),
    sshKeyFile: path(design.credentials.sshKeyFile),
    trustBundleFile: path(design.additionalTrustBundleFile),
  };
}

/**
 * Reads the credential files; null for one that is not named or does not exist.
 * @throws the system's error for one that exists but cannot be read
 */
export async function readCredentials(context: { readonly credentials: CredentialFiles }): Promise<CredentialTexts> {
  const [pullSecret, sshKey, trustBundle] = await readCredentialFiles(context.credentials);
  for (const text of [pullSecret, sshKey, trustBundle]) if (text instanceof Error) throw text;
  return { pullSecret: toText(pullSecret), sshKey: toText(sshKey), trustBundle: toText(trustBundle) };
}

/** Checks the credential files without revealing their content. One that cannot be read is an error. */
export async function checkCredentialFiles(files: CredentialFiles, design: Design): Promise<Problem[]> {
  const [pullSecret, sshKey, trustBundle] = await readCredentialFiles(files);
  const found = {
    'credentials.pullSecretFile': pullSecret,
    'credentials.sshKeyFile': sshKey,
    additionalTrustBundleFile: trustBundle,
  };
  const unreadable = Object.entries(found).flatMap(([path, text]) =>
    text instanceof Error ? [unreadableCredentialProblem(path, describeReadError(text))] : [],
  );
  const texts = { pullSecret: toText(pullSecret), sshKey: toText(sshKey), trustBundle: toText(trustBundle) };
  const isReadable = ({ path }: Problem) => !unreadable.some((problem) => problem.path === path);
  return [...unreadable, ...checkCredentials(texts, design).filter(isReadable)];
}

type ReadResult = string | Error | null | undefined;

async function readCredentialFiles({
  pullSecretFile,
  sshKeyFile,
  trustBundleFile,
}: CredentialFiles): Promise<ReadResult[]> {
  const found = await Promise.all([pullSecretFile, sshKeyFile, trustBundleFile].map(readCredentialFile));
  registerSecrets(listPullSecretSecrets(toText(found[0]) ?? ''));
  return found;
}

/** Reads the text of the file; null if it is not named or does not exist; the error if it cannot be read. */
async function readCredentialFile(path: string | null): Promise<ReadResult> {
  if (path === null) return null;
  try {
    return await readPlainFile(path);
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return getErrorCode(error) === 'ENOENT' ? null : error;
  }
}

const toText = (found: ReadResult) => (typeof found === 'string' ? found : null);
const getErrorCode = (error: Error) => ('code' in error ? String(error.code) : error.message);
const describeReadError = (error: Error) => describeSystemError(error, 'read');
