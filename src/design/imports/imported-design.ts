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
