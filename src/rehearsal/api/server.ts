import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../platform/clock.ts';
import { rejectBlockedRequest } from './admission.ts';
import { listAggregatedGroups, rejectUnavailableGroup } from './api-services.ts';
import { buildTable } from './columns.ts';
import { kindsByKey, parseResourcePath, type ResourceKind, type ResourceRequest } from './kinds.ts';
import type { JsonRecord, KubeObject } from './objects.ts';
import { APPLY_PATCH } from './patch.ts';
import { type ApiRequest, negotiateFormat, sendError, sendJson, serveRead } from './read.ts';
import { badRequestError, methodNotAllowedError, noSuchResourceError, StatusError } from './status.ts';
import { type ChangeHistory, createChangeHistory, type Store } from './store.ts';
import {
  applyObject,
  createObject,
  deleteObject,
  getMediaType,
  patchObject,
  readBody,
  updateObject,
  type WriteContext,
  writeScale,
} from './write.ts';

interface ApiOptions {
  readonly store: Store;
  /** The source of all times and delays, including the `Date` header. */
  readonly clock: Clock;
  /** As /version reports it: `v1.31.6`. */
  readonly gitVersion: string;
  /** Whether an administrator sent a request; anyone else gets 401. Health and version need no login. */
  readonly isAdministrator: (request: IncomingMessage) => boolean;
  /** While false, /readyz, /healthz and /livez answer 503. */
  readonly isReady: () => boolean;
}

/** The options and the state that every request needs. */
interface ApiContext extends ApiOptions {
  readonly history: ChangeHistory;
}

/** Creates a handler for an HTTPS server of Node.js that answers as a kube-apiserver does. */
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
  if (!api.isAdministrator(request)) throw new StatusError(401, 'Unauthorized', 'Unauthorized');
  rejectUnavailableGroup(api.store, url.pathname);
  const resourceRequest = parseResourcePath(url.pathname);
  if (!resourceRequest) return serveDiscovery(api, url.pathname, request, response);
  const { operatorNamespace } = resourceRequest.kind;
  if (operatorNamespace !== undefined && !hasNamespace(api)(operatorNamespace)) throw noSuchResourceError();
  const apiRequest = { ...resourceRequest, query: url.searchParams, httpRequest: request, response };
  if (request.method === 'GET' || request.method === 'HEAD') serveRead(api, apiRequest);
  else await serveWrite(api, apiRequest);
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
  if (request.method !== 'GET') throw noSuchResourceError();
  if (path === '/openapi/v2') {
    response.writeHead(200, { 'Content-Type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' });
    response.end(encodeOpenApi(api.gitVersion));
    return;
  }
  const discovery = buildDiscovery(api, path);
  if (!discovery) throw noSuchResourceError();
  sendJson(response, 200, discovery);
}

type Kinds = readonly ResourceKind[];

/** Builds the response of a discovery path (/api, /apis, /api/v1, /apis/apps, /apis/apps/v1). Null: another path. */
function buildDiscovery(api: ApiContext, path: string): JsonRecord | null {
  const kinds = [...kindsByKey.values()].filter(
    ({ operatorNamespace }) => operatorNamespace === undefined || hasNamespace(api)(operatorNamespace),
  );
  const [root, group, version, ...extraSegments] = path.split('/').filter(Boolean);
  if (extraSegments.length > 0) return null;
  if (root === 'api' && version === undefined)
    return group === undefined
      ? { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }
      : buildResourceList(kinds, '', group);
  if (root !== 'apis') return null;
  const groups = new Map(kinds.filter((kind) => kind.group !== '').map((kind) => [kind.group, kind.version]));
  if (group === undefined) {
    const aggregatedGroups = listAggregatedGroups(api.store).map(
      (aggregatedGroup) => [aggregatedGroup.group, aggregatedGroup.version] as const,
    );
    const allGroups = [...groups, ...aggregatedGroups].map(([name, servedVersion]) =>
      buildApiGroup(name, servedVersion),
    );
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: allGroups };
  }
  const servedVersion = groups.get(group);
  if (servedVersion === undefined) return null;
  return version === undefined
    ? { kind: 'APIGroup', apiVersion: 'v1', ...buildApiGroup(group, servedVersion) }
    : buildResourceList(kinds, group, version);
}

