import { once } from 'node:events';
import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { checkServerIdentity, connect, createSecureContext } from 'node:tls';
import { catalogue } from '../i18n/catalogue.ts';
import type { Clock } from '../platform/clock.ts';
import type { Endpoint, ResolveEndpoint } from '../platform/manual-actions.ts';
import { getUrlHost } from '../platform/text.ts';
import type { ExecRequest, ExecResult } from './api.ts';
import { createDeadlines, MIN_REAL_TIMEOUT, type StartDeadline } from './deadlines.ts';
import { createNotKubernetesError, explainIdentityError, toNetworkError, toStatusError } from './errors.ts';
import { buildExecPath, execInContainer } from './exec.ts';
import type { Identity, Kubeconfig } from './kubeconfig.ts';

/** The maximum number of concurrent approvals. */
const MAX_APPROVALS = 8;
/** A probe reads up to eight lists; with a second connection, a list that hangs does not delay the others. */
const MAX_PROBE_CONNECTIONS = 2;
/** How long the idle connections of many writes stay open (ms of real time). */
const IDLE_TIMEOUT_MS = 4000;

/**
 * The connections to one API server, each through TLS with the same identity. All are closed early, so that no
 * stale connection remains after the load balancer was reloaded.
 */
interface Connections {
  /** The agent that opens a new connection for each request. */
  readonly singleAgent: Agent;
  /**
   * Runs `act` with an agent. `sequential`: requests that follow each other without a pause, as those of one probe; the
   * first pause closes the connections. `concurrent`: many writes at once; the connections stay open for a few seconds.
   */
  withAgent<T>(mode: 'sequential' | 'concurrent' | 'single', act: (agent: Agent) => Promise<T>): Promise<T>;
}

/**
 * Creates the agents that connect to an API server.
 * @param target.tlsName the name that the certificate must be for
 * @param target.serverName the name sent to the server as SNI; empty for none
 * @param target.getEndpoint called for each connection
 * @param target.openTunnel opens a connection through a proxy; null where there is none
 */
function createConnections(target: {
  readonly identity: Identity;
  readonly tlsName: string;
  readonly serverName: string;
  readonly getEndpoint: () => Endpoint;
  readonly openTunnel: (() => Promise<Socket>) | null;
}): Connections {
  const { ca, cert, key } = target.identity;
  // Built once: parsing certificates and key takes longer than the rest of a connection.
  const secureContext = createSecureContext({ ca, cert, key });
  const dial = (route: { readonly socket: Socket } | Endpoint) => {
    const socket = connect({
      ...route,
      servername: target.serverName,
      secureContext,
      rejectUnauthorized: true,
      checkServerIdentity: (_host, certificate) => checkServerIdentity(target.tlsName, certificate),
    });
    // Holds data back until the handshake is complete: if it fails while data waits, Node.js reports only EPROTO,
    // without the reason.
    socket.cork();
    return socket.once('secureConnect', () => socket.uncork());
  };
  class ClusterAgent extends Agent {
    override createConnection(_options: RequestOptions, callback?: (error: Error | null, socket: Socket) => void) {
      if (target.openTunnel === null) return dial(target.getEndpoint());
      target.openTunnel().then(
        (socket) => callback?.(null, dial({ socket })),
        (error: Error) => callback?.(error, undefined as never),
      );
      return undefined;
    }
  }
  const sequentialAgent = new ClusterAgent({ keepAlive: true, maxSockets: MAX_PROBE_CONNECTIONS });
  const concurrentAgent = new ClusterAgent({ keepAlive: true, maxSockets: MAX_APPROVALS });
  const singleAgent = new ClusterAgent({ keepAlive: false });
  const activeCount = { sequential: 0, concurrent: 0 };
  const closeIfIdle = (mode: 'sequential' | 'concurrent', agent: Agent) => {
    if (activeCount[mode] === 0) agent.destroy();
  };
  return {
    singleAgent,
    async withAgent(mode, act) {
      if (mode === 'single') return await act(singleAgent);
      const agent = mode === 'sequential' ? sequentialAgent : concurrentAgent;
      activeCount[mode] += 1;
      try {
        return await act(agent);
      } finally {
        activeCount[mode] -= 1;
        // When the callback runs, the next request of a sequence has begun, so its connection stays open.
        if (activeCount[mode] === 0) {
          if (mode === 'sequential') setImmediate(closeIfIdle, mode, agent);
          else setTimeout(closeIfIdle, IDLE_TIMEOUT_MS, mode, agent).unref();
        }
      }
    },
  };
}

const words = () => catalogue().cluster;

