import { balancerMembers } from '../../design/balancer-members.ts';
import { ETCD_ROLES } from '../../design/choices.ts';
import { nodesWithRole, serviceHosts } from '../../design/derived-facts.ts';
import type { Design, DesignNode } from '../../design/model.ts';
import { isOkd } from '../../design/versions.ts';
import { dhcpHost, nameServers } from '../dhcp/plan.ts';
import { fileWords } from '../file-words.ts';
import { filterIpv4, isInNetwork, unique } from './addresses.ts';
import { listFirewallOpenings } from './firewall.ts';

const words = () => fileWords.flows;
const why = () => words().why;
const MAX_LISTED_NODES = 12;

/** One line of the port matrix. */
export interface Flow {
  readonly source: string;
  readonly destination: string;
  readonly protocol: string;
  readonly ports: string;
  readonly why: string;
}

/**
 * Lists the traffic that firewalls between the parts of the site must allow: between the nodes, from the load balancers
 * to the nodes, to the services of every service host, by SSH, and to the outside.
 */
export function listFlows(design: Design): Flow[] {
  return [
    ...flowsBetweenNodes(design),
    ...flowsFromBalancers(design),
    ...flowsToServices(design),
    ...flowsToOutside(design),
  ];
}

function createFlow(source: string, destination: string, protocol: string, ports: string, reason: string): Flow {
  return { source, destination, protocol, ports, why: reason };
}

/** openshift-docs modules/installation-network-user-infra.adoc. */
function flowsBetweenNodes(design: Design): Flow[] {
  const nodes = formatPlace(words().everyNode, machineNetworks(design));
  const isOvn = design.networks.type === 'OVNKubernetes';
  const betweenAll = (protocol: string, ports: string, reason: string) =>
    createFlow(nodes, nodes, protocol, ports, reason);
  const control = formatPlace(words().controlPlane, listAddresses(design, nodesWithRole(design, ...ETCD_ROLES)));
  return [
    betweenAll('ICMP', '', why().icmp),
    betweenAll('TCP', '1936', why().router),
    betweenAll('TCP, UDP', '9000-9999', why().hostServices),
    betweenAll('TCP', '10250-10259', why().kubelet),
    betweenAll('UDP', isOvn ? '6081' : '4789', why().overlay(isOvn ? 'Geneve' : 'VXLAN')),
    betweenAll('UDP', '500, 4500', why().ipsec),
    betweenAll('ESP', '', why().ipsec),
    betweenAll('TCP, UDP', '30000-32767', why().nodePorts),
    createFlow(control, control, 'TCP', '2379-2380', why().etcd),
    ...(design.topology === 'fencing' ? flowsOfFencing(control) : []),
  ];
}

/** openshift-docs modules/tnf-network-planes-and-port-requirements.adoc. */
function flowsOfFencing(control: string): Flow[] {
  return [
    createFlow(control, control, 'UDP', '5405-5407', why().corosync),
    createFlow(control, control, 'TCP', '2224', why().pcs),
    createFlow(control, words().bmcs, 'TCP', '443', why().redfish),
  ];
}

function flowsFromBalancers(design: Design): Flow[] {
  const { kind, servers } = design.services.loadBalancer;
  if (design.topology === 'single-node') return [];
  const balancers = kind === 'haproxy' ? formatHosts(words().loadBalancer, servers) : words().loadBalancer;
  const api = formatPlace(words().apiNodes, listAddresses(design, balancerMembers(design, 'install').api));
  const routers = unique([
    ...balancerMembers(design, 'install').ingress,
    ...balancerMembers(design, 'infra-added').ingress,
  ]);
  return [
    createFlow(balancers, api, 'TCP', '6443', why().balancedApi),
    createFlow(balancers, api, 'TCP', '22623', why().balancedMachineConfig),
    createFlow(
      balancers,
      formatPlace(words().ingress, listAddresses(design, routers)),
      'TCP',
      '80, 443',
      why().balancedRoutes,
    ),
  ];
}

function flowsToServices(design: Design): Flow[] {
  const serviceFlows = serviceHosts(design).flatMap((host) =>
    listFirewallOpenings(design, host).map(({ protocol, port, who, sources, addresses: hostAddresses, why: reason }) =>
      createFlow(
        formatPlace(who, sources),
        formatPlace(host.name, hostAddresses),
        protocol.toUpperCase(),
        String(port ?? ''),
        reason,
      ),
    ),
  );
  return [...serviceFlows, ...dhcpFlows(design), ...flowsToExternalBalancer(design)];
}

/** Nodes of a network that the DHCP server is not in reach it through a relay, which is usually their router. */
function dhcpFlows(design: Design): Flow[] {
  const host = dhcpHost(design);
  if (host === null) return [];
  const server = formatPlace(host.name, host.ip);
  const answer = createFlow(
    server,
    formatPlace(words().everyNode, machineNetworks(design)),
    'UDP',
    '68',
    why().dhcpAnswer,
  );
  const remoteNetworks = design.networks.machine.filter(
    ({ cidr }) => filterIpv4([cidr]).length > 0 && !host.ip.some((address) => isInNetwork(address, cidr)),
  );
  const relays = remoteNetworks.map(({ cidr, gateway }) =>
    formatPlace(words().dhcpRelay(cidr), gateway === null ? [] : [gateway]),
  );
  return [
    answer,
    ...relays.flatMap((relay) => [
      createFlow(relay, server, 'UDP', '67', why().dhcpRelay),
      createFlow(server, relay, 'UDP', '67', why().dhcpRelay),
    ]),
  ];
}

