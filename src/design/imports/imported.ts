import { ROLES } from '../model.ts';
import type { NodeRow } from './node-row.ts';

/** What a file was taken for. */
export type ImportKind = 'design' | 'install-config' | 'helpernode' | 'table' | 'dhcpd' | 'kea' | 'hosts';

/** A design file's document, or a part of one. */
export type PartialDocument = Readonly<Record<string, unknown>>;

/** What a file tells of a design. */
export interface Imported {
  readonly kind: ImportKind;
  /** The part of the design that the file tells: keys that it does not tell are not there. */
  readonly document: PartialDocument;
  /** Texts that stood in the file and that a design keeps in files of their own. Secret: never to be shown. */
  readonly files: readonly ImportedFile[];
  /** What was left out or taken in another way, in words. */
  readonly notes: readonly string[];
}

export interface ImportedFile {
  /** Its usual name, relative to the design: `pull-secret.txt`. */
  readonly name: string;
  readonly text: string;
}

/** Why nothing could be taken. */
export interface ImportRefused {
  readonly problem: string;
  readonly fix: string;
}

/** The nodes of a design document, in the order of the roles; keys that the list did not tell are left out. */
export function documentNodes(rows: readonly NodeRow[]): PartialDocument[] {
  const sorted = [...rows].sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
  return sorted.map(({ domain: _domain, ip, ...row }) => {
    const { name, role, mac, ...sizes } = row;
    return { name, role, ip: ip.length > 1 ? ip.slice(0, 2) : (ip[0] ?? ''), mac, ...sizes };
  });
}

/** A copy without the keys that hold nothing (undefined, and blocks in which nothing is left). */
export function withoutNothing(document: Readonly<Record<string, unknown>>): PartialDocument {
  const entries = Object.entries(document).flatMap(([key, value]) => {
    if (value === undefined || value === null) return [];
    if (typeof value !== 'object' || Array.isArray(value)) return [[key, value] as const];
    const inner = withoutNothing(value as Record<string, unknown>);
    return Object.keys(inner).length > 0 ? [[key, inner] as const] : [];
  });
  return Object.fromEntries(entries);
}
