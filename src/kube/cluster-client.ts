import { catalogue } from '../i18n/catalogue.ts';
import { parseWithManagers } from '../openshift/field-managers.ts';
import { buildResourcePath, getApiVersion, getObjectKind, getOlderVersion, type Kind } from '../openshift/kinds.ts';
import { getList, getString, type KubeObject, type RawObject } from '../openshift/object.ts';
import {
  checkAndNormalizeList,
  checkAndNormalizeObject,
  parseSafely,
  preserveDataStrings,
} from '../openshift/safe-json.ts';
import { type Clock, SECOND } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import type { ApiTableRow, Cluster, ListOptions, WriteOptions } from './api.ts';
import { createBrokenJsonError, createNotKubernetesError, isClusterError, toStatusError } from './errors.ts';
import type { ApiRequest, Transport } from './transport.ts';

const words = () => catalogue().cluster;

/** The media type of the API's responses, with any parameters. */
const JSON_TYPE = /^application\/json\b/i;
/** Limits for a busy API: attempts in total, and the longest pause that we accept at its request (ms of the clock). */
const MAX_ATTEMPTS = 3;
const MAX_PAUSE = 5000;

/**
 * Repeats a request when the API is too busy for it and names a pause, as kubectl does. A 429 means that nothing was
 * done, so repeating a write is safe; after a 5xx only reads are repeated.
 */
async function retryWhenBusy<T>(method: ApiRequest['method'], clock: Clock, sendRequest: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendRequest();
    } catch (error) {
      const pause = isClusterError(error) && (error.status === 429 || method === 'GET') ? error.retryAfter : null;
      if (pause === null || pause > MAX_PAUSE || attempt === MAX_ATTEMPTS) throw error;
      await clock.sleep(pause);
    }
  }
}

/**
 * Sends a request and parses the JSON response.
 * @throws ClusterError for a status other than 2xx, or a response that is not JSON
 */
async function requestJson(send: Transport, request: ApiRequest, parse: (json: string) => unknown): Promise<unknown> {
  const response = await send(request);
  const { status, contentType, text } = response;
  if (status < 200 || status > 299) throw toStatusError(response);
  if (!JSON_TYPE.test(contentType)) throw createNotKubernetesError(words().unexpected.notJson(contentType), status);
  try {
    return parse(text);
  } catch {
    throw createBrokenJsonError(text, status);
  }
}

/**
 * Checks that the response is an object of the kind.
 * @param version the requested version, if it is not the kind's own
 * @throws ClusterError for any other response
 */
function toKubeObject(kind: Kind, response: unknown, version?: string): KubeObject {
  assertNoInvalidField(checkAndNormalizeObject(response), response, kind);
  return assertObjectType(kind, response as RawObject, version);
}

/**
 * Checks that the response is a list of the kind, and returns its items.
 * @param version the requested version, if it is not the kind's own
 * @throws ClusterError for any other response
 */
function toKubeList(kind: Kind, response: unknown, version?: string): KubeObject[] {
  const expectedKind = `${getObjectKind(kind)}List`;
  const actualKind = getString(response, 'kind') ?? '';
  if (actualKind !== expectedKind)
    throw createNotKubernetesError(words().unexpected.otherKind(expectedKind, actualKind));
  assertNoInvalidField(checkAndNormalizeList(response), response, kind);
  return ((response as { items: readonly RawObject[] | null }).items ?? []).map((item) =>
    // The items of a list of a built-in kind carry neither kind nor apiVersion.
    assertObjectType(kind, { kind: getObjectKind(kind), apiVersion: getApiVersion(kind, version), ...item }, version),
  );
}

/**
 * Checks that the response is a Table (meta.k8s.io/v1), and returns its rows. A row without a name is left out.
 * @throws ClusterError for any other response
 */
function toTableRows(response: unknown): ApiTableRow[] {
  const kind = getString(response, 'kind') ?? '';
  if (kind !== 'Table') throw createNotKubernetesError(words().unexpected.otherKind('Table', kind));
  const columns = getList(response, 'columnDefinitions').map((column) => getString(column, 'name') ?? '');
  return getList(response, 'rows').flatMap((row) => {
    const cells = getList(row, 'cells');
    const name = getString(row, 'object', 'metadata', 'name');
    return name === null ? [] : [{ name, cells: new Map(columns.map((column, index) => [column, cells[index]])) }];
  });
}

