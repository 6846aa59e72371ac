import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KubeObject } from './objects.ts';
import type { ResourceRequest } from './request-path.ts';
import { sendJson, serializeList, serializeObject } from './respond.ts';
import { negotiateFormat } from './response-format.ts';
import { buildScale } from './scale.ts';
import { parseFieldSelector, parseLabelSelector } from './selectors.ts';
import { badRequestError, notFoundError } from './status.ts';
import { buildTable, type IncludeObject } from './table.ts';
import { type ApiUser, authorize } from './user.ts';
import { type ReadSource, serveWatch } from './watch.ts';

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
