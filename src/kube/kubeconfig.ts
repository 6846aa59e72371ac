import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { dirname, resolve } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { parse } from 'yaml';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError, UserErrorException } from '../i18n/user-error.ts';
import { getField } from '../openshift/object.ts';
import type { Clock } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { registerSecrets } from '../platform/secrets.ts';
import { getUrlHost } from '../platform/text.ts';
import * as z from '../platform/zod.ts';

const words = () => catalogue().cluster.kubeconfig;

type Fields = Readonly<Record<string, unknown>>;

const isSet = (value: unknown) => value !== undefined && value !== null && value !== '' && value !== false;
const hasAnyField = (fields: Fields, ...names: readonly string[]) => names.some((name) => isSet(fields[name]));

/**
 * Validates the user of a kubeconfig: a certificate with its key, or a token, and nothing that would make the wizard
 * run a program or impersonate another user. The content of a token file becomes the token, as in kubectl.
 * @param dir directory of the kubeconfig; paths in it are relative to it
 * @throws UserErrorException `kubeconfig-…`
 */
async function validateUser(user: Fields, dir: string): Promise<Fields> {
  if (hasAnyField(user, 'exec', 'auth-provider')) throw createKubeconfigError('runs-programs', words().runsPrograms);
  if (hasAnyField(user, 'as', 'as-uid', 'as-groups', 'as-user-extra'))
    throw createKubeconfigError('impersonates', words().impersonates);
  const { tokenFile, ...rest } = user;
  const effectiveUser = isSet(tokenFile) ? { ...rest, token: await readToken(resolve(dir, `${tokenFile}`)) } : rest;
  const [hasCertificate, hasKey] = ['client-certificate', 'client-key'].map((name) =>
    hasAnyField(effectiveUser, name, `${name}-data`),
  );
  if (hasCertificate !== hasKey) throw createKubeconfigError('incomplete', words().incompletePair);
  if (!hasCertificate && !isSet(effectiveUser.token)) throw createKubeconfigError('incomplete', words().noCredentials);
  // Node.js would report a token that no header can carry as an internal error.
  if (isSet(effectiveUser.token) && !/^[\x21-\x7e]+$/.test(`${effectiveUser.token}`))
    throw createKubeconfigError('credentials', words().token);
  registerSecrets(
    [effectiveUser.token, effectiveUser['client-key-data']].filter((secret) => typeof secret === 'string'),
  );
  return effectiveUser;
}

async function readToken(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    throw createCredentialsError(path, error);
  }
}

/**
 * Requires a certificate in an inline CA: with an empty trust list, every server would be rejected, and the error would
 * blame the server.
 * @throws UserErrorException `kubeconfig-credentials`
 */
function validateAuthority(data: unknown): void {
  if (typeof data !== 'string' || data === '') return;
  const text = Buffer.from(data, 'base64').toString('latin1');
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (!blocks.some(isCertificate)) throw createKubeconfigError('credentials', words().noAuthority);
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem) !== null;
  } catch {
    return false;
  }
}

/**
 * Creates the error for certificates or a key of a kubeconfig that cannot be used: truncated, no PEM, or in a missing
 * file.
 */
export function createCredentialsError(path: string, thrown: unknown): UserErrorException {
  if (thrown instanceof UserErrorException) return thrown;
  // The messages of OpenSSL and of the file system contain nothing of the files' content.
  const message = String(thrown);
  const cause = /key values mismatch/.test(message)
    ? words().otherKey
    : /DECODER routines|PEM routines|no start line|asn1/i.test(message)
      ? words().noPem
      : sanitizeLine(describeSystemError(thrown, 'read'), 200);
  return createKubeconfigError('credentials', words().credentials(path, cause));
}

/**
 * Creates an error with the code `kubeconfig-…`.
 * @param cause the fault of the file
 */
function createKubeconfigError(code: string, cause: string): UserErrorException {
  return new UserErrorException({
    code: `kubeconfig-${code}`,
    title: words().title,
    cause,
    remedy: words().remedy,
  });
}

const fileSchema = z.looseObject({
  clusters: z.array(z.looseObject({ name: z.string(), cluster: z.looseObject({ server: z.string() }) })),
  users: z.array(z.looseObject({ name: z.string(), user: z.looseObject({}) })),
  contexts: z.array(
    z.looseObject({ name: z.string(), context: z.looseObject({ cluster: z.string(), user: z.string() }) }),
  ),
  'current-context': z.string(),
});

/** A validated kubeconfig, and what its current context connects to. */
export interface Kubeconfig {
  /**
   * The kubeconfig for the Kubernetes client, which parses YAML in its own way: the current context with its allowed
   * fields only. It holds a private key, so it is passed to nothing else.
   */
  readonly text: string;
  readonly server: URL;
  /** The name that the certificate must be for. */
  readonly tlsName: string;
  /** The proxy that all requests take; null for none. */
  readonly proxy: URL | null;
  /** Inline certificates and key; null when it refers to files, tokens or passwords. */
  readonly identity: Identity | null;
}

/** CA, certificate and key of a connection as PEM, and the headers that authenticate it. */
export interface Identity {
  readonly ca?: SecureContextOptions['ca'];
  readonly cert?: SecureContextOptions['cert'];
  readonly key?: SecureContextOptions['key'];
  readonly headers?: RequestOptions['headers'];
}

const CLUSTER_KEYS = ['server', 'certificate-authority', 'certificate-authority-data', 'tls-server-name'];
const USER_KEYS = ['client-certificate', 'client-certificate-data', 'client-key', 'client-key-data', 'token'];

