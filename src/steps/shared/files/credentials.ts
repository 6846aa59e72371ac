import { stat } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import {
  type CredentialRequirements,
  type CredentialTexts,
  checkCredentials,
  createUnreadableFileProblem,
  joinPullSecretLines,
} from '../../../design/credentials.ts';
import { checkFencingFile, listFencingSecrets } from '../../../design/fencing.ts';
import type { Design, Problem } from '../../../design/model.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { describeSystemError, UserErrorException } from '../../../i18n/user-error.ts';
import { ensureDirectory, readPlainFile, replaceFile } from '../../../platform/files.ts';
import { sanitizeLine } from '../../../platform/sanitize.ts';
import { listPullSecretSecrets, registerSecrets, type Secret } from '../../../platform/secrets.ts';
import { workspace } from '../workspace.ts';
import type { CredentialFiles } from './design-paths.ts';

/**
 * Reads the credential files; null for one that is not named or does not exist.
 * @throws the system's error for one that exists but cannot be read
 */
export async function readCredentials(context: { readonly credentials: CredentialFiles }): Promise<CredentialTexts> {
  const results = await readCredentialFiles(context.credentials);
  for (const text of Object.values(results)) if (text instanceof Error) throw text;
  return toTexts(results);
}

/** Checks the credential files without revealing their content. One that cannot be read is an error. */
export async function checkCredentialFiles(files: CredentialFiles, design: Design): Promise<Problem[]> {
  const results = await readCredentialFiles(files);
  const resultsByPath = {
    'credentials.pullSecretFile': results.pullSecret,
    'credentials.sshKeyFile': results.sshKey,
    'credentials.fencingFile': results.fencing,
    additionalTrustBundleFile: results.trustBundle,
  };
  const unreadableProblems = Object.entries(resultsByPath).flatMap(([path, text]) =>
    text instanceof Error ? [createUnreadableFileProblem(path, describeReadError(text))] : [],
  );
  const texts = toTexts(results);
  const isReadable = ({ path }: Problem) => !unreadableProblems.some((problem) => problem.path === path);
  const isPrivate = files.fencingFile === null || (await isReadableByOwnerOnly(files.fencingFile));
  const problems = [...checkCredentials(texts, design), ...checkFencingFile(texts.fencing, isPrivate, design)].filter(
    isReadable,
  );
  return [...unreadableProblems, ...problems.map((problem) => nameMissingFile(problem, design, files))];
}

/**
 * Adds the name of the missing file to the message: without it, the message for a wrong path would be the same as for
 * no path. A relative path becomes absolute: users look for it in their own directory, not in that of the design.
 */
function nameMissingFile(problem: Problem, { credentials }: Design, files: CredentialFiles): Problem {
  const { missingPullSecretFile, missingSshKeyFile } = catalogue().design.credentials;
  const { pullSecretFile, sshKeyFile } = credentials;
  const describeFile = (text: string, file: string | null) =>
    sanitizeLine(text.startsWith('~') || file === null ? text : file);
  if (problem.rule === 'pull-secret-missing' && pullSecretFile !== null)
    return { ...problem, message: missingPullSecretFile(describeFile(pullSecretFile, files.pullSecretFile)) };
  if (problem.rule === 'ssh-key-missing' && sshKeyFile !== null)
    return { ...problem, message: missingSshKeyFile(describeFile(sshKeyFile, files.sshKeyFile)) };
  return problem;
}

type ReadResult = string | Error | null;

async function readCredentialFiles({
  pullSecretFile,
  sshKeyFile,
  trustBundleFile,
  fencingFile,
}: CredentialFiles): Promise<Readonly<Record<keyof CredentialTexts, ReadResult>>> {
  const [pullSecret, sshKey, trustBundle, fencing] = await Promise.all([
    readCredentialFile(pullSecretFile),
    readCredentialFile(sshKeyFile),
    readCredentialFile(trustBundleFile),
    readCredentialFile(fencingFile),
  ]);
  registerSecrets([...listPullSecretSecrets(toText(pullSecret) ?? ''), ...listFencingSecrets(toText(fencing) ?? '')]);
  return { pullSecret, sshKey, trustBundle, fencing };
}

/** Whether group and others have no access to a file; true if there is no such file. */
async function isReadableByOwnerOnly(path: string): Promise<boolean> {
  const status = await stat(path).catch(() => null);
  return status === null || (status.mode & 0o077) === 0;
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

function toTexts(results: Readonly<Record<keyof CredentialTexts, ReadResult>>): CredentialTexts {
  const { pullSecret, sshKey, trustBundle, fencing } = results;
  return {
    pullSecret: toText(pullSecret),
    sshKey: toText(sshKey),
    trustBundle: toText(trustBundle),
    fencing: toText(fencing),
  };
}

const toText = (result: ReadResult) => (typeof result === 'string' ? result : null);
const getErrorCode = (error: Error) => ('code' in error ? String(error.code) : error.message);
const describeReadError = (error: Error) => describeSystemError(error, 'read');

const words = () => catalogue().steps.pastedCredential;

/** A pasted credential that is saved in a separate file. */
type PastedCredential = 'pull-secret' | 'ssh-key';

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
  const pastedText = secret.reveal();
  registerSecrets(listPullSecretSecrets(pastedText));
  if (pastedText.length > MAX_LENGTH) throw createError('pasted-long', words().tooLong(MAX_LENGTH), words().useFile);
  const text = kind === 'pull-secret' ? joinPullSecretLines(pastedText.trim()) : pastedText.trim();
  registerSecrets(listPullSecretSecrets(text));
  const problem = checkPastedText(kind, text, options.design ?? DEFAULT_REQUIREMENTS).find(
    ({ severity }) => severity === 'error',
  );
  if (problem !== undefined) throw createError('pasted-wrong', `${problem.message}.`, problem.fix);
  const { pastedPullSecret, pastedSshKey } = workspace(options.dir);
  const file = kind === 'pull-secret' ? pastedPullSecret : pastedSshKey;
  await writePrivateFile(file, `${text}\n`);
  return `./${relative(options.dir, file)}`;
}

const DEFAULT_REQUIREMENTS: CredentialRequirements = {
  openshift: { version: '', architecture: 'x86_64', osImageStream: null },
  credentials: { pullSecretFile: null, sshKeyFile: null, fencingFile: null },
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
async function writePrivateFile(file: string, text: string): Promise<void> {
  ensureDirectory(dirname(file));
  await replaceFile(file, text);
}

function createError(code: string, cause: string, remedy: string): UserErrorException {
  return new UserErrorException({ code, title: words().title, cause, remedy });
}
