import { ROLES } from '../choices.ts';
import type { NodeRow } from './node-row.ts';

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

/** Converts rows to the nodes of a design document, sorted by role; keys without a value are left out. */
export function toDocumentNodes(rows: readonly NodeRow[]): PartialDocument[] {
  const sorted = [...rows].sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
  return sorted.map(({ domain: _domain, ip, ...row }) => {
    const { name, role, mac, ...sizes } = row;
    return { name, role, ip: ip.length > 1 ? ip.slice(0, 2) : (ip[0] ?? ''), mac, ...sizes };
  });
}

/** Copies a document without keys that are undefined or null and without blocks that become empty. */
export function omitEmpty(document: Readonly<Record<string, unknown>>): PartialDocument {
  const entries = Object.entries(document).flatMap(([key, value]) => {
    if (value === undefined || value === null) return [];
    if (typeof value !== 'object' || Array.isArray(value)) return [[key, value] as const];
    const inner = omitEmpty(value as Record<string, unknown>);
    return Object.keys(inner).length > 0 ? [[key, inner] as const] : [];
  });
  return Object.fromEntries(entries);
}