function assertObjectType(kind: Kind, object: RawObject, version?: string): KubeObject {
  const expectedType = `${getApiVersion(kind, version)} ${getObjectKind(kind)}`;
  const actualType = `${object.apiVersion ?? ''} ${object.kind ?? ''}`;
  if (actualType !== expectedType)
    throw createNotKubernetesError(words().unexpected.otherKind(expectedType, actualType.trim()));
  return object as KubeObject;
}

/**
 * Requires a response without an invalid field.
 * @param field the path of the invalid field; null: there is none
 * @throws ClusterError if there is one
 */
function assertNoInvalidField(field: string | null, response: unknown, kind: Kind): void {
  if (field === null) return;
  if (getString(response, 'kind') === null) throw createNotKubernetesError(words().unexpected.otherKind(kind, ''));
  throw createNotKubernetesError(words().unexpected.shape(field || kind));
}

const WRITE_QUERY = { fieldManager: 'upi-wizard', fieldValidation: 'Strict' };

/** The media type that requests a list as a table (Kubernetes API concepts, receiving resources as Tables). */
const TABLE_TYPE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** Creates the client of a cluster's API over a transport. */
export function createClusterClient(send: Transport, exec: Cluster['exec'], clock: Clock): Cluster {
  let skew: number | null = null;
  const sendAndMeasureSkew: Transport = async (apiRequest) => {
    const sentAt = clock.now();
    const response = await send(apiRequest);
    // A proxy or a web page has its own clock.
    const isFromApi = JSON_TYPE.test(response.contentType);
    if (isFromApi && response.date !== null) skew = measureSkew(response.date, sentAt, clock.now());
    return response;
  };
  const requestWithRetry = (apiRequest: ApiRequest, parse = parseSafely) =>
    retryWhenBusy(apiRequest.method, clock, () => requestJson(sendAndMeasureSkew, apiRequest, parse));
  const write = async (
    method: 'POST' | 'PUT' | 'PATCH',
    kind: Kind,
    path: string,
    body: unknown,
    { dryRun = false }: WriteOptions = {},
  ) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const query = { ...WRITE_QUERY, ...(dryRun ? { dryRun: 'All' } : {}) };
    const response = await requestWithRetry({ method, path, query, body: { type, text: JSON.stringify(body) } });
    return toKubeObject(kind, response, getServedVersion(kind));
  };
  const { getServedVersion, withServedVersion } = trackServedVersions();
  const readObject = async (kind: Kind, name: string, namespace?: string, parse = parseSafely) => {
    const parseObject = kind === 'ConfigMap' ? preserveDataStrings(parse) : parse;
    try {
      return await withServedVersion(kind, async (version) => {
        const path = buildResourcePath(kind, namespace ?? null, name, version);
        return toKubeObject(kind, await requestWithRetry({ method: 'GET', path }, parseObject), version);
      });
    } catch (error) {
      if (isClusterError(error, 'absent')) return null;
      throw error;
    }
  };
  const readList = async (
    kind: Kind,
    { namespace, labelSelector, fieldSelector, limit }: ListOptions,
    version?: string,
  ) => {
    const query = {
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(limit === undefined ? {} : { limit: String(limit) }),
    };
    const path = buildResourcePath(kind, namespace ?? null, undefined, version);
    return toKubeList(kind, await requestWithRetry({ method: 'GET', path, query }), version);
  };
  return {
    async getVersion() {
      // Each probe begins here: reset the clock skew of the previous one.
      skew = null;
      const gitVersion = getString(await requestWithRetry({ method: 'GET', path: '/version' }), 'gitVersion');
      if (gitVersion === null) throw createNotKubernetesError(words().unexpected.shape('gitVersion'));
      return { gitVersion };
    },
    async probeReadyz() {
      // Text, not JSON; while it is not ready: "[+]ping ok\n[-]etcd failed: reason withheld\n…readyz check failed".
      const { status, text } = await send({ method: 'GET', path: '/readyz' });
      if (status === 200) return null;
      const failedChecks = [...text.matchAll(/^\[-\](\S+) failed/gm)].map(([, name]) => name).slice(0, 5);
      return sanitizeLine(failedChecks.join(', ') || `${status}`);
    },
    list: (kind, options = {}) => withServedVersion(kind, (version) => readList(kind, options, version)),
    async listRows(kind) {
      const request = { method: 'GET', path: buildResourcePath(kind, null), accept: TABLE_TYPE } as const;
      return toTableRows(await requestWithRetry(request));
    },
    get: (kind, name, namespace) => readObject(kind, name, namespace),
    getWithManagers: (kind, name, namespace) => readObject(kind, name, namespace, parseWithManagers),
    create(kind, object, options) {
      const fullObject = {
        apiVersion: getApiVersion(kind, getServedVersion(kind)),
        kind: getObjectKind(kind),
        ...object,
      };
      const path = buildResourcePath(kind, object.metadata.namespace ?? null, undefined, getServedVersion(kind));
      return write('POST', kind, path, fullObject, options);
    },
    patch(kind, name, namespace, mergePatch, options) {
      return write(
        'PATCH',
        kind,
        buildResourcePath(kind, namespace, name, getServedVersion(kind)),
        mergePatch,
        options,
      );
    },
    replace(kind, object, options) {
      const { name, namespace = null } = object.metadata;
      return write('PUT', kind, buildResourcePath(kind, namespace, name, getServedVersion(kind)), object, options);
    },
    async approve(request) {
      const kind = 'CertificateSigningRequest';
      const version = request.apiVersion.slice(request.apiVersion.indexOf('/') + 1);
      const path = `${buildResourcePath(kind, null, request.metadata.name, version)}/approval`;
      const body = { type: 'application/json', text: JSON.stringify(request) } as const;
      // With many approvals in a row, the response is only parsed, not validated; the list shows the outcome.
      const response = await requestWithRetry(
        { method: 'PUT', path, query: WRITE_QUERY, body, isBatched: true },
        JSON.parse,
      );
      const responseKind = getString(response, 'kind') ?? '';
      if (responseKind !== kind) throw createNotKubernetesError(words().unexpected.otherKind(kind, responseKind));
    },
    async warmUp() {
      await send({ method: 'GET', path: '/version', isBatched: true }).catch(() => undefined);
    },
    async remove(kind, name, namespace, object) {
      const { uid, resourceVersion } = object?.metadata ?? {};
      const preconditions = {
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      };
      const text = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions });
      const body = { type: 'application/json', text } as const;
      await requestWithRetry({
        method: 'DELETE',
        path: buildResourcePath(kind, namespace ?? null, name, getServedVersion(kind)),
        body,
      });
    },
    exec,
    getClockSkew: () => skew,
  };
}

