import { isAddressInCidr, removeDuplicates } from '../../artifacts/network/addresses.ts';
import { type FirewallOpening, listFirewallOpenings } from '../../artifacts/network/firewall.ts';
import { getAddressFamily } from '../../design/address.ts';
import { getBalancerMembers } from '../../design/balancer-members.ts';
import type { Design, ServiceHost } from '../../design/model.ts';
import type { PrivilegedHostState } from '../../probes/probe-types.ts';
import { type Chain, decideConnection, type FilterTool, type Rule } from './evaluate.ts';
import { parseIptables } from './iptables.ts';
import { parseNftRuleset } from './nft.ts';

/** Packets that the packet filter of a service host stops, or may stop, all of them at the same rule. */
export interface BlockedPackets {
  readonly kind: 'blocked' | 'undecidable';
  readonly chain: Chain;
  /** Null: the policy of the chain. */
  readonly rule: Rule | null;
  readonly isReply: boolean;
  readonly protocol: FirewallOpening['protocol'];
  /** Empty: the protocol has none. */
  readonly ports: readonly number[];
  /** Networks, or the addresses of some machines in a network. */
  readonly sources: readonly string[];
  readonly destinations: readonly string[];
}

type HostFilter = NonNullable<PrivilegedHostState['filter']>;

/** Parses the packet filters of a host; null if one of them could not be read. */
export function parsePacketFilters({ nft, tables, isComplete }: HostFilter): readonly Chain[] | null {
  if (!isComplete) return null;
  const iptablesChains = tables.flatMap(({ tool, text }) => parseIptables(tool as FilterTool, text));
  // Tables of iptables over nftables are read from iptables' own listing: it has options that `nft -j` omits.
  const listedTables = iptablesChains
    .filter(({ tool }) => !tool.endsWith('-legacy'))
    .map(({ tool, table }) => `${tool === 'iptables' ? 'ip' : 'ip6'} ${table}`);
  const nftChains = nft === null ? [] : parseNftRuleset(nft.json, nft.listing, new Set(listedTables));
  return nftChains && [...iptablesChains, ...nftChains];
}

/** An ephemeral client port (RFC 6056): services ignore it, and filters rarely match it. */
const CLIENT_PORT = 50_000;

/**
 * Lists the packets to the services of a host that its packet filter stops: those of nodes and of the other load
 * balancers. A DHCP server on the network of its clients reads their packets before the filter (packet(7)), so only
 * relayed requests count there.
 */
export function listBlockedPackets(
  design: Design,
  host: ServiceHost,
  { interfaces, defaultInterface }: Pick<PrivilegedHostState, 'interfaces' | 'defaultInterface'>,
  chains: readonly Chain[],
): BlockedPackets[] {
  const blockedPackets: (BlockedPackets & { readonly source: string })[] = [];
  for (const opening of listFirewallOpenings(design, host)) {
    for (const destination of opening.addresses) {
      for (const { source, network } of listSources(design, host, opening, destination)) {
        const decision = decideConnection(chains, {
          ...{ family: getAddressFamily(destination), protocol: opening.protocol, source, destination },
          ...{ sourcePort: opening.port === null ? null : CLIENT_PORT, destinationPort: opening.port },
          inInterface: findInterface(source, interfaces) ?? defaultInterface,
          ...{ outInterface: null, state: 'new' },
        });
        if (decision.kind === 'accepted') continue;
        const { protocol, port } = opening;
        blockedPackets.push({
          ...decision,
          protocol,
          ports: port === null ? [] : [port],
          source,
          sources: [network],
          destinations: [destination],
        });
      }
    }
  }
  return [
    ...mergeByRule(design, blockedPackets),
    ...listBlockedMemberPackets(design, host, { interfaces, defaultInterface }, chains),
  ];
}

/** The ports at which the members of each pool listen. */
const MEMBER_PORTS = { api: [6443, 22_623], ingress: [443, 80] } as const;

