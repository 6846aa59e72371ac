import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { checkServerIdentity, createSecureContext } from 'node:tls';
import type { Clock } from '../ports/clock.ts';
import type { Endpoint, Reach } from '../ports/reach.ts';
import { cluster as words } from '../text/en/cluster.ts';
import { type ClusterError, fromNetwork, fromStatus, isClusterError, notKubernetes } from './errors.ts';
import { explainIdentity } from './identity.ts';
import { bare, type Kubeconfig } from './kubeconfig.ts';
import { openTunnel } from './proxy.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Exchange {
  readonly method: Method;
  /** Path of the API. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: { readonly type: 'application/json' | 'application/merge-patch+json'; readonly text: string };
  /**
   * One of many in a row: may go over a connection that is open from the one before. It may be sent a second time where such
   * a connection turns out to be closed, so what it does has to be safe to do twice.
   */
  readonly isOneOfMany?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** For how long not to ask again, in milliseconds; null where nothing is said. */
  readonly retryAfter: number | null;
  /** When it was sent, by the clock of the other side, in milliseconds since the epoch; null where it does not say. */
  readonly date: number | null;
}

/** One exchange with the API server. @throws ClusterError when there is no whole answer */
export type Send = (exchange: Exchange) => Promise<Answer>;

const BODY_LIMIT = 64 * 1024 * 1024;

/** As many as requests of a batch are under way at most. */
const KEPT_OPEN = 8;

// A longer pause than this that an answer asks for is a mistake or malice.
const LONGEST_PAUSE = 60_000;

// Handshakes and signatures take their time on the machine, however fast the clock of a rehearsal runs: no request is
// given up before this much of real time.
const REAL_FLOOR = 2000;

/**
 * Opens the way to the API server of a kubeconfig. This is the only module that loads the Kubernetes client, and it loads
 * it when it is first called: it takes half a second. The client reads the credentials; what is ours is where the connection
 * goes (through `reach` and the proxy of the kubeconfig, while SNI and the certificate's name stay those of the kubeconfig),
 * that each request has a connection of its own (a reloaded load balancer leaves no stale one) unless it is one of many, that
 * no request outlives its time and no answer its size, and that no redirect is followed: it would carry our credentials
 * elsewhere.
 */
