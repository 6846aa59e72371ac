import template from '../../../templates/firewall.sh.eta';
import { type AddressFamily, getAddressFamily } from '../../design/address.ts';
import { getServiceHostFqdn, listServiceHosts } from '../../design/derived-facts.ts';
import type { Design, ServiceHost } from '../../design/model.ts';
import { fileWords } from '../file-words.ts';
import { type FileDraft, type FileGenerator, WORK_DIR } from '../shared/generator.ts';
import { renderTemplate } from '../shared/render.ts';
import { isAddressInCidr, removeDuplicates } from './addresses.ts';

const words = () => fileWords.openings;

/** One firewall opening: a port of a service host that other machines must reach. */
export interface FirewallOpening {
  readonly protocol: 'tcp' | 'udp' | 'vrrp';
  /** Null where the protocol has none. */
  readonly port: number | null;
  /** Destination: the host's own addresses, or the endpoint addresses that it holds for the cluster. */
  readonly addresses: readonly string[];
  /** Networks and addresses; empty: any source. */
  readonly sources: readonly string[];
  /** The clients and the reason, as generated files show them. */
  readonly clients: string;
  readonly reason: string;
}

/**
 * Lists the firewall openings that the services of a host need, and no more. Sources are given where they are known and
 * other clients would be a danger or a mistake (boot files and machine configurations hold secrets). The API, routes
 * and DNS are for users whose networks the design does not know, and DHCP clients have no address yet.
 */
export function listFirewallOpenings(design: Design, host: ServiceHost): FirewallOpening[] {
  return [
    ...listDnsOpenings(design, host),
    ...listDhcpOpenings(design, host),
    ...listBootOpenings(design, host),
    ...listTimeOpenings(design, host),
    ...listBalancerOpenings(design, host),
  ];
}

/** Lists the machine networks, and the addresses of service hosts outside them. */
export function listInternalClients(design: Design): string[] {
  const networks = design.networks.machine.map(({ cidr }) => cidr);
  const outsideAddresses = listServiceHosts(design)
    .flatMap(({ ip }) => ip)
    .filter((address) => !networks.some((cidr) => isAddressInCidr(address, cidr)));
  return removeDuplicates([...networks, ...outsideAddresses]);
}

/** Returns the port of HAProxy's status page, on a load balancer's own addresses. */
export function getStatsPort(design: Design, host: ServiceHost): number {
  const { bastion, boot } = design.services;
  return boot.httpPort === 9000 && host.name === bastion.name ? 9001 : 9000;
}

/** Lists the sources that may read the status page: the cluster's networks and the company networks. */
export function listStatsReaders(design: Design): string[] {
  return removeDuplicates([...listInternalClients(design), ...design.networks.company]);
}

/** Lists the addresses of one family of the other load balancers, the VRRP peers of keepalived. */
export function listPeerAddresses(design: Design, host: ServiceHost, family: AddressFamily): string[] {
  return design.services.loadBalancer.servers
    .filter(({ name }) => name !== host.name)
    .flatMap(({ ip }) => ip.find((address) => getAddressFamily(address) === family) ?? []);
}

/**
 * Lists the endpoints that are no load balancer's own address: keepalived assigns them to one of the load balancers.
 */
export function listVirtualAddresses(design: Design): string[] {
  const { api, apiInt, ingress } = design.endpoints;
  const balancerAddresses = new Set(design.services.loadBalancer.servers.flatMap(({ ip }) => ip));
  return removeDuplicates([...api, ...apiInt, ...ingress]).filter((address) => !balancerAddresses.has(address));
}

function listDnsOpenings(design: Design, host: ServiceHost): FirewallOpening[] {
  if (!includesHost(design.services.dns.servers, host)) return [];
  const opening = {
    port: 53,
    addresses: host.ip,
    sources: [],
    clients: words().anyClient,
    reason: words().dns,
  } as const;
  return [
    { ...opening, protocol: 'udp' },
    { ...opening, protocol: 'tcp' },
  ];
}

function listDhcpOpenings(design: Design, host: ServiceHost): FirewallOpening[] {
  const { dhcp } = design.services;
  if (dhcp.kind === 'none' || dhcp.server !== host.name) return [];
  return [{ protocol: 'udp', port: 67, addresses: host.ip, sources: [], clients: words().nodes, reason: words().dhcp }];
}

