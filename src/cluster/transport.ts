import { dirname } from 'node:path';
import { checkServerIdentity } from 'node:tls';
import type { Clock } from '../ports/clock.ts';
import type { Reach } from '../ports/reach.ts';
import { cluster as words } from '../text/en/cluster.ts';
import { fromNetwork, notKubernetes } from './errors.ts';
import { bare, type Kubeconfig } from './kubeconfig.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Exchange {
  readonly method: Method;
  /** Path of the API. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: { readonly type: 'application/json' | 'application/merge-patch+json'; readonly text: string };
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** One exchange with the API server. @throws ClusterError when there is no whole answer */
export type Send = (exchange: Exchange) => Promise<Answer>;

const BODY_LIMIT = 64 * 1024 * 1024;

// Handshakes and signatures take their time on the machine, however fast the clock of a rehearsal runs: no request is
// given up before this much of real time.
const REAL_FLOOR = 2000;

/**
 * Opens the way to the API server of a kubeconfig. This is the only module that loads the Kubernetes client, and it loads
 * it when it is first called: it takes half a second. The client reads the credentials and sends; what is ours is where the
 * connection goes (through `reach`, while SNI and the certificate's name stay those of the kubeconfig), that each request
 * has a connection of its own (a reloaded load balancer leaves no stale one), and that no request outlives its time.
 */
export async function openTransport(options: {
  readonly kubeconfig: Kubeconfig;
  readonly path: string;
  readonly reach: Reach;
  readonly clock: Clock;
  readonly timeoutMs: number;
}): Promise<Send> {
  // The default export is the module itself in Node and in the bundle alike; the bundle has no other names of it.
  const [kubernetes, { default: undici }] = await Promise.all([import('@kubernetes/client-node'), import('undici')]);
  const { kubeconfig, reach, clock, timeoutMs } = options;
  const config = new kubernetes.KubeConfig();
  config.loadFromString(kubeconfig.text);
  config.makePathsAbsolute(dirname(options.path));
  const credentials: Parameters<typeof config.applyToHTTPSOptions>[0] = {};
  await config.applyToHTTPSOptions(credentials);

  const dial = undici.buildConnector({
    ca: credentials.ca,
    cert: credentials.cert,
    key: credentials.key,
    rejectUnauthorized: true,
    checkServerIdentity: (_host: string, certificate) => checkServerIdentity(kubeconfig.tlsName, certificate),
    allowH2: false,
    maxCachedSessions: 0,
    timeout: Math.max(timeoutMs, REAL_FLOOR),
  });
  const own = { host: bare(kubeconfig.server.hostname), port: Number(kubeconfig.server.port || 443) };
  const agent = new undici.Agent({
    pipelining: 0,
    maxResponseSize: BODY_LIMIT,
    connect: (target, callback) => {
      // A redirect must not carry our client certificate elsewhere.
      if (
        target.protocol !== 'https:' ||
        bare(target.hostname) !== own.host ||
        Number(target.port || 443) !== own.port
      ) {
        return callback(notKubernetes(words.unexpected.redirect), null);
      }
      const { host, port } = reach(own.host, own.port);
      dial({ ...target, hostname: host, port: String(port), servername: sni(kubeconfig.tlsName) }, callback);
    },
  });
  const library = new kubernetes.IsomorphicFetchHttpLibrary();

  return async ({ method, path, query, body }) => {
    const url = new URL(path, kubeconfig.server);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const request = new kubernetes.RequestContext(url.href, kubernetes.HttpMethod[method]);
    request.setHeaderParam('Accept', 'application/json');
    request.setHeaderParam('User-Agent', 'upi-wizard');
    for (const [name, value] of Object.entries(credentials.headers ?? {})) request.setHeaderParam(name, `${value}`);
    if (body) {
      request.setHeaderParam('Content-Type', body.type);
      request.setBody(body.text);
    }
    const { signal, done } = deadline(clock, timeoutMs);
    request.setSignal(signal);
    request.setDispatcher(agent);
    let hasHeaders = false;
    try {
      const response = await library.send(request).toPromise();
      hasHeaders = true;
      const text = await response.body.text();
      return { status: response.httpStatusCode, contentType: response.headers['content-type'] ?? '', text };
    } catch (error) {
      throw fromNetwork(signal.aborted ? signal.reason : error, hasHeaders);
    } finally {
      done();
    }
  };
}

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
      rest.abort();
      floor.removeEventListener('abort', end);
    },
  };
}

/** An address is never sent as a server name (RFC 6066). */
function sni(name: string): string {
  return /^[\d.]+$|:/.test(name) ? '' : name;
}
