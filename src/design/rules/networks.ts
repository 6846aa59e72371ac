import { catalogue } from '../../i18n/catalogue.ts';
import {
  getAddressFamily,
  hasOverlap,
  IPV6_LINK_LOCAL,
  isAddressInNetwork,
  isInRange,
  type Network,
  overlapsRange,
  parseNetwork,
  parseNetworkOfFamily,
} from '../address.ts';
import { MAX_IPV4_HOST_PREFIX } from '../choices.ts';
import { isOvnKubernetes } from '../derived-facts.ts';
import type { Design } from '../model.ts';
import { getVersionProfile } from '../versions.ts';
import {
  listAllAddresses,
  listExternalAddresses,
  listGatewayAddresses,
  listParsedNetworks,
  listRouterAddressEntries,
  type ParsedNetwork,
  parseMachineNetworks,
} from './entries.ts';
import { ASSISTED_VALIDATION, type DesignRule, INSTALLER_VALIDATION } from './rule.ts';

const words = () => catalogue().designRules;

const DOCKER_BRIDGE = '172.17.0.0/16';

function listOvnOverlaps(design: Design): Overlap[] {
  return listInternalRangeOverlaps(
    design,
    getVersionProfile(design.openshift.version).internalNetworks.map(({ cidr }) => cidr),
  );
}

type Overlap = ParsedNetwork & { readonly internalRange: string };

function listInternalRangeOverlaps(design: Design, internalRanges: readonly string[]): Overlap[] {
  if (!isOvnKubernetes(design)) return [];
  return listParsedNetworks(design).flatMap((entry) =>
    internalRanges.flatMap((internalRange) =>
      overlapsRange(entry.network, internalRange) ? [{ ...entry, internalRange }] : [],
    ),
  );
}

const networkOverlap: DesignRule = {
  id: 'network-overlap',
  severity: 'error',
  source: INSTALLER_VALIDATION,
  title: () => words().cidrOverlap.title,
  check(design, report) {
    const parsedNetworks = listParsedNetworks(design);
    for (const [index, parsedNetwork] of parsedNetworks.entries()) {
      const { path, network, kind } = parsedNetwork;
      for (const otherNetwork of parsedNetworks.slice(0, index)) {
        // Company networks may be listed in parts and as a whole.
        if ((kind === 'company' && otherNetwork.kind === 'company') || !hasOverlap(network, otherNetwork.network))
          continue;
        const message = words().cidrOverlap.message(parsedNetwork, otherNetwork);
        report(path, { message, fix: words().cidrOverlap.fix, otherPath: otherNetwork.path });
      }
    }
  },
};

const ovnInternal: DesignRule = {
  id: 'ovn-internal',
  dependsOn: [['openshift'], ['networks', 'type']],
  severity: 'error',
  source: `${INSTALLER_VALIDATION}: OVNKubernetes default internal subnets (4.19)`,
  title: () => words().ovnInternal.title,
  check(design, report) {
    for (const { path, cidr, internalRange, kind } of listOvnOverlaps(design)) {
      if (kind !== 'company')
        report(path, { message: words().ovnInternal.message(cidr, internalRange), fix: words().ovnInternal.fix });
    }
  },
};

const ovnInternalCompany: DesignRule = {
  id: 'ovn-internal-company',
  dependsOn: [['openshift'], ['networks', 'type']],
  severity: 'warning',
  source: `${INSTALLER_VALIDATION}: OVNKubernetes default internal subnets`,
  title: () => words().ovnInternalCompany.title,
  check(design, report) {
    for (const { path, cidr, internalRange, kind } of listOvnOverlaps(design)) {
      if (kind !== 'company') continue;
      report(path, {
        message: words().ovnInternalCompany.message(cidr, internalRange),
        fix: words().ovnInternalCompany.fix,
      });
    }
  },
};

const ovnInternalLater: DesignRule = {
  id: 'ovn-internal-later',
  dependsOn: [['openshift'], ['networks', 'type']],
  severity: 'warning',
  source: 'OVN-Kubernetes: the transit switch between zones, 4.14',
  title: () => words().ovnInternalLater.title,
  check(design, report) {
    const laterRanges = getVersionProfile(design.openshift.version).laterInternalNetworks;
    for (const { path, cidr, internalRange, kind } of listInternalRangeOverlaps(design, laterRanges)) {
      if (kind === 'company') continue;
      report(path, {
        message: words().ovnInternalLater.message(cidr, internalRange),
        fix: words().ovnInternalLater.fix,
      });
    }
  },
};

