import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import * as x509 from '@peculiar/x509';
import { stringify } from 'yaml';

// A small API server for tests: TLS with its own CA and objects in memory. It has the API rules that the code relies
// on: resource versions, conflicts, dry run, merge patch, and pruning of unknown fields on demand.

x509.cryptoProvider.set(webcrypto);
const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
export const API_NAME = 'api.ocp45.example.localdomain';

export interface Authority {
  readonly pem: string;
  /** Issues a certificate for a host name or, with `kubelet`, the certificate of a node for this address. */
  issue(
    name: string,
    validity?: { from: Date; to: Date },
    kubelet?: { organization: string; address: string },
  ): Promise<{ cert: string; key: string }>;
}

export async function createAuthority(name = 'test CA'): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  // Valid at the times of the tests (2024 and 2026) and at the current time, which Node.js's sockets use.
  const [notBefore, notAfter] = [new Date(Date.UTC(2024, 0, 1)), new Date(Date.now() + 86_400_000)];
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    notBefore,
    notAfter,
    signingAlgorithm: EC,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  return {
    pem: ca.toString('pem'),
    async issue(host, validity, kubelet) {
      const pair = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
      const certificate = await x509.X509CertificateGenerator.create({
        subject: kubelet ? `O=${kubelet.organization}, CN=${host}` : `CN=${host}`,
        issuer: ca.subject,
        publicKey: pair.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: EC,
        notBefore: validity?.from ?? notBefore,
        notAfter: validity?.to ?? notAfter,
        extensions: [
          new x509.SubjectAlternativeNameExtension([
            kubelet ? { type: 'ip', value: kubelet.address } : { type: 'dns', value: host },
          ]),
        ],
      });
      const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', pair.privateKey)).toString('base64');
      return {
        cert: certificate.toString('pem'),
        key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
      };
    },
  };
}

/**
 * Writes a kubeconfig like the installer's below `dir`, beside existing ones, and returns its path.
 * @param extra overrides parts of its cluster and user entries
 */
export function writeKubeconfig(
  dir: string,
  caPem: string,
  client: { cert: string; key: string },
  extra: { cluster?: object; user?: object } = {},
): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  let path = join(dir, 'kubeconfig');
  for (let n = 2; existsSync(path); n += 1) path = join(dir, `kubeconfig-${n}`);
  writeFileSync(
    path,
    stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'admin',
      contexts: [{ name: 'admin', context: { cluster: 'ocp45', user: 'admin' } }],
      clusters: [
        {
          name: 'ocp45',
          cluster: {
            server: `https://${API_NAME}:6443`,
            'certificate-authority-data': base64(caPem),
            ...extra.cluster,
          },
        },
      ],
      users: [
        {
          name: 'admin',
          user: {
            'client-certificate-data': base64(client.cert),
            'client-key-data': base64(client.key),
            ...extra.user,
          },
        },
      ],
    }),
    { mode: 0o600 },
  );
  return path;
}

// biome-ignore lint/suspicious/noExplicitAny: objects of a fake API are whatever the test puts in
export type AnyObject = any;

interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly type: string;
  readonly body: AnyObject;
}

export interface KubeServer {
  readonly port: number;
  /** Directory for kubeconfigs and the files beside them. It is removed when the server closes. */
  readonly dir: string;
  readonly kubeconfig: string;
  readonly authority: Authority;
  /** Objects by their path. */
  readonly objects: Map<string, AnyObject>;
  readonly requests: RecordedRequest[];
  /** Writes that were stored (not dry runs). */
  writes(): RecordedRequest[];
  /** Handles a request in place of the store; returns false to let the store answer. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | null;
  /** Handles a request for another protocol, such as a command in a container; null: it is refused. */
  onUpgrade: ((request: IncomingMessage, socket: Duplex, head: Buffer) => void) | null;
  /** Changes an object before it is stored, as an operator or pruning does. */
  afterWrite: ((path: string, object: AnyObject) => void) | null;
  put(path: string, object: object): void;
  connections(): number;
  close(): Promise<void>;
}

let sharedPki: ReturnType<typeof createSharedPki> | null = null;

async function createSharedPki() {
  const authority = await createAuthority();
  return { authority, server: await authority.issue(API_NAME), admin: await authority.issue('system:admin') };
}

