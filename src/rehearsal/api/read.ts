import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, MINUTE, SECOND } from '../../platform/clock.ts';
import { buildTable, type IncludeObjectPolicy } from './columns.ts';
import type { ResourceKind, ResourceRequest } from './kinds.ts';
import { getField, getString, type KubeObject, memoizeByObject, type NewObject, serializeObject } from './objects.ts';
import { formatApiVersion } from './schema.ts';
import { badRequestError, StatusError } from './status.ts';
import type { ChangeHistory, Store, StoreEvent } from './store.ts';
import { buildScale, getObject } from './write.ts';

/** The data that get, list and watch read. */
interface ReadSource {
  readonly store: Store;
  readonly history: ChangeHistory;
  readonly clock: Clock;
}

/** A request for a resource, with its response. */
export interface ApiRequest extends ResourceRequest {
  readonly query: URLSearchParams;
  readonly httpRequest: IncomingMessage;
  readonly response: ServerResponse;
}

/** The format of a response, and the part of an object that its row in a Table contains. */
interface ReadOptions {
  readonly format: ResponseFormat;
  readonly includeObject: IncludeObjectPolicy;
}

/**
 * Serves get, list and watch.
 * @throws StatusError
 */
export function serveRead(api: ReadSource, request: ApiRequest): void {
  const { store, clock } = api;
  const { resource, kind, namespace, name, query, httpRequest, response } = request;
  const format = negotiateFormat(httpRequest.headers.accept);
  const includeObject = parseIncludeObject(query.get('includeObject'));
  if (name === null && /^(?:1|true)$/.test(query.get('watch') ?? '')) {
    serveWatch(api, request, { format, includeObject });
    return;
  }
  const objects =
    name === null
      ? store.list(resource, namespace ?? undefined).filter(parseSelectors(query))
      : [getObject(store, request)];
  const [object] = objects;
  const version = store.getCurrentVersion();
  if (request.subresource === 'scale' && object) sendJson(response, 200, buildScale(object));
  else if (format.as === 'Table') {
    const table = buildTable(kind, objects, { includeObject, apiVersion: format.apiVersion, now: clock.now() });
    const resourceVersion = name === null ? String(version) : object?.metadata.resourceVersion;
    sendJson(response, 200, { ...table, metadata: { resourceVersion } });
  } else if (name !== null && object) sendJson(response, 200, `${serializeObject(object)}\n`);
  else sendJson(response, 200, serializeList(kind, objects, version));
}

/** Limit of unsent data for a client that does not read. Above this limit, the connection is closed. */
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
/** Duration of a watch that does not specify one, in seconds. */
const DEFAULT_WATCH_SECONDS = 1800;

/** Sends changes, one JSON object a line, until the timeout or until the client disconnects. */
function serveWatch(
  { store, history, clock }: ReadSource,
  { resource, kind, namespace, query, response }: ApiRequest,
  options: ReadOptions,
): void {
  const timeoutSeconds = Number(query.get('timeoutSeconds') ?? 0);
  if (!Number.isFinite(timeoutSeconds))
    throw badRequestError('unable to decode the query: timeoutSeconds is not a number');
  const matches = parseSelectors(query);
  const resourceVersion = query.get('resourceVersion') ?? '';
  const startVersion = parseStartVersion(resourceVersion, store);
  const encodeEvent = createEventEncoder(kind, options, clock);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' });
  response.flushHeaders();
  const send = (type: string, object: NewObject) => {
    response.write(encodeEvent(type, object));
    if (response.writableLength > MAX_UNSENT_BYTES) response.destroy();
  };
  const isSelected = (object: KubeObject) =>
    (namespace === null || object.metadata.namespace === namespace) && matches(object);
  const sendChange = (change: StoreEvent) => {
    if (change.resource !== resource) return;
    const eventType = deriveEventType(change, isSelected);
    if (eventType) send(eventType, change.object);
  };

  const missedChanges = startVersion === null ? [] : history.listSince(startVersion);
  if (missedChanges === null) {
    const message = `too old resource version: ${resourceVersion} (${store.getCurrentVersion()})`;
    const status = new StatusError(410, 'Expired', message).toStatus();
    response.end(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
    return;
  }
  if (startVersion === null) for (const object of store.list(resource).filter(isSelected)) send('ADDED', object);
  for (const change of missedChanges) sendChange(change);

  const closeController = new AbortController();
  const unsubscribe = store.subscribe(sendChange);
  const stopBookmarks =
    query.get('allowWatchBookmarks') === 'true'
      ? clock.startInterval(MINUTE, () => send('BOOKMARK', createBookmark(kind, store)))
      : null;
  response.on('close', () => {
    unsubscribe();
    stopBookmarks?.();
    closeController.abort();
  });
  const seconds = timeoutSeconds > 0 ? timeoutSeconds : DEFAULT_WATCH_SECONDS;
  clock.sleep(seconds * SECOND, closeController.signal).then(
    () => response.end(),
    () => undefined,
  );
}

/**
 * Parses the version after which changes are sent; null (empty or `0`): all existing objects are sent first.
 * @throws StatusError 400, 504
 */
function parseStartVersion(resourceVersion: string, store: Store): number | null {
  if (resourceVersion === '' || resourceVersion === '0') return null;
  if (!/^\d{1,15}$/.test(resourceVersion))
    throw badRequestError(`Invalid value: "${resourceVersion}": strconv.ParseUint: parsing: invalid syntax`);
  const version = Number(resourceVersion);
  if (version <= store.getCurrentVersion()) return version;
  const message = `Too large resource version: ${version}, current: ${store.getCurrentVersion()}`;
  throw new StatusError(504, 'Timeout', message, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version', field: '' }],
    retryAfterSeconds: 1,
  });
}

