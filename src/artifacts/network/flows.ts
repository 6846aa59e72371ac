import { getBalancerMembers } from '../../design/balancer-members.ts';
import { ETCD_ROLES } from '../../design/choices.ts';
import { findDhcpHost, listNodesWithRole, listServiceHosts } from '../../design/derived-facts.ts';
import type { Design, DesignNode } from '../../design/model.ts';
import { isOkd } from '../../design/versions.ts';
import { listNodeNameServers } from '../dhcp/settings.ts';
import { fileWords } from '../file-words.ts';
import { filterIpv4, isAddressInCidr, removeDuplicates } from './addresses.ts';
import { listFirewallOpenings } from './firewall.ts';

const words = () => fileWords.flows;
const reasons = () => words().reasons;
const MAX_LISTED_NODES = 12;

/** One line of the port matrix. */
interface Flow {
  readonly source: string;
  readonly destination: string;
  readonly protocol: string;
  readonly ports: string;
  readonly reason: string;
}

/**
 * Lists the traffic that firewalls between the parts of the site must allow: between the nodes, from the load balancers
 * to the nodes, to the services of every service host, by SSH, and to the outside.
 */
export function listFlows(design: Design): Flow[] {
  return [
    ...listFlowsBetweenNodes(design),
    ...listFlowsFromBalancers(design),
    ...listFlowsToServices(design),
    ...listFlowsToOutside(design),
  ];
}

function createFlow(source: string, destination: string, protocol: string, ports: string, reason: string): Flow {
  return { source, destination, protocol, ports, reason };
}

/**
 * Lists the traffic between nodes. Source of the ports: openshift-docs modules/installation-network-user-infra.adoc.
 */
function listFlowsBetweenNodes(design: Design): Flow[] {
  const nodes = formatFlowLabel(words().everyNode, listMachineNetworks(design));
  const isOvn = design.networks.type === 'OVNKubernetes';
  const createNodeFlow = (protocol: string, ports: string, reason: string) =>
    createFlow(nodes, nodes, protocol, ports, reason);
  const controlPlane = formatFlowLabel(
    words().controlPlane,
    listAddresses(design, listNodesWithRole(design, ...ETCD_ROLES)),
  );
  return [
    createNodeFlow('ICMP', '', reasons().icmp),
    createNodeFlow('TCP', '1936', reasons().router),
    createNodeFlow('TCP, UDP', '9000-9999', reasons().hostServices),
    createNodeFlow('TCP', '10250-10259', reasons().kubelet),
    createNodeFlow('UDP', isOvn ? '6081' : '4789', reasons().overlay(isOvn ? 'Geneve' : 'VXLAN')),
    createNodeFlow('UDP', '500, 4500', reasons().ipsec),
    createNodeFlow('ESP', '', reasons().ipsec),
    createNodeFlow('TCP, UDP', '30000-32767', reasons().nodePorts),
    createFlow(controlPlane, controlPlane, 'TCP', '2379-2380', reasons().etcd),
    ...(design.topology === 'fencing' ? listFencingFlows(controlPlane) : []),
  ];
}

/**
 * Lists the traffic of Pacemaker. Source of the ports: openshift-docs
 * modules/tnf-network-planes-and-port-requirements.adoc.
 */
function listFencingFlows(controlPlane: string): Flow[] {
  return [
    createFlow(controlPlane, controlPlane, 'UDP', '5405-5407', reasons().corosync),
    createFlow(controlPlane, controlPlane, 'TCP', '2224', reasons().pcs),
    createFlow(controlPlane, words().bmcs, 'TCP', '443', reasons().redfish),
  ];
}

function listFlowsFromBalancers(design: Design): Flow[] {
  const { kind, servers } = design.services.loadBalancer;
  if (design.topology === 'single-node') return [];
  const balancers = kind === 'haproxy' ? formatHostsLabel(words().loadBalancer, servers) : words().loadBalancer;
  const api = formatFlowLabel(words().apiNodes, listAddresses(design, getBalancerMembers(design, 'install').api));
  const routerNodes = removeDuplicates([
    ...getBalancerMembers(design, 'install').ingress,
    ...getBalancerMembers(design, 'infra-added').ingress,
  ]);
  return [
    createFlow(balancers, api, 'TCP', '6443', reasons().balancedApi),
    createFlow(balancers, api, 'TCP', '22623', reasons().balancedMachineConfig),
    createFlow(
      balancers,
      formatFlowLabel(words().ingress, listAddresses(design, routerNodes)),
      'TCP',
      '80, 443',
      reasons().balancedRoutes,
    ),
  ];
}

