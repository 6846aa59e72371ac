import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../platform/clock.ts';
import { admitByWebhooks, listAggregatedGroups, rejectUnavailableGroup } from './admission.ts';
import { getMediaType, readBody } from './body.ts';
import { buildTable } from './cells.ts';
import { buildOpenApiJson, buildVersionInfo, discover, encodeOpenApiProtobuf, listRootPaths } from './discovery.ts';
import { writeScale } from './namespaces.ts';
import { getList, type JsonRecord, type KubeObject } from './objects.ts';
import { APPLY_PATCH } from './patch.ts';
import { serveRead } from './read.ts';
import { parseResourcePath, type ResourceRequest } from './registry.ts';
import { negotiateFormat, sendError, sendJson } from './response.ts';
import { badRequestError, methodNotAllowedError, noSuchResourceError, unauthorizedError } from './status.ts';
import { type ChangeHistory, createChangeHistory, type Store } from './store.ts';
import { type ApiUser, authorize, type Verb } from './user.ts';
import {
  applyObject,
  createObject,
  deleteObject,
  patchObject,
  updateObject,
  type WriteContext,
  type WriteResult,
} from './write.ts';

export interface ApiOptions {
  readonly store: Store;
  /** The source of all times and delays, the `Date` header too. */
  readonly clock: Clock;
  /** As /version reports it: `v1.31.6`. */
  readonly gitVersion: string;
  /** The user of a request; null gets 401. Health and version need no login. */
  readonly authenticate: (request: IncomingMessage) => ApiUser | null;
  /** While false, /readyz, /healthz and /livez answer 503. */
  readonly isReady: () => boolean;
}

/** The options and the state that every request needs. */
interface ApiContext extends ApiOptions {
  readonly history: ChangeHistory;
}

/** Creates a handler for an HTTPS server of Node that answers as a kube-apiserver does. */
export function createApiHandler(options: ApiOptions): (request: IncomingMessage, response: ServerResponse) => void {
  const api: ApiContext = { ...options, history: createChangeHistory(options.store) };
  return (request, response) => {
    response.setHeader('Date', new Date(api.clock.now()).toUTCString());
    response.setHeader('Cache-Control', 'no-cache, private');
    // A client that disconnects is not an error.
    response.on('error', () => undefined);
    handleRequest(api, request, response).catch((error: unknown) => sendError(response, error));
  };
}

async function handleRequest(api: ApiContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'https://localhost');
  if (serveUnauthenticated(api, url.pathname, response)) return;
  const user = api.authenticate(request);
  if (!user) throw unauthorizedError();
  rejectUnavailableGroup(api.store, url.pathname);
  const resourceRequest = parseResourcePath(url.pathname);
  if (!resourceRequest) return serveDiscovery(api, url.pathname, request, response);
  const { operatorNamespace } = resourceRequest.kind;
  if (operatorNamespace !== undefined && !hasNamespace(api)(operatorNamespace)) throw noSuchResourceError();
  if (request.method === 'GET' || request.method === 'HEAD') {
    serveRead(api, user, resourceRequest, url.searchParams, request, response);
  } else await serveWrite(api, user, resourceRequest, url.searchParams, request, response);
}

/** Serves health and version, which need no credentials. False: another path. */
function serveUnauthenticated({ isReady, gitVersion }: ApiContext, path: string, response: ServerResponse): boolean {
  if (/^\/(?:healthz|readyz|livez)(?:\/|$)/.test(path)) {
    const isHealthy = isReady();
    response.writeHead(isHealthy ? 200 : 503, { 'Content-Type': 'text/plain; charset=utf-8' });
    response.end(isHealthy ? 'ok' : `${path.split('/')[1]} check failed\n`);
    return true;
  }
  if (path !== '/version' && path !== '/version/') return false;
  sendJson(response, 200, buildVersionInfo(gitVersion));
  return true;
}

const hasNamespace =
  ({ store }: ApiContext) =>
  (namespace: string) =>
    store.get('namespaces', null, namespace) !== undefined;

/** Serves discovery and OpenAPI. */
function serveDiscovery(api: ApiContext, path: string, request: IncomingMessage, response: ServerResponse): void {
  const { gitVersion } = api;
  const isProtobuf = /proto-openapi/.test(request.headers.accept ?? '');
  const found =
    path === '/'
      ? listRootPaths(hasNamespace(api))
      : path === '/openapi/v2'
        ? buildOpenApiJson(gitVersion)
        : addAggregatedGroups(api, path, discover(path, hasNamespace(api)));
  if (!found || request.method !== 'GET') throw noSuchResourceError();
  if (path === '/openapi/v2' && isProtobuf) {
    response.writeHead(200, { 'Content-Type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' });
    response.end(encodeOpenApiProtobuf(gitVersion));
  } else sendJson(response, 200, found);
}

