import { stat } from 'node:fs/promises';
import { apiVersionOf, type Kind, objectKindOf, olderVersionOf, pathOf } from '../objects/kinds.ts';
import { parseWithManagers } from '../objects/managers.ts';
import { type JsonObject, type KubeObject, type NewObject, textAt } from '../objects/object.ts';
import { parseSafely, withExactData } from '../objects/received.ts';
import type { Clock } from '../ports/clock.ts';
import type { Reach } from '../ports/reach.ts';
import { catalogue } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { askAgain, asList, asObject, exchangeJson, JSON_TYPE } from './answers.ts';
import { isClusterError, notKubernetes } from './errors.ts';
import { readKubeconfig } from './kubeconfig.ts';
import { credentialsTrouble } from './kubeconfig-user.ts';
import { skewOf } from './outage.ts';
import { type Exchange, openTransport, type Send } from './transport.ts';

const words = () => catalogue().cluster;

/** Options of a write. With `dryRun` the API validates and answers, but stores nothing. */
export interface WriteOptions {
  readonly dryRun?: boolean;
}

export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The most objects to read; the rest is left out. */
  readonly limit?: number;
}

/**
 * The API of the cluster. Checks that each answer is what was asked for and sanitises it; every failure is a
 * ClusterError.
 */
export interface Cluster {
  version(): Promise<{ readonly gitVersion: string }>;
  /** Null when /readyz reports ready; otherwise the names of the failing checks, or the status. */
  readyz(): Promise<string | null>;
  list(kind: Kind, options?: ListOptions): Promise<KubeObject[]>;
  /** Null when there is no such object, or the kind is not (yet) served. What a ConfigMap holds is not made safe to show. */
  get(kind: Kind, name: string, namespace?: string): Promise<KubeObject | null>;
  /** As get, with who manages its fields. */
  getWithManagers(kind: Kind, name: string, namespace?: string): Promise<KubeObject | null>;
  create(kind: Kind, object: NewObject, options?: WriteOptions): Promise<KubeObject>;
  /** A JSON merge patch (RFC 7386): null removes a field, a list replaces the whole list. */
  patch(
    kind: Kind,
    name: string,
    namespace: string | null,
    mergePatch: JsonObject,
    options?: WriteOptions,
  ): Promise<KubeObject>;
  /** Writes the whole object with its resourceVersion, so that a concurrent change is a conflict (409). */
  replace(kind: Kind, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /**
   * Writes the conditions of a certificate request through its approval subresource. The resourceVersion makes it safe
   * to send twice. Many in a row share connections.
   */
  approve(request: KubeObject): Promise<void>;
  /** Opens a connection ahead of many approvals: eight calls open eight. The approvals report what fails here. */
  warmUp(): Promise<void>;
  /** @param read the object as it was read: another one of its name, or a change since, is a conflict (409) */
  remove(kind: Kind, name: string, namespace?: string, read?: KubeObject): Promise<void>;
  /**
   * How far the API's clock is from ours by its last answer, in milliseconds; positive when the API's is ahead.
   * 0: the answer proves no difference; null: no answer carried a date.
   */
  clockSkew(): number | null;
}

const WRITE = { fieldManager: 'upi-wizard', fieldValidation: 'Strict' };
const TIMEOUT = 10_000;

/**
 * Opens the API that a kubeconfig leads to; sends no request yet. Returns the same API as long as the file is the same.
 * @param options.kubeconfig path of the file
 * @param options.reach where to connect for the name in it
 * @param options.timeoutMs the longest a request may take, in milliseconds of the clock (10 s)
 * @throws TroubleError `kubeconfig-…` when the file cannot be used
 */
export async function connect(options: {
  readonly kubeconfig: string;
  readonly reach: Reach;
  readonly clock: Clock;
  readonly timeoutMs?: number;
}): Promise<Cluster> {
  const { kubeconfig: path, reach, clock, timeoutMs = TIMEOUT } = options;
  const stamp = await stampOf(path);
  const known = opened.get(path);
  if (
    stamp !== null &&
    known?.stamp === stamp &&
    known.reach === reach &&
    known.clock === clock &&
    known.timeoutMs === timeoutMs
  )
    return known.cluster;
  const kubeconfig = await readKubeconfig(path, clock);
  const send = await openTransport({ kubeconfig, path, reach, clock, timeoutMs }).catch((error: unknown) => {
    throw credentialsTrouble(path, error);
  });
  const cluster = clusterOver(send, clock);
  // The files that it refers to may change while it stays the same.
  if (stamp !== null && kubeconfig.identity !== null) opened.set(path, { stamp, reach, clock, timeoutMs, cluster });
  else opened.delete(path);
  return cluster;
}

// Parsing certificates and key takes longer than a request. Each look opens the API anew because the installer rewrites
// the file when it completes, and most looks find it unchanged.
const opened = new Map<
  string,
  Required<Omit<Parameters<typeof connect>[0], 'kubeconfig'>> & { stamp: string; cluster: Cluster }
>();

/** Identifies this version of the file; null where it cannot be read. */
async function stampOf(path: string): Promise<string | null> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return null;
  }
}