type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface ApiRequest {
  readonly method: HttpMethod;
  /** Path of the API. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The media type to request; missing: JSON. */
  readonly accept?: string;
  readonly body?: { readonly type: 'application/json' | 'application/merge-patch+json'; readonly text: string };
  /**
   * Whether the request is one of many writes: it may reuse the connection that the previous one left open, and is sent
   * a second time if that connection turns out to be closed. Such a request must be idempotent.
   */
  readonly isBatched?: boolean;
}

interface ApiResponse {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** The pause that the server requests, in milliseconds; null if it requests none. */
  readonly retryAfter: number | null;
  /** When the server sent it, by its own clock, in milliseconds since the epoch; null if it does not report that. */
  readonly date: number | null;
}

/**
 * Sends one request to the API server.
 * @throws ClusterError if there is no complete response
 */
export type Transport = (apiRequest: ApiRequest) => Promise<ApiResponse>;

const MAX_BODY_BYTES = 64 * 1024 * 1024;

// A response that requests a longer pause is a mistake or malice.
const MAX_PAUSE = 60_000;

/**
 * Opens the transport to the API server of a kubeconfig. It decides where connections go: through `resolveEndpoint` and
 * the proxy of the kubeconfig, while SNI and the certificate's name stay those of the kubeconfig. It also decides how
 * long they stay open (see Connections), and limits the time and size of a response. It follows no redirect, which
 * would send our credentials elsewhere.
 * @param options.timeoutMs for each request, in milliseconds of the clock
 * @returns `send` for requests; `exec` for commands in containers
 */
export async function openTransport(options: {
  readonly kubeconfig: Kubeconfig;
  readonly path: string;
  readonly resolveEndpoint: ResolveEndpoint;
  readonly clock: Clock;
  readonly timeoutMs: number;
}): Promise<{ readonly send: Transport; readonly exec: (request: ExecRequest) => Promise<ExecResult> }> {
  const { kubeconfig, resolveEndpoint, clock, timeoutMs } = options;
  const credentials = kubeconfig.identity ?? (await loadIdentity(kubeconfig.text, dirname(options.path)));
  const realTimeoutMs = Math.max(timeoutMs, MIN_REAL_TIMEOUT);
  const server = { host: getUrlHost(kubeconfig.server), port: Number(kubeconfig.server.port || 443) };
  // The API may be behind a path of a proxy.
  const basePath = kubeconfig.server.pathname.replace(/\/+$/, '');
  const serverName = toServerName(kubeconfig.tlsName);
  const { proxy } = kubeconfig;
  // Loaded on demand: most clusters need no proxy.
  const openTunnel =
    proxy &&
    (async () => (await import('./proxy-tunnel.ts')).openTunnel(proxy, server, resolveEndpoint, realTimeoutMs));
  const connections = createConnections({
    identity: credentials,
    tlsName: kubeconfig.tlsName,
    serverName,
    getEndpoint: () => resolveEndpoint(server.host, server.port),
    openTunnel,
  });

  const toText = (value: unknown) => (value === undefined || value === null ? null : `${value}`);
  const dialTcp = async () => {
    if (openTunnel !== null) return await openTunnel();
    const socket = connectTcp(resolveEndpoint(server.host, server.port));
    await once(socket, 'connect', { signal: AbortSignal.timeout(realTimeoutMs) });
    return socket;
  };
  const pemCredentials = { ca: toText(credentials.ca), cert: toText(credentials.cert) };

  // A rehearsal maps the API to an address of its own: errors name the server of the kubeconfig.
  const restoreServerAddress = (error: Error) => {
    const { host } = resolveEndpoint(server.host, server.port);
    if (host !== server.host && 'address' in error && error.address === host)
      Object.assign(error, { address: server.host, port: server.port });
  };

  const startDeadline = createDeadlines(clock, timeoutMs);
  const commonHeaders: Record<string, string> = { 'User-Agent': 'upi-wizard' };
  for (const [name, value] of Object.entries(credentials.headers ?? {})) commonHeaders[name] = `${value}`;
  const sendOver = async (agent: Agent, apiRequest: ApiRequest, isRetry = false): Promise<ApiResponse> => {
    const { method, path, query, body, accept = 'application/json' } = apiRequest;
    const headers: Record<string, string> = { Accept: accept, ...commonHeaders };
    if (body) headers['Content-Type'] = body.type;
    // For a DELETE, Node.js does not add the length of the body on its own.
    if (body) headers['Content-Length'] = `${Buffer.byteLength(body.text)}`;
    const target = `${basePath}${path}${query === undefined ? '' : `?${new URLSearchParams(query)}`}`;
    const clientRequest = request({ ...server, path: target, method, headers, agent });
    clientRequest.once('error', restoreServerAddress);
    try {
      const response = await readResponse(clientRequest, body?.text, startDeadline);
      if (response.status !== 401) return response;
      throw toStatusError(response);
    } catch (error) {
      clientRequest.destroy();
      const clusterError = toNetworkError(error);
      // A connection that a reloaded load balancer left stale fails only when it is used.
      const isStale = clientRequest.reusedSocket && clusterError.userError.code === 'cluster-closed' && !isRetry;
      if (isStale) return await sendOver(connections.singleAgent, apiRequest, true);
      throw await explainIdentityError(clusterError, pemCredentials, { dial: dialTcp, serverName, clock });
    }
  };
  return {
    send: (apiRequest) => connections.withAgent(selectConnection(apiRequest), (agent) => sendOver(agent, apiRequest)),
    exec: (execRequest) => {
      const url = `wss://${kubeconfig.server.host}${basePath}${buildExecPath(execRequest)}`;
      return execInContainer(url, { agent: connections.singleAgent, headers: commonHeaders }, startDeadline);
    },
  };
}

