import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { catalogue } from '../text/catalogue.ts';
import { rememberSecrets } from '../text/redact.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { systemReason } from '../text/system-reason.ts';
import { TroubleError } from '../text/trouble.ts';

const words = () => catalogue().cluster.kubeconfig;

type Fields = Readonly<Record<string, unknown>>;

const isSet = (value: unknown) => value !== undefined && value !== null && value !== '' && value !== false;
const hasOne = (fields: Fields, ...names: readonly string[]) => names.some((name) => isSet(fields[name]));

/**
 * Validates the user of a kubeconfig: a certificate with its key, or a token, and nothing that would make us run a
 * program or act as somebody else. The content of a token file takes the place of the file, as in kubectl.
 * @param dir of the kubeconfig; paths in it are relative to it
 * @throws TroubleError `kubeconfig-…`
 */
export async function judgeUser(user: Fields, dir: string): Promise<Fields> {
  if (hasOne(user, 'exec', 'auth-provider')) throw kubeconfigTrouble('runs-programs', words().runsPrograms);
  if (hasOne(user, 'as', 'as-uid', 'as-groups', 'as-user-extra'))
    throw kubeconfigTrouble('impersonates', words().impersonates);
  const { tokenFile, ...rest } = user;
  const told = isSet(tokenFile) ? { ...rest, token: await tokenIn(resolve(dir, `${tokenFile}`)) } : rest;
  const [hasCertificate, hasKey] = ['client-certificate', 'client-key'].map((name) =>
    hasOne(told, name, `${name}-data`),
  );
  if (hasCertificate !== hasKey) throw kubeconfigTrouble('incomplete', words().halfPair);
  if (!hasCertificate && !isSet(told.token)) throw kubeconfigTrouble('incomplete', words().noCredentials);
  // Node would report a token that no header can carry as a fault of ours.
  if (isSet(told.token) && !/^[\x21-\x7e]+$/.test(`${told.token}`))
    throw kubeconfigTrouble('credentials', words().token);
  rememberSecrets([told.token, told['client-key-data']].filter((secret) => typeof secret === 'string'));
  return told;
}

async function tokenIn(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    throw credentialsTrouble(path, error);
  }
}

/** An inline authority must be one: with an empty trust list we would refuse every server, for a wrong reason. */
export function judgeAuthority(data: unknown): void {
  if (typeof data !== 'string' || data === '') return;
  const text = Buffer.from(data, 'base64').toString('latin1');
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (!blocks.some(isCertificate)) throw kubeconfigTrouble('credentials', words().noAuthority);
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem) !== null;
  } catch {
    return false;
  }
}

/** Why the certificates and the key of a kubeconfig cannot be used: cut off, none, or in a missing file. */
export function credentialsTrouble(path: string, thrown: unknown): TroubleError {
  if (thrown instanceof TroubleError) return thrown;
  // The messages of OpenSSL and of the file system hold nothing of what is in the files.
  const why = systemReason(thrown, 'read');
  const meaning = /key values mismatch/.test(why)
    ? words().otherKey
    : /DECODER routines|PEM routines|no start line|asn1/i.test(why)
      ? words().noPem
      : sanitizeLine(why, 200);
  return kubeconfigTrouble('credentials', words().credentials(path, meaning));
}

/** An error with the code `kubeconfig-…`; `cause` says what is wrong with the file. */
export function kubeconfigTrouble(code: string, cause: string): TroubleError {
  return new TroubleError({ code: `kubeconfig-${code}`, title: words().title, cause, whatToDo: words().whatToDo });
}
