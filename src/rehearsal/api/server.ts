import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../ports/clock.ts';
import { admitByWebhooks } from './admission.ts';
import { refuseUnserved, servedByPods } from './api-services.ts';
import { mediaTypeOf, readBody } from './body.ts';

import { deleteObject } from './delete.ts';
import { discover, rootPaths } from './discovery.ts';
import { createHistory, type History } from './history.ts';
import { negotiate } from './negotiate.ts';
import { type JsonRecord, type KubeObject, listAt } from './objects.ts';
import { openApiJson, openApiProtobuf } from './openapi.ts';
import { APPLY_PATCH } from './patch.ts';
import { serveRead } from './read.ts';
import { parseResourcePath, type ResourceRequest } from './request-path.ts';
import { sendError, sendJson } from './respond.ts';
import { writeScale } from './scale.ts';
import { badRequest, methodNotAllowed, noSuchResource, unauthorized } from './status.ts';
import type { Store } from './store.ts';
import { tableOf } from './table.ts';
import { type ApiUser, authorize, type Verb } from './user.ts';
import { versionInfo } from './version.ts';
import { applyObject, createObject, patchObject, updateObject, type WriteContext, type Written } from './write.ts';

export type { ApiUser } from './user.ts';

export interface ApiOptions {
  readonly store: Store;
  /** Everything that tells or takes time, the `Date` header too. */
  readonly clock: Clock;
  /** As /version tells it: `v1.31.6`. */
  readonly gitVersion: string;
  /** Who a request comes from; null gets 401. Health and version need no login. */
  readonly authenticate: (request: IncomingMessage) => ApiUser | null;
  /** While false, /readyz, /healthz and /livez answer 503. */
  readonly isReady: () => boolean;
}

/** What every request needs. */
interface Api extends ApiOptions {
  readonly history: History;
}

/** A handler for an HTTPS server of Node that answers as a kube-apiserver does. */
export function createApiHandler(options: ApiOptions): (request: IncomingMessage, response: ServerResponse) => void {
  const api: Api = { ...options, history: createHistory(options.store) };
  return (request, response) => {
    response.setHeader('Date', new Date(api.clock.now()).toUTCString());
    response.setHeader('Cache-Control', 'no-cache, private');
    // A client that goes away is not an error.
    response.on('error', () => undefined);
    answer(api, request, response).catch((error: unknown) => sendError(response, error));
  };
}

async function answer(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'https://localhost');
  if (answerAnybody(api, url.pathname, response)) return;
  const user = api.authenticate(request);
  if (!user) throw unauthorized();
  refuseUnserved(api.store, url.pathname);
  const resourceRequest = parseResourcePath(url.pathname);
  if (!resourceRequest) return answerAbout(api, url.pathname, request, response);
  const { servedWith } = resourceRequest.kind;
  if (servedWith !== undefined && !isThere(api)(servedWith)) throw noSuchResource();
  if (request.method === 'GET' || request.method === 'HEAD') {
    serveRead(api, user, resourceRequest, url.searchParams, request, response);
  } else await answerWrite(api, user, resourceRequest, url.searchParams, request, response);
}

/** Health and version, which need no credentials. */
function answerAnybody({ isReady, gitVersion }: Api, path: string, response: ServerResponse): boolean {
  if (/^\/(?:healthz|readyz|livez)(?:\/|$)/.test(path)) {
    const isWell = isReady();
    response.writeHead(isWell ? 200 : 503, { 'Content-Type': 'text/plain; charset=utf-8' });
    response.end(isWell ? 'ok' : `${path.split('/')[1]} check failed\n`);
    return true;
  }
  if (path !== '/version' && path !== '/version/') return false;
  sendJson(response, 200, versionInfo(gitVersion));
  return true;
}

const isThere =
  ({ store }: Api) =>
  (namespace: string) =>
    store.get('namespaces', null, namespace) !== undefined;

/** Discovery and OpenAPI. */
function answerAbout(api: Api, path: string, request: IncomingMessage, response: ServerResponse): void {
  const { gitVersion } = api;
  const isProtobuf = /proto-openapi/.test(request.headers.accept ?? '');
  const found =
    path === '/'
      ? rootPaths(isThere(api))
      : path === '/openapi/v2'
        ? openApiJson(gitVersion)
        : withPodServed(api, path, discover(path, isThere(api)));
  if (!found || request.method !== 'GET') throw noSuchResource();
  if (path === '/openapi/v2' && isProtobuf) {
    response.writeHead(200, { 'Content-Type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' });
    response.end(openApiProtobuf(gitVersion));
  } else sendJson(response, 200, found);
}