/** Selects the mode of connection: only idempotent requests use one that may turn out to be closed. */
function selectConnection({ method, isBatched }: ApiRequest): Parameters<Connections['withAgent']>[0] {
  if (isBatched) return 'concurrent';
  return method === 'GET' ? 'sequential' : 'single';
}

/**
 * Loads credentials that are not inline in the kubeconfig, or are no certificate. Only such a kubeconfig needs the
 * Kubernetes client, and only this function loads it: the installer's kubeconfig is complete, and loading the client
 * takes longer than a probe of the cluster.
 */
async function loadIdentity(text: string, dir: string): Promise<Identity> {
  const { KubeConfig } = await import('./kubeconfig-library.ts');
  const config = new KubeConfig();
  config.loadFromString(text);
  config.makePathsAbsolute(dir);
  const credentials: Parameters<typeof config.applyToHTTPSOptions>[0] = {};
  await config.applyToHTTPSOptions(credentials);
  const { ca, cert, key, headers } = credentials;
  return { ca, cert, key, headers };
}

/**
 * Sends a request and reads its whole response. Uses events, not an iterator over the body: with many writes in a row
 * the iterator costs as much as the rest.
 * @throws ClusterError if the response is late, truncated, too long or compressed
 */
function readResponse(
  clientRequest: ClientRequest,
  body: string | undefined,
  startDeadline: StartDeadline,
): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    let hasHeaders = false;
    const fail = (error: unknown) => {
      cancelDeadline();
      reject(toNetworkError(error, hasHeaders));
    };
    const cancelDeadline = startDeadline((error) => {
      fail(error);
      clientRequest.destroy();
    });
    clientRequest.on('error', fail);
    clientRequest.once('response', (response) => {
      hasHeaders = true;
      const { statusCode: status = 0, headers } = response;
      // We accept no compression, and a compressed body could grow beyond any limit.
      const encoding = getHeader(headers, 'content-encoding') || 'identity';
      if (encoding !== 'identity')
        return fail(createNotKubernetesError(words().unexpected.compressed(encoding), status));
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('error', fail);
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_BODY_BYTES) return fail(createNotKubernetesError(words().unexpected.tooLong('64 MiB'), status));
        chunks.push(chunk);
      });
      response.on('end', () => {
        cancelDeadline();
        resolve({ status, text: Buffer.concat(chunks).toString('utf8'), ...parseHeaders(headers) });
      });
    });
    clientRequest.end(body);
  });
}

function parseHeaders(headers: IncomingHttpHeaders): Pick<ApiResponse, 'contentType' | 'date' | 'retryAfter'> {
  const date = parseTime(getHeader(headers, 'date'));
  return { contentType: getHeader(headers, 'content-type'), date, retryAfter: parseRetryAfter(headers, date) };
}

/** Parses Retry-After to ms: a number of seconds, or a time by the server's clock (RFC 9110, section 10.2.3). */
function parseRetryAfter(headers: IncomingHttpHeaders, date: number | null): number | null {
  const value = getHeader(headers, 'retry-after');
  if (/^\d{1,6}$/.test(value)) return Math.min(Number(value) * 1000, MAX_PAUSE);
  const retryAt = parseTime(value);
  return retryAt === null || date === null ? null : Math.min(Math.max(retryAt - date, 0), MAX_PAUSE);
}

function getHeader(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

function parseTime(value: string): number | null {
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : ms;
}

/** Returns the name to send as SNI; empty for an address, which is never sent (RFC 6066). */
function toServerName(name: string): string {
  return /^[\d.]+$|:/.test(name) ? '' : name;
}
