import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, MINUTE, SECOND } from '../../platform/clock.ts';
import { buildTable, type IncludeObject } from './cells.ts';
import type { ResourceKind } from './kinds/kinds.ts';
import { buildScale } from './namespaces.ts';
import type { KubeObject } from './objects.ts';
import { formatApiVersion, type ResourceRequest } from './registry.ts';
import { negotiateFormat, type ResponseFormat, sendJson, serializeList, serializeObject } from './response.ts';
import { parseFieldSelector, parseLabelSelector } from './selectors.ts';
import { badRequestError, expiredError, notFoundError, StatusError } from './status.ts';
import type { ChangeHistory, Store, StoreChange } from './store.ts';
import { type ApiUser, authorize } from './user.ts';

/** The data that get, list and watch read. */
interface ReadSource {
  readonly store: Store;
  readonly history: ChangeHistory;
  readonly clock: Clock;
}

interface WatchRequest {
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
function serveWatch({ store, history, clock }: ReadSource, request: WatchRequest, response: ServerResponse): void {
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

/** Duration of a watch that does not specify one, in seconds. */
const DEFAULT_WATCH_SECONDS = 1800;

/**
 * Serves get, list and watch.
 * @throws StatusError
 */
export function serveRead(
  api: ReadSource,
  user: ApiUser,
  request: ResourceRequest,
  query: URLSearchParams,
  incoming: IncomingMessage,
  response: ServerResponse,
): void {
  const { store, clock } = api;
  const { kind, name } = request;
  const isWatch = name === null && /^(?:1|true)$/.test(query.get('watch') ?? '');
  authorize(user, name !== null ? 'get' : isWatch ? 'watch' : 'list', request);
  const view = negotiateFormat(incoming.headers.accept);
  const include = parseIncludeObject(query.get('includeObject'));
  if (isWatch) startWatch(api, request, query, { view, include }, response);
  else {
    const objects = name === null ? listObjects(api, request, query) : [getObject(api, request, name)];
    const [object] = objects;
    const version = store.currentVersion();
    if (request.subresource === 'scale' && object) sendJson(response, 200, buildScale(object));
    else if (view.as === 'Table') {
      const table = buildTable(kind, objects, {
        include,
        apiVersion: view.apiVersion,
        hasColumns: true,
        now: clock.now(),
      });
      const resourceVersion = name === null ? String(version) : object?.metadata.resourceVersion;
      sendJson(response, 200, { ...table, metadata: { resourceVersion } });
    } else if (name !== null && object) sendJson(response, 200, `${serializeObject(object)}\n`);
    else sendJson(response, 200, serializeList(kind, objects, version));
  }
}

function getObject({ store }: ReadSource, { kind, resource, namespace }: ResourceRequest, name: string): KubeObject {
  const found = store.get(resource, namespace, name);
  if (!found) throw notFoundError(kind, name);
  return found;
}

function listObjects(
  { store }: ReadSource,
  { resource, namespace }: ResourceRequest,
  query: URLSearchParams,
): KubeObject[] {
  return store.list(resource, namespace ?? undefined).filter(parseSelectors(query));
}

function startWatch(
  api: ReadSource,
  { resource, kind, namespace }: ResourceRequest,
  query: URLSearchParams,
  { view, include }: { view: ReturnType<typeof negotiateFormat>; include: IncludeObject },
  response: ServerResponse,
): void {
  const seconds = Number(query.get('timeoutSeconds') ?? DEFAULT_WATCH_SECONDS);
  if (!Number.isFinite(seconds)) throw badRequestError('unable to decode the query: timeoutSeconds is not a number');
  serveWatch(
    api,
    {
      resource,
      kind,
      namespace: namespace ?? undefined,
      matches: parseSelectors(query),
      resourceVersion: query.get('resourceVersion') ?? '',
      timeoutSeconds: seconds > 0 ? seconds : DEFAULT_WATCH_SECONDS,
      hasBookmarks: query.get('allowWatchBookmarks') === 'true',
      view,
      include,
    },
    response,
  );
}

function parseSelectors(query: URLSearchParams): (object: KubeObject) => boolean {
  const byLabel = parseLabelSelector(query.get('labelSelector') ?? '');
  const byField = parseFieldSelector(query.get('fieldSelector') ?? '');
  return (object) => byLabel(object) && byField(object);
}

function parseIncludeObject(text: string | null): IncludeObject {
  return text === 'Object' || text === 'None' ? text : 'Metadata';
}