function flowsToExternalBalancer(design: Design): Flow[] {
  const { endpoints, services, topology } = design;
  if (services.loadBalancer.kind === 'haproxy' && topology !== 'single-node') return [];
  const { everybody, nodes, api, machineConfig, https } = fileWords.openings;
  const { api: apiAddresses, apiInt, ingress } = endpoints;
  return [
    createFlow(everybody, formatPlace(words().api, unique([...apiAddresses, ...apiInt])), 'TCP', '6443', api),
    createFlow(
      formatPlace(nodes, machineNetworks(design)),
      formatPlace(words().api, apiInt),
      'TCP',
      '22623',
      machineConfig,
    ),
    createFlow(everybody, formatPlace(words().ingress, ingress), 'TCP', '80, 443', https),
  ];
}

function flowsToOutside(design: Design): Flow[] {
  const { dns, time, bastion } = design.services;
  const nodes = formatPlace(words().everyNode, machineNetworks(design));
  const bastionPlace = formatPlace(words().bastion, bastion.ip);
  const servers = dns.kind === 'external' ? nameServers(design) : dns.forwarders;
  const resolvers = dns.kind === 'external' ? nodes : formatHosts(words().nameServer, dns.servers);
  const reason = dns.kind === 'external' ? fileWords.openings.dns : why().forward;
  const resolverTarget =
    servers.length > 0
      ? formatPlace(words().nameServer, servers)
      : usesInternetNameServers(design)
        ? words().internet
        : null;
  const otherTimeServers = time.servers.filter((server) => !bastion.ip.includes(server));
  return [
    ...(resolverTarget === null ? [] : [createFlow(resolvers, resolverTarget, 'UDP, TCP', '53', reason)]),
    ...(otherTimeServers.length === 0
      ? []
      : [createFlow(nodes, formatPlace(words().timeServer, otherTimeServers), 'UDP', '123', why().time)]),
    ...sshFlows(design),
    createFlow(bastionPlace, words().internet, 'TCP', '443', why().downloads),
    ...flowsToImageSources(design, nodes),
  ];
}

/** SSH of the administrators, of the wizard on the bastion, and of the bootstrap node. */
function sshFlows(design: Design): Flow[] {
  const { bastion } = design.services;
  const bastionPlace = formatPlace(words().bastion, bastion.ip);
  const nodes = formatPlace(words().everyNode, machineNetworks(design));
  const bootstrap = nodesWithRole(design, 'bootstrap');
  const control = formatPlace(words().controlPlane, listAddresses(design, nodesWithRole(design, ...ETCD_ROLES)));
  return [
    createFlow(fileWords.openings.administrators, bastionPlace, 'TCP', '22', why().administration),
    ...serviceHosts(design)
      .filter(({ name }) => name !== bastion.name)
      .map(({ name, ip }) => createFlow(bastionPlace, formatPlace(name, ip), 'TCP', '22', why().administration)),
    createFlow(bastionPlace, nodes, 'TCP', '22', why().ssh),
    ...(bootstrap.length === 0
      ? []
      : [
          createFlow(
            formatPlace(words().bootstrap, listAddresses(design, bootstrap)),
            control,
            'TCP',
            '22',
            why().bootstrapSsh,
          ),
        ]),
  ];
}

/** Whether generated name servers without forwarders query those of the internet: not at a site with mirrors. */
function usesInternetNameServers({ services, imageDigestSources }: Design): boolean {
  return services.dns.kind === 'bind' && imageDigestSources.length === 0;
}

/** Sources of images for the nodes: the mirrors, and the proxy for what they lack; without either the internet. */
function flowsToImageSources({ imageDigestSources, proxy, openshift }: Design, nodes: string): Flow[] {
  const images = isOkd(openshift.version) ? why().imagesOkd : why().images;
  const mirrors = unique(
    imageDigestSources.flatMap(({ mirrors: all }) => all.map((mirror) => mirror.split('/')[0] ?? '')),
  );
  const ports = unique(mirrors.map((mirror) => /:(\d+)$/.exec(mirror)?.[1] ?? '443'));
  const proxies = unique([proxy?.httpsProxy ?? '', proxy?.httpProxy ?? ''].filter((url) => URL.canParse(url)));
  const flows = [
    ...(mirrors.length === 0
      ? []
      : [createFlow(nodes, formatPlace(words().mirror, mirrors), 'TCP', ports.join(', '), images)]),
    ...proxies.map((url) => {
      const { hostname, port, protocol } = new URL(url);
      const defaultPort = protocol === 'https:' ? '443' : '80';
      return createFlow(
        nodes,
        formatPlace(words().proxy, [hostname]),
        'TCP',
        port || defaultPort,
        mirrors.length > 0 ? why().outside : images,
      );
    }),
  ];
  return flows.length > 0 ? flows : [createFlow(nodes, words().internet, 'TCP', '443', images)];
}

/** `every node (172.16.0.0/24)`; the name alone where there is no address. */
function formatPlace(name: string, networks: readonly string[]): string {
  return networks.length === 0 ? name : `${name} (${networks.join(' ')})`;
}

function formatHosts(name: string, servers: readonly { readonly ip: readonly string[] }[]): string {
  return formatPlace(
    name,
    servers.flatMap(({ ip }) => ip),
  );
}

/** Above MAX_LISTED_NODES the machine networks are listed instead: a row of fifty addresses is unreadable. */
function listAddresses(design: Design, nodes: readonly DesignNode[]): string[] {
  return nodes.length > MAX_LISTED_NODES ? machineNetworks(design) : nodes.flatMap(({ ip }) => ip);
}

function machineNetworks(design: Design): string[] {
  return design.networks.machine.map(({ cidr }) => cidr);
}
