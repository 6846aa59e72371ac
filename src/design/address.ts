import { isIPv4, isIPv6 } from 'node:net';
import { Address4, Address6 } from 'ip-address';

/** IPv4 or IPv6. */
export type AddressFamily = 4 | 6;

/** A network as numbers: its first and last address, and the prefix length. */
export interface Network {
  readonly family: AddressFamily;
  readonly first: bigint;
  readonly last: bigint;
  readonly prefixLength: number;
}

/**
 * Returns the canonical spelling of an address ("172.16.0.21", lowercase compressed IPv6); null if the text is no
 * address. Refused on purpose: octets with leading zeros and short forms (some programs read 010.0.0.1 as 8.0.0.1),
 * zone ids and IPv4 written as IPv6.
 */
export function toCanonicalAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  // The colon first: Node.js builds its large pattern for IPv6 on the first call.
  if (!text.includes(':') || !isIPv6(text) || text.includes('%') || text.includes('.')) return null;
  const address = new Address6(text);
  return address.bigInt() >> 32n === 0xffffn ? null : address.correctForm();
}

/** Returns the family of a canonical address. */
export function getAddressFamily(address: string): AddressFamily {
  return address.includes(':') ? 6 : 4;
}

/** Parses the netmask 255.255.255.0 to its prefix length, 24; null if the text is no netmask. */
export function parseNetmask(text: string): number | null {
  const bits = isIPv4(text) ? addressToNumber(text)?.toString(2).padStart(32, '0') : undefined;
  return bits !== undefined && /^1*0*$/.test(bits) ? bits.replaceAll('0', '').length : null;
}

/** Limits of the cache: more entries than a design has, and texts longer than any address or network. */
const [MAX_CACHED_TEXTS, MAX_CACHED_TEXT_LENGTH] = [20_000, 64];

/**
 * Caches the result for each text: a design is evaluated after each answer, by rules that read its addresses many
 * times.
 */
function memoize<Value>(parse: (text: string) => Value | null): (text: string) => Value | null {
  const cache = new Map<string, Value | null>();
  return (text) => {
    const cachedValue = cache.get(text);
    if (cachedValue !== undefined) return cachedValue;
    const value = parse(text);
    if (text.length > MAX_CACHED_TEXT_LENGTH) return value;
    if (cache.size >= MAX_CACHED_TEXTS) cache.clear();
    cache.set(text, value);
    return value;
  };
}

/** Converts an address to a number; null when the text is not an address. */
export const addressToNumber = memoize(parseAddressNumber);

function parseAddressNumber(text: string): bigint | null {
  if (isIPv4(text)) return BigInt(text.split('.').reduce((number, octet) => number * 256 + Number(octet), 0));
  const address = toCanonicalAddress(text);
  return address === null ? null : new Address6(address).bigInt();
}

/**
 * Formats a numeric address in canonical spelling.
 * @param number an address of this family
 */
export function formatAddress(family: AddressFamily, number: bigint): string {
  return family === 4 ? Address4.fromBigInt(number).correctForm() : Address6.fromBigInt(number).correctForm();
}

/** Returns the next address of the same family; null if the text is not an address, or is the last one. */
export function getNextAddress(text: string): string | null {
  const address = toCanonicalAddress(text);
  const number = addressToNumber(text);
  if (address === null || number === null) return null;
  const family = getAddressFamily(address);
  return (number + 1n) >> (family === 4 ? 32n : 128n) > 0n ? null : formatAddress(family, number + 1n);
}

/** The link-local addresses of IPv6 (RFC 4291). */
export const IPV6_LINK_LOCAL = 'fe80::/10';

const CIDR = /^([^/]+)\/(0|[1-9]\d{0,2})$/;

/** Parses `172.16.0.0/24`, whether or not the address is the first of its network; null if it is not a CIDR. */
export const parseNetwork = memoize(parseCidr);

