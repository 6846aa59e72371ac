import { isObjectOrList } from '../paths.ts';

/** The detected format of a file. */
type ImportKind = 'design' | 'install-config' | 'helpernode' | 'table' | 'dhcpd' | 'kea' | 'hosts';

/** A design file's document, or a part of one. */
export type PartialDocument = Readonly<Record<string, unknown>>;

/** The design values found in a file. */
export interface ImportedDesign {
  readonly kind: ImportKind;
  /** The part of the design that the file contains; keys without a value are absent. */
  readonly document: PartialDocument;
  /** Texts from the file that a design stores in separate files. Secret: never display them. */
  readonly files: readonly ImportedFile[];
  /** Notes for the user on values that were skipped or changed. */
  readonly notes: readonly string[];
}

/** A text that the design stores in a separate file. */
export interface ImportedFile {
  /** Its usual name, relative to the design: `pull-secret.txt`. */
  readonly name: string;
  readonly text: string;
}

/** Why the file cannot be imported, and what to do. */
export interface ImportFailure {
  readonly problem: string;
  readonly fix: string;
}

/** Copies a document without keys that are undefined or null and without blocks that become empty. */
export function omitEmpty(document: Readonly<Record<string, unknown>>): PartialDocument {
  const entries = Object.entries(document).flatMap(([key, value]) => {
    if (value === undefined || value === null) return [];
    if (typeof value !== 'object' || Array.isArray(value)) return [[key, value] as const];
    const innerBlock = omitEmpty(value as Record<string, unknown>);
    return Object.keys(innerBlock).length > 0 ? [[key, innerBlock] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** Decodes a file: UTF-8, or UTF-16 with a byte order mark (the "Unicode text" of spreadsheets). */
export function decodeText(bytes: Uint8Array): string {
  const [firstByte, secondByte] = bytes;
  const isLittleEndian = firstByte === 0xff && secondByte === 0xfe;
  const isBigEndian = firstByte === 0xfe && secondByte === 0xff;
  return new TextDecoder(isLittleEndian ? 'utf-16le' : isBigEndian ? 'utf-16be' : 'utf-8').decode(bytes);
}

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
