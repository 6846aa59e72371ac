import { toCanonicalAddress } from '../address.ts';
import { NODE_ROLES, type NodeRole } from '../choices.ts';
import type { PartialDocument } from './imported-design.ts';

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

/** Converts rows to the nodes of a design document, sorted by role; keys without a value are left out. */
export function toDocumentNodes(rows: readonly NodeRow[]): PartialDocument[] {
  const sortedRows = [...rows].sort((a, b) => NODE_ROLES.indexOf(a.role) - NODE_ROLES.indexOf(b.role));
  return sortedRows.map(({ domain: _domain, ip, ...row }) => {
    const { name, role, mac, ...sizes } = row;
    return { name, role, ip: ip.length > 1 ? ip.slice(0, 2) : (ip[0] ?? ''), mac, ...sizes };
  });
}
