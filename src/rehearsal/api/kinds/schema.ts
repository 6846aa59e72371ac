/**
 * The structure of a kind, as far as the rehearsal needs it to prune, to validate strictly and to reject wrong types.
 */
export type Schema =
  | { readonly type: 'string'; readonly enum?: readonly string[] }
  | { readonly type: 'integer'; readonly minimum?: number }
  | { readonly type: 'boolean' }
  | { readonly type: 'int-or-string' }
  /** Kept as it is (x-kubernetes-preserve-unknown-fields). */
  | { readonly type: 'any' }
  | { readonly type: 'object'; readonly fields: Readonly<Record<string, Schema>>; readonly required: readonly string[] }
  | { readonly type: 'map'; readonly values: Schema }
  /**
   * `mergeKey`: the field that identifies an item in a strategic merge patch. `isSet`: plain values that are merged.
   */
  | { readonly type: 'list'; readonly items: Schema; readonly mergeKey?: string; readonly isSet?: boolean };

export type Fields = Readonly<Record<string, Schema>>;

export const text: Schema = { type: 'string' };
export const integer: Schema = { type: 'integer' };
export const count: Schema = { type: 'integer', minimum: 0 };
export const flag: Schema = { type: 'boolean' };
export const anything: Schema = { type: 'any' };
export const intOrString: Schema = { type: 'int-or-string' };
export const textList: Schema = { type: 'list', items: text };
export const textMap: Schema = { type: 'map', values: text };
/** A quantity may be written as a number or as a string. */
export const quantities: Schema = { type: 'map', values: intOrString };

export function textEnum(...values: readonly string[]): Schema {
  return { type: 'string', enum: values };
}

export function object(fields: Fields, ...required: readonly string[]): Schema {
  return { type: 'object', fields, required };
}

export function list(items: Schema, mergeKey?: string): Schema {
  return mergeKey === undefined ? { type: 'list', items } : { type: 'list', items, mergeKey };
}

/** Fields that exist and whose content the rehearsal ignores. */
export function opaque(...names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, anything]));
}
