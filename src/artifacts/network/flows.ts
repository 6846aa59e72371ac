import type { Design, DesignNode } from '../../design/model.ts';
import { nodesWithRole, serviceHosts } from '../../design/names.ts';
import { dhcpHost, nameServers } from '../dhcp/plan.ts';
import { fileWords } from '../file-words.ts';
import { balancerMembers } from '../load-balancer/haproxy.ts';
import { ipv4, isInNetwork, unique } from './addresses.ts';
import { openings } from './openings.ts';

const words = () => fileWords.flows;
const why = () => words().why;
const MOST_NODES = 12;

/** One line of the port matrix. */
export interface Flow {
  readonly source: string;
  readonly destination: string;
  readonly protocol: string;
  readonly ports: string;
  readonly why: string;
}

/**
 * What firewalls between the parts of the site have to let through: between the nodes, from the load balancers to the nodes,
 * to every service host what it serves, and what nodes need outside.
 */
export function flows(design: Design): Flow[] {
  return [...betweenNodes(design), ...fromBalancers(design), ...toServices(design), ...toOthers(design)];
}

function row(source: string, destination: string, protocol: string, ports: string, reason: string): Flow {
  return { source, destination, protocol, ports, why: reason };
}

/** openshift-docs modules/installation-network-user-infra.adoc. */
function betweenNodes(design: Design): Flow[] {
  const nodes = place(words().everyNode, machineNetworks(design));
  const isOvn = design.networks.type === 'OVNKubernetes';
  const among = (protocol: string, ports: string, reason: string) => row(nodes, nodes, protocol, ports, reason);
  const control = place(words().controlPlane, addresses(design, nodesWithRole(design, 'control-plane')));
  return [
    among('ICMP', '', why().icmp),
    among('TCP', '1936', why().router),
    among('TCP, UDP', '9000-9999', why().hostServices),
    among('TCP', '10250-10259', why().kubelet),
    among('UDP', isOvn ? '6081' : '4789', why().overlay(isOvn ? 'Geneve' : 'VXLAN')),
    among('UDP', '500, 4500', why().ipsec),
    among('ESP', '', why().ipsec),
    among('TCP, UDP', '30000-32767', why().nodePorts),
    row(control, control, 'TCP', '2379-2380', why().etcd),
  ];
}

function fromBalancers(design: Design): Flow[] {
  const { kind, servers } = design.services.loadBalancer;
  if (design.topology === 'single-node') return [];
  const from = kind === 'haproxy' ? hosts(words().loadBalancer, servers) : words().loadBalancer;
  const api = place(words().apiNodes, addresses(design, balancerMembers(design, 'install').api));
  const routers = unique([
    ...balancerMembers(design, 'install').ingress,
    ...balancerMembers(design, 'infra-added').ingress,
  ]);
  return [
    row(from, api, 'TCP', '6443', why().balancedApi),
    row(from, api, 'TCP', '22623', why().balancedMachineConfig),
    row(from, place(words().ingress, addresses(design, routers)), 'TCP', '80, 443', why().balancedRoutes),
  ];
}

function toServices(design: Design): Flow[] {
  const own = serviceHosts(design).flatMap((host) =>
    openings(design, host).map(({ protocol, port, who, sources, addresses: at, why: reason }) =>
      row(place(who, sources), place(host.name, at), protocol.toUpperCase(), String(port ?? ''), reason),
    ),
  );
  return [...own, ...dhcpFlows(design), ...externalBalancer(design)];
}

/** Nodes of a network that the DHCP server is not in reach it through a relay, which is usually their router. */
function dhcpFlows(design: Design): Flow[] {
  const host = dhcpHost(design);
  if (host === null) return [];
  const server = place(host.name, host.ip);
  const answer = row(server, place(words().everyNode, machineNetworks(design)), 'UDP', '68', why().dhcpAnswer);
  const far = design.networks.machine.filter(
    ({ cidr }) => ipv4([cidr]).length > 0 && !host.ip.some((address) => isInNetwork(address, cidr)),
  );
  const relays = far.map(({ cidr, gateway }) => place(words().dhcpRelay(cidr), gateway === null ? [] : [gateway]));
  return [
    answer,
    ...relays.flatMap((relay) => [
      row(relay, server, 'UDP', '67', why().dhcpRelay),
      row(server, relay, 'UDP', '67', why().dhcpRelay),
    ]),
  ];
}

