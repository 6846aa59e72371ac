import { toCanonicalAddress } from '../address.ts';
import { type NodeRole, ROLES } from '../choices.ts';
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

/** Converts rows to the nodes of a design document, sorted by role; keys without a value are left out. */
export function toDocumentNodes(rows: readonly NodeRow[]): PartialDocument[] {
  const sortedRows = [...rows].sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
  return sortedRows.map(({ domain: _domain, ip, ...row }) => {
    const { name, role, mac, ...sizes } = row;
    return { name, role, ip: ip.length > 1 ? ip.slice(0, 2) : (ip[0] ?? ''), mac, ...sizes };
  });
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

/** One machine of a list. Keys without a value are absent; values that cannot be parsed stay as written. */
export interface NodeRow {
  /** The first label of the host name, in lower case; empty when missing. */
  readonly name: string;
  /** The rest of the host name: `ocp45.example.localdomain`; empty for a short name. */
  readonly domain: string;
  readonly role: NodeRole;
  /** One address, or an IPv4 and an IPv6 one; empty when missing. */
  readonly ip: readonly string[];
  /** Lower case with colons; empty when missing. */
  readonly mac: string;
  readonly vcpu?: number;
  readonly memoryGiB?: number;
  readonly diskGiB?: number;
  readonly installDisk?: string;
  readonly interface?: string;
  readonly vlan?: number;
  readonly firmware?: 'uefi' | 'bios';
}

/** Splits a host name into the node's name and the domain, both in lower case. */
export function splitHostName(text: string): Pick<NodeRow, 'name' | 'domain'> {
  const [name = '', ...rest] = text.trim().toLowerCase().replace(/\.$/, '').split('.');
  return { name, domain: rest.join('.') };
}

// The order decides: "infra-worker1" is an infra node, "control-plane-storage" is not a storage node.
const ROLE_PATTERNS: readonly (readonly [RegExp, NodeRole])[] = [
  [/^(?:bootstrap|boot|bs)\d*$|bootstrap/, 'bootstrap'],
  [/master|control|^(?:m|cp|ctrl|ctlplane)-?\d+$/, 'control-plane'],
  [/arbiter/, 'arbiter'],
  [/infra|^i-?\d+$/, 'infra'],
  [/storage|^(?:ocs|odf|ceph|s)-?\d*$/, 'storage'],
];

/** Detects the role in a role word or machine name (`master`, `worker-3`, `cp1`, `infra2`); null when there is none. */
export function detectRole(text: string): NodeRole | null {
  const word = text.trim().toLowerCase();
  const match = ROLE_PATTERNS.find(([pattern]) => pattern.test(word));
  if (match) return match[1];
  return /worker|compute|^(?:w|wk|wrk|c|node)-?\d*$/.test(word) ? 'compute' : null;
}

/** Parses the addresses in a text and drops their prefix lengths: `172.16.0.21/24, fd00::21`. */
export function parseAddresses(text: string): string[] {
  return text
    .split(/[\s,;|]+/)
    .map((word) => toCanonicalAddress(word.replace(/\/\d{1,3}$/, '')))
    .filter((address) => address !== null);
}

/**
 * Whether a text has the form of a MAC address; it may be mistyped. That is six or more groups, three groups of four
 * characters, or four or more pairs of hexadecimal digits.
 */
export function looksLikeMac(text: string): boolean {
  return /^[\da-z]{1,3}(?:[:-][\da-z]{1,3}){5,}$|^[\da-z]{4}(?:\.[\da-z]{4}){2}$|^[\da-f]{2}(?:[:-][\da-f]{2}){3,}$/i.test(
    text,
  );
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

/** Decodes a file: UTF-8, or UTF-16 with a byte order mark (the "Unicode text" of spreadsheets). */
export function decodeText(bytes: Uint8Array): string {
  const [firstByte, secondByte] = bytes;
  const isLittleEndian = firstByte === 0xff && secondByte === 0xfe;
  const isBigEndian = firstByte === 0xfe && secondByte === 0xff;
  return new TextDecoder(isLittleEndian ? 'utf-16le' : isBigEndian ? 'utf-16be' : 'utf-8').decode(bytes);
}
