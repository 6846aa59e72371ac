import { readFile, stat } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { dirname } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { parse } from 'yaml';
import { at } from '../objects/object.ts';
import type { Clock } from '../ports/clock.ts';
import * as z from '../ports/zod.ts';
import { catalogue } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { systemReason } from '../text/system-reason.ts';
import { TroubleError } from '../text/trouble.ts';
import { judgeAuthority, judgeUser, kubeconfigTrouble as trouble } from './kubeconfig-user.ts';

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
   * The kubeconfig for the client, which reads YAML in its own way: the current context and what we allow in it, no
   * more. Holds a private key, so it goes nowhere else.
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

/** What a connection trusts and presents, as PEM, and the headers that authenticate us. */
export interface Identity {
  readonly ca?: SecureContextOptions['ca'];
  readonly cert?: SecureContextOptions['cert'];
  readonly key?: SecureContextOptions['key'];
  readonly headers?: RequestOptions['headers'];
}

const CLUSTER_KEYS = ['server', 'certificate-authority', 'certificate-authority-data', 'tls-server-name'];
const USER_KEYS = ['client-certificate', 'client-certificate-data', 'client-key', 'client-key-data', 'token'];

/** The schemes of `proxy-url` that both kubectl and we know. With SOCKS the proxy resolves the name. */
const PROXY_SCHEMES = ['http:', 'https:', 'socks5:', 'socks5h:'];

const SIZE_LIMIT = 1024 * 1024;
const TRIES = 10;
const PAUSE = 500;

/**
 * Reads and validates a kubeconfig. `openshift-install wait-for` rewrites the file in place, so one that does not parse
 * is read again for a few seconds before it counts as broken.
 * @throws TroubleError `kubeconfig-…`
 */
export async function readKubeconfig(path: string, clock: Clock): Promise<Kubeconfig> {
  for (let attempt = 1; ; attempt += 1) {
    const text = await readText(path);
    const document = parseYaml(text);
    const parsed = fileSchema.safeParse(document);
    if (parsed.success) return await judge(parsed.data, dirname(path));
    if (isWhole(text, document))
      throw trouble('incomplete', words().kubeconfig.incomplete(parsed.error.issues[0]?.path.join('.') ?? ''));
    if (attempt === TRIES) throw trouble('broken', words().kubeconfig.notYaml(path));
    await clock.sleep(PAUSE);
  }
}

async function readText(path: string): Promise<string> {
  try {
    const file = await stat(path);
    // Reading a pipe would wait for ever, and a kubeconfig is a few kilobytes.
    if (!file.isFile()) throw trouble('unreadable', words().kubeconfig.notFile(path));
    if (file.size > SIZE_LIMIT) throw trouble('unreadable', words().kubeconfig.tooLarge(path));
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof TroubleError) throw error;
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw trouble('missing', words().kubeconfig.missing(path));
    throw trouble('unreadable', words().kubeconfig.unreadable(path, systemReason(error, 'read')));
  }
}

function parseYaml(text: string): unknown {
  try {
    // Merge keys (`<<`) are YAML 1.1, which kubeconfig readers support: we check what they merge as well.
    return parse(text, { maxAliasCount: 0, merge: true, logLevel: 'silent' });
  } catch {
    return null;
  }
}

/** A file with a proper end and all its parts is not being written: what it lacks is really missing. */
function isWhole(text: string, document: unknown): boolean {
  return /[\n}]$/.test(text) && ['clusters', 'contexts', 'users'].every((key) => at(document, key) !== undefined);
}

async function judge(file: z.infer<typeof fileSchema>, dir: string): Promise<Kubeconfig> {
  const context = file.contexts.find(({ name }) => name === file['current-context'])?.context;
  const cluster = file.clusters.find(({ name }) => name === context?.cluster)?.cluster;
  const named = file.users.find(({ name }) => name === context?.user)?.user;
  const { 'current-context': current } = file;
  if (current === '') throw trouble('incomplete', words().kubeconfig.incomplete('current-context'));
  if (!cluster || !named) throw trouble('incomplete', words().kubeconfig.context(sanitizeLine(current, 80)));
  const user = await judgeUser(named, dir);
  if (cluster['insecure-skip-tls-verify']) throw trouble('insecure', words().kubeconfig.insecure);
  const server = URL.canParse(cluster.server) ? new URL(cluster.server) : null;
  if (server?.protocol !== 'https:')
    throw trouble('not-https', words().kubeconfig.notHttps(sanitizeLine(cluster.server)));
  judgeAuthority(cluster['certificate-authority-data']);
  const override = cluster['tls-server-name'];
  return {
    text: only(cluster, user),
    server,
    tlsName: typeof override === 'string' && override ? override : bare(server.hostname),
    proxy: proxyOf(cluster['proxy-url']),
    identity: identityIn(cluster, user),
  };
}

/** The installer's kubeconfig holds an authority and a certificate with its key, as base64, and nothing else. */
function identityIn(cluster: Readonly<Record<string, unknown>>, user: Readonly<Record<string, unknown>>) {
  const [ca, cert, key] = [
    cluster['certificate-authority-data'],
    user['client-certificate-data'],
    user['client-key-data'],
  ].map((value) => (typeof value === 'string' && value !== '' ? Buffer.from(value, 'base64') : null));
  const isAlone =
    !('certificate-authority' in cluster) &&
    USER_KEYS.every((name) => name === 'client-certificate-data' || name === 'client-key-data' || !(name in user));
  return ca && cert && key && isAlone ? { ca, cert, key } : null;
}

/** The kubeconfig for the client: one context with the allowed fields only. */
function only(cluster: object, user: object): string {
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

function proxyOf(value: unknown): URL | null {
  if (value === undefined || value === null || value === '') return null;
  const proxy = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
  const isKnown = proxy !== null && proxy.hostname !== '' && PROXY_SCHEMES.some((scheme) => scheme === proxy.protocol);
  if (isKnown) return proxy;
  throw trouble('proxy', words().kubeconfig.proxy(proxy?.protocol));
}

/** A host without the brackets of an IPv6 address in a URL. */
export function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
