import type { IncomingMessage } from 'node:http';
import { parse as parseYaml } from 'yaml';
import type { ResourceKind } from './kinds/kinds.ts';
import type { Schema } from './kinds/schema.ts';
import { getString, isRecord, type JsonRecord, type NewObject } from './objects.ts';
import { formatApiVersion } from './registry.ts';
import {
  badRequestError,
  type FieldProblem,
  invalidError,
  invalidValue,
  requestTooLargeError,
  requiredValue,
  type StatusError,
  unsupportedMediaTypeError,
  unsupportedValue,
} from './status.ts';

/** As kube-apiserver: 3 MiB. */
const BODY_LIMIT_BYTES = 3 * 1024 * 1024;

/** Returns the media type of a request without its parameters, lower-case. */
export function getMediaType({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/**
 * The parsed body of a request; undefined when it is empty.
 * @throws StatusError 413 when it is too long, 415 when it is neither JSON nor YAML, 400 when it cannot be parsed
 */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  // The stream stays open after reading stops, or the error would not reach the client.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    length += bytes.length;
    if (length > BODY_LIMIT_BYTES) throw requestTooLargeError(BODY_LIMIT_BYTES);
    chunks.push(bytes);
  }
  if (length === 0) return undefined;
  const text = Buffer.concat(chunks).toString('utf8');
  const mediaType = getMediaType(request);
  if (mediaType === '' || /^application\/(?:.+\+)?json$/.test(mediaType)) return parseWith(JSON.parse, text);
  if (/^application\/(?:.+\+)?yaml$/.test(mediaType))
    return parseWith((yaml) => parseYaml(yaml, { maxAliasCount: 0 }), text);
  throw unsupportedMediaTypeError(['application/json', 'application/yaml']);
}

function parseWith(parse: (text: string) => unknown, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw badRequestError(
      `couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** The result of decoding a body with the schema of its kind. */
interface DecodeResult {
  /** The value without unknown fields and without nulls. */
  readonly value: unknown;
  /** The unknown fields, in the wording of a strict decoder: `unknown field "spec.x"`. */
  readonly unknown: readonly string[];
  /** Wrong types, values out of range, and required fields that are missing. */
  readonly problems: readonly FieldProblem[];
}

/** Keeps the fields of `value` that `schema` declares, and collects unknown fields and violations. */
export function decode(schema: Schema, value: unknown): DecodeResult {
  const unknown: string[] = [];
  const problems: FieldProblem[] = [];
  const decoded = visit(schema, value, '', { unknown, problems });
  return { value: decoded, unknown, problems };
}

interface Violations {
  readonly unknown: string[];
  readonly problems: FieldProblem[];
}

function visit(schema: Schema, value: unknown, path: string, found: Violations): unknown {
  if (schema.type === 'any') return value;
  if (schema.type === 'object') return visitObject(schema, value, path, found);
  if (schema.type === 'map') {
    if (!isRecord(value)) return wrongType(path, 'object', value, found);
    const entries = Object.entries(value).filter(([, item]) => item !== null);
    return Object.fromEntries(entries.map(([key, item]) => [key, visit(schema.values, item, `${path}.${key}`, found)]));
  }
  if (schema.type === 'list') {
    if (!Array.isArray(value)) return wrongType(path, 'array', value, found);
    return value.map((item, index) => visit(schema.items, item, `${path}[${index}]`, found));
  }
  return visitScalar(schema, value, path, found);
}

function visitObject(schema: Schema & { type: 'object' }, value: unknown, path: string, found: Violations): unknown {
  if (!isRecord(value)) return wrongType(path, 'object', value, found);
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const fieldPath = path === '' ? key : `${path}.${key}`;
    const field = Object.hasOwn(schema.fields, key) ? schema.fields[key] : undefined;
    if (!field) found.unknown.push(`unknown field ${JSON.stringify(fieldPath)}`);
    else if (item !== null) result[key] = visit(field, item, fieldPath, found);
    else if (field.type === 'any') result[key] = null;
  }
  for (const key of schema.required) {
    if (!(key in result)) found.problems.push(requiredValue(path === '' ? key : `${path}.${key}`));
  }
  return result;
}

function visitScalar(
  schema: Exclude<Schema, { type: 'any' | 'object' | 'map' | 'list' }>,
  value: unknown,
  path: string,
  found: Violations,
): unknown {
  switch (schema.type) {
    case 'string':
      if (typeof value !== 'string') return wrongType(path, 'string', value, found);
      if (schema.enum && !schema.enum.includes(value)) found.problems.push(unsupportedValue(path, value, schema.enum));
      return value;
    case 'integer':
      if (!Number.isInteger(value)) return wrongType(path, 'integer', value, found);
      if (schema.minimum !== undefined && Number(value) < schema.minimum) {
        const detail = `${path} in body should be greater than or equal to ${schema.minimum}`;
        found.problems.push(invalidValue(path, value, detail));
      }
      return value;
    case 'boolean':
      return typeof value === 'boolean' ? value : wrongType(path, 'boolean', value, found);
    case 'int-or-string':
      if (typeof value === 'string' || typeof value === 'number') return value;
      return wrongType(path, 'integer,string', value, found);
  }
}

function wrongType(path: string, expected: string, value: unknown, { problems }: Violations): undefined {
  const actual = jsonType(value);
  const text = `Invalid value: "${actual}": ${path} in body must be of type ${expected}: "${actual}"`;
  problems.push({ reason: 'FieldValueTypeInvalid', field: path, text });
  return undefined;
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** How strictly a body is decoded. */
export interface DecodeContext {
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  /** Adds a sentence to the `Warning` header. */
  readonly warn: (text: string) => void;
}

/**
 * Decodes a body with the schema of its kind, and rejects what the kind does not have.
 * @throws StatusError 400, 422
 */
export function decodeBody(
  context: DecodeContext,
  kind: ResourceKind,
  body: unknown,
  from: 'body' | 'patch',
): NewObject {
  if (!isRecord(body)) throw badRequestError('the object provided is unrecognized: not an object');
  const { apiVersion = '', kind: bodyKind = '' } = body;
  const isExpectedKind =
    (apiVersion === '' || apiVersion === formatApiVersion(kind)) && (bodyKind === '' || bodyKind === kind.kind);
  if (!isExpectedKind) {
    const actual = `${String(bodyKind)}.${String(apiVersion)}`;
    throw badRequestError(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${formatApiVersion(kind)}): ${actual}`,
    );
  }
  const { value, unknown, problems } = decode(kind.schema, { ...body, metadata: body.metadata ?? {} });
  const strict = `strict decoding error: ${unknown.join(', ')}`;
  if (unknown.length > 0 && context.fieldValidation === 'Strict') {
    throw from === 'body' ? cannotHandleError(kind, strict) : badPatchError(body, strict);
  }
  if (context.fieldValidation === 'Warn') for (const text of unknown) context.warn(text);
  const name = getString(body, 'metadata', 'name');
  const wrongType = problems.find(({ reason }) => reason === 'FieldValueTypeInvalid');
  if (wrongType && !kind.isCustom)
    throw from === 'body'
      ? cannotHandleError(kind, formatGoTypeError(kind, wrongType))
      : badPatchError(body, formatGoTypeError(kind, wrongType));
  if (problems.length > 0) throw invalidError(kind, name, problems);
  return value as NewObject;
}

