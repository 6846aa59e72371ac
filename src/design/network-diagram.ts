import { catalogue } from '../i18n/catalogue.ts';
import { getDisplayWidth, toAsciiPunctuation } from '../platform/text.ts';
import { addressToNumber, isAddressInNetwork, parseNetwork } from './address.ts';
import { listBalancerStages } from './balancer-members.ts';
import { NODE_ROLES } from './choices.ts';
import { describeClusterNetwork, listServiceHosts } from './derived-facts.ts';
import type { Design, DesignNode, ServiceHost } from './model.ts';

const words = () => catalogue().pages.review.diagram;

/** The characters that draw the lines between networks and members. */
interface DiagramGlyphs {
  readonly vertical: string;
  readonly tee: string;
  readonly end: string;
  readonly wire: string;
}

const ASCII: DiagramGlyphs = { vertical: '|', tee: '|-- ', end: "'-- ", wire: '=' };
const UNICODE: DiagramGlyphs = { vertical: '│', tee: '├─ ', end: '└─ ', wire: '─' };

/** A line of the diagram. */
interface DiagramLine {
  readonly text: string;
  readonly tone?: 'muted' | 'accent';
}

/** A member of a network: its name, its addresses, and a note such as its services. */
interface NetworkMember {
  readonly name: string;
  readonly addresses: string;
  readonly note: string;
}

/**
 * Draws the networks and their members. Summarizes nodes by role, and shows missing values as `-`.
 *
 *     company 192.168.124.0/24
 *      |
 *     router 192.168.124.254, 172.16.0.254
 *      |
 *     machine network 172.16.0.0/24 ==========
 *      |-- bastion         172.16.0.101  boot files :8080
 *      '-- 3 infra         172.16.0.41 .. 172.16.0.43   i1 i2 i3
 *            |-- pods      10.128.0.0/14, /23 a node
 *            '-- services  172.30.0.0/16
 */
export function renderNetworkDiagram(design: Design, columns: number, hasUnicode: boolean): DiagramLine[] {
  const glyphs = hasUnicode ? UNICODE : ASCII;
  const routers = listRouterAddresses(design);
  const lines: DiagramLine[] = [
    { text: describeCompanyNetworks(design) },
    { text: ` ${glyphs.vertical}`, tone: 'muted' },
    {
      text: `${words().router} ${routers.length > 0 ? routers.map(formatOrUnknown).join(', ') : catalogue().pages.review.unknown}`,
    },
    { text: ` ${glyphs.vertical}`, tone: 'muted' },
  ];
  const groups = groupByNetwork(design).map(({ title, hosts, endpoints, nodes }) => ({
    title,
    members: [...hosts, ...endpoints, ...NODE_ROLES.flatMap((role) => summarizeRole(role, nodes))],
  }));
  const memberRows = groups.flatMap(({ members }) => members);
  const width = Math.max(0, ...memberRows.map(({ name }) => getDisplayWidth(name)));
  const addressWidth = Math.max(0, ...memberRows.map(({ addresses }) => getDisplayWidth(addresses)));
  for (const [index, { title, members }] of groups.entries()) {
    const isLastGroup = index === groups.length - 1;
    lines.push({
      text: `${title} ${glyphs.wire.repeat(Math.max(0, columns - getDisplayWidth(title) - 1))}`,
      tone: 'accent',
    });
    for (const [position, member] of members.entries()) {
      const isLastMember = isLastGroup && position === members.length - 1;
      const joint = isLastMember ? glyphs.end : glyphs.tee;
      const text = ` ${joint}${padToWidth(member.name, width)}  ${padToWidth(member.addresses, addressWidth)}  ${member.note}`;
      lines.push({ text: text.trimEnd() });
    }
  }
  return [...lines, ...renderPodAndServiceNetworks(design, glyphs)];
}

/**
 * Renders the members of the load balancer by stage, aligned under their ports; nothing where there is no load
 * balancer.
 */
