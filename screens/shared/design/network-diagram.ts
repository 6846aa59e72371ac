import { addressNumber, isInside, parseNetwork } from '../../../src/design/address.ts';
import { clusterNetworkFacts } from '../../../src/design/facts.ts';
import type { Design, DesignNode, ServiceHost } from '../../../src/design/model.ts';
import { ROLES } from '../../../src/design/model.ts';
import { serviceHosts } from '../../../src/design/names.ts';
import { catalogue } from '../../../src/text/catalogue.ts';
import { widthOf } from '../../../src/text/width.ts';
import type { TextLine } from '../../../src/ui/components/text-views.tsx';

const words = () => catalogue().pages.review.diagram;

interface Signs {
  readonly down: string;
  readonly tee: string;
  readonly end: string;
  readonly wire: string;
}

const ASCII: Signs = { down: '|', tee: '|-- ', end: "'-- ", wire: '=' };
const UNICODE: Signs = { down: '│', tee: '├─ ', end: '└─ ', wire: '═' };

/** One thing on a network: its name, its address, and what it does there. */
interface Member {
  readonly name: string;
  readonly addresses: string;
  readonly note: string;
}

/**
 * Who is where, as a picture; summarises nodes by role, and shows missing values as `-`.
 *
 *     company 192.168.124.0/24
 *       |
 *     router 192.168.124.254, 172.16.0.254
 *       |
 *     machine network 172.16.0.0/24 ==========
 *       |-- bastion         172.16.0.101  boot files :8080
 *       '-- 3 infra         172.16.0.41 .. 172.16.0.43   i1 i2 i3
 *             |-- pods      10.128.0.0/14, /23 a node
 *             '-- services  172.30.0.0/16
 */
export function networkDiagram(design: Design, columns: number, hasUnicode: boolean): TextLine[] {
  const signs = hasUnicode ? UNICODE : ASCII;
  const { machine, company, router } = design.networks;
  const sides = [router ?? '', ...machine.map(({ gateway }) => gateway ?? '')].filter((text) => text !== '');
  const lines: TextLine[] = [
    { text: company.length > 0 ? `${words().company} ${company.map(known).join(', ')}` : words().anyCompany },
    { text: `  ${signs.down}`, tone: 'dim' },
    { text: `${words().router} ${sides.length > 0 ? sides.map(known).join(', ') : catalogue().pages.review.unknown}` },
    { text: `  ${signs.down}`, tone: 'dim' },
  ];
  const groups = byNetwork(design);
  const shown = groups.flatMap(({ members }) => members);
  const width = Math.max(0, ...shown.map(({ name }) => widthOf(name)));
  const addressWidth = Math.max(0, ...shown.map(({ addresses }) => widthOf(addresses)));
  for (const [index, { title, members }] of groups.entries()) {
    const isLast = index === groups.length - 1;
    lines.push({ text: `${title} ${signs.wire.repeat(Math.max(0, columns - widthOf(title) - 1))}`, tone: 'accent' });
    for (const [place, member] of members.entries()) {
      const isEnd = isLast && place === members.length - 1;
      const joint = isEnd ? signs.end : signs.tee;
      const text = `  ${joint}${padTo(member.name, width)}  ${padTo(member.addresses, addressWidth)}  ${member.note}`;
      lines.push({ text: text.trimEnd() });
    }
  }
  return [...lines, ...insideLines(design, signs)];
}

/** Networks without a cable: they are inside the nodes. */
function insideLines({ networks }: Design, signs: Signs): TextLine[] {
  const pods = networks.cluster.map(({ cidr, hostPrefix }) => {
    const room = clusterNetworkFacts(cidr, hostPrefix).replace('×', 'x');
    return { name: words().pods, text: words().perNode(known(cidr), hostPrefix, room) };
  });
  const services = networks.service.map((cidr) => ({ name: words().services, text: known(cidr) }));
  const rows = [...pods, ...services];
  const width = Math.max(...rows.map(({ name }) => widthOf(name)), 0);
  return [
    { text: `      ${words().inside}`, tone: 'dim' },
    ...rows.map(({ name, text }, index): TextLine => {
      const joint = index === rows.length - 1 ? signs.end : signs.tee;
      return { text: `      ${joint}${padTo(name, width)}  ${text}` };
    }),
  ];
}

