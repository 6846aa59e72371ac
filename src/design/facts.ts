import { catalogue } from '../text/catalogue.ts';
import {
  addressAfter,
  canonicalAddress,
  firstAddress,
  isInside,
  lastAddress,
  type Network,
  parseNetwork,
} from './address.ts';

const words = () => catalogue().design.facts;

/** `254 addresses` for a network being typed; empty while it is not one. Network and broadcast address do not count. */
export function addressCount(cidr: string): string {
  const network = parseNetwork(cidr.trim());
  return network === null ? '' : words().addresses(countText(usable(network)));
}

/**
 * `512 nodes × 510 pods` for a cluster network and the prefix length that each node gets; empty while they do not fit. The
 * pods of a node: the addresses of its network without network and broadcast address.
 */
export function clusterNetworkFacts(cidr: string, hostPrefix: number): string {
  const network = parseNetwork(cidr.trim());
  const bits = network?.family === 6 ? 128 : 32;
  if (network === null || !Number.isInteger(hostPrefix) || hostPrefix < network.prefix || hostPrefix > bits - 2)
    return '';
  const nodes = 1n << BigInt(hostPrefix - network.prefix);
  const pods = (1n << BigInt(bits - hostPrefix)) - 2n;
  return words().clusterNetwork(countText(nodes), countText(pods));
}

/** Nodes that a cluster network has room for; null: not a network, or the prefix does not fit. */
export function nodeRoom(cidr: string, hostPrefix: number): bigint | null {
  const network = parseNetwork(cidr.trim());
  if (network === null || !Number.isInteger(hostPrefix) || hostPrefix < network.prefix) return null;
  return hostPrefix > (network.family === 6 ? 128 : 32) ? null : 1n << BigInt(hostPrefix - network.prefix);
}

/** `238 of 254 free`: how many addresses of the network are not in the list; for IPv6 only how many there are. */
export function addressesLeft(cidr: string, used: readonly string[]): string {
  const network = parseNetwork(cidr.trim());
  if (network === null) return '';
  const taken = new Set(used.map((text) => canonicalAddress(text.trim())).filter((text) => text !== null));
  const inside = [...taken].filter((address) => isInside(address, network)).length;
  const all = countText(usable(network));
  return network.family === 6 ? words().addresses(all) : words().left(countText(usable(network) - BigInt(inside)), all);
}

/** The first address of the network that is not in the list; empty: all are taken. */
export function nextFree(cidr: string, used: readonly string[]): string {
  const network = parseNetwork(cidr.trim());
  if (network === null) return '';
  const taken = new Set(used.map((text) => canonicalAddress(text.trim())));
  const last = lastAddress(network);
  let address = addressAfter(firstAddress(network));
  while (address !== null && address !== last && taken.has(address)) address = addressAfter(address);
  return address === null || address === last ? '' : address;
}

/** The names that a cluster name and a base domain make; empty while one of them is. */
export function resultingNames(clusterName: string, baseDomain: string): string {
  const [name, domain] = [clusterName.trim(), baseDomain.trim()];
  return name === '' || domain === '' ? '' : words().names(`api.${name}.${domain}`, `*.apps.${name}.${domain}`);
}

function usable({ family, first, last }: Network): bigint {
  const all = last - first + 1n;
  return family === 4 && all > 2n ? all - 2n : all;
}

/** A count as a person reads it; powers of two beyond a billion as such. */
function countText(count: bigint): string {
  if (count < 1_000_000_000n) return count.toLocaleString('en-US');
  return `2^${(count + 2n).toString(2).length - 1}`;
}