/** The API over a given transport. */
export function clusterOver(send: Send, clock: Clock): Cluster {
  let skew: number | null = null;
  const dated: Send = async (exchange) => {
    const asked = clock.now();
    const answer = await send(exchange);
    // A proxy or a web page has a clock of its own.
    const isOfApi = JSON_TYPE.test(answer.contentType);
    if (isOfApi && answer.date !== null) skew = skewOf(answer.date, asked, clock.now());
    return answer;
  };
  const ask = (exchange: Exchange, parse = parseSafely) =>
    askAgain(exchange.method, clock, () => exchangeJson(dated, exchange, parse));
  const write = async (
    method: 'POST' | 'PUT' | 'PATCH',
    kind: Kind,
    path: string,
    body: unknown,
    { dryRun = false }: WriteOptions = {},
  ) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const query = { ...WRITE, ...(dryRun ? { dryRun: 'All' } : {}) };
    const answer = await ask({ method, path, query, body: { type, text: JSON.stringify(body) } });
    return asObject(kind, answer, served(kind));
  };
  const older = new Set<Kind>();
  /** The version in which the API serves the kind, as far as we have seen; undefined: the usual one. */
  const served = (kind: Kind) => (older.has(kind) ? (olderVersionOf(kind) ?? undefined) : undefined);
  /** Asks in the usual version and, where the API does not serve that one, in the older one. */
  const inServed = async <T>(kind: Kind, act: (version?: string) => Promise<T>): Promise<T> => {
    const before = olderVersionOf(kind);
    if (before === null || older.has(kind)) return await act(served(kind));
    try {
      return await act();
    } catch (error) {
      if (!isClusterError(error, 'absent')) throw error;
      // Where the older version does not have it either, it is absent.
      const found = await act(before).catch(() => {
        throw error;
      });
      older.add(kind);
      return found;
    }
  };
  const readOne = async (kind: Kind, name: string, namespace?: string, parse = parseSafely) => {
    const parseOne = kind === 'ConfigMap' ? withExactData(parse) : parse;
    try {
      return await inServed(kind, async (version) => {
        const path = pathOf(kind, namespace ?? null, name, version);
        return asObject(kind, await ask({ method: 'GET', path }, parseOne), version);
      });
    } catch (error) {
      if (isClusterError(error, 'absent')) return null;
      throw error;
    }
  };
  const listOf = async (
    kind: Kind,
    { namespace, labelSelector, fieldSelector, limit }: ListOptions,
    version?: string,
  ) => {
    const query = {
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(limit === undefined ? {} : { limit: String(limit) }),
    };
    const path = pathOf(kind, namespace ?? null, undefined, version);
    return asList(kind, await ask({ method: 'GET', path, query }), version);
  };
  return {
    async version() {
      // Each look begins here: forget the clock skew that an earlier one measured.
      skew = null;
      const gitVersion = textAt(await ask({ method: 'GET', path: '/version' }), 'gitVersion');
      if (gitVersion === null) throw notKubernetes(words().unexpected.shape('gitVersion'));
      return { gitVersion };
    },
    async readyz() {
      // Text, not JSON; while it is not ready: "[+]ping ok\n[-]etcd failed: reason withheld\n…readyz check failed".
      const { status, text } = await send({ method: 'GET', path: '/readyz' });
      if (status === 200) return null;
      const failing = [...text.matchAll(/^\[-\](\S+) failed/gm)].map(([, name]) => name).slice(0, 5);
      return sanitizeLine(failing.join(', ') || `${status}`);
    },
    list: (kind, options = {}) => inServed(kind, (version) => listOf(kind, options, version)),
    get: (kind, name, namespace) => readOne(kind, name, namespace),
    getWithManagers: (kind, name, namespace) => readOne(kind, name, namespace, parseWithManagers),
    create(kind, object, options) {
      const whole = { apiVersion: apiVersionOf(kind, served(kind)), kind: objectKindOf(kind), ...object };
      const path = pathOf(kind, object.metadata.namespace ?? null, undefined, served(kind));
      return write('POST', kind, path, whole, options);
    },
    patch(kind, name, namespace, mergePatch, options) {
      return write('PATCH', kind, pathOf(kind, namespace, name, served(kind)), mergePatch, options);
    },
    replace(kind, object, options) {
      const { name, namespace = null } = object.metadata;
      return write('PUT', kind, pathOf(kind, namespace, name, served(kind)), object, options);
    },
    async approve(request) {
      const kind = 'CertificateSigningRequest';
      const version = request.apiVersion.slice(request.apiVersion.indexOf('/') + 1);
      const path = `${pathOf(kind, null, request.metadata.name, version)}/approval`;
      const body = { type: 'application/json', text: JSON.stringify(request) } as const;
      // Many in a row: the answer is only parsed, not judged; the list shows the outcome.
      const answer = await ask({ method: 'PUT', path, query: WRITE, body, isOneOfMany: true }, JSON.parse);
      const found = textAt(answer, 'kind') ?? '';
      if (found !== kind) throw notKubernetes(words().unexpected.otherKind(kind, found));
    },
    async warmUp() {
      await send({ method: 'GET', path: '/version', isOneOfMany: true }).catch(() => undefined);
    },
    async remove(kind, name, namespace, read) {
      const { uid, resourceVersion } = read?.metadata ?? {};
      const preconditions = {
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      };
      const text = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions });
      const body = { type: 'application/json', text } as const;
      await ask({ method: 'DELETE', path: pathOf(kind, namespace ?? null, name, served(kind)), body });
    },
    clockSkew: () => skew,
  };
}
