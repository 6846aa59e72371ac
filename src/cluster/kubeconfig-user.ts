import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError } from '../i18n/system-error.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { registerSecrets } from '../platform/redact.ts';
import { sanitizeLine } from '../platform/sanitize.ts';

const words = () => catalogue().cluster.kubeconfig;

type Fields = Readonly<Record<string, unknown>>;

const isSet = (value: unknown) => value !== undefined && value !== null && value !== '' && value !== false;
const hasAny = (fields: Fields, ...names: readonly string[]) => names.some((name) => isSet(fields[name]));

/**
 * Validates the user of a kubeconfig: a certificate with its key, or a token, and nothing that would make the wizard
 * run a program or impersonate another user. The content of a token file replaces the file, as in kubectl.
 * @param dir directory of the kubeconfig; paths in it are relative to it
 * @throws UserErrorException `kubeconfig-…`
 */
export async function validateUser(user: Fields, dir: string): Promise<Fields> {
  if (hasAny(user, 'exec', 'auth-provider')) throw kubeconfigError('runs-programs', words().runsPrograms);
  if (hasAny(user, 'as', 'as-uid', 'as-groups', 'as-user-extra'))
    throw kubeconfigError('impersonates', words().impersonates);
  const { tokenFile, ...rest } = user;
  const effectiveUser = isSet(tokenFile) ? { ...rest, token: await readToken(resolve(dir, `${tokenFile}`)) } : rest;
  const [hasCertificate, hasKey] = ['client-certificate', 'client-key'].map((name) =>
    hasAny(effectiveUser, name, `${name}-data`),
  );
  if (hasCertificate !== hasKey) throw kubeconfigError('incomplete', words().incompletePair);
  if (!hasCertificate && !isSet(effectiveUser.token)) throw kubeconfigError('incomplete', words().noCredentials);
  // Node would report a token that no header can carry as an internal error.
  if (isSet(effectiveUser.token) && !/^[\x21-\x7e]+$/.test(`${effectiveUser.token}`))
    throw kubeconfigError('credentials', words().token);
  registerSecrets(
    [effectiveUser.token, effectiveUser['client-key-data']].filter((secret) => typeof secret === 'string'),
  );
  return effectiveUser;
}

async function readToken(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    throw credentialsError(path, error);
  }
}

/**
 * Requires a certificate in an inline authority: with an empty trust list, every server would be refused for a wrong
 * reason.
 * @throws UserErrorException `kubeconfig-credentials`
 */
export function validateAuthority(data: unknown): void {
  if (typeof data !== 'string' || data === '') return;
  const text = Buffer.from(data, 'base64').toString('latin1');
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (!blocks.some(isCertificate)) throw kubeconfigError('credentials', words().noAuthority);
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem) !== null;
  } catch {
    return false;
  }
}

/**
 * Returns the error for certificates or a key of a kubeconfig that cannot be used: truncated, no PEM, or in a missing
 * file.
 */
export function credentialsError(path: string, thrown: unknown): UserErrorException {
  if (thrown instanceof UserErrorException) return thrown;
  // The messages of OpenSSL and of the file system contain nothing of the files' content.
  const why = describeSystemError(thrown, 'read');
  const meaning = /key values mismatch/.test(why)
    ? words().otherKey
    : /DECODER routines|PEM routines|no start line|asn1/i.test(why)
      ? words().noPem
      : sanitizeLine(why, 200);
  return kubeconfigError('credentials', words().credentials(path, meaning));
}

/**
 * An error with the code `kubeconfig-…`.
 * @param cause the fault of the file
 */
export function kubeconfigError(code: string, cause: string): UserErrorException {
  return new UserErrorException({ code: `kubeconfig-${code}`, title: words().title, cause, remedy: words().remedy });
}
