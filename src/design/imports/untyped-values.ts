import { isObjectOrList } from '../paths.ts';

// Files of other tools are read leniently: a value of an unexpected type counts as missing.

/** Returns the block at a key, or an empty one. */
export function getBlock(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const entry = isObjectOrList(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isObjectOrList(entry) && !Array.isArray(entry) ? entry : {};
}

/** Returns the list at a key, or an empty one; a lone value is a list of one. */
export function getList(value: unknown, key: string): readonly unknown[] {
  const entry = isObjectOrList(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (entry === undefined || entry === null) return [];
  return Array.isArray(entry) ? entry : [entry];
}

/** Returns the trimmed text at a key, or undefined; numbers are converted to text. */
export function getText(value: unknown, key: string): string | undefined {
  const entry = isObjectOrList(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (typeof entry === 'number') return String(entry);
  return typeof entry === 'string' && entry.trim() !== '' ? entry.trim() : undefined;
}

/** Returns the integer at a key, or undefined. A number in quotes does not count. */
export function getInteger(value: unknown, key: string): number | undefined {
  const entry = isObjectOrList(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof entry === 'number' && Number.isSafeInteger(entry) ? entry : undefined;
}

/** Returns the boolean at a key, also as YAML 1.1 writes it (yes, no), or undefined. */
export function getBoolean(value: unknown, key: string): boolean | undefined {
  const entry = isObjectOrList(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (typeof entry === 'string' && /^(?:true|yes|false|no)$/i.test(entry)) return /^(?:true|yes)$/i.test(entry);
  return typeof entry === 'boolean' ? entry : undefined;
}

/** Removes undefined values. Returns undefined for an empty list, so that the design omits the key. */
export function compactList<T>(values: readonly (T | undefined)[]): T[] | undefined {
  const definedValues = values.filter((value) => value !== undefined);
  return definedValues.length > 0 ? definedValues : undefined;
}