/** Lists the packets from a load balancer to its members, of any stage, that the packet filter of its host stops. */
function listBlockedMemberPackets(
  design: Design,
  host: ServiceHost,
  { interfaces, defaultInterface }: Pick<PrivilegedHostState, 'interfaces' | 'defaultInterface'>,
  chains: readonly Chain[],
): BlockedPackets[] {
  const { loadBalancer } = design.services;
  if (loadBalancer.kind !== 'haproxy' || !loadBalancer.servers.some(({ name }) => name === host.name)) return [];
  const [source] = host.ip;
  const members = getBalancerMembers(design, 'install');
  const blockedMembers = (['api', 'ingress'] as const).flatMap((pool) =>
    MEMBER_PORTS[pool].flatMap((port) => {
      const addresses = members[pool].flatMap(({ ip }) => ip.slice(0, 1));
      const blockedDestinations = addresses.flatMap((destination) => {
        const decision = decideConnection(
          chains,
          {
            ...{ family: getAddressFamily(destination), protocol: 'tcp', source, destination },
            ...{ sourcePort: CLIENT_PORT, destinationPort: port, inInterface: null, state: 'new' },
            outInterface: findInterface(destination, interfaces) ?? defaultInterface,
          },
          'out',
        );
        return decision.kind === 'accepted' ? [] : [{ ...decision, destination }];
      });
      const networks = design.networks.machine
        .map(({ cidr }) => cidr)
        .filter((cidr) => addresses.some((address) => isAddressInCidr(address, cidr)));
      const destinations = blockedDestinations.map(({ destination }) => destination);
      return blockedDestinations.map(({ destination: _, ...decision }) => ({
        ...{ ...decision, protocol: 'tcp' as const, ports: [port], source, sources: [source] },
        destinations: destinations.length === addresses.length ? networks : destinations,
      }));
    }),
  );
  return mergeByRule(design, blockedMembers);
}

function findInterface(address: string, interfaces: PrivilegedHostState['interfaces']): string | null {
  return interfaces.find(({ addresses }) => addresses.some((cidr) => isAddressInCidr(address, cidr)))?.name ?? null;
}

/** Lists the machines of the cluster that send these packets, with the network that a rule would name. */
function listSources(
  design: Design,
  host: ServiceHost,
  { protocol, port, sources }: FirewallOpening,
  destination: string,
): { readonly source: string; readonly network: string }[] {
  const family = getAddressFamily(destination);
  if (protocol === 'vrrp')
    return sources
      .filter((source) => getAddressFamily(source) === family)
      .map((source) => ({ source, network: source }));
  const networks = design.networks.machine.filter(({ cidr }) => getAddressFamily(cidr) === family);
  if (protocol === 'udp' && port === 67) {
    const remoteNetworks = networks.filter(({ cidr }) => !host.ip.some((address) => isAddressInCidr(address, cidr)));
    return remoteNetworks.flatMap(({ gateway }) => (gateway === null ? [] : [{ source: gateway, network: gateway }]));
  }
  return design.nodes.flatMap(({ ip }) =>
    ip.flatMap((source) => {
      const network = networks.find(({ cidr }) => isAddressInCidr(source, cidr));
      return network === undefined ? [] : [{ source, network: network.cidr }];
    }),
  );
}

/**
 * Merges packets that the same rule stops. If the rule stops only some machines of a network, their addresses are
 * listed instead of the network.
 */
function mergeByRule(
  design: Design,
  blockedPackets: readonly (BlockedPackets & { readonly source: string })[],
): BlockedPackets[] {
  const getKey = ({ kind, chain, rule, protocol, isReply, sources: [source = ''] }: BlockedPackets) =>
    [kind, chain.tool, chain.table, chain.name, rule?.position ?? '', protocol, isReply, getAddressFamily(source)].join(
      ' ',
    );
  return [...Map.groupBy(blockedPackets, getKey).values()].flatMap((group) => {
    const [firstPacket] = group;
    if (firstPacket === undefined) return [];
    const sources = removeDuplicates(group.flatMap((groupMember) => groupMember.sources)).flatMap((network) => {
      const stoppedSources = removeDuplicates(
        group.filter((groupMember) => groupMember.sources.includes(network)).map(({ source }) => source),
      );
      const networkAddresses = design.nodes
        .flatMap(({ ip }) => ip)
        .filter((address) => network.includes('/') && isAddressInCidr(address, network));
      return stoppedSources.length < networkAddresses.length ? stoppedSources : [network];
    });
    const { source: _, ...packets } = firstPacket;
    const ports = removeDuplicates(group.flatMap((groupMember) => groupMember.ports));
    return [
      { ...packets, ports, sources, destinations: removeDuplicates(group.flatMap(({ destinations }) => destinations)) },
    ];
  });
}

