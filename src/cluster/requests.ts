import { apiVersionOf, type Kind, objectKindOf, olderVersionOf, pathOf } from '../objects/kinds.ts';
import { parseWithManagers } from '../objects/managers.ts';
import { textAt } from '../objects/object.ts';
import { parseSafely, withExactData } from '../objects/received.ts';
import type { Clock } from '../ports/clock.ts';
import { catalogue } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { askAgain, asList, asObject, exchangeJson, JSON_TYPE } from './answers.ts';
import type { Cluster, ListOptions, WriteOptions } from './api.ts';
import { isClusterError, notKubernetes } from './errors.ts';
import { skewOf } from './outage.ts';
import type { Exchange, Send } from './transport.ts';

const words = () => catalogue().cluster;
const WRITE = { fieldManager: 'upi-wizard', fieldValidation: 'Strict' };

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
  const { served, inServed } = servedVersions();
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

/** In which version the API serves each kind, as far as its answers have shown. */
function servedVersions() {
  const older = new Set<Kind>();
  /** Undefined: the usual version. */
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
  return { served, inServed };
}
