import { designRules as words } from '../../text/en/design-rules.ts';
import { isOverlap, type Network, parseNetwork } from '../address.ts';
import type { Design } from '../model.ts';
import { pathText } from '../paths.ts';
import { versionProfile } from '../versions.ts';
import { type PlacedNetwork, placedNetworks } from './places.ts';
import type { Rule } from './rule.ts';

const INSTALLER = 'openshift/installer pkg/types/validation/installconfig.go';
const ASSISTED = 'openshift/assisted-service internal/network/cidr_validations.go';
const DOCKER_BRIDGE = '172.17.0.0/16';

type Parsed = PlacedNetwork & { readonly network: Network };

function parsedNetworks(design: Design): Parsed[] {
  return placedNetworks(design).flatMap((placed) => {
    const network = parseNetwork(placed.cidr);
    return network === null ? [] : [{ ...placed, network }];
  });
}

function isOvn(design: Design): boolean {
  return design.networks.type.toLowerCase() === 'ovnkubernetes';
}

const networkOverlap: Rule = {
  id: 'network-overlap',
  severity: 'error',
  source: INSTALLER,
  title: words.cidrOverlap.title,
  check(design, report) {
    const all = parsedNetworks(design);
    for (const [index, { at, cidr, network, kind }] of all.entries()) {
      for (const other of all.slice(0, index)) {
        // What the company uses may be listed in parts and as a whole.
        if ((kind === 'company' && other.kind === 'company') || !isOverlap(network, other.network)) continue;
        const message = words.cidrOverlap.message(cidr, other.cidr, pathText(other.at));
        report(at, { message, fix: words.cidrOverlap.fix });
      }
    }
  },
};

const ovnInternal: Rule = {
  id: 'ovn-internal',
  restsOn: [['openshift'], ['networks', 'type']],
  severity: 'error',
  source: `${INSTALLER}: OVNKubernetes default internal subnets (4.19)`,
  title: words.ovnInternal.title,
  check(design, report) {
    for (const { at, cidr, internal, kind } of ovnOverlaps(design)) {
      if (kind !== 'company')
        report(at, { message: words.ovnInternal.message(cidr, internal), fix: words.ovnInternal.fix });
    }
  },
};

const ovnInternalCompany: Rule = {
  id: 'ovn-internal-company',
  restsOn: [['openshift'], ['networks', 'type']],
  severity: 'warning',
  source: `${INSTALLER}: OVNKubernetes default internal subnets`,
  title: words.ovnInternalCompany.title,
  check(design, report) {
    for (const { at, cidr, internal, kind } of ovnOverlaps(design)) {
      if (kind !== 'company') continue;
      report(at, { message: words.ovnInternalCompany.message(cidr, internal), fix: words.ovnInternalCompany.fix });
    }
  },
};

function ovnOverlaps(design: Design): (Parsed & { readonly internal: string })[] {
  if (!isOvn(design)) return [];
  return parsedNetworks(design).flatMap((placed) =>
    versionProfile(design.openshift.version).internalNetworks.flatMap(({ cidr }) => {
      const internal = parseNetwork(cidr);
      return internal !== null && isOverlap(placed.network, internal) ? [{ ...placed, internal: cidr }] : [];
    }),
  );
}

const dockerBridge: Rule = {
  id: 'docker-bridge',
  severity: 'warning',
  source: `${INSTALLER}: overlaps with default Docker Bridge subnet (4.19)`,
  title: words.dockerBridge.title,
  check(design, report) {
    const bridge = parseNetwork(DOCKER_BRIDGE);
    for (const { at, cidr, network, kind } of parsedNetworks(design)) {
      if (kind === 'company' || bridge === null || !isOverlap(network, bridge)) continue;
      report(at, { message: words.dockerBridge.message(cidr), fix: words.dockerBridge.fix });
    }
  },
};

const hostPrefix: Rule = {
  id: 'host-prefix',
  severity: 'error',
  source: `${INSTALLER}; ${ASSISTED}: at least 128 addresses`,
  title: words.hostPrefix.title,
  check({ networks }, report) {
    const said = words.hostPrefix;
    const first = networks.cluster.find(({ cidr }) => parseNetwork(cidr)?.family === 4)?.hostPrefix;
    for (const [index, { cidr, hostPrefix }] of networks.cluster.entries()) {
      const network = parseNetwork(cidr);
      if (network === null) continue;
      const message =
        network.family === 6 && hostPrefix !== 64
          ? said.notV6
          : hostPrefix < network.prefix
            ? said.tooBig(hostPrefix, cidr)
            : network.family === 4 && hostPrefix > 25
              ? said.tooSmall(hostPrefix)
              : network.family === 4 && hostPrefix !== first
                ? said.notSame
                : null;
      if (message !== null) report(['networks', 'cluster', index, 'hostPrefix'], { message, fix: said.fix });
    }
  },
};