export async function openTransport(options: {
  readonly kubeconfig: Kubeconfig;
  readonly path: string;
  readonly reach: Reach;
  readonly clock: Clock;
  readonly timeoutMs: number;
}): Promise<Send> {
  // The default export is the module itself in Node and in the bundle alike; the bundle has no other names of it.
  const [kubernetes, { default: undici }] = await Promise.all([import('./credentials.ts'), import('undici')]);
  const { kubeconfig, reach, clock, timeoutMs } = options;
  const config = new kubernetes.KubeConfig();
  config.loadFromString(kubeconfig.text);
  config.makePathsAbsolute(dirname(options.path));
  const credentials: Parameters<typeof config.applyToHTTPSOptions>[0] = {};
  await config.applyToHTTPSOptions(credentials);

  const patience = Math.max(timeoutMs, REAL_FLOOR);
  const dial = undici.buildConnector({
    // Made once: each request has a connection of its own, and reading certificates and key takes longer than the rest of it.
    secureContext: createSecureContext({ ca: credentials.ca, cert: credentials.cert, key: credentials.key }),
    rejectUnauthorized: true,
    checkServerIdentity: (_host: string, certificate) => checkServerIdentity(kubeconfig.tlsName, certificate),
    allowH2: false,
    maxCachedSessions: 0,
    timeout: patience,
  });
  const own = { host: bare(kubeconfig.server.hostname), port: Number(kubeconfig.server.port || 443) };
  const connect: NonNullable<ConstructorParameters<typeof undici.Agent>[0]>['connect'] = (target, callback) => {
    const open = (to: Endpoint, httpSocket?: Socket) =>
      dial(
        { ...target, hostname: to.host, port: String(to.port), servername: sni(kubeconfig.tlsName), httpSocket },
        callback,
      );
    if (kubeconfig.proxy === null) return open(reach(own.host, own.port));
    openTunnel(kubeconfig.proxy, own, reach, patience).then(
      (socket) => open(own, socket),
      (error: Error) => callback(error, null),
    );
  };
  const fresh = new undici.Agent({ pipelining: 0, maxResponseSize: BODY_LIMIT, connect });
  const kept = new undici.Agent({ pipelining: 1, connections: KEPT_OPEN, maxResponseSize: BODY_LIMIT, connect });

  const asText = (value: unknown) => (value === undefined || value === null ? null : `${value}`);
  const dialPlain = async () => {
    if (kubeconfig.proxy !== null) return await openTunnel(kubeconfig.proxy, own, reach, patience);
    const socket = connectTcp(reach(own.host, own.port));
    await once(socket, 'connect', { signal: AbortSignal.timeout(patience) });
    return socket;
  };
  const shown = { ca: asText(credentials.ca), cert: asText(credentials.cert) };
  const explain = (error: ClusterError) =>
    explainIdentity(error, shown, { dial: dialPlain, serverName: sni(kubeconfig.tlsName), clock });

  const sendOver = async (agent: typeof fresh, { method, path, query, body }: Exchange): Promise<Answer> => {
    const url = new URL(path, kubeconfig.server);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const headers: Record<string, string> = { Accept: 'application/json', 'User-Agent': 'upi-wizard' };
    for (const [name, value] of Object.entries(credentials.headers ?? {})) headers[name] = `${value}`;
    if (body) headers['Content-Type'] = body.type;
    const { signal, done } = deadline(clock, timeoutMs);
    let hasHeaders = false;
    try {
      const options = { method, headers, body: body?.text ?? null, signal, dispatcher: agent };
      const response = await undici.request(url, options);
      hasHeaders = true;
      // Nobody asked for a compressed one, and one could grow beyond any limit.
      const encoding = headerOf(response.headers, 'content-encoding') || 'identity';
      if (encoding !== 'identity') {
        await response.body.dump({ limit: 0, signal });
        throw notKubernetes(words.unexpected.compressed(encoding), response.statusCode);
      }
      const text = await response.body.text();
      const answer = { status: response.statusCode, text, ...factsOf(response.headers) };
      if (answer.status !== 401) return answer;
      throw fromStatus(answer);
    } catch (error) {
      throw await explain(fromNetwork(signal.aborted ? signal.reason : error, hasHeaders));
    } finally {
      done();
    }
  };
  return async (exchange) => {
    if (!exchange.isOneOfMany) return await sendOver(fresh, exchange);
    try {
      return await sendOver(kept, exchange);
    } catch (error) {
      // What a reloaded load balancer leaves behind is noticed only when it is used.
      if (isClusterError(error) && error.trouble.code === 'cluster-closed') return await sendOver(fresh, exchange);
      throw error;
    }
  };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function factsOf(headers: Headers): Pick<Answer, 'contentType' | 'date' | 'retryAfter'> {
  const date = timeOf(headerOf(headers, 'date'));
  return { contentType: headerOf(headers, 'content-type'), date, retryAfter: pauseOf(headers, date) };
}

/** Retry-After is a number of seconds or a time (RFC 9110, section 10.2.3); the time is one of the other side's clock. */
function pauseOf(headers: Headers, date: number | null): number | null {
  const value = headerOf(headers, 'retry-after');
  if (/^\d{1,6}$/.test(value)) return Math.min(Number(value) * 1000, LONGEST_PAUSE);
  const until = timeOf(value);
  return until === null || date === null ? null : Math.min(Math.max(until - date, 0), LONGEST_PAUSE);
}

function headerOf(headers: Headers, name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

function timeOf(value: string): number | null {
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : ms;
}

// Made once: an error made for every request is dear.
const ANSWERED = new Error('answered');

/** Aborts with a TimeoutError after `ms` of the clock, and not before the machine had a fair chance. */
function deadline(clock: Clock, ms: number): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  const rest = new AbortController();
  const floor = AbortSignal.timeout(Math.min(ms, REAL_FLOOR));
  const end = () => controller.abort(new DOMException(`no answer within ${ms} ms`, 'TimeoutError'));
  clock.sleep(ms, rest.signal).then(
    () => {
      if (floor.aborted) end();
      else floor.addEventListener('abort', end, { once: true });
    },
    () => undefined,
  );
  return {
    signal: controller.signal,
    done: () => {
      rest.abort(ANSWERED);
      floor.removeEventListener('abort', end);
    },
  };
}

/** An address is never sent as a server name (RFC 6066). */
function sni(name: string): string {
  return /^[\d.]+$|:/.test(name) ? '' : name;
}