/** The members of each machine network, and those of none. */
function byNetwork(design: Design): { title: string; members: Member[] }[] {
  const networks = design.networks.machine.map(({ cidr }) => ({ cidr, network: parseNetwork(cidr) }));
  const placeOf = (addresses: readonly string[]) =>
    networks.findIndex(({ network }) => network !== null && addresses.some((address) => isInside(address, network)));
  const groups = [...networks.map((_network, index) => index), -1].map((place) => ({
    title: place < 0 ? words().nowhere : `${words().machine} ${known(networks[place]?.cidr ?? '')}`,
    place,
    members: [
      ...serviceHosts(design)
        .filter(({ ip }) => placeOf(ip) === place)
        .map((host) => hostMember(design, host)),
      ...endpointMembers(design).filter(({ ip }) => placeOf(ip) === place),
      ...ROLES.flatMap((role) =>
        roleMember(
          role,
          design.nodes.filter((node) => node.role === role && placeOf(node.ip) === place),
        ),
      ),
    ],
  }));
  return groups.filter(({ place, members }) => place >= 0 || members.length > 0);
}

function hostMember(design: Design, host: ServiceHost): Member {
  const { bastion, dns, dhcp, loadBalancer, boot } = design.services;
  const position = dns.servers.findIndex(({ name }) => name === host.name);
  const does = [
    ...(host.name === bastion.name ? [words().bastion(String(boot.httpPort))] : []),
    ...(position >= 0 && dns.kind === 'bind' ? [words().dns(position)] : []),
    ...(position >= 0 && dns.kind === 'external' ? [words().dns(0)] : []),
    ...(dhcp.kind !== 'none' && dhcp.server === host.name ? [words().dhcp] : []),
    ...(loadBalancer.servers.some(({ name }) => name === host.name) ? [words().loadBalancer] : []),
  ];
  return { name: known(host.name), addresses: host.ip.map(known).join(', '), note: does.join(', ') };
}

const PORTS = { api: ':6443', apiInt: ':6443 :22623', ingress: ':80 :443' } as const;
const NAMES = { api: 'api', apiInt: 'api-int', ingress: '*.apps' } as const;

function endpointMembers(design: Design): (Member & { readonly ip: readonly string[] })[] {
  const { loadBalancer } = design.services;
  return (['api', 'apiInt', 'ingress'] as const).map((key) => {
    const ip = design.endpoints[key];
    const own = loadBalancer.servers.find((host) => host.ip.some((address) => ip.includes(address)));
    const node = design.nodes.find((candidate) => candidate.ip.some((address) => ip.includes(address)));
    const where = own
      ? words().endpoint.on(own.name)
      : node
        ? words().endpoint.node(node.name)
        : loadBalancer.kind === 'haproxy'
          ? words().endpoint.keepalived(loadBalancer.servers.map(({ name }) => name).join(', '))
          : words().endpoint.external;
    return { name: NAMES[key], addresses: ip.map(known).join(', '), note: `${PORTS[key]} ${where}`, ip };
  });
}

/** All nodes of a role on one line: how many, their first and last address, and their names. */
function roleMember(role: DesignNode['role'], nodes: readonly DesignNode[]): Member[] {
  if (nodes.length === 0) return [];
  const sorted = [...nodes].sort((a, b) => compare(a.ip[0] ?? '', b.ip[0] ?? ''));
  const [first] = sorted;
  const last = sorted.at(-1);
  const [from, to] = [first?.ip[0] ?? '', last?.ip[0] ?? ''].map(known);
  const names =
    nodes.length <= 5
      ? nodes.map(({ name }) => known(name)).join(' ')
      : `${known(first?.name ?? '')} .. ${known(last?.name ?? '')}`;
  return [
    {
      name: `${nodes.length} ${words().roles[role]}`,
      addresses: nodes.length === 1 || from === to ? (from ?? '') : `${from} .. ${shortEnd(from ?? '', to ?? '')}`,
      note: names,
    },
  ];
}

/** `172.16.0.21 .. .23`: does not repeat what is the same up to the last dot. */
function shortEnd(from: string, to: string): string {
  const head = from.slice(0, from.lastIndexOf('.') + 1);
  return head !== '' && to.startsWith(head) ? to.slice(head.length - 1) : to;
}

function compare(a: string, b: string): number {
  const [left, right] = [addressNumber(a) ?? 0n, addressNumber(b) ?? 0n];
  return left < right ? -1 : left > right ? 1 : 0;
}

function known(text: string): string {
  return text === '' ? catalogue().pages.review.unknown : text;
}

function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}
