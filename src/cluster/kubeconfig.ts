import { readFile, stat } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { dirname } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { parse } from 'yaml';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError } from '../i18n/system-error.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { getField } from '../openshift/object.ts';
import type { Clock } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import * as z from '../platform/zod.ts';
import { kubeconfigError, validateAuthority, validateUser } from './kubeconfig-user.ts';

const words = () => catalogue().cluster;

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
const TRIES = 10;
const PAUSE = 500;

/**
 * Reads and validates a kubeconfig. `openshift-install wait-for` rewrites the file in place, so one that does not parse
 * is read again for a few seconds before it counts as broken.
 * @throws UserErrorException `kubeconfig-…`
 */
export async function readKubeconfig(path: string, clock: Clock): Promise<Kubeconfig> {
  for (let attempt = 1; ; attempt += 1) {
    const text = await readText(path);
    const document = parseYaml(text);
    const parsed = fileSchema.safeParse(document);
    if (parsed.success) return await validateKubeconfig(parsed.data, dirname(path));
    if (isComplete(text, document))
      throw kubeconfigError('incomplete', words().kubeconfig.incomplete(parsed.error.issues[0]?.path.join('.') ?? ''));
    if (attempt === TRIES) throw kubeconfigError('broken', words().kubeconfig.notYaml(path));
    await clock.sleep(PAUSE);
  }
}

async function readText(path: string): Promise<string> {
  try {
    const file = await stat(path);
    // Reading a pipe would wait for ever, and a kubeconfig is a few kilobytes.
    if (!file.isFile()) throw kubeconfigError('unreadable', words().kubeconfig.notFile(path));
    if (file.size > SIZE_LIMIT) throw kubeconfigError('unreadable', words().kubeconfig.tooLarge(path));
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof UserErrorException) throw error;
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw kubeconfigError('missing', words().kubeconfig.missing(path));
    throw kubeconfigError('unreadable', words().kubeconfig.unreadable(path, describeSystemError(error, 'read')));
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

/** Whether the file is completely written: with a proper end and all its parts, missing fields are really missing. */
function isComplete(text: string, document: unknown): boolean {
  return /[\n}]$/.test(text) && ['clusters', 'contexts', 'users'].every((key) => getField(document, key) !== undefined);
}

async function validateKubeconfig(file: z.infer<typeof fileSchema>, dir: string): Promise<Kubeconfig> {
  const context = file.contexts.find(({ name }) => name === file['current-context'])?.context;
  const cluster = file.clusters.find(({ name }) => name === context?.cluster)?.cluster;
  const userEntry = file.users.find(({ name }) => name === context?.user)?.user;
  const { 'current-context': current } = file;
  if (current === '') throw kubeconfigError('incomplete', words().kubeconfig.incomplete('current-context'));
  if (!cluster || !userEntry)
    throw kubeconfigError('incomplete', words().kubeconfig.context(sanitizeLine(current, 80)));
  const user = await validateUser(userEntry, dir);
  if (cluster['insecure-skip-tls-verify']) throw kubeconfigError('insecure', words().kubeconfig.insecure);
  const server = URL.canParse(cluster.server) ? new URL(cluster.server) : null;
  if (server?.protocol !== 'https:')
    throw kubeconfigError('not-https', words().kubeconfig.notHttps(sanitizeLine(cluster.server)));
  validateAuthority(cluster['certificate-authority-data']);
  const override = cluster['tls-server-name'];
  return {
    text: renderMinimalKubeconfig(cluster, user),
    server,
    tlsName: typeof override === 'string' && override ? override : stripBrackets(server.hostname),
    proxy: parseProxyUrl(cluster['proxy-url']),
    identity: getInlineIdentity(cluster, user),
  };
}

/** The installer's kubeconfig holds an authority and a certificate with its key, as base64, and nothing else. */
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

/** Returns the kubeconfig for the client: one context with the allowed fields only. */
function renderMinimalKubeconfig(cluster: object, user: object): string {
  const pick = (from: object, keys: readonly string[]) =>
    Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));
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
  const isKnown = proxy !== null && proxy.hostname !== '' && PROXY_SCHEMES.some((scheme) => scheme === proxy.protocol);
  if (isKnown) return proxy;
  throw kubeconfigError('proxy', words().kubeconfig.proxy(proxy?.protocol));
}

/** Removes the brackets of an IPv6 address in a URL. */
export function stripBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
