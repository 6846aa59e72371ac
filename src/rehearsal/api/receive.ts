import { decode } from './decode.ts';
import type { ResourceKind } from './kinds/kind.ts';
import { isRecord, type NewObject, textAt } from './objects.ts';
import { apiVersionOf } from './registry.ts';
import { badRequest, invalid, invalidValue, type StatusError } from './status.ts';

/** How strictly a body is read. */
export interface Reading {
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  /** Takes a sentence for the `Warning` header. */
  readonly warn: (text: string) => void;
}

/** Reads a body along the schema of its kind, and says no to what the kind does not have. */
export function receive(context: Reading, kind: ResourceKind, body: unknown, from: 'body' | 'patch'): NewObject {
  if (!isRecord(body)) throw badRequest('the object provided is unrecognized: not an object');
  const { apiVersion = '', kind: bodyKind = '' } = body;
  const isOurs =
    (apiVersion === '' || apiVersion === apiVersionOf(kind)) && (bodyKind === '' || bodyKind === kind.kind);
  if (!isOurs) {
    const got = `${String(bodyKind)}.${String(apiVersion)}`;
    throw badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${apiVersionOf(kind)}): ${got}`,
    );
  }
  const { value, unknown, problems } = decode(kind.schema, { ...body, metadata: body.metadata ?? {} });
  const strict = `strict decoding error: ${unknown.join(', ')}`;
  if (unknown.length > 0 && context.fieldValidation === 'Strict') {
    throw from === 'body' ? cannotHandle(kind, strict) : badPatch(body, strict);
  }
  if (context.fieldValidation === 'Warn') for (const text of unknown) context.warn(text);
  const name = textAt(body, 'metadata', 'name');
  const wrong = problems.find(({ reason }) => reason === 'FieldValueTypeInvalid');
  if (wrong && !kind.isCustom)
    throw from === 'body' ? cannotHandle(kind, goTypeError(kind, wrong)) : badPatch(body, goTypeError(kind, wrong));
  if (problems.length > 0) throw invalid(kind, name, problems);
  return value as NewObject;
}

function cannotHandle(kind: ResourceKind, why: string): StatusError {
  return badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${why}`);
}

/** What was patched cannot be decoded: 422, and the object it would have been (apiserver/pkg/endpoints/handlers/patch.go). */
function badPatch(patched: unknown, why: string): StatusError {
  return invalid({ group: '', kind: '' }, '', [invalidValue('patch', JSON.stringify(patched), why)]);
}

function goTypeError({ kind }: ResourceKind, { field, text }: { field: string; text: string }): string {
  const [, actual = '', wanted = ''] = /Invalid value: "(\w+)": .* must be of type ([\w,]+):/.exec(text) ?? [];
  const goTypes: Record<string, string> = { boolean: 'bool', integer: 'int32', object: 'map', array: 'slice' };
  const goNames: Record<string, string> = { boolean: 'bool', integer: 'number' };
  return `json: cannot unmarshal ${goNames[actual] ?? actual} into Go struct field ${kind}.${field} of type ${goTypes[wanted] ?? wanted}`;
}

/**
 * Puts an object into the namespace of its path, or takes it out of one.
 * @throws StatusError 400 when it says another
 */
export function inNamespace(object: NewObject, namespace: string | null): void {
  const { namespace: given } = object.metadata;
  if (namespace === null) delete object.metadata.namespace;
  else if (given === undefined || given === '') object.metadata.namespace = namespace;
  else if (given !== namespace) {
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
  }
}
