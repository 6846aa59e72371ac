import { addressToNumber, isAddressInNetwork, parseNetwork } from '../../../src/design/address.ts';
import { ROLES } from '../../../src/design/choices.ts';
import { clusterDomain, describeClusterNetwork, serviceHosts } from '../../../src/design/derived-facts.ts';
import type { Design, DesignNode, ServiceHost } from '../../../src/design/model.ts';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import { displayWidth, padEnd, wrapBeside } from '../../../src/platform/text.ts';
import type { TextLine } from '../../../src/rows/text.ts';

const words = () => catalogue().pages.review.diagram;

interface DiagramGlyphs {
  readonly down: string;
  readonly tee: string;
  readonly end: string;
  readonly wire: string;
}

const ASCII: DiagramGlyphs = { down: '|', tee: '|-- ', end: "'-- ", wire: '=' };
const UNICODE: DiagramGlyphs = { down: '│', tee: '├─ ', end: '└─ ', wire: '─' };

/** A member of a network: its name, addresses, and role there. */
interface NetworkMember {
  readonly name: string;
  readonly addresses: string;
  readonly note: string;
}

/**
 * Draws the networks and their members. Summarises nodes by role, and shows missing values as `-`.
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
export function renderNetworkDiagram(design: Design, columns: number, hasUnicode: boolean): TextLine[] {
  const glyphs = hasUnicode ? UNICODE : ASCII;
  const { machine, company, router } = design.networks;
  const routerAddresses = [router ?? '', ...machine.map(({ gateway }) => gateway ?? '')].filter((text) => text !== '');
  const lines: TextLine[] = [
    { text: company.length > 0 ? `${words().company} ${company.map(textOrUnknown).join(', ')}` : words().anyCompany },
    { text: ` ${glyphs.down}`, tone: 'muted' },
    {
      text: `${words().router} ${routerAddresses.length > 0 ? routerAddresses.map(textOrUnknown).join(', ') : catalogue().pages.review.unknown}`,
    },
    { text: ` ${glyphs.down}`, tone: 'muted' },
  ];
  const groups = groupByNetwork(design);
  const shown = groups.flatMap(({ members }) => members);
  const width = Math.max(0, ...shown.map(({ name }) => displayWidth(name)));
  const addressWidth = Math.max(0, ...shown.map(({ addresses }) => displayWidth(addresses)));
  for (const [index, { title, members }] of groups.entries()) {
    const isLast = index === groups.length - 1;
    lines.push({
      text: `${title} ${glyphs.wire.repeat(Math.max(0, columns - displayWidth(title) - 1))}`,
      tone: 'accent',
    });
    for (const [position, member] of members.entries()) {
      const isEnd = isLast && position === members.length - 1;
      const joint = isEnd ? glyphs.end : glyphs.tee;
      const text = ` ${joint}${padToWidth(member.name, width)}  ${padToWidth(member.addresses, addressWidth)}  ${member.note}`;
      lines.push({ text: text.trimEnd() });
    }
  }
  return [...lines, ...renderInsideNetworks(design, glyphs)];
}

/** Returns the pod and service networks: they exist only inside the nodes. */
function renderInsideNetworks({ networks }: Design, glyphs: DiagramGlyphs): TextLine[] {
  const pods = networks.cluster.map(({ cidr, hostPrefix }) => {
    const capacity = describeClusterNetwork(cidr, hostPrefix).replace('×', 'x');
    return { name: words().pods, text: words().perNode(textOrUnknown(cidr), hostPrefix, capacity) };
  });
  const services = networks.service.map((cidr) => ({ name: words().services, text: textOrUnknown(cidr) }));
  const rows = [...pods, ...services];
  const width = Math.max(...rows.map(({ name }) => displayWidth(name)), 0);
  return [
    { text: `     ${words().insideCluster}`, tone: 'muted' },
    ...rows.map(({ name, text }, index): TextLine => {
      const joint = index === rows.length - 1 ? glyphs.end : glyphs.tee;
      return { text: `     ${joint}${padToWidth(name, width)}  ${text}` };
    }),
  ];
}