function listBootOpenings(design: Design, host: ServiceHost): FirewallOpening[] {
  const { boot, bastion } = design.services;
  if (host.name !== bastion.name) return [];
  const opening = {
    addresses: host.ip,
    sources: design.networks.machine.map(({ cidr }) => cidr),
    clients: words().nodes,
  };
  const http: FirewallOpening = { ...opening, protocol: 'tcp', port: boot.httpPort, reason: words().http };
  const tftp: FirewallOpening = { ...opening, protocol: 'udp', port: 69, reason: words().tftp };
  return isTftpServer(design, host) ? [tftp, http] : [http];
}

/** Lists the opening for NTP: the bastion may be one of the time servers itself. */
function listTimeOpenings(design: Design, host: ServiceHost): FirewallOpening[] {
  if (host.name !== design.services.bastion.name || !servesTime(design, host)) return [];
  const sources = design.networks.machine.map(({ cidr }) => cidr);
  return [{ protocol: 'udp', port: 123, addresses: host.ip, sources, clients: words().nodes, reason: words().time }];
}

/** Whether a host is one of the design's time servers itself. */
export function servesTime(design: Design, host: ServiceHost): boolean {
  const ownNames = [...host.ip, getServiceHostFqdn(design, host)];
  return design.services.time.servers.some((server) => ownNames.includes(server));
}

/**
 * Whether a host serves boot programs over TFTP: only the bastion does, for nodes that boot over the network and learn
 * of it by DHCP.
 */
export function isTftpServer(design: Design, host: ServiceHost): boolean {
  const { boot, dhcp, bastion } = design.services;
  return host.name === bastion.name && boot.kind === 'ipxe' && dhcp.kind !== 'none';
}

function listBalancerOpenings(design: Design, host: ServiceHost): FirewallOpening[] {
  if (!includesHost(design.services.loadBalancer.servers, host)) return [];
  const families = removeDuplicates(listVirtualAddresses(design).map((address) => getAddressFamily(address)));
  const peers = families.flatMap((family) => listPeerAddresses(design, host, family));
  const { api, apiInt, ingress } = design.endpoints;
  const publicTcp = { protocol: 'tcp', sources: [], clients: words().anyClient } as const;
  const peerOpening = { addresses: host.ip, sources: peers, clients: words().balancers } as const;
  return [
    { ...publicTcp, port: 6443, addresses: removeDuplicates([...api, ...apiInt]), reason: words().api },
    {
      ...publicTcp,
      port: 22623,
      addresses: apiInt,
      sources: listInternalClients(design),
      clients: words().nodes,
      reason: words().machineConfig,
    },
    { ...publicTcp, port: 443, addresses: ingress, reason: words().https },
    { ...publicTcp, port: 80, addresses: ingress, reason: words().http80 },
    {
      ...publicTcp,
      ...peerOpening,
      port: getStatsPort(design, host),
      sources: listStatsReaders(design),
      clients: words().administrators,
      reason: words().stats,
    },
    ...(peers.length === 0 ? [] : [{ ...peerOpening, protocol: 'vrrp', port: null, reason: words().vrrp } as const]),
  ];
}

function includesHost(servers: readonly ServiceHost[], host: ServiceHost): boolean {
  return servers.some(({ name }) => name === host.name);
}

const PATH = `${WORK_DIR}/firewall.sh`;

/**
 * `firewall.sh` for every service host that serves something. RHEL has firewalld; Debian has no firewall until you
 * install one, firewalld or ufw.
 */
export const firewall: FileGenerator<'firewall'> = {
  kind: 'firewall',
  host: 'every',
  paths: [PATH],
  files({ design }) {
    return listServiceHosts(design).flatMap((host): FileDraft[] => {
      const openings = listFirewallOpenings(design, host);
      if (openings.length === 0) return [];
      const templateValues = {
        fqdn: getServiceHostFqdn(design, host),
        address: host.ip[0],
        isDebian: host.os === 'debian',
        openings: openings.map(toTemplateData),
      };
      return [{ host, path: PATH, mode: '0755', content: renderTemplate(template, templateValues) }];
    });
  },
};

function toTemplateData(opening: FirewallOpening) {
  const { sources, port } = opening;
  return { ...opening, port: port ?? '-', sources: sources.length === 0 ? ['any'] : sources };
}
