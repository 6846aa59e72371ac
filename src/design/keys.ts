import * as z from '../platform/zod.ts';
import type { DesignFile } from './model.ts';
import { type Path, parsePath } from './paths.ts';
import { designSchema } from './schema.ts';

type JoinedPath<Prefix extends string, Key extends string> = Prefix extends '' ? Key : `${Prefix}.${Key}`;

/** The keys below a prefix. A key that accepts text counts as one value (an address may be text or a list of two). */
type KeysBelow<T, Prefix extends string> = [string] extends [T]
  ? Prefix
  : T extends readonly (infer Element)[]
    ? KeysBelow<Element, `${Prefix}[]`>
    : T extends object
      ? { [Key in keyof T & string]: KeysBelow<NonNullable<T[Key]>, JoinedPath<Prefix, Key>> }[keyof T & string]
      : Prefix;

/** Path of a value in a design file: `nodes[].bond.mode`. */
export type DesignKey = KeysBelow<DesignFile, ''>;

/** The schema's description of one value. */
interface DesignValueDescription {
  readonly type: 'text' | 'address' | 'number' | 'flag' | 'choice';
  /** The allowed values of a choice; otherwise empty. */
  readonly choices: readonly string[];
  /** The default value as text; null when there is none, or it depends on other keys. */
  readonly defaultValue: string | null;
}

/** A key of the design file that holds a value, with the description of that value. */
export interface DesignKeyDescription extends DesignValueDescription {
  readonly key: DesignKey;
  /** Required; in an optional block, required whenever the block is present. */
  readonly isRequired: boolean;
}

/**
 * Lists the keys of the design file that hold a value, in the order of the schema. An entry of an optional list is
 * optional.
 */
export function listDesignKeys(): readonly DesignKeyDescription[] {
  return collectKeys(designSchema, '', true);
}

function collectKeys(schema: z.core.$ZodType, path: string, isRequired: boolean): DesignKeyDescription[] {
  const valueSchema = unwrapSchema(schema);
  if (valueSchema instanceof z.ZodArray) return collectKeys(valueSchema.element, `${path}[]`, isRequired);
  if (valueSchema instanceof z.ZodObject) {
    return Object.entries(valueSchema.shape as z.core.$ZodShape).flatMap(([key, value]) =>
      collectKeys(value, path === '' ? key : `${path}.${key}`, value._zod.optin !== 'optional'),
    );
  }
  return [{ key: path as DesignKey, isRequired, ...describeValue(schema) }];
}

/** Describes the value at a path of the design file (`services.dns.servers.0.os`); null for a block or unknown key. */
export function describeDesignValue(path: string): DesignValueDescription | null {
  const schema = findSchema(parsePath(path));
  const valueSchema = schema && unwrapSchema(schema);
  return !schema || valueSchema instanceof z.ZodObject || valueSchema instanceof z.ZodArray
    ? null
    : describeValue(schema);
}

/** Lists the keys of the block at a path; empty when there is none. */
export function listBlockKeys(path: Path): string[] {
  const schema = findSchema(path);
  const valueSchema = schema && unwrapSchema(schema);
  return valueSchema instanceof z.ZodObject ? Object.keys(valueSchema.shape) : [];
}

function findSchema(path: Path): z.core.$ZodType | undefined {
  let schema: z.core.$ZodType | undefined = designSchema;
  for (const key of path) {
    const valueSchema: z.core.$ZodType | undefined = schema && unwrapSchema(schema);
    if (valueSchema instanceof z.ZodArray) schema = typeof key === 'number' ? valueSchema.element : undefined;
    else schema = valueSchema instanceof z.ZodObject ? (valueSchema.shape as z.core.$ZodShape)[String(key)] : undefined;
  }
  return schema;
}

/** Returns the schema of the value itself, without its wrappers for optional keys, null and defaults. */
function unwrapSchema(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrapSchema(schema.unwrap());
  return schema instanceof z.ZodPipe ? unwrapSchema(schema.in) : schema;
}

function describeValue(schema: z.core.$ZodType): DesignValueDescription {
  const valueSchema = unwrapSchema(schema);
  const choices =
    valueSchema instanceof z.ZodEnum
      ? valueSchema.options.map(String)
      : valueSchema instanceof z.ZodLiteral
        ? [...valueSchema.values].map(String)
        : [];
  const defaultResult = z.safeParse(schema, undefined);
  const value = defaultResult.success ? defaultResult.data : null;
  return {
    type: getValueType(valueSchema, choices),
    choices,
    defaultValue: value === null || value === undefined || value === '' ? null : String(value),
  };
}

function getValueType(schema: z.core.$ZodType, choices: readonly string[]): DesignValueDescription['type'] {
  if (schema instanceof z.ZodUnion) return 'address';
  if (choices.length > 0) return 'choice';
  if (schema instanceof z.ZodBoolean) return 'flag';
  return schema instanceof z.ZodNumber ? 'number' : 'text';
}
