import { isIPv4 } from 'node:net';
import type { Design } from '../../../design/model.ts';
import { isInNetwork } from '../../hosts/dhcp.ts';

/** Network settings of a machine: its address, its name servers, and its routers to other networks. */
export interface Attachment {
  readonly address: string;
  readonly nameServers: readonly string[];
  readonly routers: readonly string[];
}

export const UNATTACHED: Attachment = { address: '', nameServers: [], routers: [] };

/** Finds the machine network that contains an IPv4 address, or null. */
function findNetwork(design: Design, address: string) {
  if (!isIPv4(address)) return null;
  const contains = ({ cidr }: { readonly cidr: string }) => {
    const [network = '', prefix = ''] = cidr.split('/');
    return isIPv4(network) && isInNetwork(address, network, Number(prefix));
  };
  return design.networks.machine.find(contains) ?? null;
}

/**
 * Checks whether packets from a machine reach an address: always in its own network, elsewhere if one of its routers is
 * that network's gateway. Networks without a known gateway count as connected.
 * @param target null: an address outside of the site
 */
export function canReach(design: Design, { address, routers }: Attachment, target: string | null): boolean {
  const network = findNetwork(design, address);
  if (network === null || network.gateway === null) return true;
  if (target !== null && (!isIPv4(target) || findNetwork(design, target) === network)) return true;
  return routers.includes(network.gateway);
}
