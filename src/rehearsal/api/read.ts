import type { IncomingMessage, ServerResponse } from 'node:http';
import { negotiate } from './negotiate.ts';
import type { KubeObject } from './objects.ts';
import type { ResourceRequest } from './request-path.ts';
import { jsonOf, listJson, sendJson } from './respond.ts';
import { scaleOf } from './scale.ts';
import { fieldSelector, labelSelector } from './selectors.ts';
import { badRequest, notFound } from './status.ts';
import { type IncludeObject, tableOf } from './table.ts';
import { type ApiUser, authorize } from './user.ts';
import { type ReadSource, serveWatch } from './watch.ts';

/** How long a watch lasts that does not say, in seconds. */
const WATCH_SECONDS = 1800;

/**
 * Answers get, list and watch.
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
  const view = negotiate(incoming.headers.accept);
  const include = includeOf(query.get('includeObject'));
  if (isWatch) watch(api, request, query, { view, include }, response);
  else {
    const objects = name === null ? list(api, request, query) : [one(api, request, name)];
    const [object] = objects;
    const version = store.currentVersion();
    if (request.subresource === 'scale' && object) sendJson(response, 200, scaleOf(object));
    else if (view.as === 'Table') {
      const table = tableOf(kind, objects, {
        include,
        apiVersion: view.apiVersion,
        hasColumns: true,
        now: clock.now(),
      });
      const resourceVersion = name === null ? String(version) : object?.metadata.resourceVersion;
      sendJson(response, 200, { ...table, metadata: { resourceVersion } });
    } else if (name !== null && object) sendJson(response, 200, `${jsonOf(object)}\n`);
    else sendJson(response, 200, listJson(kind, objects, version));
  }
}

function one({ store }: ReadSource, { kind, resource, namespace }: ResourceRequest, name: string): KubeObject {
  const found = store.get(resource, namespace, name);
  if (!found) throw notFound(kind, name);
  return found;
}

function list({ store }: ReadSource, { resource, namespace }: ResourceRequest, query: URLSearchParams): KubeObject[] {
  return store.list(resource, namespace ?? undefined).filter(selectorOf(query));
}

function watch(
  api: ReadSource,
  { resource, kind, namespace }: ResourceRequest,
  query: URLSearchParams,
  { view, include }: { view: ReturnType<typeof negotiate>; include: IncludeObject },
  response: ServerResponse,
): void {
  const seconds = Number(query.get('timeoutSeconds') ?? WATCH_SECONDS);
  if (!Number.isFinite(seconds)) throw badRequest('unable to decode the query: timeoutSeconds is not a number');
  serveWatch(
    api,
    {
      resource,
      kind,
      namespace: namespace ?? undefined,
      selects: selectorOf(query),
      resourceVersion: query.get('resourceVersion') ?? '',
      timeoutSeconds: seconds > 0 ? seconds : WATCH_SECONDS,
      hasBookmarks: query.get('allowWatchBookmarks') === 'true',
      view,
      include,
    },
    response,
  );
}

function selectorOf(query: URLSearchParams): (object: KubeObject) => boolean {
  const byLabel = labelSelector(query.get('labelSelector') ?? '');
  const byField = fieldSelector(query.get('fieldSelector') ?? '');
  return (object) => byLabel(object) && byField(object);
}

function includeOf(text: string | null): IncludeObject {
  return text === 'Object' || text === 'None' ? text : 'Metadata';
}