/**
 * Lists the commands that let these packets pass, run as root on the host. A rule is inserted before the one that stops
 * them, or appended if only the policy stops them. `ufw` and `firewalld` have commands of their own.
 */
export function listUnblockCommands(blockedPackets: BlockedPackets, scriptZones: readonly string[]): readonly string[] {
  const { chain, rule, isReply } = blockedPackets;
  const zone = findFirewalldZone(chain);
  if (zone !== null) {
    if (scriptZones.includes(zone)) return ['/root/upi-wizard/firewall.sh'];
    const rules = listFirewalldRules(blockedPackets).map((firewalldRule) => `'--add-rich-rule=${firewalldRule}'`);
    return [`firewall-cmd --permanent --zone=${zone} ${rules.join(' ')}`, 'firewall-cmd --reload'];
  }
  if (chain.name.startsWith('ufw')) return listUfwCommands(blockedPackets);
  if (chain.tool === 'nft') {
    const commandPrefix =
      rule === null
        ? `add rule ${chain.table} ${chain.name}`
        : `insert rule ${chain.table} ${chain.name} position ${rule.position}`;
    return isReply
      ? [`nft '${commandPrefix} ct state established accept'`]
      : [`nft '${commandPrefix} ${formatNftMatch(blockedPackets)} accept'`];
  }
  const rulePosition = rule === null ? `-A ${chain.name}` : `-I ${chain.name} ${rule.position}`;
  const table = chain.table === 'filter' ? '' : ` -t ${chain.table}`;
  if (isReply) return [`${chain.tool}${table} ${rulePosition} -m conntrack --ctstate ESTABLISHED -j ACCEPT`];
  const { protocol, ports, sources } = blockedPackets;
  const matchText = ports.length === 0 ? `-p ${protocol}` : `-p ${protocol} -m multiport --dports ${ports.join(',')}`;
  return [`${chain.tool}${table} ${rulePosition} -s ${sources.join(',')} ${matchText} -j ACCEPT`];
}

/**
 * Returns the zone of firewalld that a chain belongs to; null: the chain is not one of firewalld.
 */
export function findFirewalldZone({ table, name, tool }: Chain): string | null {
  const isFirewalld = tool === 'nft' && table.endsWith(' firewalld');
  return (
    (isFirewalld
      ? /^filter_IN_(.+?)(?:_(?:pre|log|deny|allow|post))?$/
      : /^IN_(.+?)_(?:pre|log|deny|allow|post)$/
    ).exec(name)?.[1] ?? null
  );
}

function formatNftMatch({ protocol, ports, sources }: BlockedPackets): string {
  const family = getAddressFamily(sources[0] ?? '') === 4 ? 'ip' : 'ip6';
  const formatList = (all: readonly (string | number)[]) => (all.length === 1 ? `${all[0]}` : `{ ${all.join(', ')} }`);
  const matchText = ports.length === 0 ? 'meta l4proto vrrp' : `${protocol} dport ${formatList(ports)}`;
  return `${family} saddr ${formatList(sources)} ${matchText}`;
}

function listUfwCommands({ protocol, ports, sources }: BlockedPackets): string[] {
  const matchText = ports.length === 0 ? '' : ` to any port ${ports.join(',')}`;
  return sources.map((source) => `ufw insert 1 allow proto ${protocol} from ${source}${matchText}`);
}

/**
 * Lists rich rules with a priority before all others: otherwise a rule that denies comes first
 * (firewalld.richlanguage(5)).
 */
function listFirewalldRules({ protocol, ports, sources }: BlockedPackets): string[] {
  return sources.flatMap((source) => {
    const family = getAddressFamily(source) === 4 ? 'ipv4' : 'ipv6';
    const ruleElements =
      ports.length === 0
        ? [`protocol value="${protocol}"`]
        : ports.map((port) => `port port="${port}" protocol="${protocol}"`);
    return ruleElements.map(
      (ruleElement) => `rule priority="-100" family="${family}" source address="${source}" ${ruleElement} accept`,
    );
  });
}