/** The list of groups has those that pods serve as well, whether they answer or not. */
function withPodServed({ store }: Api, path: string, found: JsonRecord | null): JsonRecord | null {
  if (found === null || !/^\/apis\/?$/.test(path)) return found;
  const own = servedByPods(store).map(({ group, version }) => {
    const entry = { groupVersion: `${group}/${version}`, version };
    return { name: group, versions: [entry], preferredVersion: entry };
  });
  return { ...found, groups: [...listAt(found, 'groups'), ...own] };
}

const VERBS: Readonly<Record<string, Verb>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

async function answerWrite(
  api: Api,
  user: ApiUser,
  request: ResourceRequest,
  query: URLSearchParams,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const verb = VERBS[incoming.method ?? ''];
  const isCollection = request.name === null;
  if (!verb || isCollection !== (verb === 'create')) throw methodNotAllowed();
  if (request.subresource !== null && verb === 'delete') throw methodNotAllowed();
  if (request.kind.namespaced && request.namespace === null) throw methodNotAllowed();
  authorize(user, verb, request);
  const body = await readBody(incoming);
  const warnings: string[] = [];
  const context = writeContext(api, user, query, warnings, incoming);
  if (request.subresource === 'scale') {
    const mediaType = verb === 'patch' ? mediaTypeOf(incoming) : null;
    return sendJson(response, 200, writeScale(context, request, mediaType, body));
  }
  admitByWebhooks(api.store, request, verb === 'create' ? 'CREATE' : verb === 'delete' ? 'DELETE' : 'UPDATE');
  if (verb === 'delete') return sendJson(response, 200, deleteObject(context, request, body));
  const written = await write(context, request, verb, mediaTypeOf(incoming), body);
  if (warnings.length > 0)
    response.setHeader(
      'Warning',
      warnings.map((text) => `299 - ${JSON.stringify(text)}`),
    );
  sendJson(response, written.isNew ? 201 : 200, shown(api, request, written.object, query, incoming));
}

async function write(
  context: WriteContext,
  request: ResourceRequest,
  verb: Verb,
  mediaType: string,
  body: unknown,
): Promise<Written> {
  if (verb === 'create') return createObject(context, request, body);
  if (verb === 'update') return updateObject(context, request, body);
  return mediaType === APPLY_PATCH
    ? applyObject(context, request, body)
    : patchObject(context, request, mediaType, body);
}

/** kubectl asks for a Table after it has written, too. */
function shown(
  { clock }: Api,
  { kind }: ResourceRequest,
  object: KubeObject,
  query: URLSearchParams,
  { headers }: IncomingMessage,
): unknown {
  const view = negotiate(headers.accept);
  if (view.as === 'object') return object;
  const include = query.get('includeObject') === 'Object' ? 'Object' : 'Metadata';
  return tableOf(kind, [object], { include, apiVersion: view.apiVersion, hasColumns: true, now: clock.now() });
}

const VALIDATIONS = ['Strict', 'Warn', 'Ignore'] as const;

function writeContext(
  { store, clock }: Api,
  user: ApiUser,
  query: URLSearchParams,
  warnings: string[],
  { headers }: IncomingMessage,
): WriteContext {
  const dryRun = query.getAll('dryRun');
  const wrong = dryRun.find((value) => value !== 'All');
  if (wrong !== undefined)
    throw badRequest(`dryRun: Unsupported value: ${JSON.stringify(wrong)}: supported values: "All"`);
  const asked = query.get('fieldValidation') || 'Warn';
  const fieldValidation = VALIDATIONS.find((value) => value === asked);
  if (!fieldValidation) {
    throw badRequest(
      `fieldValidation: Unsupported value: ${JSON.stringify(asked)}: supported values: "", "Ignore", "Strict", "Warn"`,
    );
  }
  const fieldManager = query.get('fieldManager') ?? (headers['user-agent'] ?? '').split('/')[0] ?? '';
  const warn = (text: string) => warnings.push(text);
  return { store, clock, user, isDryRun: dryRun.length > 0, fieldValidation, fieldManager, warn };
}
