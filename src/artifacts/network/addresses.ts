import { Address4 } from 'ip-address';
import { familyOf, firstAddress, isInside, type Network, parseNetwork } from '../../design/address.ts';

/** A network of a parsed design; throws for a wrong one, which is a bug. */
export function networkOf(cidr: string): Network {
  const network = parseNetwork(cidr);
  if (!network) throw new Error(`not a network: ${cidr}`);
  return network;
}

/** 24 of `172.16.0.0/24`. */
export function prefixOf(cidr: string): number {
  return networkOf(cidr).prefix;
}

/** `172.16.0.0` of `172.16.0.0/24`. */
export function firstOf(cidr: string): string {
  return firstAddress(networkOf(cidr));
}

/** Whether an address lies in a network of a design, given as CIDR; false when it is of the other family. */
export function isInNetwork(address: string, cidr: string): boolean {
  return isInside(address, networkOf(cidr));
}

/** `255.255.255.0` for a prefix of 24. */
export function netmask(prefix: number): string {
  return new Address4(`0.0.0.0/${prefix}`).subnetMaskAddress().correctForm();
}

/** The IPv4 addresses or CIDRs of a list. */
export function ipv4(addresses: readonly string[]): string[] {
  return addresses.filter((address) => familyOf(address) === 4);
}

/** The IPv6 addresses or CIDRs of a list. */
export function ipv6(addresses: readonly string[]): string[] {
  return addresses.filter((address) => familyOf(address) === 6);
}

/** Each value once, in order of first appearance. */
export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