/** Groups the members by machine network; the last group holds those that belong to none. */
function groupByNetwork(design: Design): { title: string; members: NetworkMember[] }[] {
  const networks = design.networks.machine.map(({ cidr }) => ({ cidr, network: parseNetwork(cidr) }));
  const findNetworkIndex = (addresses: readonly string[]) =>
    networks.findIndex(
      ({ network }) => network !== null && addresses.some((address) => isAddressInNetwork(address, network)),
    );
  const groups = [...networks.map((_network, index) => index), -1].map((place) => ({
    title: place < 0 ? words().nowhere : `${words().machine} ${textOrUnknown(networks[place]?.cidr ?? '')}`,
    place,
    members: [
      ...serviceHosts(design)
        .filter(({ ip }) => findNetworkIndex(ip) === place)
        .map((host) => createHostMember(design, host)),
      ...listEndpointMembers(design).filter(({ ip }) => findNetworkIndex(ip) === place),
      ...ROLES.flatMap((role) =>
        summarizeRole(
          role,
          design.nodes.filter((node) => node.role === role && findNetworkIndex(node.ip) === place),
        ),
      ),
    ],
  }));
  return groups.filter(({ place, members }) => place >= 0 || members.length > 0);
}

function createHostMember(design: Design, host: ServiceHost): NetworkMember {
  const { bastion, dns, dhcp, loadBalancer, boot } = design.services;
  const position = dns.servers.findIndex(({ name }) => name === host.name);
  const does = [
    ...(host.name === bastion.name ? [words().bastion(String(boot.httpPort))] : []),
    ...(position >= 0 && dns.kind === 'bind' ? [words().dns(position)] : []),
    ...(position >= 0 && dns.kind === 'external' ? [words().dns(0)] : []),
    ...(dhcp.kind !== 'none' && dhcp.server === host.name ? [words().dhcp] : []),
    ...(loadBalancer.servers.some(({ name }) => name === host.name) ? [words().loadBalancer] : []),
  ];
  return { name: textOrUnknown(host.name), addresses: host.ip.map(textOrUnknown).join(', '), note: does.join(', ') };
}

const PORTS = { api: ':6443', apiInt: ':6443 :22623', ingress: ':80 :443' } as const;
const NAMES = { api: 'api', apiInt: 'api-int', ingress: '*.apps' } as const;

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
    return { name: NAMES[key], addresses: ip.map(textOrUnknown).join(', '), note: `${PORTS[key]} ${location}`, ip };
  });
}

/** Returns all nodes of a role on one line: how many, their first and last address, and their names. */
function summarizeRole(role: DesignNode['role'], nodes: readonly DesignNode[]): NetworkMember[] {
  if (nodes.length === 0) return [];
  const sorted = [...nodes].sort((a, b) => compareAddresses(a.ip[0] ?? '', b.ip[0] ?? ''));
  const [first] = sorted;
  const last = sorted.at(-1);
  const [from, to] = [first?.ip[0] ?? '', last?.ip[0] ?? ''].map(textOrUnknown);
  const names =
    nodes.length <= 5
      ? nodes.map(({ name }) => textOrUnknown(name)).join(' ')
      : `${textOrUnknown(first?.name ?? '')} .. ${textOrUnknown(last?.name ?? '')}`;
  return [
    {
      name: `${nodes.length} ${words().roles[role]}`,
      addresses:
        nodes.length === 1 || from === to ? (from ?? '') : `${from} .. ${shortenRangeEnd(from ?? '', to ?? '')}`,
      note: names,
    },
  ];
}

/** `172.16.0.21 .. .23`: drops the part that both addresses share, up to the last dot. */
function shortenRangeEnd(from: string, to: string): string {
  const head = from.slice(0, from.lastIndexOf('.') + 1);
  return head !== '' && to.startsWith(head) ? to.slice(head.length - 1) : to;
}

function compareAddresses(a: string, b: string): number {
  const [left, right] = [addressToNumber(a) ?? 0n, addressToNumber(b) ?? 0n];
  return left < right ? -1 : left > right ? 1 : 0;
}

function textOrUnknown(text: string): string {
  return text === '' ? catalogue().pages.review.unknown : text;
}

