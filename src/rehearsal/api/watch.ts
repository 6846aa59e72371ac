import type { ServerResponse } from 'node:http';
import { type Clock, MINUTE, SECOND } from '../../platform/clock.ts';

import type { ChangeHistory, StoreChange } from './history.ts';
import type { ResourceKind } from './kinds/kind.ts';
import type { KubeObject } from './objects.ts';
import { formatApiVersion } from './registry.ts';
import { serializeObject } from './respond.ts';
import type { ResponseFormat } from './response-format.ts';
import { expiredError, StatusError } from './status.ts';
import type { Store } from './store.ts';
import { buildTable, type IncludeObject } from './table.ts';

/** The data that get, list and watch read. */
export interface ReadSource {
  readonly store: Store;
  readonly history: ChangeHistory;
  readonly clock: Clock;
}

export interface WatchRequest {
  readonly resource: string;
  readonly kind: ResourceKind;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly matches: (object: KubeObject) => boolean;
  /** Empty or `0`: first the existing objects, then the changes. */
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
  readonly hasBookmarks: boolean;
  readonly view: ResponseFormat;
  readonly include: IncludeObject;
}

/** Limit of unsent data for a client that does not read. Above it the connection is closed. */
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;

/** Sends changes, one JSON object a line, until the timeout or until the client disconnects. */
export function serveWatch(
  { store, history, clock }: ReadSource,
  request: WatchRequest,
  response: ServerResponse,
): void {
  const { resource, namespace, matches, kind } = request;
  const start = parseStartVersion(request, store);
  const encode = createEncoder(request, clock);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' });
  response.flushHeaders();
  const send = (type: string, object: KubeObject) => {
    response.write(encode(type, object));
    if (response.writableLength > MAX_UNSENT_BYTES) response.destroy();
  };
  const isWanted = (object: KubeObject) =>
    (namespace === undefined || object.metadata.namespace === namespace) && matches(object);
  const deliver = (change: StoreChange) => {
    if (change.resource !== resource) return;
    const eventType = deriveEventType(change, isWanted);
    if (eventType) send(eventType, change.object);
  };

  const missed = start === null ? [] : history.listSince(start);
  if (missed === null) {
    const status = expiredError(
      `too old resource version: ${request.resourceVersion} (${store.currentVersion()})`,
    ).toStatus();
    response.end(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
    return;
  }
  if (start === null) for (const object of store.list(resource, namespace).filter(matches)) send('ADDED', object);
  for (const change of missed) deliver(change);

  const closed = new AbortController();
  const unsubscribe = history.subscribe(deliver);
  const stopBookmarks = request.hasBookmarks
    ? clock.interval(MINUTE, () => send('BOOKMARK', createBookmark(kind, store)))
    : null;
  response.on('close', () => {
    unsubscribe();
    stopBookmarks?.();
    closed.abort();
  });
  clock.sleep(request.timeoutSeconds * SECOND, closed.signal).then(
    () => response.end(),
    () => undefined,
  );
}

/**
 * The version after which changes are sent; null: all existing objects are sent first.
 * @throws StatusError 400, 504
 */
function parseStartVersion({ resourceVersion }: WatchRequest, store: Store): number | null {
  if (resourceVersion === '' || resourceVersion === '0') return null;
  if (!/^\d{1,15}$/.test(resourceVersion)) {
    throw new StatusError(
      400,
      'BadRequest',
      `Invalid value: "${resourceVersion}": strconv.ParseUint: parsing: invalid syntax`,
    );
  }
  const version = Number(resourceVersion);
  if (version <= store.currentVersion()) return version;
  const message = `Too large resource version: ${version}, current: ${store.currentVersion()}`;
  throw new StatusError(504, 'Timeout', message, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version', field: '' }],
    retryAfterSeconds: 1,
  });
}

/**
 * Derives the event type of a change for a watch with a selector: objects can start or stop matching. Null: no event.
 */
function deriveEventType(
  { type, object, before }: StoreChange,
  isWanted: (object: KubeObject) => boolean,
): string | null {
  const isIn = type !== 'DELETED' && isWanted(object);
  const wasIn = type !== 'ADDED' && isWanted(before ?? object);
  if (isIn) return wasIn ? 'MODIFIED' : 'ADDED';
  return wasIn ? 'DELETED' : null;
}

function createEncoder(
  { view, kind, include }: WatchRequest,
  clock: Clock,
): (type: string, object: KubeObject) => string {
  if (view.as === 'object') return (type, object) => `{"type":"${type}","object":${serializeObject(object)}}\n`;
  let hasColumns = true;
  return (type, object) => {
    const options = { include, apiVersion: view.apiVersion, hasColumns, now: clock.now() };
    const content = type === 'BOOKMARK' ? object : buildTable(kind, [object], options);
    if (type !== 'BOOKMARK') hasColumns = false;
    return `${JSON.stringify({ type, object: content })}\n`;
  };
}

function createBookmark(kind: ResourceKind, store: Store): KubeObject {
  const metadata = { name: '', uid: '', creationTimestamp: '', resourceVersion: String(store.currentVersion()) };
  // A bookmark has only the version: the rest of the metadata is left out.
  return JSON.parse(
    JSON.stringify({ kind: kind.kind, apiVersion: formatApiVersion(kind), metadata }, (_key, value) =>
      value === '' ? undefined : value,
    ),
  );
}