/** The schemes of `proxy-url` that both kubectl and upi-wizard support. With SOCKS the proxy resolves the name. */
const PROXY_SCHEMES = ['http:', 'https:', 'socks5:', 'socks5h:'];

const SIZE_LIMIT = 1024 * 1024;
const READ_ATTEMPTS = 10;
const RETRY_PAUSE_MS = 500;

/**
 * Reads and validates a kubeconfig. `openshift-install wait-for` rewrites the file in place, so a file that does not
 * parse is read again for a few seconds before it counts as broken.
 * @throws UserErrorException `kubeconfig-…`
 */
export async function readKubeconfig(path: string, clock: Clock): Promise<Kubeconfig> {
  for (let attempt = 1; ; attempt += 1) {
    const text = await readText(path);
    const document = parseYaml(text);
    const parseResult = fileSchema.safeParse(document);
    if (parseResult.success) return await validateKubeconfig(parseResult.data, dirname(path));
    if (isComplete(text, document))
      throw createKubeconfigError('incomplete', words().incomplete(parseResult.error.issues[0]?.path.join('.') ?? ''));
    if (attempt === READ_ATTEMPTS) throw createKubeconfigError('broken', words().notYaml(path));
    await clock.sleep(RETRY_PAUSE_MS);
  }
}

async function readText(path: string): Promise<string> {
  try {
    const file = await stat(path);
    // Reading a pipe would wait forever, and a kubeconfig is a few kilobytes.
    if (!file.isFile()) throw createKubeconfigError('unreadable', words().notFile(path));
    if (file.size > SIZE_LIMIT) throw createKubeconfigError('unreadable', words().tooLarge(path));
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof UserErrorException) throw error;
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const cause = words().unreadable(path, describeSystemError(error, 'read'));
    throw createKubeconfigError(isMissing ? 'missing' : 'unreadable', cause);
  }
}

function parseYaml(text: string): unknown {
  try {
    // Merge keys (`<<`) are YAML 1.1, which kubeconfig readers support: the merged fields are checked as well.
    return parse(text, { maxAliasCount: 0, merge: true, logLevel: 'silent' });
  } catch {
    return null;
  }
}

/**
 * Whether the file is completely written: it ends properly and has all its parts, so a missing field is not still to
 * come.
 */
function isComplete(text: string, document: unknown): boolean {
  return /[\n}]$/.test(text) && ['clusters', 'contexts', 'users'].every((key) => getField(document, key) !== undefined);
}

async function validateKubeconfig(file: z.infer<typeof fileSchema>, dir: string): Promise<Kubeconfig> {
  const context = file.contexts.find(({ name }) => name === file['current-context'])?.context;
  const cluster = file.clusters.find(({ name }) => name === context?.cluster)?.cluster;
  const userEntry = file.users.find(({ name }) => name === context?.user)?.user;
  const { 'current-context': current } = file;
  if (current === '') throw createKubeconfigError('incomplete', words().incomplete('current-context'));
  if (!cluster || !userEntry) throw createKubeconfigError('incomplete', words().context(sanitizeLine(current, 80)));
  const user = await validateUser(userEntry, dir);
  if (cluster['insecure-skip-tls-verify']) throw createKubeconfigError('insecure', words().insecure);
  const server = URL.canParse(cluster.server) ? new URL(cluster.server) : null;
  if (server?.protocol !== 'https:')
    throw createKubeconfigError('not-https', words().notHttps(sanitizeLine(cluster.server)));
  validateAuthority(cluster['certificate-authority-data']);
  const tlsServerName = cluster['tls-server-name'];
  return {
    text: renderMinimalKubeconfig(cluster, user),
    server,
    tlsName: typeof tlsServerName === 'string' && tlsServerName ? tlsServerName : getUrlHost(server),
    proxy: parseProxyUrl(cluster['proxy-url']),
    identity: getInlineIdentity(cluster, user),
  };
}

/**
 * Returns the identity if the kubeconfig holds a CA and a certificate with its key inline, and nothing else, as the
 * installer's does; otherwise null.
 */
function getInlineIdentity(cluster: Readonly<Record<string, unknown>>, user: Readonly<Record<string, unknown>>) {
  const [ca, cert, key] = [
    cluster['certificate-authority-data'],
    user['client-certificate-data'],
    user['client-key-data'],
  ].map((value) => (typeof value === 'string' && value !== '' ? Buffer.from(value, 'base64') : null));
  const isInlineOnly =
    !('certificate-authority' in cluster) &&
    USER_KEYS.every((name) => name === 'client-certificate-data' || name === 'client-key-data' || !(name in user));
  return ca && cert && key && isInlineOnly ? { ca, cert, key } : null;
}

/** Renders the kubeconfig for the client: one context with the allowed fields only. */
function renderMinimalKubeconfig(cluster: object, user: object): string {
  const pick = (source: object, keys: readonly string[]) =>
    Object.fromEntries(Object.entries(source).filter(([key]) => keys.includes(key)));
  const name = 'install';
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster: pick(cluster, CLUSTER_KEYS) }],
    users: [{ name, user: pick(user, USER_KEYS) }],
  });
}

function parseProxyUrl(value: unknown): URL | null {
  if (value === undefined || value === null || value === '') return null;
  const proxy = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
  const isSupported =
    proxy !== null && proxy.hostname !== '' && PROXY_SCHEMES.some((scheme) => scheme === proxy.protocol);
  if (isSupported) return proxy;
  throw createKubeconfigError('proxy', words().proxy(proxy?.protocol));
}