const hostPrefixRoom: Rule = {
  id: 'host-prefix-room',
  restsOn: [['nodes']],
  severity: 'error',
  source: `${ASSISTED}: does not contain enough addresses for N hosts`,
  title: words.hostPrefixRoom.title,
  check({ networks, nodes }, report) {
    const members = nodes.filter(({ role }) => role !== 'bootstrap').length;
    for (const family of [4, 6] as const) {
      const entries = networks.cluster.flatMap(({ cidr, hostPrefix }, index) => {
        const network = parseNetwork(cidr);
        return network?.family === family ? [{ index, bits: hostPrefix - network.prefix }] : [];
      });
      const [firstEntry] = entries;
      if (!firstEntry || entries.some(({ bits }) => bits < 0)) continue;
      // A node takes its network from any of the entries.
      const room = entries.reduce((sum, { bits }) => sum + 2 ** bits, 0);
      if (room >= members) continue;
      const message = words.hostPrefixRoom.message(String(room), members);
      report(['networks', 'cluster', firstEntry.index, 'hostPrefix'], { message, fix: words.hostPrefixRoom.fix });
    }
  },
};

const serviceSize: Rule = {
  id: 'service-network-size',
  severity: 'error',
  source: `${INSTALLER} (4.8); ${ASSISTED}`,
  title: words.serviceSize.title,
  check(design, report) {
    for (const { at, cidr, network, kind } of parsedNetworks(design)) {
      const [largest, smallest] = network.family === 4 ? [12, 25] : [108, 121];
      if (kind !== 'service' || (network.prefix >= largest && network.prefix <= smallest)) continue;
      report(at, { message: words.serviceSize.message(cidr), fix: words.serviceSize.fix });
    }
  },
};

const serviceCount: Rule = {
  id: 'service-network-count',
  severity: 'error',
  source: `${INSTALLER}: only one service network can be specified`,
  title: words.serviceCount.title,
  check(design, report) {
    const seen = new Set<number>();
    for (const { at, network, kind } of parsedNetworks(design)) {
      if (kind !== 'service') continue;
      if (seen.has(network.family)) report(at, { message: words.serviceCount.message, fix: words.serviceCount.fix });
      seen.add(network.family);
    }
  },
};

const dualStack: Rule = {
  id: 'dual-stack',
  severity: 'error',
  source: `${INSTALLER}: dual-stack requires both families in this list`,
  title: words.dualStack.title,
  check(design, report) {
    const all = parsedNetworks(design);
    if (all.length < placedNetworks(design).length) return;
    const wanted = new Set(all.filter(({ kind }) => kind === 'service').map(({ network }) => network.family));
    for (const kind of ['machine', 'cluster'] as const) {
      const has = new Set(all.filter((entry) => entry.kind === kind).map(({ network }) => network.family));
      for (const family of wanted) {
        if (!has.has(family))
          report(['networks', kind], { message: words.dualStack.message(family), fix: words.dualStack.fix });
      }
    }
  },
};

const familyOrder: Rule = {
  id: 'family-order',
  restsOn: [['openshift']],
  severity: 'error',
  source: `${INSTALLER}: IPv4 addresses must be listed before IPv6 addresses (4.9; not on platform none since 4.21)`,
  title: words.familyOrder.title,
  check(design, report) {
    if (versionProfile(design.openshift.version).canIpv6BeFirst) return;
    for (const kind of ['machine', 'cluster', 'service'] as const) {
      const entries = parsedNetworks(design).filter((entry) => entry.kind === kind);
      if (entries[0]?.network.family !== 6 || !entries.some(({ network }) => network.family === 4)) continue;
      report(['networks', kind], { message: words.familyOrder.message, fix: words.familyOrder.fix });
    }
  },
};

export const networkRules: readonly Rule[] = [
  networkOverlap,
  ovnInternal,
  ovnInternalCompany,
  dockerBridge,
  hostPrefix,
  hostPrefixRoom,
  serviceSize,
  serviceCount,
  dualStack,
  familyOrder,
];