function listFlowsToServices(design: Design): Flow[] {
  const serviceFlows = listServiceHosts(design).flatMap((host) =>
    listFirewallOpenings(design, host).map(({ protocol, port, clients, sources, addresses: hostAddresses, reason }) =>
      createFlow(
        formatFlowLabel(clients, sources),
        formatFlowLabel(host.name, hostAddresses),
        protocol.toUpperCase(),
        String(port ?? ''),
        reason,
      ),
    ),
  );
  return [...serviceFlows, ...listDhcpFlows(design), ...listFlowsToExternalBalancer(design)];
}

/** Lists the traffic of DHCP. Nodes outside the server's networks use a relay, which is usually their router. */
function listDhcpFlows(design: Design): Flow[] {
  const host = findDhcpHost(design);
  if (host === null) return [];
  const server = formatFlowLabel(host.name, host.ip);
  const answerFlow = createFlow(
    server,
    formatFlowLabel(words().everyNode, listMachineNetworks(design)),
    'UDP',
    '68',
    reasons().dhcpAnswer,
  );
  const remoteNetworks = design.networks.machine.filter(
    ({ cidr }) => filterIpv4([cidr]).length > 0 && !host.ip.some((address) => isAddressInCidr(address, cidr)),
  );
  const relays = remoteNetworks.map(({ cidr, gateway }) =>
    formatFlowLabel(words().dhcpRelay(cidr), gateway === null ? [] : [gateway]),
  );
  return [
    answerFlow,
    ...relays.flatMap((relay) => [
      createFlow(relay, server, 'UDP', '67', reasons().dhcpRelay),
      createFlow(server, relay, 'UDP', '67', reasons().dhcpRelay),
    ]),
  ];
}

function listFlowsToExternalBalancer(design: Design): Flow[] {
  const { endpoints, services, topology } = design;
  if (services.loadBalancer.kind === 'haproxy' && topology !== 'single-node') return [];
  const { anyClient, nodes, api, machineConfig, https } = fileWords.openings;
  const { api: apiAddresses, apiInt, ingress } = endpoints;
  return [
    createFlow(
      anyClient,
      formatFlowLabel(words().api, removeDuplicates([...apiAddresses, ...apiInt])),
      'TCP',
      '6443',
      api,
    ),
    createFlow(
      formatFlowLabel(nodes, listMachineNetworks(design)),
      formatFlowLabel(words().api, apiInt),
      'TCP',
      '22623',
      machineConfig,
    ),
    createFlow(anyClient, formatFlowLabel(words().ingress, ingress), 'TCP', '80, 443', https),
  ];
}

function listFlowsToOutside(design: Design): Flow[] {
  const { dns, time, bastion } = design.services;
  const nodes = formatFlowLabel(words().everyNode, listMachineNetworks(design));
  const bastionLabel = formatFlowLabel(words().bastion, bastion.ip);
  const servers = dns.kind === 'external' ? listNodeNameServers(design) : dns.forwarders;
  const resolverSource = dns.kind === 'external' ? nodes : formatHostsLabel(words().nameServer, dns.servers);
  const reason = dns.kind === 'external' ? fileWords.openings.dns : reasons().forward;
  const resolverTarget =
    servers.length > 0
      ? formatFlowLabel(words().nameServer, servers)
      : usesInternetNameServers(design)
        ? words().internet
        : null;
  const otherTimeServers = time.servers.filter((server) => !bastion.ip.includes(server));
  return [
    ...(resolverTarget === null ? [] : [createFlow(resolverSource, resolverTarget, 'UDP, TCP', '53', reason)]),
    ...(otherTimeServers.length === 0
      ? []
      : [createFlow(nodes, formatFlowLabel(words().timeServer, otherTimeServers), 'UDP', '123', reasons().time)]),
    ...listSshFlows(design),
    createFlow(bastionLabel, words().internet, 'TCP', '443', reasons().downloads),
    ...listFlowsToImageSources(design, nodes),
  ];
}

