import { catalogue } from '../i18n/catalogue.ts';
import { getApiVersion, getObjectKind, type Kind } from '../openshift/kinds.ts';
import { getList, getString, type KubeObject, type RawObject } from '../openshift/object.ts';
import { checkAndNormalizeList, checkAndNormalizeObject } from '../openshift/safe-json.ts';
import type { Clock } from '../platform/clock.ts';
import type { ApiTableRow } from './api.ts';
import { createBrokenJsonError, createNotKubernetesError, isClusterError, toStatusError } from './errors.ts';
import type { ApiRequest, Transport } from './transport.ts';

const words = () => catalogue().cluster;

/** The media type of the API's responses, with any parameters. */
export const JSON_TYPE = /^application\/json\b/i;
/** Limits for a busy API: attempts in total, and the longest pause that we accept at its request (ms of the clock). */
const MAX_ATTEMPTS = 3;
const MAX_PAUSE = 5000;

/**
 * Repeats a request when the API is too busy for it and names a pause, as kubectl does. A 429 means that nothing was
 * done, so repeating a write is safe; after a 5xx only reads are repeated.
 */
export async function retryWhenBusy<T>(
  method: ApiRequest['method'],
  clock: Clock,
  sendRequest: () => Promise<T>,
): Promise<T> {
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
export async function requestJson(
  send: Transport,
  request: ApiRequest,
  parse: (json: string) => unknown,
): Promise<unknown> {
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
export function toKubeObject(kind: Kind, response: unknown, version?: string): KubeObject {
  assertNoInvalidField(checkAndNormalizeObject(response), response, kind);
  return assertObjectType(kind, response as RawObject, version);
}

/**
 * Checks that the response is a list of the kind, and returns its items.
 * @param version the requested version, if it is not the kind's own
 * @throws ClusterError for any other response
 */
export function toKubeList(kind: Kind, response: unknown, version?: string): KubeObject[] {
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
export function toTableRows(response: unknown): ApiTableRow[] {
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
