import type { ServerResponse } from 'node:http';
import type { ResourceKind } from './kinds/kind.ts';
import type { KubeObject } from './objects.ts';
import { apiVersionOf } from './registry.ts';
import { StatusError } from './status.ts';

const objectTexts = new WeakMap<KubeObject, string>();
const itemTexts = new WeakMap<KubeObject, string>();

/** An object as JSON; objects of the store never change, so each is serialised once. */
export function jsonOf(object: KubeObject): string {
  const known = objectTexts.get(object);
  if (known !== undefined) return known;
  const made = JSON.stringify(object);
  objectTexts.set(object, made);
  return made;
}

/** A list as JSON. Items of built-in kinds come without apiVersion and kind, as from a kube-apiserver. */
export function listJson(kind: ResourceKind, objects: readonly KubeObject[], version: number): string {
  const head = {
    kind: `${kind.kind}List`,
    apiVersion: apiVersionOf(kind),
    metadata: { resourceVersion: String(version) },
  };
  const items = objects.map(kind.isCustom ? jsonOf : itemJson).join(',');
  return `${JSON.stringify(head).slice(0, -1)},"items":[${items}]}\n`;
}

function itemJson(object: KubeObject): string {
  const known = itemTexts.get(object);
  if (known !== undefined) return known;
  const { apiVersion: _apiVersion, kind: _kind, ...item } = object;
  const made = JSON.stringify(item);
  itemTexts.set(object, made);
  return made;
}

/** Answers with JSON text or a value to be serialised. */
export function sendJson(response: ServerResponse, code: number, content: unknown): void {
  const body = Buffer.from(typeof content === 'string' ? content : `${JSON.stringify(content)}\n`);
  response.writeHead(code, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(body);
}

/** Answers with the Status of an error; anything but a StatusError is a bug of the site, and the answer says so. */
export function sendError(response: ServerResponse, error: unknown): void {
  const status = error instanceof StatusError ? error : internalError(error);
  if (response.headersSent) response.destroy();
  else sendJson(response, status.code, status.toStatus());
}

function internalError(error: unknown): StatusError {
  const why = error instanceof Error ? error.message : String(error);
  return new StatusError(500, 'InternalError', `Internal error occurred: ${why}`, {
    causes: [{ reason: 'UnexpectedServerError', message: why, field: '' }],
  });
}