/** Lists the SSH traffic of the administrators, of the wizard on the bastion, and of the bootstrap node. */
function listSshFlows(design: Design): Flow[] {
  const { bastion } = design.services;
  const bastionLabel = formatFlowLabel(words().bastion, bastion.ip);
  const nodes = formatFlowLabel(words().everyNode, listMachineNetworks(design));
  const bootstrap = listNodesWithRole(design, 'bootstrap');
  const controlPlane = formatFlowLabel(
    words().controlPlane,
    listAddresses(design, listNodesWithRole(design, ...ETCD_ROLES)),
  );
  return [
    createFlow(fileWords.openings.administrators, bastionLabel, 'TCP', '22', reasons().administration),
    ...listServiceHosts(design)
      .filter(({ name }) => name !== bastion.name)
      .map(({ name, ip }) =>
        createFlow(bastionLabel, formatFlowLabel(name, ip), 'TCP', '22', reasons().administration),
      ),
    createFlow(bastionLabel, nodes, 'TCP', '22', reasons().ssh),
    ...(bootstrap.length === 0
      ? []
      : [
          createFlow(
            formatFlowLabel(words().bootstrap, listAddresses(design, bootstrap)),
            controlPlane,
            'TCP',
            '22',
            reasons().bootstrapSsh,
          ),
        ]),
  ];
}

/** Whether generated name servers without forwarders query name servers on the internet: not at a site with mirrors. */
function usesInternetNameServers({ services, imageDigestSources }: Design): boolean {
  return services.dns.kind === 'bind' && imageDigestSources.length === 0;
}

/**
 * Lists the traffic to the sources of images: the mirrors, and the proxy for images that they lack. Without mirrors and
 * proxy, the source is the internet.
 */
function listFlowsToImageSources({ imageDigestSources, proxy, openshift }: Design, nodes: string): Flow[] {
  const images = isOkd(openshift.version) ? reasons().imagesOkd : reasons().images;
  const mirrors = removeDuplicates(
    imageDigestSources.flatMap(({ mirrors: all }) => all.map((mirror) => mirror.split('/')[0] ?? '')),
  );
  const ports = removeDuplicates(mirrors.map((mirror) => /:(\d+)$/.exec(mirror)?.[1] ?? '443'));
  const proxies = removeDuplicates(
    [proxy?.httpsProxy ?? '', proxy?.httpProxy ?? ''].filter((url) => URL.canParse(url)),
  );
  const flows = [
    ...(mirrors.length === 0
      ? []
      : [createFlow(nodes, formatFlowLabel(words().mirror, mirrors), 'TCP', ports.join(', '), images)]),
    ...proxies.map((url) => {
      const { hostname, port, protocol } = new URL(url);
      const defaultPort = protocol === 'https:' ? '443' : '80';
      return createFlow(
        nodes,
        formatFlowLabel(words().proxy, [hostname]),
        'TCP',
        port || defaultPort,
        mirrors.length > 0 ? reasons().outside : images,
      );
    }),
  ];
  return flows.length > 0 ? flows : [createFlow(nodes, words().internet, 'TCP', '443', images)];
}

/** Formats `every node (172.16.0.0/24)`; the name alone where there is no address. */
function formatFlowLabel(name: string, networks: readonly string[]): string {
  return networks.length === 0 ? name : `${name} (${networks.join(' ')})`;
}

function formatHostsLabel(name: string, servers: readonly { readonly ip: readonly string[] }[]): string {
  return formatFlowLabel(
    name,
    servers.flatMap(({ ip }) => ip),
  );
}

/** Lists the addresses of nodes; of many nodes their networks, because a row of fifty addresses is unreadable. */
function listAddresses(design: Design, nodes: readonly DesignNode[]): string[] {
  return nodes.length > MAX_LISTED_NODES ? listMachineNetworks(design) : nodes.flatMap(({ ip }) => ip);
}

function listMachineNetworks(design: Design): string[] {
  return design.networks.machine.map(({ cidr }) => cidr);
}
