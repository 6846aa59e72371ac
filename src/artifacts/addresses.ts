import { isIPv4, isIPv6 } from 'node:net';
import { Address4, Address6 } from 'ip-address';

/** The prefix length of a CIDR. */
export function prefixOf(cidr: string): number {
  return Number(cidr.split('/')[1]);
}

export function isInNetwork(address: string, cidr: string): boolean {
  if (isIPv4(address) !== isIPv4(cidr.split('/')[0] ?? '')) return false;
  return isIPv4(address)
    ? new Address4(address).isInSubnet(new Address4(cidr))
    : new Address6(address).isInSubnet(new Address6(cidr));
}

/** `255.255.255.0` for a prefix of 24. */
export function netmask(prefix: number): string {
  return new Address4(`0.0.0.0/${prefix}`).subnetMaskAddress().correctForm();
}

export function ipv4(addresses: readonly string[]): string[] {
  return addresses.filter((address) => isIPv4(address));
}

export function ipv6(addresses: readonly string[]): string[] {
  return addresses.filter((address) => isIPv6(address));
}

/** Each value once, in order of first appearance. */
export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
