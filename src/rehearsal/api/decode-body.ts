import { decode } from './decode.ts';
import type { ResourceKind } from './kinds/kind.ts';
import { getString, isRecord, type NewObject } from './objects.ts';
import { formatApiVersion } from './registry.ts';
import { badRequestError, invalidError, invalidValue, type StatusError } from './status.ts';

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
