import type { Schema } from './kinds/schema.ts';
import { isRecord } from './objects.ts';
import { type FieldProblem, invalidValue, requiredValue, unsupportedValue } from './status.ts';

/** The result of decoding a body with the schema of its kind. */
export interface DecodeResult {
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
