import { catalogue } from '../i18n/catalogue.ts';
import {
  canonicalAddress,
  firstAddress,
  isAddressInNetwork,
  lastAddress,
  type Network,
  nextAddress,
  parseNetwork,
} from './address.ts';

const words = () => catalogue().design.facts;

/**
 * `254 addresses` for a network that is being typed; empty while it is invalid. Network and broadcast address do not
 * count.
 */
export function describeAddressCount(cidr: string): string {
  const network = parseNetwork(cidr.trim());
  return network === null ? '' : words().addresses(formatCount(countUsable(network)));
}

/**
 * `512 nodes × 510 pods` for a cluster network and the prefix length of each node; empty while they do not fit. The
 * number of pods of a node is the number of addresses of its network without network and broadcast address.
 */
export function describeClusterNetwork(cidr: string, hostPrefix: number): string {
  const network = parseNetwork(cidr.trim());
  const bits = network?.family === 6 ? 128 : 32;
  if (network === null || !Number.isInteger(hostPrefix) || hostPrefix < network.prefix || hostPrefix > bits - 2)
    return '';
  const nodes = 1n << BigInt(hostPrefix - network.prefix);
  const pods = (1n << BigInt(bits - hostPrefix)) - 2n;
  return words().clusterNetwork(formatCount(nodes), formatCount(pods));
}

/** Counts the maximum number of nodes of a cluster network; null if it is not a network, or the prefix does not fit. */
export function countPossibleNodes(cidr: string, hostPrefix: number): bigint | null {
  const network = parseNetwork(cidr.trim());
  if (network === null || !Number.isInteger(hostPrefix) || hostPrefix < network.prefix) return null;
  return hostPrefix > (network.family === 6 ? 128 : 32) ? null : 1n << BigInt(hostPrefix - network.prefix);
}

/** `238 of 254 free`: the addresses of the network that are not in the list; for IPv6 only their total number. */
export function describeFreeAddresses(cidr: string, used: readonly string[]): string {
  const network = parseNetwork(cidr.trim());
  if (network === null) return '';
  const taken = new Set(used.map((text) => canonicalAddress(text.trim())).filter((text) => text !== null));
  const inside = [...taken].filter((address) => isAddressInNetwork(address, network)).length;
  const all = formatCount(countUsable(network));
  return network.family === 6
    ? words().addresses(all)
    : words().left(formatCount(countUsable(network) - BigInt(inside)), all);
}

/** Finds the first address of the network that is not in the list; empty if all are used. */
export function findFreeAddress(cidr: string, used: readonly string[]): string {
  const network = parseNetwork(cidr.trim());
  if (network === null) return '';
  const taken = new Set(used.map((text) => canonicalAddress(text.trim())));
  const last = lastAddress(network);
  let address = nextAddress(firstAddress(network));
  while (address !== null && address !== last && taken.has(address)) address = nextAddress(address);
  return address === null || address === last ? '' : address;
}

/** Returns the DNS names of a cluster name and a base domain; empty while one of them is empty. */
export function describeClusterNames(clusterName: string, baseDomain: string): string {
  const [name, domain] = [clusterName.trim(), baseDomain.trim()];
  return name === '' || domain === '' ? '' : words().names(`api.${name}.${domain}`, `*.apps.${name}.${domain}`);
}

function countUsable({ family, first, last }: Network): bigint {
  const all = last - first + 1n;
  return family === 4 && all > 2n ? all - 2n : all;
}

/** Returns a count for display; a power of two beyond a billion is shown as one. */
function formatCount(count: bigint): string {
  if (count < 1_000_000_000n) return count.toLocaleString('en-US');
  return `2^${(count + 2n).toString(2).length - 1}`;
}
