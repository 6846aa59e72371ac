import { catalogue } from '../../i18n/catalogue.ts';
import {
  getFirstAddress,
  getLastAddress,
  hasOverlap,
  isAddressInNetwork,
  isInRange,
  overlapsRange,
  parseNetwork,
  toCanonicalAddress,
  toCanonicalMac,
} from '../address.ts';
import { isOvnKubernetes } from '../derived-facts.ts';
import { getVersionProfile } from '../versions.ts';
import {
  listAllAddresses,
  listEndpointAddresses,
  listExternalAddresses,
  listGatewayAddresses,
  listHostAddresses,
  listNodeAddresses,
  listParsedNetworks,
  listRouterAddressEntries,
  parseMachineNetworks,
} from './entries.ts';
import type { DesignRule } from './rule.ts';

const words = () => catalogue().designRules;

const addressSpecial: DesignRule = {
  id: 'address-special',
  severity: 'error',
  source: 'RFC 1122 section 3.2.1.3',
  title: () => words().addressSpecial.title,
  check(design, report) {
    const { network: networkMessage, broadcast, gateway, fix } = words().addressSpecial;
    const messageByReservedAddress = new Map<string, string>();
    for (const { cidr, network, kind } of listParsedNetworks(design)) {
      const hasReservedAddresses = network.family === 4 && network.prefixLength < 31;
      if (!hasReservedAddresses || (kind !== 'machine' && kind !== 'company')) continue;
      messageByReservedAddress.set(getFirstAddress(network), networkMessage(getFirstAddress(network), cidr));
      messageByReservedAddress.set(getLastAddress(network), broadcast(getLastAddress(network), cidr));
    }
    const gatewayPathByAddress = new Map(listGatewayAddresses(design).map((entry) => [entry.address, entry.path]));
    for (const { path, address, owner } of listAllAddresses(design)) {
      if (toCanonicalAddress(address) === null) continue;
      const message = messageByReservedAddress.get(address);
      const otherPath = gatewayPathByAddress.get(address);
      if (message !== undefined) report(path, { message, fix });
      // Either of the two may be wrong: the problem is shown at both.
      else if (otherPath !== undefined) report(path, { message: gateway(address, owner), fix, otherPath });
    }
    for (const { path, address } of [...listGatewayAddresses(design), ...listRouterAddressEntries(design)]) {
      const message = messageByReservedAddress.get(address);
      if (message !== undefined) report(path, { message, fix });
    }
  },
};

const addressDuplicate: DesignRule = {
  id: 'address-duplicate',
  severity: 'error',
  source: 'openshift/assisted-service: no-ip-collisions-in-network',
  title: () => words().addressDuplicate.title,
  check(design, report) {
    const nodes = listNodeAddresses(design).map((entry) => ({ ...entry, key: `node ${String(entry.path[1])}` }));
    // The same service host in several roles is one machine.
    const hosts = listHostAddresses(design).map((entry) => ({ ...entry, key: `host ${entry.owner}` }));
    const machines = [...nodes, ...hosts];
    const firstByAddress = new Map<string, (typeof machines)[number]>();
    for (const machine of machines) {
      const { path, address, owner, key } = machine;
      if (toCanonicalAddress(address) === null) continue;
      const first = firstByAddress.get(address);
      if (first === undefined) firstByAddress.set(address, machine);
      else if (first.key !== key || key.startsWith('node')) {
        const message = words().addressDuplicate.message(address, first.owner, owner);
        report(path, { message, fix: words().addressDuplicate.fix, otherPath: first.path });
      }
    }
  },
};

const macDuplicate: DesignRule = {
  id: 'mac-duplicate',
  severity: 'error',
  source: 'openshift/installer pkg/types/baremetal/validation: bootMACAddress is unique',
  title: () => words().macDuplicate.title,
  check({ nodes }, report) {
    const firstByMac = new Map<string, { readonly index: number; readonly name: string }>();
    for (const [index, { mac, name }] of nodes.entries()) {
      if (toCanonicalMac(mac) === null) continue;
      const first = firstByMac.get(mac);
      if (first === undefined) firstByMac.set(mac, { index, name });
      else
        report(['nodes', index, 'mac'], {
          message: words().macDuplicate.message(mac, first.name, name),
          fix: words().macDuplicate.fix,
          otherPath: ['nodes', first.index, 'mac'],
        });
    }
  },
};

const podNetworkAddress: DesignRule = {
  id: 'address-in-cluster-network',
  severity: 'error',
  source: 'openshift/assisted-service internal/network: non-overlapping-subnets',
  title: () => words().podNetworkAddress.title,
  check(design, report) {
    const clusterCidrs = [...design.networks.cluster.map(({ cidr }) => cidr), ...design.networks.service];
    const ovnNetworks = isOvnKubernetes(design) ? getVersionProfile(design.openshift.version).internalNetworks : [];
    // A machine network inside such a range is reported once, at the network.
    const machineRanges = parseMachineNetworks(design);
    const clusterRanges = clusterCidrs.flatMap((cidr) => {
      const network = parseNetwork(cidr);
      return network === null || machineRanges.some((machine) => hasOverlap(machine, network))
        ? []
        : [{ cidr, network }];
    });
    const ovnRanges = ovnNetworks
      .map(({ cidr }) => cidr)
      .filter((range) => !machineRanges.some((machine) => overlapsRange(machine, range)));
    const entries = [...listHostAddresses(design), ...listEndpointAddresses(design), ...listExternalAddresses(design)];
    for (const { path, address } of entries) {
      const matchingCidr =
        clusterRanges.find(({ network }) => isAddressInNetwork(address, network))?.cidr ??
        ovnRanges.find((range) => isInRange(address, range));
      if (matchingCidr === undefined) continue;
      report(path, {
        message: words().podNetworkAddress.message(address, matchingCidr),
        fix: words().podNetworkAddress.fix,
      });
    }
  },
};

export const addressRules: readonly DesignRule[] = [addressSpecial, addressDuplicate, macDuplicate, podNetworkAddress];
