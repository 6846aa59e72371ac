import { type DesignFile, designJsonSchema } from './schema.ts';

type JoinedPath<Path extends string, Key extends string> = Path extends '' ? Key : `${Path}.${Key}`;

/** A key that accepts text counts as one value (an address may be text or a list of two). */
type KeysBelow<T, Path extends string> = [string] extends [T]
  ? Path
  : T extends readonly (infer Each)[]
    ? KeysBelow<Each, `${Path}[]`>
    : T extends object
      ? { [Key in keyof T & string]: KeysBelow<NonNullable<T[Key]>, JoinedPath<Path, Key>> }[keyof T & string]
      : Path;

/** Path of a value in a design file: `nodes[].bond.mode`. */
export type DesignKey = KeysBelow<DesignFile, ''>;

/** The schema's description of one value. */
export interface DesignKeyInfo {
  readonly key: DesignKey;
  readonly type: 'text' | 'address' | 'number' | 'flag' | 'choice';
  /** The allowed values of a choice; otherwise empty. */
  readonly choices: readonly string[];
  /** Required; in an optional block, required whenever the block is present. */
  readonly isRequired: boolean;
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly const?: string;
}

/** Lists all values of the design file in schema order. */
export function listDesignKeys(): readonly DesignKeyInfo[] {
  return collectKeys(designJsonSchema() as Schema, '', true);
}

function collectKeys(schema: Schema, path: string, isRequired: boolean): DesignKeyInfo[] {
  const alternatives = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  const [only, ...others] = alternatives;
  if (only && others.length === 0) return collectKeys(only, path, isRequired);
  if (schema.properties) {
    return Object.entries(schema.properties).flatMap(([key, value]) =>
      collectKeys(value, path === '' ? key : `${path}.${key}`, schema.required?.includes(key) === true),
    );
  }
  if (schema.items) return collectKeys(schema.items, `${path}[]`, isRequired);
  const choices = schema.const === undefined ? (schema.enum ?? []) : [schema.const];
  return [{ key: path as DesignKey, type: getKeyType(schema, choices), choices, isRequired }];
}

function getKeyType(schema: Schema, choices: readonly string[]): DesignKeyInfo['type'] {
  if (schema.anyOf) return 'address';
  if (choices.length > 0) return 'choice';
  const types = [schema.type].flat();
  if (types.includes('boolean')) return 'flag';
  return types.includes('integer') ? 'number' : 'text';
}
