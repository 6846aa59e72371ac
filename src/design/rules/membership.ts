import { designRules as words } from '../../text/en/design-rules.ts';
import { canonicalAddress, isInside, parseNetwork } from '../address.ts';
import type { Design } from '../model.ts';
import { machineNetworks, nodeAddresses, type PlacedAddress } from './places.ts';
import type { Report, Rule } from './rule.ts';

/** Reports the addresses that are in none of the machine networks. */
export function reportOutside(
  design: Design,
  addresses: readonly PlacedAddress[],
  said: typeof words.machineMember | typeof words.endpointMember,
  report: Report,
) {
  const networks = machineNetworks(design);
  if (networks.length < design.networks.machine.length) return;
  const names = design.networks.machine.map(({ cidr }) => cidr).join(', ');
  for (const { at, address } of addresses) {
    if (canonicalAddress(address) === null || networks.some((network) => isInside(address, network))) continue;
    report(at, { message: said.message(address, names), fix: said.fix });
  }
}

const gateway: Rule = {
  id: 'gateway-outside',
  severity: 'error',
  source: 'a gateway is reached without a gateway',
  title: words.gatewayOutside.title,
  check({ networks }, report) {
    for (const [index, { cidr, gateway }] of networks.machine.entries()) {
      const network = parseNetwork(cidr);
      if (gateway === null || network === null || canonicalAddress(gateway) === null || isInside(gateway, network))
        continue;
      const message = words.gatewayOutside.message(gateway, cidr);
      report(['networks', 'machine', index, 'gateway'], { message, fix: words.gatewayOutside.fix });
    }
  },
};

const gatewayMissing: Rule = {
  id: 'gateway-missing',
  severity: 'warning',
  source: 'openshift-docs modules/installation-network-user-infra.adoc',
  title: words.gatewayMissing.title,
  check({ networks }, report) {
    if (networks.machine.some((network) => network.gateway !== null)) return;
    report(['networks', 'machine', 0], { message: words.gatewayMissing.message, fix: words.gatewayMissing.fix });
  },
};

const machineMember: Rule = {
  id: 'node-outside-network',
  restsOn: [['networks', 'machine']],
  severity: 'error',
  source: 'openshift/installer docs/user/metal/install_upi.md: machineNetwork is where the nodes are',
  title: words.machineMember.title,
  check(design, report) {
    reportOutside(design, nodeAddresses(design), words.machineMember, report);
  },
};

export const membershipRules: readonly Rule[] = [gateway, gatewayMissing, machineMember];
