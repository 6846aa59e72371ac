import { isIPv4 } from 'node:net';
import { familyOf } from '../../design/address.ts';
import type { Design, ServiceHost } from '../../design/model.ts';
import { clusterDomain, nodeFqdn, serviceHosts } from '../../design/names.ts';
import { firmwarePrograms } from '../boot/programs.ts';
import { firstOf, ipv4, isInNetwork, netmask, prefixOf } from '../network/addresses.ts';
import { BOOT_SCRIPT_PATH, bootProgramPath, bootUrl } from '../shared/layout.ts';

/**
 * What every DHCP server has to know. IPv4 only: our servers send no router advertisements, without which
 * DHCPv6 does not work; the IPv6 addresses are in the kernel arguments (kernel-arguments.ts).
 */
export interface DhcpPlan {
  readonly clusterDomain: string;
  readonly subnets: readonly DhcpSubnet[];
  /** Networks that the server itself is in and gives no addresses in: without them it would not listen there. */
  readonly silent: readonly { readonly cidr: string; readonly address: string; readonly netmask: string }[];
  readonly nameServers: readonly string[];
  readonly timeServers: readonly string[];
  /** What to boot; null when nodes boot from an ISO. */
  readonly boot: DhcpBoot | null;
}

export interface DhcpBoot {
  readonly server: string;
  /** The URL of iPXE's first script. */
  readonly script: string;
  readonly firmware: readonly DhcpFirmware[];
}

/** What one kind of firmware starts: the name of a file on the TFTP server, or a URL. */
export interface DhcpFirmware {
  /** Option 93, two bytes: `00:07`. */
  readonly codes: readonly string[];
  readonly isHttp: boolean;
  readonly program: string;
  /** For nodes with Secure Boot; null: no signed program. */
  readonly signed: string | null;
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
  readonly secureBoot: boolean;
}

/** What both kinds of DHCP server get: nodes by MAC with their IPv4 addresses, and what their firmware starts. */
export function dhcpPlan(design: Design): DhcpPlan {
  const { time } = design.services;
  const nodes = design.nodes.flatMap((node) =>
    ipv4(node.ip).map((address) => ({
      name: node.name,
      fqdn: nodeFqdn(design, node),
      mac: node.mac,
      address,
      secureBoot: node.secureBoot,
    })),
  );
  const machine = ipv4(design.networks.machine.map(({ cidr }) => cidr));
  return {
    clusterDomain: clusterDomain(design),
    subnets: design.networks.machine
      .filter(({ cidr }) => familyOf(cidr) === 4)
      .map(({ cidr, gateway }) => ({
        ...networkLine(cidr),
        gateway,
        nodes: nodes.filter(({ address }) => isInNetwork(address, cidr)),
      })),
    silent: silentNetworks(design, machine).map(networkLine),
    nameServers: ipv4(nameServers(design)),
    // DHCP carries addresses; servers given by name reach the nodes with the chrony configuration.
    timeServers: time.servers.filter((server) => isIPv4(server)),
    boot: bootOf(design),
  };
}

function networkLine(cidr: string) {
  return { cidr, address: firstOf(cidr), netmask: netmask(prefixOf(cidr)) };
}

/** A server beyond a relay is in a network of the company, not in one of the nodes'. */
function silentNetworks(design: Design, machine: readonly string[]): string[] {
  const own = ipv4(dhcpHost(design)?.ip ?? []).filter((address) => !machine.some((cidr) => isInNetwork(address, cidr)));
  return ipv4(design.networks.company).filter((cidr) => own.some((address) => isInNetwork(address, cidr)));
}

function bootOf(design: Design): DhcpBoot | null {
  const { boot, bastion } = design.services;
  const [server] = ipv4(bastion.ip);
  if (boot.kind !== 'ipxe' || server === undefined) return null;
  const url = (program: string) => `${bootUrl(design)}${bootProgramPath(program)}`;
  const firmware = firmwarePrograms(design.openshift.architecture).map(({ codes, isHttp, program, signed }) => ({
    codes: codes.map((code) => `00:${code.toString(16).padStart(2, '0')}`),
    isHttp,
    program: isHttp ? url(program) : program,
    signed: isHttp && signed !== null ? url(signed) : signed,
  }));
  return { server, script: `${bootUrl(design)}${BOOT_SCRIPT_PATH}`, firmware };
}

/** The host that runs the DHCP server; null: no DHCP server. */
export function dhcpHost(design: Design): ServiceHost | null {
  const { dhcp } = design.services;
  if (dhcp.kind === 'none') return null;
  return serviceHosts(design).find(({ name }) => name === dhcp.server) ?? null;
}

/** The name servers of the nodes: ours, or the forwarders where other people run DNS. */
export function nameServers(design: Design): string[] {
  const { servers, forwarders } = design.services.dns;
  return servers.length > 0 ? servers.flatMap(({ ip }) => ip) : [...forwarders];
}
