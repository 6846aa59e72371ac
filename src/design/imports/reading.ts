import { isRecord } from '../paths.ts';

// Files of other tools are read as they are: a value of another type than expected is as good as none.

/** The block at a key, or an empty one. */
export function block(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isRecord(found) && !Array.isArray(found) ? found : {};
}

/** The list at a key, or an empty one; a lone value is a list of one. */
export function list(value: unknown, key: string): readonly unknown[] {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (found === undefined || found === null) return [];
  return Array.isArray(found) ? found : [found];
}

/** The text at a key without blanks around it, or undefined where there is none; numbers are taken as text. */
export function text(value: unknown, key: string): string | undefined {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (typeof found === 'number') return String(found);
  return typeof found === 'string' && found.trim() !== '' ? found.trim() : undefined;
}

/** The whole number at a key; undefined: no number. A number in quotes does not count. */
export function whole(value: unknown, key: string): number | undefined {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof found === 'number' && Number.isSafeInteger(found) ? found : undefined;
}

/** True or false at a key, also as YAML 1.1 writes it (yes, no); undefined where there is none. */
export function flag(value: unknown, key: string): boolean | undefined {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (typeof found === 'string' && /^(?:true|yes|false|no)$/i.test(found)) return /^(?:true|yes)$/i.test(found);
  return typeof found === 'boolean' ? found : undefined;
}

/** The list without undefined; undefined when nothing is left, so that the key is left out of the design. */
export function filled<T>(values: readonly (T | undefined)[]): T[] | undefined {
  const kept = values.filter((value) => value !== undefined);
  return kept.length > 0 ? kept : undefined;
}

/** The text of a file: UTF-8, or UTF-16 where a byte order mark says so (the "Unicode text" of spreadsheets). */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  return new TextDecoder(isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8').decode(bytes);
}
