import { getString, isRecord, type JsonRecord, type NewObject, splitWords } from './objects.ts';
import {
  badRequestError,
  type FieldProblem,
  invalidError,
  invalidValue,
  requiredValue,
  type StatusError,
  unsupportedValue,
} from './status.ts';

/**
 * The structure of a kind, as far as the rehearsal needs it to prune, to validate strictly and to reject wrong types.
 * `any` is kept as it is (x-kubernetes-preserve-unknown-fields).
 */
export type Schema =
  | { readonly type: 'string'; readonly enum?: readonly string[]; readonly pattern?: RegExp }
  | { readonly type: 'integer'; readonly minimum?: number }
  | { readonly type: 'boolean' | 'int-or-string' | 'any' }
  | { readonly type: 'object'; readonly fields: Fields; readonly required: readonly string[] }
  | { readonly type: 'map'; readonly values: Schema }
  | { readonly type: 'list'; readonly items: Schema };

export type Fields = Readonly<Record<string, Schema>>;

export const anySchema: Schema = { type: 'any' };
const textSchema: Schema = { type: 'string' };
export const textListSchema: Schema = { type: 'list', items: textSchema };
export const textMapSchema: Schema = { type: 'map', values: textSchema };

const defineFields =
  (schema: Schema) =>
  (names: string): Fields =>
    Object.fromEntries(splitWords(names).map((name) => [name, schema]));

// Each function defines fields of one type by their names, with blanks between them.
export const textFields = defineFields(textSchema);
export const integerFields = defineFields({ type: 'integer' });
export const countFields = defineFields({ type: 'integer', minimum: 0 });
export const flagFields = defineFields({ type: 'boolean' });
export const intOrStringFields = defineFields({ type: 'int-or-string' });
/** Defines fields whose content the rehearsal does not check. */
export const opaqueFields = defineFields(anySchema);

export const textEnum = (...values: readonly string[]): Schema => ({ type: 'string', enum: values });
/** Defines a text that must match a pattern, as the schema of the real kind requires. */
export const textPattern = (pattern: RegExp): Schema => ({ type: 'string', pattern });
export const listSchema = (items: Schema): Schema => ({ type: 'list', items });

/** @param required names of fields, with blanks between them */
export function objectSchema(fields: Fields, required = ''): Schema {
  return { type: 'object', fields, required: splitWords(required) };
}

interface Violations {
  readonly unknownFields: string[];
  readonly problems: FieldProblem[];
}

/**
 * Keeps the fields of `value` that `schema` declares, without nulls.
 * @returns the value, its unknown fields in the wording of a strict decoder (`unknown field "spec.x"`), and its wrong
 * types, values out of range and missing required fields
 */
export function decodeWithSchema(schema: Schema, value: unknown): Violations & { readonly value: unknown } {
  const violations: Violations = { unknownFields: [], problems: [] };
  return { value: decodeValue(schema, value, '', violations), ...violations };
}

function decodeValue(schema: Schema, value: unknown, path: string, violations: Violations): unknown {
  const { problems } = violations;
  switch (schema.type) {
    case 'any':
      return value;
    case 'object':
      return isRecord(value)
        ? decodeObject(schema, value, path, violations)
        : reportWrongType(path, 'object', value, problems);
    case 'map': {
      if (!isRecord(value)) return reportWrongType(path, 'object', value, problems);
      const entries = Object.entries(value).filter(([, item]) => item !== null);
      return Object.fromEntries(
        entries.map(([key, item]) => [key, decodeValue(schema.values, item, `${path}.${key}`, violations)]),
      );
    }
    case 'list':
      if (!Array.isArray(value)) return reportWrongType(path, 'array', value, problems);
      return value.map((item, index) => decodeValue(schema.items, item, `${path}[${index}]`, violations));
    case 'string':
      if (typeof value !== 'string') return reportWrongType(path, 'string', value, problems);
      if (schema.enum && !schema.enum.includes(value)) problems.push(unsupportedValue(path, value, schema.enum));
      if (schema.pattern && !schema.pattern.test(value)) {
        problems.push(invalidValue(path, value, `${path} in body should match '${schema.pattern.source}'`));
      }
      return value;
    case 'integer':
      if (!Number.isInteger(value)) return reportWrongType(path, 'integer', value, problems);
      if (schema.minimum !== undefined && Number(value) < schema.minimum) {
        const detail = `${path} in body should be greater than or equal to ${schema.minimum}`;
        problems.push(invalidValue(path, value, detail));
      }
      return value;
    case 'boolean':
      return typeof value === 'boolean' ? value : reportWrongType(path, 'boolean', value, problems);
    case 'int-or-string':
      if (typeof value === 'string' || typeof value === 'number') return value;
      return reportWrongType(path, 'integer,string', value, problems);
  }
}