/** Derives the event type of a change for a selector: objects start or stop matching. Null: no event. */
function deriveEventType(
  { type, object, previousObject }: StoreEvent,
  isSelected: (object: KubeObject) => boolean,
): string | null {
  const isSelectedNow = type !== 'DELETED' && isSelected(object);
  const wasSelected = previousObject !== undefined && isSelected(previousObject);
  if (isSelectedNow) return wasSelected ? 'MODIFIED' : 'ADDED';
  return wasSelected ? 'DELETED' : null;
}

function createEventEncoder(kind: ResourceKind, { format, includeObject }: ReadOptions, clock: Clock) {
  let hasColumns = true;
  return (type: string, object: NewObject): string => {
    if (format.as === 'object' || type === 'BOOKMARK')
      return `{"type":"${type}","object":${serializeObject(object)}}\n`;
    const options = { includeObject, apiVersion: format.apiVersion, hasColumns, now: clock.now() };
    hasColumns = false;
    return `${JSON.stringify({ type, object: buildTable(kind, [object as KubeObject], options) })}\n`;
  };
}

/** Creates a bookmark, whose metadata has only the version. */
function createBookmark(kind: ResourceKind, store: Store): NewObject {
  const metadata = { resourceVersion: String(store.getCurrentVersion()) };
  return { kind: kind.kind, apiVersion: formatApiVersion(kind), metadata };
}

function parseSelectors(query: URLSearchParams): (object: KubeObject) => boolean {
  const matchesLabels = parseLabelSelector(query.get('labelSelector') ?? '');
  const matchesFields = parseFieldSelector(query.get('fieldSelector') ?? '');
  return (object) => matchesLabels(object) && matchesFields(object);
}

function parseIncludeObject(text: string | null): IncludeObjectPolicy {
  return text === 'Object' || text === 'None' ? text : 'Metadata';
}

/** Returns a list as JSON. Items of built-in kinds come without apiVersion and kind, as from a kube-apiserver. */
function serializeList(kind: ResourceKind, objects: readonly KubeObject[], version: number): string {
  const listHeader = {
    kind: `${kind.kind}List`,
    apiVersion: formatApiVersion(kind),
    metadata: { resourceVersion: String(version) },
  };
  const items = objects.map(kind.isCustom ? serializeObject : serializeItem).join(',');
  return `${JSON.stringify(listHeader).slice(0, -1)},"items":[${items}]}\n`;
}

/** Returns an item of a list as JSON; objects of the store never change, so each is serialised once. */
const serializeItem = memoizeByObject(({ apiVersion: _apiVersion, kind: _kind, ...item }) => JSON.stringify(item));

/** Sends JSON: a text as it is, or a value to be serialised. */
export function sendJson(response: ServerResponse, code: number, content: unknown): void {
  const body = Buffer.from(typeof content === 'string' ? content : `${JSON.stringify(content)}\n`);
  response.writeHead(code, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(body);
}

/** Sends the Status of an error. Any error but a StatusError is a bug of the site, and the response names it. */
export function sendError(response: ServerResponse, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const status =
    error instanceof StatusError
      ? error
      : new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, {
          causes: [{ reason: 'UnexpectedServerError', message, field: '' }],
        });
  if (response.headersSent) response.destroy();
  else sendJson(response, status.code, status.toStatus());
}

