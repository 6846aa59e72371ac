import { isIPv4 } from 'node:net';
import type { Design } from '../../../design/model.ts';
import { isInNetwork } from '../../hosts/dhcp.ts';

/** How a machine stands in the network: its address, whom it asks for names, and where it sends what is not near. */
export interface Attachment {
  readonly address: string;
  readonly nameServers: readonly string[];
  readonly routers: readonly string[];
}

export const UNATTACHED: Attachment = { address: '', nameServers: [], routers: [] };

/** The machine network that an IPv4 address is in, or null. */
function networkOf(design: Design, address: string) {
  if (!isIPv4(address)) return null;
  const inside = ({ cidr }: { readonly cidr: string }) => {
    const [network = '', prefix = ''] = cidr.split('/');
    return isIPv4(network) && isInNetwork(address, network, Number(prefix));
  };
  return design.networks.machine.find(inside) ?? null;
}

/**
 * Whether packets from a machine come to an address: in its own network always, elsewhere when one of its routers is the gateway
 * of that network. Networks without a known gateway are taken as connected.
 * @param target null: an address outside of the site
 */
export function reaches(design: Design, { address, routers }: Attachment, target: string | null): boolean {
  const own = networkOf(design, address);
  if (own === null || own.gateway === null) return true;
  if (target !== null && (!isIPv4(target) || networkOf(design, target) === own)) return true;
  return routers.includes(own.gateway);
}