/** Builds an API group; every group has one version. */
function buildApiGroup(name: string, version: string): JsonRecord {
  const entry = { groupVersion: `${name}/${version}`, version };
  return { name, versions: [entry], preferredVersion: entry };
}

function buildResourceList(kinds: Kinds, group: string, version: string): JsonRecord | null {
  const servedKinds = kinds.filter((kind) => kind.group === group && kind.version === version);
  if (servedKinds.length === 0) return null;
  const groupVersion = group === '' ? version : `${group}/${version}`;
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: servedKinds.flatMap(buildResources) };
}

function buildResources({
  plural,
  kind,
  namespaced,
  shortNames,
  isInCategoryAll,
  subresources,
}: ResourceKind): JsonRecord[] {
  const mainResource: JsonRecord = {
    ...{ name: plural, singularName: kind.toLowerCase(), namespaced, kind, shortNames },
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    categories: isInCategoryAll ? ['all'] : [],
  };
  return [
    mainResource,
    ...subresources.map((subresource) => ({
      name: `${plural}/${subresource}`,
      singularName: '',
      namespaced,
      ...(subresource === 'scale' ? { group: 'autoscaling', version: 'v1', kind: 'Scale' } : { kind }),
      verbs: ['get', 'patch', 'update'],
    })),
  ];
}

/**
 * Builds the response of /version.
 * @param gitVersion `v1.31.6`
 */
function buildVersionInfo(gitVersion: string): JsonRecord {
  const [, major = '1', minor = '0'] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  const build = { gitCommit: '0'.repeat(40), gitTreeState: 'clean', buildDate: '2025-01-01T00:00:00Z' };
  return { major, minor, gitVersion, ...build, goVersion: 'go1.22.9', compiler: 'gc', platform: 'linux/amd64' };
}

/**
 * Encodes the OpenAPI 2 document in protobuf (google/gnostic, openapiv2/OpenAPIv2.proto). kubectl up to 1.26 reads
 * there which kinds support `--dry-run=server`. The document contains no definitions, so kubectl leaves validation to
 * the server. The numbers in the calls are protobuf field numbers.
 */
function encodeOpenApi(gitVersion: string): Buffer {
  const info = [encodeStringField(1, 'Kubernetes'), encodeStringField(2, gitVersion)];
  const paths = [...kindsByKey.values()].map((kind) => {
    const item = encodeMessageField(8, encodePatchOperation(kind));
    return encodeMessageField(2, encodeStringField(1, getPathTemplate(kind)), encodeMessageField(2, item));
  });
  return Buffer.concat([encodeStringField(1, '2.0'), encodeMessageField(2, ...info), encodeMessageField(8, ...paths)]);
}

function encodePatchOperation({ group, version, kind }: ResourceKind): Buffer {
  const dryRun = encodeMessageField(
    3,
    encodeStringField(2, 'query'),
    encodeStringField(4, 'dryRun'),
    encodeStringField(6, 'string'),
  );
  const parameter = encodeMessageField(8, encodeMessageField(1, encodeMessageField(2, dryRun)));
  const yaml = `group: ${JSON.stringify(group)}\nkind: ${kind}\nversion: ${version}\n`;
  const extension = encodeMessageField(
    13,
    encodeStringField(1, 'x-kubernetes-group-version-kind'),
    encodeMessageField(2, encodeStringField(2, yaml)),
  );
  return Buffer.concat([parameter, extension]);
}

