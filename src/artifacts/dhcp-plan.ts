import { isIPv4 } from 'node:net';
import { familyOf } from '../design/address.ts';
import type { Design, ServiceHost } from '../design/model.ts';
import { clusterDomain, nodeFqdn, serviceHosts } from '../design/names.ts';
import { firstOf, ipv4, isInNetwork, netmask, prefixOf } from './addresses.ts';
import { BOOT_SCRIPT_PATH, bootUrl } from './layout.ts';

/** What a DHCP server has to know, whichever it is. IPv4 only: RHCOS takes IPv6 addresses from router advertisements or kernel arguments. */
export interface DhcpPlan {
  readonly clusterDomain: string;
  readonly subnets: readonly DhcpSubnet[];
  readonly nameServers: readonly string[];
  readonly timeServers: readonly string[];
  /** What to boot; null when nodes boot from an ISO. */
  readonly boot: {
    readonly server: string;
    readonly script: string;
    readonly bios: string;
    readonly uefi: string;
  } | null;
  readonly nodes: readonly DhcpNode[];
}

export interface DhcpSubnet {
  readonly cidr: string;
  readonly address: string;
  readonly netmask: string;
  readonly gateway: string | null;
  readonly nodes: readonly DhcpNode[];
}

export interface DhcpNode {
  readonly name: string;
  readonly fqdn: string;
  readonly mac: string;
  readonly address: string;
}

/** Names of the boot programs on the TFTP server. */
export const BIOS_BOOT_FILE = 'undionly.kpxe';
export const UEFI_BOOT_FILE = 'ipxe.efi';

export function dhcpPlan(design: Design): DhcpPlan {
  const { time, boot, bastion } = design.services;
  const nodes = design.nodes.flatMap((node) =>
    ipv4(node.ip).map((address) => ({ name: node.name, fqdn: nodeFqdn(design, node), mac: node.mac, address })),
  );
  const [server] = ipv4(bastion.ip);
  return {
    clusterDomain: clusterDomain(design),
    subnets: design.networks.machine
      .filter(({ cidr }) => familyOf(cidr) === 4)
      .map(({ cidr, gateway }) => ({
        cidr,
        address: firstOf(cidr),
        netmask: netmask(prefixOf(cidr)),
        gateway,
        nodes: nodes.filter(({ address }) => isInNetwork(address, cidr)),
      })),
    nameServers: ipv4(nameServers(design)),
    // DHCP carries addresses; servers given by name reach the nodes with the chrony configuration.
    timeServers: time.servers.filter((server) => isIPv4(server)),
    boot:
      boot.kind === 'ipxe' && server
        ? { server, script: `${bootUrl(design)}${BOOT_SCRIPT_PATH}`, bios: BIOS_BOOT_FILE, uefi: UEFI_BOOT_FILE }
        : null,
    nodes,
  };
}

/** The host that runs the DHCP server; null when there is none. */
export function dhcpHost(design: Design): ServiceHost | null {
  const { dhcp } = design.services;
  if (dhcp.kind === 'none') return null;
  return serviceHosts(design).find(({ name }) => name === dhcp.server) ?? null;
}

/** What nodes ask: our servers, or what stands in for them where DNS is somebody else's. */
export function nameServers(design: Design): string[] {
  const { servers, forwarders } = design.services.dns;
  return servers.length > 0 ? servers.flatMap(({ ip }) => ip) : [...forwarders];
}