export function renderBalancerStages(design: Design, hasUnicode: boolean): DiagramLine[] {
  const glyphs = hasUnicode ? UNICODE : ASCII;
  const stages = listBalancerStages(design);
  if (stages.length === 0) return [];
  const rows = [
    [catalogue().design.diagram.balancer, ENDPOINT_PORTS.apiInt, ENDPOINT_PORTS.ingress],
    ...stages.map(({ title, api, ingress }, index) => {
      const joint = index === stages.length - 1 ? glyphs.end : glyphs.tee;
      return [` ${joint}${title}`, api.join(' '), ingress.join(' ')];
    }),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((cells) => getDisplayWidth(cells[column] ?? ''))));
  return rows.map((cells, index): DiagramLine => {
    const text = cells.map((cell, column) => padToWidth(cell, widths[column] ?? 0)).join('  ');
    return { text: text.trimEnd(), ...(index === 0 ? { tone: 'accent' as const } : {}) };
  });
}

/** Lists the addresses of the router: in the network of the company, and as the gateway of each machine network. */
export function listRouterAddresses({ networks: { router, machine } }: Design): string[] {
  return [router ?? '', ...machine.map(({ gateway }) => gateway ?? '')].filter((text) => text !== '');
}

/** Describes the networks of the company, with its name servers if the wizard sets up none. */
export function describeCompanyNetworks({ networks: { company }, services: { dns } }: Design): string {
  const text =
    company.length > 0 ? `${words().company} ${company.map(formatOrUnknown).join(', ')}` : words().anyCompany;
  const isCompanyDns = dns.kind === 'external' && dns.servers.length === 0 && dns.forwarders.length > 0;
  return isCompanyDns ? words().withDns(text, dns.forwarders.join(', ')) : text;
}

/** Lists the pod and service networks: they exist only inside the nodes. */
export function listPodAndServiceNetworks({ networks }: Design): { readonly name: string; readonly text: string }[] {
  const pods = networks.cluster.map(({ cidr, hostPrefix }) => {
    const capacity = describeClusterNetwork(cidr, hostPrefix);
    return { name: words().pods, text: words().perNode(formatOrUnknown(cidr), hostPrefix, capacity) };
  });
  const services = networks.service.map((cidr) => ({ name: words().services, text: formatOrUnknown(cidr) }));
  return [...pods, ...services];
}

function renderPodAndServiceNetworks(design: Design, glyphs: DiagramGlyphs): DiagramLine[] {
  const rows = listPodAndServiceNetworks(design);
  const width = Math.max(...rows.map(({ name }) => getDisplayWidth(name)), 0);
  return [
    { text: `     ${words().insideCluster}`, tone: 'muted' },
    ...rows.map(({ name, text: unicodeText }, index): DiagramLine => {
      const text = glyphs === ASCII ? toAsciiPunctuation(unicodeText) : unicodeText;
      const joint = index === rows.length - 1 ? glyphs.end : glyphs.tee;
      return { text: `     ${joint}${padToWidth(name, width)}  ${text}` };
    }),
  ];
}

/** A machine network and its members. */
export interface NetworkGroup {
  readonly title: string;
  readonly hosts: readonly NetworkMember[];
  readonly endpoints: readonly NetworkMember[];
  readonly nodes: readonly DesignNode[];
}

/** Groups the members by machine network; the last group holds those that belong to none. */
export function groupByNetwork(design: Design): NetworkGroup[] {
  const networks = design.networks.machine.map(({ cidr }) => ({ cidr, network: parseNetwork(cidr) }));
  const findNetworkIndex = (addresses: readonly string[]) =>
    networks.findIndex(
      ({ network }) => network !== null && addresses.some((address) => isAddressInNetwork(address, network)),
    );
  const groups = [...networks.map((_network, index) => index), -1].map((networkIndex) => ({
    title:
      networkIndex < 0 ? words().nowhere : `${words().machine} ${formatOrUnknown(networks[networkIndex]?.cidr ?? '')}`,
    networkIndex,
    hosts: listServiceHosts(design)
      .filter(({ ip }) => findNetworkIndex(ip) === networkIndex)
      .map((host) => createHostMember(design, host)),
    endpoints: listEndpointMembers(design).filter(({ ip }) => findNetworkIndex(ip) === networkIndex),
    nodes: design.nodes.filter(({ ip }) => findNetworkIndex(ip) === networkIndex),
  }));
  return groups.filter(
    ({ networkIndex, hosts, endpoints, nodes }) =>
      networkIndex >= 0 || hosts.length + endpoints.length + nodes.length > 0,
  );
}