function getPathTemplate({ group, version, plural, namespaced }: ResourceKind): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}/{name}`;
}

function encodeStringField(number: number, text: string): Buffer {
  return encodeMessageField(number, Buffer.from(text));
}

function encodeMessageField(number: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([encodeVarint((number << 3) | 2), encodeVarint(content.length), content]);
}

function encodeVarint(value: number): Buffer {
  const bytes: number[] = [];
  let remainder = value;
  for (; remainder > 0x7f; remainder >>>= 7) bytes.push((remainder & 0x7f) | 0x80);
  return Buffer.from([...bytes, remainder]);
}

type Verb = 'create' | 'update' | 'patch' | 'delete';
const VERBS: Readonly<Record<string, Verb>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

async function serveWrite(api: ApiContext, request: ApiRequest): Promise<void> {
  const { query, httpRequest, response } = request;
  const verb = VERBS[httpRequest.method ?? ''];
  const isCollection = request.name === null;
  if (!verb || isCollection !== (verb === 'create')) throw methodNotAllowedError();
  if (request.subresource !== null && verb === 'delete') throw methodNotAllowedError();
  if (request.kind.namespaced && request.namespace === null) throw methodNotAllowedError();
  const body = await readBody(httpRequest);
  const warnings: string[] = [];
  const context = createWriteContext(api, query, warnings);
  if (request.subresource === 'scale') {
    const mediaType = verb === 'patch' ? getMediaType(httpRequest) : null;
    return sendJson(response, 200, writeScale(context, request, mediaType, body));
  }
  rejectBlockedRequest(api.store, request, verb === 'create' ? 'CREATE' : verb === 'delete' ? 'DELETE' : 'UPDATE');
  if (verb === 'delete') return sendJson(response, 200, deleteObject(context, request, body));
  const result = writeObject(context, request, verb, getMediaType(httpRequest), body);
  if (warnings.length > 0)
    response.setHeader(
      'Warning',
      warnings.map((text) => `299 - ${JSON.stringify(text)}`),
    );
  sendJson(response, result.isNew ? 201 : 200, formatResult(api, request, result.object));
}

function writeObject(context: WriteContext, request: ResourceRequest, verb: Verb, mediaType: string, body: unknown) {
  if (verb === 'create') return createObject(context, request, body);
  if (verb === 'update') return updateObject(context, request, body);
  return mediaType === APPLY_PATCH
    ? applyObject(context, request, body)
    : patchObject(context, request, mediaType, body);
}

/** Formats the written object in the requested format: kubectl requests a Table after a write, too. */
function formatResult({ clock }: ApiContext, { kind, query, httpRequest }: ApiRequest, object: KubeObject): unknown {
  const format = negotiateFormat(httpRequest.headers.accept);
  if (format.as === 'object') return object;
  const includeObject = query.get('includeObject') === 'Object' ? 'Object' : 'Metadata';
  return buildTable(kind, [object], { includeObject: includeObject, apiVersion: format.apiVersion, now: clock.now() });
}

const FIELD_VALIDATIONS = ['Strict', 'Warn', 'Ignore'] as const;

function createWriteContext({ store, clock }: ApiContext, query: URLSearchParams, warnings: string[]): WriteContext {
  const dryRun = query.getAll('dryRun');
  const unsupportedValue = dryRun.find((value) => value !== 'All');
  if (unsupportedValue !== undefined)
    throw badRequestError(`dryRun: Unsupported value: ${JSON.stringify(unsupportedValue)}: supported values: "All"`);
  const requestedValidation = query.get('fieldValidation') || 'Warn';
  const fieldValidation = FIELD_VALIDATIONS.find((value) => value === requestedValidation);
  if (!fieldValidation) {
    throw badRequestError(
      `fieldValidation: Unsupported value: ${JSON.stringify(requestedValidation)}: supported values: "", "Ignore", "Strict", "Warn"`,
    );
  }
  const warn = (text: string) => warnings.push(text);
  return { store, clock, isDryRun: dryRun.length > 0, fieldValidation, warn };
}