function externalBalancer(design: Design): Flow[] {
  const { endpoints, services, topology } = design;
  if (services.loadBalancer.kind === 'haproxy' && topology !== 'single-node') return [];
  const { everybody, nodes, api, machineConfig, https } = fileWords.openings;
  const { api: out, apiInt, ingress } = endpoints;
  return [
    row(everybody, place(words().api, unique([...out, ...apiInt])), 'TCP', '6443', api),
    row(place(nodes, machineNetworks(design)), place(words().api, apiInt), 'TCP', '22623', machineConfig),
    row(everybody, place(words().ingress, ingress), 'TCP', '80, 443', https),
  ];
}

function toOthers(design: Design): Flow[] {
  const { dns, time, bastion } = design.services;
  const nodes = place(words().everyNode, machineNetworks(design));
  const admin = place(words().bastion, bastion.ip);
  const asked = dns.kind === 'external' ? nameServers(design) : dns.forwarders;
  const asking = dns.kind === 'external' ? nodes : hosts(words().nameServer, dns.servers);
  const reason = dns.kind === 'external' ? fileWords.openings.dns : why().forward;
  const to = asked.length > 0 ? place(words().nameServer, asked) : isConnected(design) ? words().internet : null;
  const bootstrap = nodesWithRole(design, 'bootstrap');
  const control = place(words().controlPlane, addresses(design, nodesWithRole(design, 'control-plane')));
  const others = time.servers.filter((server) => !bastion.ip.includes(server));
  return [
    ...(to === null ? [] : [row(asking, to, 'UDP, TCP', '53', reason)]),
    ...(others.length === 0 ? [] : [row(nodes, place(words().timeServer, others), 'UDP', '123', why().time)]),
    row(fileWords.openings.operators, admin, 'TCP', '22', why().administration),
    ...serviceHosts(design)
      .filter(({ name }) => name !== bastion.name)
      .map(({ name, ip }) => row(admin, place(name, ip), 'TCP', '22', why().administration)),
    row(admin, nodes, 'TCP', '22', why().ssh),
    ...(bootstrap.length === 0
      ? []
      : [row(place(words().bootstrap, addresses(design, bootstrap)), control, 'TCP', '22', why().bootstrapSsh)]),
    row(admin, words().internet, 'TCP', '443', why().downloads),
    ...imageSources(design, nodes),
  ];
}

/** Without forwarders our name servers query those of the internet; a site with mirrors needs neither. */
function isConnected({ services, imageDigestSources }: Design): boolean {
  return services.dns.kind === 'bind' && imageDigestSources.length === 0;
}

/** Where nodes get images: from the mirrors, and what is not there through the proxy; without either from the internet. */
function imageSources({ imageDigestSources, proxy }: Design, nodes: string): Flow[] {
  const mirrors = unique(
    imageDigestSources.flatMap(({ mirrors: all }) => all.map((mirror) => mirror.split('/')[0] ?? '')),
  );
  const ports = unique(mirrors.map((mirror) => /:(\d+)$/.exec(mirror)?.[1] ?? '443'));
  const proxies = unique([proxy?.httpsProxy ?? '', proxy?.httpProxy ?? ''].filter((url) => URL.canParse(url)));
  const flows = [
    ...(mirrors.length === 0
      ? []
      : [row(nodes, place(words().mirror, mirrors), 'TCP', ports.join(', '), why().images)]),
    ...proxies.map((url) => {
      const { hostname, port, protocol } = new URL(url);
      const usual = protocol === 'https:' ? '443' : '80';
      return row(
        nodes,
        place(words().proxy, [hostname]),
        'TCP',
        port || usual,
        mirrors.length > 0 ? why().outside : why().images,
      );
    }),
  ];
  return flows.length > 0 ? flows : [row(nodes, words().internet, 'TCP', '443', why().images)];
}

/** `every node (172.16.0.0/24)`; the name alone where there is no address. */
function place(name: string, at: readonly string[]): string {
  return at.length === 0 ? name : `${name} (${at.join(' ')})`;
}

function hosts(name: string, servers: readonly { readonly ip: readonly string[] }[]): string {
  return place(
    name,
    servers.flatMap(({ ip }) => ip),
  );
}

/** Many nodes are written as the networks that they are in: nobody reads a row of fifty addresses. */
function addresses(design: Design, nodes: readonly DesignNode[]): string[] {
  return nodes.length > MOST_NODES ? machineNetworks(design) : nodes.flatMap(({ ip }) => ip);
}

function machineNetworks(design: Design): string[] {
  return design.networks.machine.map(({ cidr }) => cidr);
}
