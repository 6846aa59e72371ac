import { catalogue } from '../../i18n/catalogue.ts';
import { parseNetwork } from '../address.ts';
import { listParsedNetworks } from './design-entries.ts';
import type { Rule } from './rule.ts';
import { ASSISTED_VALIDATION, INSTALLER_VALIDATION } from './rule-sources.ts';

const words = () => catalogue().designRules;

const hostPrefix: Rule = {
  id: 'host-prefix',
  severity: 'error',
  source: `${INSTALLER_VALIDATION}; ${ASSISTED_VALIDATION}: at least 128 addresses`,
  title: () => words().hostPrefix.title,
  check({ networks }, report) {
    const texts = words().hostPrefix;
    const first = networks.cluster.find(({ cidr }) => parseNetwork(cidr)?.family === 4)?.hostPrefix;
    for (const [index, { cidr, hostPrefix }] of networks.cluster.entries()) {
      const network = parseNetwork(cidr);
      if (network === null) continue;
      const message =
        network.family === 6 && hostPrefix !== 64
          ? texts.notV6
          : hostPrefix < network.prefix
            ? texts.tooBig(hostPrefix, cidr)
            : network.family === 4 && hostPrefix > 25
              ? texts.tooSmall(hostPrefix)
              : network.family === 4 && hostPrefix !== first
                ? texts.notSame
                : null;
      if (message !== null) report(['networks', 'cluster', index, 'hostPrefix'], { message, fix: texts.fix });
    }
  },
};

const hostPrefixPods: Rule = {
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

const hostPrefixCapacity: Rule = {
  id: 'host-prefix-room',
  dependsOn: [['nodes']],
  severity: 'error',
  source: `${ASSISTED_VALIDATION}: does not contain enough addresses for N hosts`,
  title: () => words().hostPrefixCapacity.title,
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
      const subnetCount = entries.reduce((sum, { bits }) => sum + 2 ** bits, 0);
      if (subnetCount >= members) continue;
      const message = words().hostPrefixCapacity.message(subnetCount, members);
      report(['networks', 'cluster', firstEntry.index, 'hostPrefix'], { message, fix: words().hostPrefixCapacity.fix });
    }
  },
};

const serviceSize: Rule = {
  id: 'service-network-size',
  severity: 'error',
  source: `${INSTALLER_VALIDATION} (4.8); ${ASSISTED_VALIDATION}`,
  title: () => words().serviceSize.title,
  check(design, report) {
    for (const { at, cidr, network, kind } of listParsedNetworks(design)) {
      const [largest, smallest] = network.family === 4 ? [12, 25] : [108, 121];
      if (kind !== 'service' || (network.prefix >= largest && network.prefix <= smallest)) continue;
      report(at, { message: words().serviceSize.message(cidr), fix: words().serviceSize.fix });
    }
  },
};

const serviceCount: Rule = {
  id: 'service-network-count',
  severity: 'error',
  source: `${INSTALLER_VALIDATION}: only one service network can be specified`,
  title: () => words().serviceCount.title,
  check(design, report) {
    const families = new Set<number>();
    for (const { at, network, kind } of listParsedNetworks(design)) {
      if (kind !== 'service') continue;
      if (families.has(network.family))
        report(at, { message: words().serviceCount.message, fix: words().serviceCount.fix });
      families.add(network.family);
    }
  },
};

export const podNetworkRules: readonly Rule[] = [
  hostPrefix,
  hostPrefixPods,
  hostPrefixCapacity,
  serviceSize,
  serviceCount,
];
