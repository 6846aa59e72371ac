import { isIPv4, isIPv6 } from 'node:net';
import { Address4, Address6 } from 'ip-address';

/** IPv4 or IPv6. */
export type Family = 4 | 6;

/** A network as numbers: its first and last address, and the prefix length. */
export interface Network {
  readonly family: Family;
  readonly first: bigint;
  readonly last: bigint;
  readonly prefix: number;
}

/**
 * The canonical spelling of an address ("172.16.0.21", lower-case compressed IPv6), or null when the text is not one.
 * Refused on purpose: octets with leading zeros and short forms (some programs read 010.0.0.1 as 8.0.0.1), zone ids and
 * IPv4 written as IPv6.
 */
export function canonicalAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  // The colon first: Node makes its large pattern for IPv6 when it is first asked.
  if (!text.includes(':') || !isIPv6(text) || text.includes('%') || text.includes('.')) return null;
  const address = new Address6(text);
  return address.bigInt() >> 32n === 0xffffn ? null : address.correctForm();
}

/** The family of a canonical address. */
export function familyOf(address: string): Family {
  return address.includes(':') ? 6 : 4;
}

/** More than a design has, and longer than an address or a network is. */
const [MOST_KNOWN, LONGEST] = [20_000, 64];

/** Reads each text once: a design that is typed is judged at each answer, by rules that ask for its addresses many times. */
function once<Value>(read: (text: string) => Value | null): (text: string) => Value | null {
  const known = new Map<string, Value | null>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const value = read(text);
    if (text.length > LONGEST) return value;
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(text, value);
    return value;
  };
}

/** The address as a number, or null when the text is not an address. */
export const addressNumber = once(readNumber);

function readNumber(text: string): bigint | null {
  if (isIPv4(text)) return BigInt(text.split('.').reduce((number, octet) => number * 256 + Number(octet), 0));
  const address = canonicalAddress(text);
  return address === null ? null : new Address6(address).bigInt();
}

/** The canonical spelling of an address that is a number; it has to be one of its family. */
export function addressOf(family: Family, number: bigint): string {
  return family === 4 ? Address4.fromBigInt(number).correctForm() : Address6.fromBigInt(number).correctForm();
}

/** The next address of the same family; null: the text is not an address, or it is the last one. */
export function addressAfter(text: string): string | null {
  const canonical = canonicalAddress(text);
  const number = addressNumber(text);
  if (canonical === null || number === null) return null;
  const family = familyOf(canonical);
  return (number + 1n) >> (family === 4 ? 32n : 128n) > 0n ? null : addressOf(family, number + 1n);
}

const CIDR = /^([^/]+)\/(0|[1-9]\d{0,2})$/;

/** `172.16.0.0/24` as numbers, whether or not the address is the first of its network; null when it is not a CIDR. */
export const parseNetwork = once(readNetwork);

function readNetwork(cidr: string): Network | null {
  const [, text = '', length = ''] = CIDR.exec(cidr) ?? [];
  const address = canonicalAddress(text);
  const number = addressNumber(text);
  if (address === null || number === null) return null;
  const family = familyOf(address);
  const bits = family === 4 ? 32 : 128;
  const prefix = Number(length);
  if (prefix > bits) return null;
  const hostBits = BigInt(bits - prefix);
  const first = (number >> hostBits) << hostBits;
  return { family, first, last: first + (1n << hostBits) - 1n, prefix };
}

/**
 * A range that the program itself names, if it is of this family; null otherwise. Worked out when it is first asked for: a
 * design without IPv6 never pays for reading IPv6, which Node prepares for with a large pattern.
 */
export function rangeIn(family: Family, cidr: string): Network | null {
  return familyOf(cidr) === family ? parseNetwork(cidr) : null;
}

/** True when the address (any spelling that is accepted) lies in a range that the program itself names. */
export function isInRange(address: string, cidr: string): boolean {
  const range = rangeIn(familyOf(address), cidr);
  return range !== null && isInside(address, range);
}

/** True when the network has an address in common with a range that the program itself names. */
export function overlapsRange(network: Network, cidr: string): boolean {
  const range = rangeIn(network.family, cidr);
  return range !== null && isOverlap(range, network);
}

/** The network's canonical text: `172.16.0.0/24`. */
export function networkText(network: Network): string {
  return `${addressOf(network.family, network.first)}/${network.prefix}`;
}

/** The CIDR in canonical spelling with its address kept as written (a rule judges whether it is the first one), or null. */
export function canonicalCidr(text: string): string | null {
  const network = parseNetwork(text);
  const [address = ''] = text.split('/');
  return network && `${canonicalAddress(address)}/${network.prefix}`;
}

/** "172.16.0.0" of 172.16.0.0/24, in canonical spelling: it names the network and is no host's. */
export function firstAddress(network: Network): string {
  return addressOf(network.family, network.first);
}

/** "172.16.0.255" of 172.16.0.0/24, in canonical spelling: with IPv4 the broadcast address. */
export function lastAddress(network: Network): string {
  return addressOf(network.family, network.last);
}

/** True when the address (any spelling that is accepted) lies in the network; false when it is no address. */
export function isInside(address: string, network: Network): boolean {
  const family = familyOf(address);
  if (family !== network.family) return false;
  const number = addressNumber(address);
  return number !== null && isNumberInside(number, family, network);
}

/** The same for an address that is a number already. */
export function isNumberInside(number: bigint, family: Family, network: Network): boolean {
  return family === network.family && number >= network.first && number <= network.last;
}

/** Whether two networks have an address in common; networks of different families have none. */
export function isOverlap(a: Network, b: Network): boolean {
  return a.family === b.family && a.first <= b.last && b.first <= a.last;
}

// 00:50:56:96:11:c2, 00-50-56-96-11-C2, 0050.5696.11c2 (Cisco), 005056-9611c2 (HP), 0050569611c2.
const MACS = [
  /^[0-9a-f]{2}(:|-)[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}$/i,
  /^[0-9a-f]{4}(\.|:|-)[0-9a-f]{4}\1[0-9a-f]{4}$/i,
  /^[0-9a-f]{6}[:-]?[0-9a-f]{6}$/i,
];

/** A MAC address in lower case with colons, or null: twelve digits in any of the usual groupings. */
export const canonicalMac = once(readMac);

function readMac(text: string): string | null {
  if (!MACS.some((form) => form.test(text))) return null;
  const digits = text.toLowerCase().replace(/[^0-9a-f]/g, '');
  return digits.replace(/..(?=.)/g, '$&:');
}
