import type { ServerResponse } from 'node:http';
import type { Clock } from '../../ports/clock.ts';
import { MINUTE, SECOND } from '../../ports/clock.ts';
import type { Change, History } from './history.ts';
import type { ResourceKind } from './kinds/kind.ts';
import type { View } from './negotiate.ts';
import type { KubeObject } from './objects.ts';
import { apiVersionOf } from './registry.ts';
import { jsonOf } from './respond.ts';
import { expired, StatusError } from './status.ts';
import type { Store } from './store.ts';
import { type IncludeObject, tableOf } from './table.ts';

/** What get, list and watch answer from. */
export interface ReadSource {
  readonly store: Store;
  readonly history: History;
  readonly clock: Clock;
}

export interface WatchRequest {
  readonly resource: string;
  readonly kind: ResourceKind;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly selects: (object: KubeObject) => boolean;
  /** Empty or `0`: what there is first, then what changes. */
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
  readonly hasBookmarks: boolean;
  readonly view: View;
  readonly include: IncludeObject;
}

/** How much may wait for a client that does not read before it is cut off. */
const MOST_UNSENT_BYTES = 8 * 1024 * 1024;

/** Sends what changes, one JSON object a line, until the time is over or the client leaves. */
export function serveWatch(
  { store, history, clock }: ReadSource,
  request: WatchRequest,
  response: ServerResponse,
): void {
  const { resource, namespace, selects, kind } = request;
  const start = startVersion(request, store);
  const encode = encoder(request, clock);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' });
  response.flushHeaders();
  const send = (type: string, object: KubeObject) => {
    response.write(encode(type, object));
    if (response.writableLength > MOST_UNSENT_BYTES) response.destroy();
  };
  const isWanted = (object: KubeObject) =>
    (namespace === undefined || object.metadata.namespace === namespace) && selects(object);
  const deliver = (change: Change) => {
    if (change.resource !== resource) return;
    const type = seenAs(change, isWanted);
    if (type) send(type, change.object);
  };

  const missed = start === null ? [] : history.since(start);
  if (missed === null) {
    const status = expired(
      `too old resource version: ${request.resourceVersion} (${store.currentVersion()})`,
    ).toStatus();
    response.end(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
    return;
  }
  if (start === null) for (const object of store.list(resource, namespace).filter(selects)) send('ADDED', object);
  for (const change of missed) deliver(change);

  const over = new AbortController();
  const stopFollowing = history.follow(deliver);
  const stopBookmarks = request.hasBookmarks
    ? clock.interval(MINUTE, () => send('BOOKMARK', bookmark(kind, store)))
    : null;
  response.on('close', () => {
    stopFollowing();
    stopBookmarks?.();
    over.abort();
  });
  clock.sleep(request.timeoutSeconds * SECOND, over.signal).then(
    () => response.end(),
    () => undefined,
  );
}

/**
 * The version after which changes are sent; null when everything is sent first.
 * @throws StatusError 400, 504
 */
function startVersion({ resourceVersion }: WatchRequest, store: Store): number | null {
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

/** What a change is to a watch that sees only some objects: those may come into its view and leave it. */
function seenAs({ type, object, before }: Change, isWanted: (object: KubeObject) => boolean): string | null {
  const isIn = type !== 'DELETED' && isWanted(object);
  const wasIn = type !== 'ADDED' && isWanted(before ?? object);
  if (isIn) return wasIn ? 'MODIFIED' : 'ADDED';
  return wasIn ? 'DELETED' : null;
}

function encoder({ view, kind, include }: WatchRequest, clock: Clock): (type: string, object: KubeObject) => string {
  if (view.as === 'object') return (type, object) => `{"type":"${type}","object":${jsonOf(object)}}\n`;
  let hasColumns = true;
  return (type, object) => {
    const options = { include, apiVersion: view.apiVersion, hasColumns, now: clock.now() };
    const shown = type === 'BOOKMARK' ? object : tableOf(kind, [object], options);
    if (type !== 'BOOKMARK') hasColumns = false;
    return `${JSON.stringify({ type, object: shown })}\n`;
  };
}

function bookmark(kind: ResourceKind, store: Store): KubeObject {
  const metadata = { name: '', uid: '', creationTimestamp: '', resourceVersion: String(store.currentVersion()) };
  // Only the version is meant: the rest of the metadata stays away.
  return JSON.parse(
    JSON.stringify({ kind: kind.kind, apiVersion: apiVersionOf(kind), metadata }, (_key, value) =>
      value === '' ? undefined : value,
    ),
  );
}