function cannotHandleError(kind: ResourceKind, detail: string): StatusError {
  return badRequestError(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${detail}`);
}

/**
 * Returns a patched object that cannot be decoded: 422, with that object (apiserver/pkg/endpoints/handlers/patch.go).
 */
function badPatchError(patched: unknown, detail: string): StatusError {
  return invalidError({ group: '', kind: '' }, '', [invalidValue('patch', JSON.stringify(patched), detail)]);
}

function formatGoTypeError({ kind }: ResourceKind, { field, text }: { field: string; text: string }): string {
  const [, actual = '', expected = ''] = /Invalid value: "(\w+)": .* must be of type ([\w,]+):/.exec(text) ?? [];
  const goTypes: Record<string, string> = { boolean: 'bool', integer: 'int32', object: 'map', array: 'slice' };
  const goNames: Record<string, string> = { boolean: 'bool', integer: 'number' };
  return `json: cannot unmarshal ${goNames[actual] ?? actual} into Go struct field ${kind}.${field} of type ${goTypes[expected] ?? expected}`;
}

/**
 * Sets the namespace of the request path on an object, or removes it for a cluster-scoped kind.
 * @throws StatusError 400 if the object names another namespace
 */
export function applyNamespace(object: NewObject, namespace: string | null): void {
  const { namespace: given } = object.metadata;
  if (namespace === null) delete object.metadata.namespace;
  else if (given === undefined || given === '') object.metadata.namespace = namespace;
  else if (given !== namespace) {
    throw badRequestError(`the namespace of the provided object does not match the namespace sent on the request`);
  }
}

// API objects are JSON: lists, records and plain values. The general functions of JavaScript cost several times as
// much, and a site copies and compares its objects all the time.

/** Returns a deep copy that shares nothing with the original and is not frozen. */
export function deepCopy<T>(value: T): T;
export function deepCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deepCopy);
  if (!isRecord(value)) return value;
  const copy: JsonRecord = {};
  for (const key of Object.keys(value)) setKey(copy, key, deepCopy(value[key]));
  return copy;
}

/** Sets a key. A plain assignment to `__proto__` would change the prototype of the record. */
function setKey(record: JsonRecord, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(record, key, { value, enumerable: true, writable: true, configurable: true });
  else record[key] = value;
}

/**
 * Whether two JSON values are equal. The order of keys does not matter; a key with the value undefined counts as a key.
 */
export function isDeepEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one))
    return (
      Array.isArray(other) && one.length === other.length && one.every((each, index) => isDeepEqual(each, other[index]))
    );
  if (!isRecord(one) || !isRecord(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isDeepEqual(one[key], other[key]))
  );
}