/** Adds the aggregated groups to the list of groups, whether they are available or not. */
function addAggregatedGroups({ store }: ApiContext, path: string, found: JsonRecord | null): JsonRecord | null {
  if (found === null || !/^\/apis\/?$/.test(path)) return found;
  const aggregated = listAggregatedGroups(store).map(({ group, version }) => {
    const entry = { groupVersion: `${group}/${version}`, version };
    return { name: group, versions: [entry], preferredVersion: entry };
  });
  return { ...found, groups: [...getList(found, 'groups'), ...aggregated] };
}

const VERBS: Readonly<Record<string, Verb>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

async function serveWrite(
  api: ApiContext,
  user: ApiUser,
  request: ResourceRequest,
  query: URLSearchParams,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const verb = VERBS[incoming.method ?? ''];
  const isCollection = request.name === null;
  if (!verb || isCollection !== (verb === 'create')) throw methodNotAllowedError();
  if (request.subresource !== null && verb === 'delete') throw methodNotAllowedError();
  if (request.kind.namespaced && request.namespace === null) throw methodNotAllowedError();
  authorize(user, verb, request);
  const body = await readBody(incoming);
  const warnings: string[] = [];
  const context = createWriteContext(api, user, query, warnings, incoming);
  if (request.subresource === 'scale') {
    const mediaType = verb === 'patch' ? getMediaType(incoming) : null;
    return sendJson(response, 200, writeScale(context, request, mediaType, body));
  }
  admitByWebhooks(api.store, request, verb === 'create' ? 'CREATE' : verb === 'delete' ? 'DELETE' : 'UPDATE');
  if (verb === 'delete') return sendJson(response, 200, deleteObject(context, request, body));
  const result = await writeObject(context, request, verb, getMediaType(incoming), body);
  if (warnings.length > 0)
    response.setHeader(
      'Warning',
      warnings.map((text) => `299 - ${JSON.stringify(text)}`),
    );
  sendJson(response, result.isNew ? 201 : 200, formatResult(api, request, result.object, query, incoming));
}

async function writeObject(
  context: WriteContext,
  request: ResourceRequest,
  verb: Verb,
  mediaType: string,
  body: unknown,
): Promise<WriteResult> {
  if (verb === 'create') return createObject(context, request, body);
  if (verb === 'update') return updateObject(context, request, body);
  return mediaType === APPLY_PATCH
    ? applyObject(context, request, body)
    : patchObject(context, request, mediaType, body);
}

/** Returns the written object in the requested format: kubectl asks for a Table after a write, too. */
function formatResult(
  { clock }: ApiContext,
  { kind }: ResourceRequest,
  object: KubeObject,
  query: URLSearchParams,
  { headers }: IncomingMessage,
): unknown {
  const view = negotiateFormat(headers.accept);
  if (view.as === 'object') return object;
  const include = query.get('includeObject') === 'Object' ? 'Object' : 'Metadata';
  return buildTable(kind, [object], { include, apiVersion: view.apiVersion, hasColumns: true, now: clock.now() });
}

const FIELD_VALIDATIONS = ['Strict', 'Warn', 'Ignore'] as const;

function createWriteContext(
  { store, clock }: ApiContext,
  user: ApiUser,
  query: URLSearchParams,
  warnings: string[],
  { headers }: IncomingMessage,
): WriteContext {
  const dryRun = query.getAll('dryRun');
  const unsupported = dryRun.find((value) => value !== 'All');
  if (unsupported !== undefined)
    throw badRequestError(`dryRun: Unsupported value: ${JSON.stringify(unsupported)}: supported values: "All"`);
  const requested = query.get('fieldValidation') || 'Warn';
  const fieldValidation = FIELD_VALIDATIONS.find((value) => value === requested);
  if (!fieldValidation) {
    throw badRequestError(
      `fieldValidation: Unsupported value: ${JSON.stringify(requested)}: supported values: "", "Ignore", "Strict", "Warn"`,
    );
  }
  const fieldManager = query.get('fieldManager') ?? (headers['user-agent'] ?? '').split('/')[0] ?? '';
  const warn = (text: string) => warnings.push(text);
  return { store, clock, user, isDryRun: dryRun.length > 0, fieldValidation, fieldManager, warn };
}
