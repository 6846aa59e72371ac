import { Address4 } from 'ip-address';
import {
  getAddressFamily,
  getFirstAddress,
  isAddressInNetwork,
  type Network,
  parseNetwork,
} from '../../design/address.ts';

/**
 * Parses a network of a validated design.
 * @throws Error for an invalid CIDR, which is a bug
 */
export function parseValidNetwork(cidr: string): Network {
  const network = parseNetwork(cidr);
  if (!network) throw new Error(`not a network: ${cidr}`);
  return network;
}

/** Returns the prefix length of a network: 24 of `172.16.0.0/24`. */
export function getPrefixLength(cidr: string): number {
  return parseValidNetwork(cidr).prefixLength;
}

/** Returns the address of a network: `172.16.0.0` of `172.16.0.0/24`. */
export function getNetworkAddress(cidr: string): string {
  return getFirstAddress(parseValidNetwork(cidr));
}

/** Whether an address is in a network of a design, given as CIDR; false when it is of the other family. */
export function isAddressInCidr(address: string, cidr: string): boolean {
  return isAddressInNetwork(address, parseValidNetwork(cidr));
}

/** Formats the netmask of an IPv4 prefix length: `255.255.255.0` for 24. */
export function formatNetmask(prefixLength: number): string {
  return new Address4(`0.0.0.0/${prefixLength}`).subnetMaskAddress().correctForm();
}

/** Filters the IPv4 addresses or CIDRs of a list. */
export function filterIpv4(addresses: readonly string[]): string[] {
  return addresses.filter((address) => getAddressFamily(address) === 4);
}

/** Filters the IPv6 addresses or CIDRs of a list. */
export function filterIpv6(addresses: readonly string[]): string[] {
  return addresses.filter((address) => getAddressFamily(address) === 6);
}

/** Returns each value once, in order of first appearance. */
export function removeDuplicates<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
