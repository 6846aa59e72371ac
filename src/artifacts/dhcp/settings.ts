import { isIPv4 } from 'node:net';
import { getAddressFamily } from '../../design/address.ts';
import { findDhcpHost, getClusterDomain, getNodeFqdn } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { listFirmwarePrograms } from '../boot/programs.ts';
import {
  filterIpv4,
  formatNetmask,
  getNetworkAddress,
  getPrefixLength,
  isAddressInCidr,
} from '../network/addresses.ts';
import { BOOT_SCRIPT_PATH, bootProgramPath, bootUrl } from '../shared/generator.ts';

/**
 * The settings of every DHCP server. IPv4 only: the generated servers send no router advertisements,
 * without which DHCPv6 does not work; the IPv6 addresses are in the kernel arguments (kernel-arguments.ts).
 */
export interface DhcpSettings {
  readonly clusterDomain: string;
  readonly subnets: readonly DhcpSubnet[];
  /** Networks of the server itself in which it assigns no addresses: it listens only in networks that are declared. */
  readonly unservedNetworks: readonly { readonly cidr: string; readonly address: string; readonly netmask: string }[];
  readonly nameServers: readonly string[];
  readonly timeServers: readonly string[];
  /** Boot server, script and programs; null when nodes boot from an ISO. */
  readonly boot: DhcpBoot | null;
}

/** The DHCP options with which nodes boot from the network. */
export interface DhcpBoot {
  readonly server: string;
  /** The URL of iPXE's first script. */
  readonly script: string;
  readonly firmware: readonly DhcpFirmware[];
}

/** The programs of one kind of firmware: names of files on the TFTP server, or URLs. */
interface DhcpFirmware {
  /** Option 93, two bytes: `00:07`. */
  readonly codes: readonly string[];
  readonly isHttp: boolean;
  readonly program: string;
  /** For nodes with Secure Boot; null: no signed program. */
  readonly signedProgram: string | null;
}

/** A network in which the server assigns addresses, with its nodes. */
export interface DhcpSubnet {
  readonly cidr: string;
  readonly address: string;
  readonly netmask: string;
  readonly gateway: string | null;
  readonly nodes: readonly DhcpNode[];
}

/** The reservation of a node. */
export interface DhcpNode {
  readonly name: string;
  readonly fqdn: string;
  readonly mac: string;
  readonly address: string;
  readonly secureBoot: boolean;
}

/**
 * Derives the data for both kinds of DHCP server: nodes by MAC with their IPv4 addresses, and the programs that their
 * firmware starts.
 */
export function deriveDhcpSettings(design: Design): DhcpSettings {
  const { time } = design.services;
  const nodes = design.nodes.flatMap((node) =>
    filterIpv4(node.ip).map((address) => ({
      name: node.name,
      fqdn: getNodeFqdn(design, node),
      mac: node.mac,
      address,
      secureBoot: node.secureBoot,
    })),
  );
  const machineCidrs = filterIpv4(design.networks.machine.map(({ cidr }) => cidr));
  return {
    clusterDomain: getClusterDomain(design),
    subnets: design.networks.machine
      .filter(({ cidr }) => getAddressFamily(cidr) === 4)
      .map(({ cidr, gateway }) => ({
        ...toNetworkFields(cidr),
        gateway,
        nodes: nodes.filter(({ address }) => isAddressInCidr(address, cidr)),
      })),
    unservedNetworks: listUnservedNetworks(design, machineCidrs).map(toNetworkFields),
    nameServers: filterIpv4(listNodeNameServers(design)),
    // DHCP options hold addresses only; the chrony configuration of the nodes has the servers that are given by name.
    timeServers: time.servers.filter((server) => isIPv4(server)),
    boot: deriveDhcpBoot(design),
  };
}

function toNetworkFields(cidr: string) {
  return { cidr, address: getNetworkAddress(cidr), netmask: formatNetmask(getPrefixLength(cidr)) };
}

/**
 * Finds the company networks that hold an address of the DHCP server outside the machine networks. A server behind a
 * DHCP relay has such an address.
 */
function listUnservedNetworks(design: Design, machineCidrs: readonly string[]): string[] {
  const outsideAddresses = filterIpv4(findDhcpHost(design)?.ip ?? []).filter(
    (address) => !machineCidrs.some((cidr) => isAddressInCidr(address, cidr)),
  );
  return filterIpv4(design.networks.company).filter((cidr) =>
    outsideAddresses.some((address) => isAddressInCidr(address, cidr)),
  );
}

function deriveDhcpBoot(design: Design): DhcpBoot | null {
  const { boot, bastion } = design.services;
  const [server] = filterIpv4(bastion.ip);
  if (boot.kind !== 'ipxe' || server === undefined) return null;
  const formatProgramUrl = (program: string) => `${bootUrl(design)}${bootProgramPath(program)}`;
  const firmware = listFirmwarePrograms(design.openshift.architecture).map(
    ({ codes, isHttp, program, signedProgram }) => ({
      codes: codes.map((code) => `00:${code.toString(16).padStart(2, '0')}`),
      isHttp,
      program: isHttp ? formatProgramUrl(program) : program,
      signedProgram: isHttp && signedProgram !== null ? formatProgramUrl(signedProgram) : signedProgram,
    }),
  );
  return { server, script: `${bootUrl(design)}${BOOT_SCRIPT_PATH}`, firmware };
}

/** Lists the name servers of the nodes: the generated ones, or the forwarders where DNS is external. */
export function listNodeNameServers(design: Design): string[] {
  const { servers, forwarders } = design.services.dns;
  return servers.length > 0 ? servers.flatMap(({ ip }) => ip) : [...forwarders];
}