function parseCidr(cidr: string): Network | null {
  const [, text = '', length = ''] = CIDR.exec(cidr) ?? [];
  const address = toCanonicalAddress(text);
  const number = addressToNumber(text);
  if (address === null || number === null) return null;
  const family = getAddressFamily(address);
  const bits = family === 4 ? 32 : 128;
  const prefixLength = Number(length);
  if (prefixLength > bits) return null;
  const hostBits = BigInt(bits - prefixLength);
  const first = (number >> hostBits) << hostBits;
  return { family, first, last: first + (1n << hostBits) - 1n, prefixLength };
}

/**
 * Parses a range constant of the program if it is of this family; null otherwise. It is parsed on first use: a design
 * without IPv6 never pays for Node.js's large IPv6 pattern.
 */
export function parseNetworkOfFamily(family: AddressFamily, cidr: string): Network | null {
  return getAddressFamily(cidr) === family ? parseNetwork(cidr) : null;
}

/** Whether the address (any accepted spelling) is in a range constant of the program. */
export function isInRange(address: string, cidr: string): boolean {
  const range = parseNetworkOfFamily(getAddressFamily(address), cidr);
  return range !== null && isAddressInNetwork(address, range);
}

/** Whether the network has an address in common with a range constant of the program. */
export function overlapsRange(network: Network, cidr: string): boolean {
  const range = parseNetworkOfFamily(network.family, cidr);
  return range !== null && hasOverlap(range, network);
}

/** Formats the network's canonical text: `172.16.0.0/24`. */
export function formatNetwork(network: Network): string {
  return `${formatAddress(network.family, network.first)}/${network.prefixLength}`;
}

/**
 * Returns a CIDR in canonical spelling; null if the text is none. The address stays, even if it is not the first one: a
 * rule checks that.
 */
export function toCanonicalCidr(text: string): string | null {
  const network = parseNetwork(text);
  const [address = ''] = text.split('/');
  return network && `${toCanonicalAddress(address)}/${network.prefixLength}`;
}

/** Returns the address of the network, which no host may have: 172.16.0.0 of 172.16.0.0/24. */
export function getFirstAddress(network: Network): string {
  return formatAddress(network.family, network.first);
}

/** Returns the last address, with IPv4 the broadcast address: 172.16.0.255 of 172.16.0.0/24. */
export function getLastAddress(network: Network): string {
  return formatAddress(network.family, network.last);
}

/** Whether the address (any accepted spelling) is in the network; false if it is not an address. */
export function isAddressInNetwork(address: string, network: Network): boolean {
  const family = getAddressFamily(address);
  if (family !== network.family) return false;
  const number = addressToNumber(address);
  return number !== null && isNumberInNetwork(number, family, network);
}

/** Whether a numeric address is in the network. */
function isNumberInNetwork(number: bigint, family: AddressFamily, network: Network): boolean {
  return family === network.family && number >= network.first && number <= network.last;
}

/** Whether two networks have an address in common; networks of different families have none. */
export function hasOverlap(a: Network, b: Network): boolean {
  return a.family === b.family && a.first <= b.last && b.first <= a.last;
}

// 00:50:56:96:11:c2, 00-50-56-96-11-C2, 0050.5696.11c2 (Cisco), 005056-9611c2 (HP), 0050569611c2.
const MAC_FORMATS = [
  /^[0-9a-f]{2}(:|-)[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}$/i,
  /^[0-9a-f]{4}(\.|:|-)[0-9a-f]{4}\1[0-9a-f]{4}$/i,
  /^[0-9a-f]{6}[:-]?[0-9a-f]{6}$/i,
];

/** Converts a MAC address of any usual grouping to lower case with colons; null otherwise. */
export const toCanonicalMac = memoize(parseMac);

function parseMac(text: string): string | null {
  if (!MAC_FORMATS.some((pattern) => pattern.test(text))) return null;
  const digits = text.toLowerCase().replace(/[^0-9a-f]/g, '');
  return digits.replace(/..(?=.)/g, '$&:');
}