/** Starts the server. All tests of a worker share one CA, unless `options.authority` is given. */
export async function startKubeServer(
  // Without a clock (`now`) answers have no date, because most tests use a simulated time.
  options: { validity?: { from: Date; to: Date }; name?: string; now?: () => number; authority?: Authority } = {},
): Promise<KubeServer> {
  sharedPki ??= createSharedPki();
  const { authority = (await sharedPki).authority, name = API_NAME, validity } = options;
  const usesSharedPki = options.authority === undefined;
  const server = createServer({
    ...(usesSharedPki && name === API_NAME && !validity
      ? (await sharedPki).server
      : await authority.issue(name, validity)),
    requestCert: true,
    rejectUnauthorized: false,
    ca: authority.pem,
  });
  let connections = 0;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  });
  server.on('tlsClientError', () => undefined);
  await listen(server);
  const admin = usesSharedPki ? (await sharedPki).admin : await authority.issue('system:admin');
  const dir = mkdtempSync(join(tmpdir(), 'kube-'));
  const state: KubeServer = {
    port: (server.address() as AddressInfo).port,
    dir,
    kubeconfig: writeKubeconfig(dir, authority.pem, admin),
    authority,
    objects: new Map(),
    requests: [],
    writes: () => state.requests.filter(({ method, query }) => method !== 'GET' && !query.has('dryRun')),
    intercept: null,
    onUpgrade: null,
    afterWrite: null,
    put(path, object) {
      version += 1;
      const copy: AnyObject = structuredClone(object);
      copy.metadata = { uid: `uid-${version}`, resourceVersion: String(version), generation: 1, ...copy.metadata };
      state.objects.set(path, copy);
    },
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        rmSync(dir, { recursive: true, force: true });
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
  server.on('upgrade', (request, socket, head) => {
    if (state.onUpgrade) state.onUpgrade(request, socket, head);
    else socket.destroy();
  });
  let version = 100;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    response.sendDate = false;
    if (options.now) response.setHeader('Date', new Date(options.now()).toUTCString());
    if (state.intercept?.(request, response)) return;
    void handleRequest(state, request, response);
  });
  return state;
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}

async function handleRequest(state: KubeServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'https://host');
  const method = request.method ?? 'GET';
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const body: AnyObject = text ? JSON.parse(text) : null;
  const path = decodeURIComponent(url.pathname);
  state.requests.push({ method, path, query: url.searchParams, type: request.headers['content-type'] ?? '', body });
  const reply = (status: number, object: AnyObject) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(object));
  };
  const refuse = (code: number, reason: string, message = reason) =>
    reply(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message });
  if (path === '/version') return reply(200, { gitVersion: 'v1.31.8' });
  const dryRun = url.searchParams.get('dryRun') === 'All';
  const store = (key: string, object: AnyObject) => {
    state.afterWrite?.(key, object);
    if (!dryRun) state.put(key, object);
    return dryRun ? object : state.objects.get(key);
  };
  if (method === 'POST') {
    const key = `${path}/${body.metadata.name}`;
    if (state.objects.has(key)) return refuse(409, 'AlreadyExists');
    return reply(201, store(key, body));
  }
  const key = path.replace(/\/approval$/, '');
  const current = state.objects.get(key);
  if (method === 'GET') {
    if (current) return reply(200, current);
    const items = listObjects(state, path, url.searchParams.get('labelSelector'));
    if (items === null) return refuse(404, 'NotFound', `${path} not found`);
    return reply(200, { kind: items.kind, apiVersion: items.apiVersion, metadata: {}, items: items.items });
  }
  if (!current) return refuse(404, 'NotFound');
  if (method === 'DELETE') {
    state.objects.delete(key);
    return reply(200, { kind: 'Status', apiVersion: 'v1', status: 'Success' });
  }
  if (method === 'PATCH') {
    if (request.headers['content-type'] !== 'application/merge-patch+json') return refuse(415, 'UnsupportedMediaType');
    const next = merge(current, body);
    next.metadata.generation += 1;
    return reply(200, store(key, withoutVersion(next)));
  }
  const sentVersion = body.metadata.resourceVersion;
  if (sentVersion !== undefined && sentVersion !== current.metadata.resourceVersion) return refuse(409, 'Conflict');
  const next = path.endsWith('/approval')
    ? { ...current, status: { ...current.status, conditions: body.status.conditions } }
    : body;
  return reply(200, store(key, withoutVersion(next)));
}

function withoutVersion(object: AnyObject): AnyObject {
  const { resourceVersion: _old, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/**
 * Lists a collection. It exists if it holds an object, or if the test added a marker (`path/` -> {kind: …List}). null:
 * there is no such collection.
 */
function listObjects(state: KubeServer, path: string, selector: string | null): AnyObject | null {
  const match = /^(.*\/)([^/]+)$/.exec(path);
  const found = [...state.objects].filter(([key]) => {
    const [parent, , plural] = splitKey(key);
    return (
      parent === path || (match && plural === match[2] && key.startsWith(match[1] ?? '') && /\/namespaces\//.test(key))
    );
  });
  const first = found[0]?.[1];
  const marker = state.objects.get(`${path}/`);
  if (!first && !marker) return null;
  const items = found
    .map(([, object]) => object)
    .filter((object) => object.kind && object !== marker && matchesSelector(object, selector));
  const sample = first ?? marker;
  return { kind: `${sample.kind}List`, apiVersion: sample.apiVersion, items };
}

function splitKey(key: string): [string, string, string] {
  const parts = key.split('/');
  const name = parts.pop() ?? '';
  return [parts.join('/'), name, parts.at(-1) ?? ''];
}

function matchesSelector(object: AnyObject, selector: string | null): boolean {
  if (!selector) return true;
  return selector.split(',').every((term) => {
    const [key = '', value] = term.split('=');
    const own = object.metadata.labels?.[key];
    return value === undefined ? own !== undefined : own === value;
  });
}

function merge(target: AnyObject, patch: AnyObject): AnyObject {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return patch;
  const next: AnyObject = target !== null && typeof target === 'object' && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete next[key];
    else next[key] = merge(next[key], value);
  }
  return next;
}
