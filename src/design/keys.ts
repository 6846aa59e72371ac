import { type DesignFile, designJsonSchema } from './schema.ts';

type Joined<Path extends string, Key extends string> = Path extends '' ? Key : `${Path}.${Key}`;

/** Where text is possible it is one value (an address may be one or a list of two). */
type KeysBelow<T, Path extends string> = [string] extends [T]
  ? Path
  : T extends readonly (infer Each)[]
    ? KeysBelow<Each, `${Path}[]`>
    : T extends object
      ? { [Key in keyof T & string]: KeysBelow<NonNullable<T[Key]>, Joined<Path, Key>> }[keyof T & string]
      : Path;

/** Every value that a design file may hold, by its path: `nodes[].bond.mode`. */
export type DesignKey = KeysBelow<DesignFile, ''>;

/** What the schema says of one value. */
export interface KeyFacts {
  readonly key: DesignKey;
  readonly type: 'text' | 'address' | 'number' | 'flag' | 'choice';
  /** What it may be, where that is a short list. */
  readonly choices: readonly string[];
  /** It has to be there: in a block that may be left out, whenever the block is there. */
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

/** All values of the design file in the order of the schema. */
export function designKeys(): readonly KeyFacts[] {
  return keysBelow(designJsonSchema() as Schema, '', true);
}

function keysBelow(schema: Schema, path: string, isRequired: boolean): KeyFacts[] {
  const alternatives = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  const [only, ...others] = alternatives;
  if (only && others.length === 0) return keysBelow(only, path, isRequired);
  if (schema.properties) {
    return Object.entries(schema.properties).flatMap(([key, value]) =>
      keysBelow(value, path === '' ? key : `${path}.${key}`, schema.required?.includes(key) === true),
    );
  }
  if (schema.items) return keysBelow(schema.items, `${path}[]`, isRequired);
  const choices = schema.const === undefined ? (schema.enum ?? []) : [schema.const];
  return [{ key: path as DesignKey, type: typeOf(schema, choices), choices, isRequired }];
}

function typeOf(schema: Schema, choices: readonly string[]): KeyFacts['type'] {
  if (schema.anyOf) return 'address';
  if (choices.length > 0) return 'choice';
  const types = [schema.type].flat();
  if (types.includes('boolean')) return 'flag';
  return types.includes('integer') ? 'number' : 'text';
}