/** Tracks in which version the API serves each kind, as far as its responses have shown. */
function trackServedVersions() {
  const olderVersionKinds = new Set<Kind>();
  /** Returns the version to request; undefined for the usual one. */
  const getServedVersion = (kind: Kind) =>
    olderVersionKinds.has(kind) ? (getOlderVersion(kind) ?? undefined) : undefined;
  /** Requests the usual version and, if the API does not serve it, the older one. */
  const withServedVersion = async <T>(kind: Kind, act: (version?: string) => Promise<T>): Promise<T> => {
    const olderVersion = getOlderVersion(kind);
    if (olderVersion === null || olderVersionKinds.has(kind)) return await act(getServedVersion(kind));
    try {
      return await act();
    } catch (error) {
      if (!isClusterError(error, 'absent')) throw error;
      // If the older version does not have it either, it is absent.
      const result = await act(olderVersion).catch(() => {
        throw error;
      });
      olderVersionKinds.add(kind);
      return result;
    }
  };
  return { getServedVersion, withServedVersion };
}

/**
 * Measures the clock difference that one response proves, in milliseconds; positive if the server's clock is ahead. The
 * server responded between `sentAt` and `receivedAt`, and its `date` has whole seconds.
 */
export function measureSkew(date: number, sentAt: number, receivedAt: number): number {
  if (date > receivedAt) return date - receivedAt;
  const latestServerTime = date + SECOND;
  return latestServerTime < sentAt ? latestServerTime - sentAt : 0;
}
