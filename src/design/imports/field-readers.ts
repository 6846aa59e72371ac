import { isRecord } from '../paths.ts';

// Files of other tools are read leniently: a value of an unexpected type counts as missing.

/** Returns the block at a key, or an empty one. */
export function getBlock(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isRecord(found) && !Array.isArray(found) ? found : {};
}

/** Returns the list at a key, or an empty one; a lone value is a list of one. */
export function getList(value: unknown, key: string): readonly unknown[] {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (found === undefined || found === null) return [];
  return Array.isArray(found) ? found : [found];
}

/** Returns the trimmed text at a key, or undefined; numbers are converted to text. */
export function getText(value: unknown, key: string): string | undefined {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (typeof found === 'number') return String(found);
  return typeof found === 'string' && found.trim() !== '' ? found.trim() : undefined;
}

/** Returns the integer at a key, or undefined. A number in quotes does not count. */
export function getInteger(value: unknown, key: string): number | undefined {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof found === 'number' && Number.isSafeInteger(found) ? found : undefined;
}

/** Returns the boolean at a key, also as YAML 1.1 writes it (yes, no), or undefined. */
export function getBoolean(value: unknown, key: string): boolean | undefined {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (typeof found === 'string' && /^(?:true|yes|false|no)$/i.test(found)) return /^(?:true|yes)$/i.test(found);
  return typeof found === 'boolean' ? found : undefined;
}

/** Removes undefined values. Returns undefined for an empty list, so that the design omits the key. */
export function compactList<T>(values: readonly (T | undefined)[]): T[] | undefined {
  const defined = values.filter((value) => value !== undefined);
  return defined.length > 0 ? defined : undefined;
}

/** Decodes a file: UTF-8, or UTF-16 with a byte order mark (the "Unicode text" of spreadsheets). */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isLittleEndian = first === 0xff && second === 0xfe;
  const isBigEndian = first === 0xfe && second === 0xff;
  return new TextDecoder(isLittleEndian ? 'utf-16le' : isBigEndian ? 'utf-16be' : 'utf-8').decode(bytes);
}
