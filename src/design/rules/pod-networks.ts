import { catalogue } from '../../text/catalogue.ts';
import { parseNetwork } from '../address.ts';
import { ASSISTED, INSTALLER } from './origins.ts';
import { parsedNetworks } from './places.ts';
import type { Rule } from './rule.ts';

const words = () => catalogue().designRules;

const hostPrefix: Rule = {
  id: 'host-prefix',
  severity: 'error',
  source: `${INSTALLER}; ${ASSISTED}: at least 128 addresses`,
  title: () => words().hostPrefix.title,
  check({ networks }, report) {
    const said = words().hostPrefix;
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

const hostPrefixPods: Rule = {
  id: 'host-prefix-pods',
  severity: 'warning',
  source: 'openshift-docs: 250 pods per node (maxPods) unless configured',
  title: () => words().hostPrefixPods.title,
  check({ networks }, report) {
    for (const [index, { cidr, hostPrefix }] of networks.cluster.entries()) {
      // What leaves fewer than 128 addresses is an error of its own.
      if (parseNetwork(cidr)?.family !== 4 || hostPrefix !== 25) continue;
      report(['networks', 'cluster', index, 'hostPrefix'], {
        message: words().hostPrefixPods.message(hostPrefix),
        fix: words().hostPrefixPods.fix,
      });
    }
  },
};

const hostPrefixRoom: Rule = {
  id: 'host-prefix-room',
  restsOn: [['nodes']],
  severity: 'error',
  source: `${ASSISTED}: does not contain enough addresses for N hosts`,
  title: () => words().hostPrefixRoom.title,
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
      const message = words().hostPrefixRoom.message(room, members);
      report(['networks', 'cluster', firstEntry.index, 'hostPrefix'], { message, fix: words().hostPrefixRoom.fix });
    }
  },
};

const serviceSize: Rule = {
  id: 'service-network-size',
  severity: 'error',
  source: `${INSTALLER} (4.8); ${ASSISTED}`,
  title: () => words().serviceSize.title,
  check(design, report) {
    for (const { at, cidr, network, kind } of parsedNetworks(design)) {
      const [largest, smallest] = network.family === 4 ? [12, 25] : [108, 121];
      if (kind !== 'service' || (network.prefix >= largest && network.prefix <= smallest)) continue;
      report(at, { message: words().serviceSize.message(cidr), fix: words().serviceSize.fix });
    }
  },
};

const serviceCount: Rule = {
  id: 'service-network-count',
  severity: 'error',
  source: `${INSTALLER}: only one service network can be specified`,
  title: () => words().serviceCount.title,
  check(design, report) {
    const seen = new Set<number>();
    for (const { at, network, kind } of parsedNetworks(design)) {
      if (kind !== 'service') continue;
      if (seen.has(network.family))
        report(at, { message: words().serviceCount.message, fix: words().serviceCount.fix });
      seen.add(network.family);
    }
  },
};

export const podNetworkRules: readonly Rule[] = [hostPrefix, hostPrefixPods, hostPrefixRoom, serviceSize, serviceCount];