function createHostMember(design: Design, host: ServiceHost): NetworkMember {
  const { bastion, dns, dhcp, loadBalancer, boot } = design.services;
  const position = dns.servers.findIndex(({ name }) => name === host.name);
  const services = [
    ...(host.name === bastion.name ? [words().bastion(String(boot.httpPort))] : []),
    ...(position >= 0 && dns.kind === 'bind' ? [words().dns(position)] : []),
    ...(position >= 0 && dns.kind === 'external' ? [words().dns(0)] : []),
    ...(dhcp.kind !== 'none' && dhcp.server === host.name ? [words().dhcp] : []),
    ...(loadBalancer.servers.some(({ name }) => name === host.name) ? [words().loadBalancer] : []),
  ];
  return {
    name: formatOrUnknown(host.name),
    addresses: host.ip.map(formatOrUnknown).join(', '),
    note: services.join(', '),
  };
}

/** The ports of each endpoint. */
export const ENDPOINT_PORTS = { api: ':6443', apiInt: ':6443 :22623', ingress: ':80 :443' } as const;
const ENDPOINT_NAMES = { api: 'api', apiInt: 'api-int', ingress: '*.apps' } as const;

function listEndpointMembers(design: Design): (NetworkMember & { readonly ip: readonly string[] })[] {
  const { loadBalancer } = design.services;
  return (['api', 'apiInt', 'ingress'] as const).map((key) => {
    const ip = design.endpoints[key];
    const server = loadBalancer.servers.find((host) => host.ip.some((address) => ip.includes(address)));
    const node = design.nodes.find((candidate) => candidate.ip.some((address) => ip.includes(address)));
    const location = server
      ? words().endpoint.on(server.name)
      : node
        ? words().endpoint.node(node.name)
        : loadBalancer.kind === 'haproxy'
          ? words().endpoint.keepalived(loadBalancer.servers.map(({ name }) => name).join(', '))
          : words().endpoint.external;
    return {
      name: ENDPOINT_NAMES[key],
      addresses: ip.map(formatOrUnknown).join(', '),
      note: `${ENDPOINT_PORTS[key]} ${location}`,
      ip,
    };
  });
}

/** Summarizes the nodes of a role as one member: their number, their first and last address, and their names. */
function summarizeRole(role: DesignNode['role'], allNodes: readonly DesignNode[]): NetworkMember[] {
  const nodes = allNodes.filter((node) => node.role === role);
  if (nodes.length === 0) return [];
  const sortedNodes = [...nodes].sort((a, b) => compareAddresses(a.ip[0] ?? '', b.ip[0] ?? ''));
  const [firstNode] = sortedNodes;
  const lastNode = sortedNodes.at(-1);
  const [from, to] = [firstNode?.ip[0] ?? '', lastNode?.ip[0] ?? ''].map(formatOrUnknown);
  const names =
    nodes.length <= 5
      ? nodes.map(({ name }) => formatOrUnknown(name)).join(' ')
      : `${formatOrUnknown(firstNode?.name ?? '')} .. ${formatOrUnknown(lastNode?.name ?? '')}`;
  return [
    {
      name: `${nodes.length} ${words().roles[role]}`,
      addresses:
        nodes.length === 1 || from === to ? (from ?? '') : `${from} .. ${shortenRangeEnd(from ?? '', to ?? '')}`,
      note: names,
    },
  ];
}

/** Drops the part that both addresses share, up to the last dot: `172.16.0.21 .. .23`. */
function shortenRangeEnd(from: string, to: string): string {
  const commonPrefix = from.slice(0, from.lastIndexOf('.') + 1);
  return commonPrefix !== '' && to.startsWith(commonPrefix) ? to.slice(commonPrefix.length - 1) : to;
}

function compareAddresses(a: string, b: string): number {
  const [left, right] = [addressToNumber(a) ?? 0n, addressToNumber(b) ?? 0n];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Formats a text; an empty one as the sign for a missing value. */
export function formatOrUnknown(text: string): string {
  return text === '' ? catalogue().pages.review.unknown : text;
}

function padToWidth(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - getDisplayWidth(text)));
}