const machineNetworkSize: DesignRule = {
  id: 'machine-network-size',
  dependsOn: [['topology']],
  severity: 'error',
  source: `${ASSISTED_VALIDATION}: the machine network holds the hosts`,
  title: () => words().machineNetworkSize.title,
  check(design, report) {
    for (const { path, cidr, network, kind } of listParsedNetworks(design)) {
      const bits = network.family === 4 ? 32 : 128;
      // Two addresses suffice for a node and its router; other machines on the same network need four.
      const hostBits = design.topology === 'single-node' ? 1 : 2;
      if (kind !== 'machine' || network.prefixLength <= bits - hostBits) continue;
      report(path, { message: words().machineNetworkSize.message(cidr), fix: words().machineNetworkSize.fix });
    }
  },
};

const dockerBridge: DesignRule = {
  id: 'docker-bridge',
  severity: 'warning',
  source: `${INSTALLER_VALIDATION}: overlaps with default Docker Bridge subnet (4.19)`,
  title: () => words().dockerBridge.title,
  check(design, report) {
    const bridge = parseNetwork(DOCKER_BRIDGE);
    for (const { path, cidr, network, kind } of listParsedNetworks(design)) {
      if (kind === 'company' || bridge === null || !hasOverlap(network, bridge)) continue;
      report(path, { message: words().dockerBridge.message(cidr), fix: words().dockerBridge.fix });
    }
  },
};

export const networkRules: readonly DesignRule[] = [
  networkOverlap,
  ovnInternal,
  ovnInternalCompany,
  ovnInternalLater,
  machineNetworkSize,
  dockerBridge,
];

const hostPrefixRange: DesignRule = {
  id: 'host-prefix',
  severity: 'error',
  source: `${INSTALLER_VALIDATION}; ${ASSISTED_VALIDATION}: at least 128 addresses`,
  title: () => words().hostPrefix.title,
  check({ networks }, report) {
    const texts = words().hostPrefix;
    const ipv4HostPrefix = networks.cluster.find(({ cidr }) => parseNetwork(cidr)?.family === 4)?.hostPrefix;
    for (const [index, { cidr, hostPrefix }] of networks.cluster.entries()) {
      const network = parseNetwork(cidr);
      if (network === null) continue;
      const message =
        network.family === 6 && hostPrefix !== 64
          ? texts.ipv6PrefixNot64
          : hostPrefix < network.prefixLength
            ? texts.tooBig(hostPrefix, cidr)
            : network.family === 4 && hostPrefix > MAX_IPV4_HOST_PREFIX
              ? texts.tooSmall(hostPrefix)
              : network.family === 4 && hostPrefix !== ipv4HostPrefix
                ? texts.ipv4PrefixesDiffer
                : null;
      if (message !== null) report(['networks', 'cluster', index, 'hostPrefix'], { message, fix: texts.fix });
    }
  },
};

const hostPrefixPods: DesignRule = {
  id: 'host-prefix-pods',
  severity: 'warning',
  source: 'openshift-docs: 250 pods per node (maxPods) unless configured',
  title: () => words().hostPrefixPods.title,
  check({ networks }, report) {
    for (const [index, { cidr, hostPrefix }] of networks.cluster.entries()) {
      // A prefix that leaves fewer than 128 addresses is reported by `host-prefix`.
      if (parseNetwork(cidr)?.family !== 4 || hostPrefix !== 25) continue;
      report(['networks', 'cluster', index, 'hostPrefix'], {
        message: words().hostPrefixPods.message(hostPrefix),
        fix: words().hostPrefixPods.fix,
      });
    }
  },
};

const hostPrefixCapacity: DesignRule = {
  id: 'host-prefix-room',
  dependsOn: [['nodes']],
  severity: 'error',
  source: `${ASSISTED_VALIDATION}: does not contain enough addresses for N hosts`,
  title: () => words().hostPrefixCapacity.title,
  check({ networks, nodes }, report) {
    const nodeCount = nodes.filter(({ role }) => role !== 'bootstrap').length;
    for (const family of [4, 6] as const) {
      const entries = networks.cluster.flatMap(({ cidr, hostPrefix }, index) => {
        const network = parseNetwork(cidr);
        return network?.family === family ? [{ index, bits: hostPrefix - network.prefixLength }] : [];
      });
      const [firstEntry] = entries;
      if (!firstEntry || entries.some(({ bits }) => bits < 0)) continue;
      // A node takes its network from any of the entries.
      const subnetCount = entries.reduce((sum, { bits }) => sum + 2 ** bits, 0);
      if (subnetCount >= nodeCount) continue;
      const message = words().hostPrefixCapacity.message(subnetCount, nodeCount);
      report(['networks', 'cluster', firstEntry.index, 'hostPrefix'], { message, fix: words().hostPrefixCapacity.fix });
    }
  },
};

