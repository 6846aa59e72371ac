import { BlockList, isIP } from 'node:net';
import type { Design } from '../../design/model.ts';
import { readProgramOutput } from '../../host/programs.ts';

/** Ranges that are not routed on the internet (RFC 1918, RFC 6598, RFC 3927, RFC 4193, RFC 4291), and loopback. */
const PRIVATE_RANGES: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[] = [
  ['10.0.0.0', 8, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['::1', 128, 'ipv6'],
];

/** Timeout of a lookup, in real milliseconds. */
const LOOKUP_TIMEOUT_MS = 3000;

/**
 * Resolves a name as any program of this machine does, with getent(1). A lookup in this process cannot be cancelled: a
 * resolver that does not answer would delay the end of the process by 20 seconds or more.
 * @returns an address; null if there is none, or none in time
 */
export async function resolveWithTimeout(name: string): Promise<string | null> {
  if (isIP(name) !== 0) return name;
  const output = name.startsWith('-') ? null : await readProgramOutput('getent', ['ahosts', name], LOOKUP_TIMEOUT_MS);
  const [address = ''] = output?.split(/\s/) ?? [];
  return isIP(address) === 0 ? null : address;
}

/**
 * Whether a host is on the internet: its address is public, and in no machine network of the design. A name is resolved
 * as any program here does; a name that does not resolve is not on the internet.
 */
export async function isInternetHost({ networks }: Pick<Design, 'networks'>, host: string): Promise<boolean> {
  const localRanges = new BlockList();
  for (const [network, prefix, family] of PRIVATE_RANGES) localRanges.addSubnet(network, prefix, family);
  for (const { cidr } of networks.machine) {
    const [network = '', prefix = ''] = cidr.split('/');
    const family = isIP(network);
    if (family !== 0) localRanges.addSubnet(network, Number(prefix), family === 6 ? 'ipv6' : 'ipv4');
  }
  const address = await resolveWithTimeout(host);
  return address !== null && !localRanges.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
