import type { ServerResponse } from 'node:http';
import type { ResourceKind } from './kinds/kinds.ts';
import type { KubeObject } from './objects.ts';
import { formatApiVersion } from './registry.ts';
import { StatusError } from './status.ts';

const objectTexts = new WeakMap<KubeObject, string>();
const itemTexts = new WeakMap<KubeObject, string>();

/** Returns an object as JSON; objects of the store never change, so each is serialised once. */
export function serializeObject(object: KubeObject): string {
  const known = objectTexts.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify(object);
  objectTexts.set(object, text);
  return text;
}

/** Returns a list as JSON. Items of built-in kinds come without apiVersion and kind, as from a kube-apiserver. */
export function serializeList(kind: ResourceKind, objects: readonly KubeObject[], version: number): string {
  const head = {
    kind: `${kind.kind}List`,
    apiVersion: formatApiVersion(kind),
    metadata: { resourceVersion: String(version) },
  };
  const items = objects.map(kind.isCustom ? serializeObject : serializeItem).join(',');
  return `${JSON.stringify(head).slice(0, -1)},"items":[${items}]}\n`;
}

function serializeItem(object: KubeObject): string {
  const known = itemTexts.get(object);
  if (known !== undefined) return known;
  const { apiVersion: _apiVersion, kind: _kind, ...item } = object;
  const text = JSON.stringify(item);
  itemTexts.set(object, text);
  return text;
}

/** Sends JSON: a text as it is, or a value to be serialised. */
export function sendJson(response: ServerResponse, code: number, content: unknown): void {
  const body = Buffer.from(typeof content === 'string' ? content : `${JSON.stringify(content)}\n`);
  response.writeHead(code, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(body);
}

/** Sends the Status of an error. Any error but a StatusError is a bug of the site, and the response names it. */
export function sendError(response: ServerResponse, error: unknown): void {
  const status = error instanceof StatusError ? error : internalError(error);
  if (response.headersSent) response.destroy();
  else sendJson(response, status.code, status.toStatus());
}

function internalError(error: unknown): StatusError {
  const detail = error instanceof Error ? error.message : String(error);
  return new StatusError(500, 'InternalError', `Internal error occurred: ${detail}`, {
    causes: [{ reason: 'UnexpectedServerError', message: detail, field: '' }],
  });
}

/** The format in which a client wants the response. */
export type ResponseFormat = { readonly as: 'object' } | { readonly as: 'Table'; readonly apiVersion: string };

const TABLE_VERSIONS = ['v1', 'v1beta1'];

/**
 * The first format of an `Accept` header that this server has: JSON, plain or as a Table.
 * @throws StatusError 406 if there is none
 */
export function negotiateFormat(accept: string | undefined): ResponseFormat {
  if (accept === undefined || accept.trim() === '') return { as: 'object' };
  for (const clause of accept.split(',')) {
    const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
    if (!/^(?:application\/json|application\/\*|\*\/\*)$/.test(type)) continue;
    const wanted = Object.fromEntries(parameters.map((parameter) => parameter.split('=', 2)));
    if (wanted.as === undefined) return { as: 'object' };
    if (wanted.as === 'Table' && wanted.g === 'meta.k8s.io' && TABLE_VERSIONS.includes(wanted.v)) {
      return { as: 'Table', apiVersion: `meta.k8s.io/${wanted.v}` };
    }
  }
  const message = 'only the following media types are accepted: application/json';
  throw new StatusError(406, 'NotAcceptable', message);
}