const serviceNetworkSize: DesignRule = {
  id: 'service-network-size',
  severity: 'error',
  source: `${INSTALLER_VALIDATION} (4.8); ${ASSISTED_VALIDATION}`,
  title: () => words().serviceNetworkSize.title,
  check(design, report) {
    for (const { path, cidr, network, kind } of listParsedNetworks(design)) {
      const [shortestPrefix, longestPrefix] = network.family === 4 ? [12, 25] : [108, 121];
      if (kind !== 'service' || (network.prefixLength >= shortestPrefix && network.prefixLength <= longestPrefix))
        continue;
      report(path, { message: words().serviceNetworkSize.message(cidr), fix: words().serviceNetworkSize.fix });
    }
  },
};

const serviceNetworkCount: DesignRule = {
  id: 'service-network-count',
  severity: 'error',
  source: `${INSTALLER_VALIDATION}: only one service network can be specified`,
  title: () => words().serviceNetworkCount.title,
  check(design, report) {
    const families = new Set<number>();
    for (const { path, network, kind } of listParsedNetworks(design)) {
      if (kind !== 'service') continue;
      if (families.has(network.family))
        report(path, { message: words().serviceNetworkCount.message, fix: words().serviceNetworkCount.fix });
      families.add(network.family);
    }
  },
};

export const podNetworkRules: readonly DesignRule[] = [
  hostPrefixRange,
  hostPrefixPods,
  hostPrefixCapacity,
  serviceNetworkSize,
  serviceNetworkCount,
];

// Ranges that no network can use: IANA special-purpose address registries (RFC 6890) and multicast.
const RESERVED_RANGES = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/8',
  IPV6_LINK_LOCAL,
  'ff00::/8',
];

// Ranges that are not routed on the internet: RFC 1918, RFC 6598, RFC 2544, RFC 5737, RFC 4193, RFC 3849.
const PRIVATE_RANGES = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '198.18.0.0/15',
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24',
  'fc00::/7',
  '2001:db8::/32',
];

const networkSpecial: DesignRule = {
  id: 'network-special',
  severity: 'error',
  source: 'RFC 6890; the installer accepts 127.0.0.0/8',
  title: () => words().networkSpecial.title,
  check(design, report) {
    for (const { path, cidr, network } of listParsedNetworks(design)) {
      const reservedRange = RESERVED_RANGES.find((range) => overlapsRange(network, range));
      // A network that starts at the unspecified address has its own rule (cidr-base).
      if (reservedRange === undefined || network.first === 0n) continue;
      report(path, { message: words().networkSpecial.message(cidr, reservedRange), fix: words().networkSpecial.fix });
    }
  },
};

const networkPublic: DesignRule = {
  id: 'network-public',
  severity: 'warning',
  source: 'RFC 1918; RFC 4193',
  title: () => words().networkPublic.title,
  check(design, report) {
    const isPrivate = (network: Network) =>
      PRIVATE_RANGES.some((cidr) => {
        const range = parseNetworkOfFamily(network.family, cidr);
        return range !== null && range.first <= network.first && network.last <= range.last;
      });
    for (const { path, cidr, network, kind } of listParsedNetworks(design)) {
      const isInternal = kind === 'cluster' || kind === 'service';
      if (!isInternal || isPrivate(network) || RESERVED_RANGES.some((range) => overlapsRange(network, range))) continue;
      report(path, { message: words().networkPublic.message(cidr), fix: words().networkPublic.fix });
    }
  },
};

const addressUnusable: DesignRule = {
  id: 'address-unusable',
  severity: 'error',
  source: 'RFC 6890; RFC 1122 section 3.2.1.3',
  title: () => words().addressUnusable.title,
  check(design, report) {
    // A machine network inside a reserved range is reported once, at the network.
    const machineRanges = parseMachineNetworks(design);
    for (const { path, address, canBeLinkLocal } of listCheckedAddresses(design)) {
      const reservedRange = RESERVED_RANGES.find((range) => isInRange(address, range));
      if (reservedRange === undefined || machineRanges.some((network) => isAddressInNetwork(address, network)))
        continue;
      if (canBeLinkLocal && reservedRange === IPV6_LINK_LOCAL) continue;
      report(path, {
        message: words().addressUnusable.message(address, reservedRange),
        fix: words().addressUnusable.fix,
      });
    }
  },
};

/** Lists the addresses to check. IPv6 routers may have a link-local address. */
function listCheckedAddresses(design: Design) {
  const entries = [...listAllAddresses(design), ...listExternalAddresses(design)];
  const routers = [...listGatewayAddresses(design), ...listRouterAddressEntries(design)];
  return [
    ...entries.map((entry) => ({ ...entry, canBeLinkLocal: false })),
    ...routers.map((entry) => ({ ...entry, canBeLinkLocal: getAddressFamily(entry.address) === 6 })),
  ];
}

export const specialAddressRules: readonly DesignRule[] = [networkSpecial, networkPublic, addressUnusable];