/** The format in which a client wants the response. */
type ResponseFormat = { readonly as: 'object' } | { readonly as: 'Table'; readonly apiVersion: string };

const TABLE_VERSIONS = ['v1', 'v1beta1'];

/**
 * Returns the first format of an `Accept` header that this server supports: JSON, plain or as a Table.
 * @throws StatusError 406 if there is none
 */
export function negotiateFormat(accept: string | undefined): ResponseFormat {
  if (accept === undefined || accept.trim() === '') return { as: 'object' };
  for (const clause of accept.split(',')) {
    const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
    if (!/^(?:application\/json|application\/\*|\*\/\*)$/.test(type)) continue;
    const mediaParameters = Object.fromEntries(parameters.map((parameter) => parameter.split('=', 2)));
    if (mediaParameters.as === undefined) return { as: 'object' };
    if (
      mediaParameters.as === 'Table' &&
      mediaParameters.g === 'meta.k8s.io' &&
      TABLE_VERSIONS.includes(mediaParameters.v)
    ) {
      return { as: 'Table', apiVersion: `meta.k8s.io/${mediaParameters.v}` };
    }
  }
  const message = 'only the following media types are accepted: application/json';
  throw new StatusError(406, 'NotAcceptable', message);
}

type Selector = (object: KubeObject) => boolean;

/**
 * Parses a label selector in the syntax of kubectl: `a=b,c!=d,e,!f,g in (h,i),j notin (k)`.
 * @throws StatusError 400 if it cannot be parsed
 */
function parseLabelSelector(text: string): Selector {
  const requirements = splitOutsideParentheses(text).map(parseRequirement);
  return ({ metadata }) => requirements.every((matches) => matches(metadata.labels ?? {}));
}

/**
 * Parses a field selector: metadata.name, metadata.namespace, and the few fields that Kubernetes supports for some
 * kinds.
 * @throws StatusError 400 for a field that no kind supports
 */
function parseFieldSelector(text: string): Selector {
  const terms = text.split(',').filter(Boolean).map(parseFieldTerm);
  return (object) => terms.every((matches) => matches(object));
}

const SUPPORTED_FIELD =
  /^(?:metadata\.(?:name|namespace)|spec\.(?:nodeName|unschedulable|signerName)|status\.phase|type|reason|involvedObject\.\w+)$/;

function parseFieldTerm(term: string): Selector {
  const match = /^([^=!]+)(==|=|!=)(.*)$/.exec(term);
  const [, field = '', operator, value = ''] = match ?? [];
  if (!match) throw badRequestError(`invalid field selector: '${term}'; can't understand '${term}'`);
  if (!SUPPORTED_FIELD.test(field)) throw badRequestError(`field label not supported: ${field}`);
  const path = field.split('.');
  const getFieldText = (object: KubeObject) => {
    const fieldValue = getField(object, ...path);
    return typeof fieldValue === 'boolean' ? String(fieldValue) : getString(object, ...path);
  };
  return operator === '!=' ? (object) => getFieldText(object) !== value : (object) => getFieldText(object) === value;
}

type Labels = Readonly<Record<string, string>>;

function parseRequirement(term: string): (labels: Labels) => boolean {
  const membership = /^\s*([^\s=!(),]+)\s+(in|notin)\s+\(([^()]*)\)\s*$/.exec(term);
  if (membership) {
    const [, key = '', operator, list = ''] = membership;
    const values = list.split(',').map((value) => value.trim());
    const hasListedValue = (labels: Labels) => Object.hasOwn(labels, key) && values.includes(labels[key] ?? '');
    return operator === 'in' ? hasListedValue : (labels) => !hasListedValue(labels);
  }
  const equality = /^\s*([^\s=!(),]+)\s*(==|=|!=)\s*([^\s=!(),]*)\s*$/.exec(term);
  if (equality) {
    const [, key = '', operator, value] = equality;
    return operator === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
  }
  const existence = /^\s*(!?)\s*([^\s=!(),]+)\s*$/.exec(term);
  if (!existence) throw badRequestError(`unable to parse requirement: found '${term.trim()}'`);
  const [, negation, key = ''] = existence;
  return negation ? (labels) => !Object.hasOwn(labels, key) : (labels) => Object.hasOwn(labels, key);
}

function splitOutsideParentheses(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter(Boolean);
}
