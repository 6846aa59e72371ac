import { once } from 'node:events';
import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import { type Agent, request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { dirname } from 'node:path';
import type { Clock } from '../ports/clock.ts';
import type { Reach } from '../ports/reach.ts';
import { catalogue } from '../text/catalogue.ts';
import { type Connections, connectionsTo } from './connections.ts';
import { deadlines, FAIR_CHANCE, type WhenLate } from './deadlines.ts';
import { type ClusterError, fromNetwork, fromStatus, notKubernetes } from './errors.ts';
import { explainIdentity } from './identity.ts';
import { bare, type Identity, type Kubeconfig } from './kubeconfig.ts';

const words = () => catalogue().cluster;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Exchange {
  readonly method: Method;
  /** Path of the API. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: { readonly type: 'application/json' | 'application/merge-patch+json'; readonly text: string };
  /**
   * One of many writes: may use the connection that the one before left open, and is sent a second time when that turns
   * out to be closed, so it must be idempotent.
   */
  readonly isOneOfMany?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** How long not to ask again, in milliseconds; null where the answer does not say. */
  readonly retryAfter: number | null;
  /** When the server sent it, by its own clock, in milliseconds since the epoch; null where it does not say. */
  readonly date: number | null;
}

/** One exchange with the API server. @throws ClusterError when there is no whole answer */
export type Send = (exchange: Exchange) => Promise<Answer>;

const BODY_LIMIT = 64 * 1024 * 1024;

// An answer that asks for a longer pause is a mistake or malice.
const LONGEST_PAUSE = 60_000;

/**
 * Opens the way to the API server of a kubeconfig. We decide where connections go (through `reach` and the proxy of the
 * kubeconfig, while SNI and the certificate's name stay those of the kubeconfig), how long they stay (see Connections),
 * how long a request takes and how large an answer is at most. We follow no redirect: it would carry our credentials
 * elsewhere.
 */
export async function openTransport(options: {
  readonly kubeconfig: Kubeconfig;
  readonly path: string;
  readonly reach: Reach;
  readonly clock: Clock;
  readonly timeoutMs: number;
}): Promise<Send> {
  const { kubeconfig, reach, clock, timeoutMs } = options;
  const credentials = kubeconfig.identity ?? (await identityByClient(kubeconfig.text, dirname(options.path)));
  const patience = Math.max(timeoutMs, FAIR_CHANCE);
  const own = { host: bare(kubeconfig.server.hostname), port: Number(kubeconfig.server.port || 443) };
  // The API may stand behind a path of a proxy.
  const root = kubeconfig.server.pathname.replace(/\/+$/, '');
  const serverName = sni(kubeconfig.tlsName);
  const { proxy } = kubeconfig;
  // Loaded on demand: most clusters need no proxy.
  const tunnel = proxy && (async () => (await import('./proxy.ts')).openTunnel(proxy, own, reach, patience));
  const connections = connectionsTo({
    credentials,
    tlsName: kubeconfig.tlsName,
    serverName,
    where: () => reach(own.host, own.port),
    tunnel,
  });

  const asText = (value: unknown) => (value === undefined || value === null ? null : `${value}`);
  const dialPlain = async () => {
    if (tunnel !== null) return await tunnel();
    const socket = connectTcp(reach(own.host, own.port));
    await once(socket, 'connect', { signal: AbortSignal.timeout(patience) });
    return socket;
  };
  const shown = { ca: asText(credentials.ca), cert: asText(credentials.cert) };
  const explain = (error: ClusterError) => explainIdentity(error, shown, { dial: dialPlain, serverName, clock });

  const whenLate = deadlines(clock, timeoutMs);
  const sendOver = async (agent: Agent, exchange: Exchange, isSecondTry = false): Promise<Answer> => {
    const { method, path, query, body } = exchange;
    const headers: Record<string, string> = { Accept: 'application/json', 'User-Agent': 'upi-wizard' };
    for (const [name, value] of Object.entries(credentials.headers ?? {})) headers[name] = `${value}`;
    if (body) headers['Content-Type'] = body.type;
    // Node does not say by itself how long the body of a DELETE is.
    if (body) headers['Content-Length'] = `${Buffer.byteLength(body.text)}`;
    const target = `${root}${path}${query === undefined ? '' : `?${new URLSearchParams(query)}`}`;
    const asked = request({ ...own, path: target, method, headers, agent });
    try {
      const answer = await answerOf(asked, body?.text, whenLate);
      if (answer.status !== 401) return answer;
      throw fromStatus(answer);
    } catch (error) {
      asked.destroy();
      const found = fromNetwork(error);
      // A connection that a reloaded load balancer left stale fails only when it is used.
      const isStale = asked.reusedSocket && found.trouble.code === 'cluster-closed' && !isSecondTry;
      if (isStale) return await sendOver(connections.single, exchange, true);
      throw await explain(found);
    }
  };
  return (exchange) => connections.use(wayOf(exchange), (agent) => sendOver(agent, exchange));
}

/** Only idempotent requests use a connection that may turn out to be closed. */
function wayOf({ method, isOneOfMany }: Exchange): Parameters<Connections['use']>[0] {
  if (isOneOfMany) return 'many';
  return method === 'GET' ? 'row' : 'single';
}

/**
 * Credentials that are not inline in the kubeconfig, or are no certificate. The only place that loads the Kubernetes
 * client, which knows how to get them, and only for such a kubeconfig: the installer's holds all it needs, and loading
 * the client takes longer than a look at the cluster.
 */
async function identityByClient(text: string, dir: string): Promise<Identity> {
  const { KubeConfig } = await import('./credentials.ts');
  const config = new KubeConfig();
  config.loadFromString(text);
  config.makePathsAbsolute(dir);
  const credentials: Parameters<typeof config.applyToHTTPSOptions>[0] = {};
  await config.applyToHTTPSOptions(credentials);
  const { ca, cert, key, headers } = credentials;
  return { ca, cert, key, headers };
}

/**
 * Sends a request and reads its whole answer. Uses events, not an iterator over the body: with many writes in a row the
 * iterator costs as much as the rest.
 * @throws ClusterError when no answer comes in time, or it is cut off, too long or compressed
 */
function answerOf(asked: ClientRequest, body: string | undefined, whenLate: WhenLate): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let hasHeaders = false;
    const fail = (error: unknown) => {
      isInTime();
      reject(fromNetwork(error, hasHeaders));
    };
    const isInTime = whenLate((error) => {
      fail(error);
      asked.destroy();
    });
    asked.on('error', fail);
    asked.once('response', (response) => {
      hasHeaders = true;
      const { statusCode: status = 0, headers } = response;
      // We asked for no compression, and a compressed body could grow beyond any limit.
      const encoding = headerOf(headers, 'content-encoding') || 'identity';
      if (encoding !== 'identity') return fail(notKubernetes(words().unexpected.compressed(encoding), status));
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('error', fail);
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > BODY_LIMIT) return fail(notKubernetes(words().unexpected.tooLong, status));
        chunks.push(chunk);
      });
      response.on('end', () => {
        isInTime();
        resolve({ status, text: Buffer.concat(chunks).toString('utf8'), ...factsOf(headers) });
      });
    });
    asked.end(body);
  });
}

function factsOf(headers: IncomingHttpHeaders): Pick<Answer, 'contentType' | 'date' | 'retryAfter'> {
  const date = timeOf(headerOf(headers, 'date'));
  return { contentType: headerOf(headers, 'content-type'), date, retryAfter: pauseOf(headers, date) };
}

/** Retry-After is a number of seconds or a time by the other side's clock (RFC 9110, section 10.2.3). */
function pauseOf(headers: IncomingHttpHeaders, date: number | null): number | null {
  const value = headerOf(headers, 'retry-after');
  if (/^\d{1,6}$/.test(value)) return Math.min(Number(value) * 1000, LONGEST_PAUSE);
  const until = timeOf(value);
  return until === null || date === null ? null : Math.min(Math.max(until - date, 0), LONGEST_PAUSE);
}

function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

function timeOf(value: string): number | null {
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : ms;
}

/** An address is never sent as a server name (RFC 6066). */
function sni(name: string): string {
  return /^[\d.]+$|:/.test(name) ? '' : name;
}