function decodeObject(
  schema: Schema & { type: 'object' },
  value: JsonRecord,
  path: string,
  violations: Violations,
): unknown {
  const result: JsonRecord = {};
  const formatPath = (key: string) => (path === '' ? key : `${path}.${key}`);
  for (const [key, item] of Object.entries(value)) {
    const field = Object.hasOwn(schema.fields, key) ? schema.fields[key] : undefined;
    if (!field) violations.unknownFields.push(`unknown field ${JSON.stringify(formatPath(key))}`);
    else if (item !== null) result[key] = decodeValue(field, item, formatPath(key), violations);
    else if (field.type === 'any') result[key] = null;
  }
  for (const key of schema.required) if (!(key in result)) violations.problems.push(requiredValue(formatPath(key)));
  return result;
}

function reportWrongType(path: string, expectedType: string, value: unknown, problems: FieldProblem[]): undefined {
  const actualType =
    value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
  const detail = `Invalid value: "${actualType}": ${path} in body must be of type ${expectedType}: "${actualType}"`;
  problems.push({ reason: 'FieldValueTypeInvalid', field: path, text: detail });
  return undefined;
}

/** How strictly a body is decoded. */
export interface DecodeContext {
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  /** Adds a sentence to the `Warning` header. */
  readonly warn: (text: string) => void;
}

/** The fields of a kind that are needed to decode its bodies. */
interface KindWithSchema {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: Schema;
}

/**
 * Decodes a body with the schema of its kind. Unknown fields are an error, a warning or ignored, depending on
 * `fieldValidation`.
 * @throws StatusError 400, 422
 */
export function decodeBody(
  context: DecodeContext,
  kind: KindWithSchema,
  body: unknown,
  source: 'body' | 'patch',
): NewObject {
  if (!isRecord(body)) throw badRequestError('the object provided is unrecognized: not an object');
  const { apiVersion = '', kind: bodyKind = '' } = body;
  const expectedVersion = formatApiVersion(kind);
  if ((apiVersion !== '' && apiVersion !== expectedVersion) || (bodyKind !== '' && bodyKind !== kind.kind)) {
    throw badRequestError(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${expectedVersion}): ${String(bodyKind)}.${String(apiVersion)}`,
    );
  }
  const { value, unknownFields, problems } = decodeWithSchema(kind.schema, { ...body, metadata: body.metadata ?? {} });
  if (unknownFields.length > 0 && context.fieldValidation === 'Strict') {
    const decodingError = `strict decoding error: ${unknownFields.join(', ')}`;
    throw source === 'body' ? cannotHandleError(kind, decodingError) : badPatchError(body, decodingError);
  }
  if (context.fieldValidation === 'Warn') for (const warning of unknownFields) context.warn(warning);
  if (problems.length > 0) throw invalidError(kind, getString(body, 'metadata', 'name'), problems);
  return value as NewObject;
}

/** Formats `v1` or `apps/v1`. */
export function formatApiVersion({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === '' ? version : `${group}/${version}`;
}

function cannotHandleError({ kind, version }: KindWithSchema, detail: string): StatusError {
  return badRequestError(`${kind} in version "${version}" cannot be handled as a ${kind}: ${detail}`);
}

/** Creates the 422 for a patched object that cannot be decoded (apiserver/pkg/endpoints/handlers/patch.go). */
function badPatchError(patchedObject: unknown, detail: string): StatusError {
  return invalidError({ group: '', kind: '' }, '', [invalidValue('patch', JSON.stringify(patchedObject), detail)]);
}