function padToWidth(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

const designLinesWords = () => catalogue().pages.review.settings;
const unknown = () => catalogue().pages.review.unknown;

/** Renders the whole design on one page: the cluster, the network diagram, every node, and the other answers. */
export function renderDesign(design: Design, columns: number, hasUnicode: boolean): TextLine[] {
  const { openshift, topology, fips } = design;
  const domain = clusterDomain(design);
  return [
    {
      text: designLinesWords().cluster({
        domain: domain.startsWith('.') || domain.endsWith('.') ? unknown() : domain,
        version: textOrUnknown(openshift.version),
        architecture: openshift.architecture,
        stream: openshift.osImageStream,
        topology,
        isFips: fips,
      }),
      tone: 'accent',
    },
    ...renderNetworkDiagram(design, columns, hasUnicode),
    { text: '' },
    { text: designLinesWords().nodes, tone: 'accent' },
    ...nodeLines(design),
    { text: '' },
    { text: designLinesWords().services, tone: 'accent' },
    ...renderPairs(listSettings(design), columns),
  ];
}

function nodeLines({ nodes }: Design): TextLine[] {
  const width = (values: readonly string[]) => Math.max(...values.map((value) => displayWidth(value)), 1);
  const names = width(nodes.map(({ name }) => textOrUnknown(name)));
  const roles = width(nodes.map(({ role }) => role));
  const addresses = width(nodes.map(({ ip }) => ip.map(textOrUnknown).join(', ')));
  return nodes.map(({ name, role, ip, mac, vcpu, memoryGiB }): TextLine => {
    const address = ip.map(textOrUnknown).join(', ');
    const size = catalogue().screens.design.size(vcpu, memoryGiB);
    const cells = [
      padEnd(textOrUnknown(name), names, ''),
      role.padEnd(roles),
      padEnd(address, addresses, ''),
      textOrUnknown(mac).padEnd(17),
      size,
    ];
    return { text: `  ${cells.join(' ')}` };
  });
}

/** Lists the answers that the network diagram does not show; common defaults are left out. */
function listSettings(design: Design): [name: string, value: string][] {
  const { services, networks, proxy, credentials, infra, imageDigestSources } = design;
  const { dns, dhcp, loadBalancer, boot, time } = services;
  const volume = (storageClass: string | null) => storageClass ?? designLinesWords().defaultClass;
  const rows: [string, string][] = [
    ...serviceHosts(design).map(({ name, ip, os }): [string, string] => [
      textOrUnknown(name),
      `${ip.map(textOrUnknown).join(', ')}  ${os}`,
    ]),
    [
      designLinesWords().dns,
      dns.forwarders.length > 0 ? designLinesWords().forwarders(dns.kind, dns.forwarders.join(', ')) : dns.kind,
    ],
    [
      designLinesWords().dhcp,
      dhcp.server === null ? dhcp.kind : designLinesWords().onHost(dhcp.kind, textOrUnknown(dhcp.server)),
    ],
    [designLinesWords().loadBalancer, loadBalancer.kind],
    [designLinesWords().boot, designLinesWords().httpPort(boot.kind, boot.httpPort)],
    [designLinesWords().time, textOrUnknown(time.servers.join(', '))],
    [designLinesWords().networkType, networks.type],
    [designLinesWords().pullSecret, credentials.pullSecretFile ?? unknown()],
    [designLinesWords().sshKey, credentials.sshKeyFile ?? unknown()],
  ];
  if (proxy)
    rows.push([
      designLinesWords().proxy,
      [proxy.httpProxy, proxy.httpsProxy].filter(Boolean).map(maskLogin).join(', '),
    ]);
  if (proxy?.noProxy) rows.push([designLinesWords().noProxy, proxy.noProxy]);
  if (design.additionalTrustBundleFile !== null) {
    rows.push([
      designLinesWords().bundle,
      `${design.additionalTrustBundleFile} (${design.additionalTrustBundlePolicy ?? unknown()})`,
    ]);
  }
  for (const { source, mirrors } of imageDigestSources)
    rows.push([designLinesWords().mirrors, `${source} = ${mirrors.join(', ')}`]);
  const { registry, monitoring, taint } = infra;
  const isVolume = registry.storage === 'pvc';
  rows.push([
    designLinesWords().registry,
    isVolume ? designLinesWords().volume('pvc', volume(registry.storageClass), registry.sizeGiB) : registry.storage,
  ]);
  rows.push([designLinesWords().monitoring, monitoring.storageClass ?? designLinesWords().noVolumes]);
  if (design.nodes.some(({ role }) => role === 'infra')) {
    rows.push([designLinesWords().taint, `${taint.key}${taint.value === '' ? '' : `=${taint.value}`}`]);
    rows.push([designLinesWords().routers, String(infra.routerReplicas)]);
  }
  return rows;
}

/** Names with their values beside them; each value takes as many lines as it needs. */
function renderPairs(rows: readonly (readonly [name: string, value: string])[], columns: number): TextLine[] {
  const width = Math.max(16, ...rows.map(([name]) => displayWidth(name) + 2));
  return rows.flatMap(([name, value]) =>
    wrapBeside(`  ${padEnd(name, width, '')}`, value, Math.max(width + 22, columns)).map((text) => ({ text })),
  );
}

/** Masks the user name and password in a proxy URL. */
function maskLogin(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//***@');
}
