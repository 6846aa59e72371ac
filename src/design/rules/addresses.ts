import { catalogue } from '../../i18n/catalogue.ts';
import {
  formatNetwork,
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
import { isOvnKubernetes, listServiceHosts } from '../derived-facts.ts';
import type { Design, ServiceHost } from '../model.ts';
import { getVersionProfile } from '../versions.ts';
import {
  listAllAddresses,
  listEndpointAddresses,
  listExternalAddresses,
  listGatewayAddresses,
  listHostAddresses,
  listHostEntries,
  listNodeAddresses,
  listParsedNetworks,
  listRouterAddressEntries,
  parseMachineNetworks,
} from './entries.ts';
import type { Rule } from './rule.ts';

const words = () => catalogue().designRules;

const addressSpecial: Rule = {
  id: 'address-special',
  severity: 'error',
  source: 'RFC 1122 section 3.2.1.3',
  title: () => words().addressSpecial.title,
  check(design, report) {
    const { network: networkMessage, broadcast, gateway, fix } = words().addressSpecial;
    const reservedMessages = new Map<string, string>();
    for (const { cidr, network, kind } of listParsedNetworks(design)) {
      const hasReservedAddresses = network.family === 4 && network.prefixLength < 31;
      if (!hasReservedAddresses || (kind !== 'machine' && kind !== 'company')) continue;
      reservedMessages.set(getFirstAddress(network), networkMessage(getFirstAddress(network), cidr));
      reservedMessages.set(getLastAddress(network), broadcast(getLastAddress(network), cidr));
    }
    const gatewayPaths = new Map(listGatewayAddresses(design).map((entry) => [entry.address, entry.at]));
    for (const { at, address, owner } of listAllAddresses(design)) {
      if (toCanonicalAddress(address) === null) continue;
      const message = reservedMessages.get(address);
      const otherPath = gatewayPaths.get(address);
      if (message !== undefined) report(at, { message, fix });
      // Either of the two may be wrong: the problem is shown at both.
      else if (otherPath !== undefined) report(at, { message: gateway(address, owner), fix, otherPath });
    }
    for (const { at, address } of [...listGatewayAddresses(design), ...listRouterAddressEntries(design)]) {
      const message = reservedMessages.get(address);
      if (message !== undefined) report(at, { message, fix });
    }
  },
};

const addressDuplicate: Rule = {
  id: 'address-duplicate',
  severity: 'error',
  source: 'openshift/assisted-service: no-ip-collisions-in-network',
  title: () => words().addressDuplicate.title,
  check(design, report) {
    const keyByAddress = new Map<string, string>();
    const nodes = listNodeAddresses(design).map((entry) => ({ ...entry, key: `node ${String(entry.at[1])}` }));
    // The same service host in several roles is one machine.
    const hosts = listHostAddresses(design).map((entry) => ({ ...entry, key: `host ${entry.owner}` }));
    const owners = new Map<string, string>();
    for (const { at, address, owner, key } of [...nodes, ...hosts]) {
      if (toCanonicalAddress(address) === null) continue;
      const knownKey = keyByAddress.get(address);
      if (knownKey !== undefined && knownKey !== key) {
        const message = words().addressDuplicate.message(address, owners.get(address) ?? '');
        report(at, { message, fix: words().addressDuplicate.fix });
      } else if (knownKey !== undefined && key.startsWith('node')) {
        report(at, { message: words().addressDuplicate.message(address, owner), fix: words().addressDuplicate.fix });
      }
      keyByAddress.set(address, knownKey ?? key);
      owners.set(address, owners.get(address) ?? owner);
    }
  },
};

const macDuplicate: Rule = {
  id: 'mac-duplicate',
  severity: 'error',
  source: 'openshift/installer pkg/types/baremetal/validation: bootMACAddress is unique',
  title: () => words().macDuplicate.title,
  check({ nodes }, report) {
    const owners = new Map<string, string>();
    for (const [index, { mac, name }] of nodes.entries()) {
      if (toCanonicalMac(mac) === null) continue;
      const owner = owners.get(mac);
      if (owner === undefined) owners.set(mac, name);
      else
        report(['nodes', index, 'mac'], {
          message: words().macDuplicate.message(mac, owner),
          fix: words().macDuplicate.fix,
        });
    }
  },
};

const podNetworkAddress: Rule = {
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
    for (const { at, address } of entries) {
      const matchingCidr =
        clusterRanges.find(({ network }) => isAddressInNetwork(address, network))?.cidr ??
        ovnRanges.find((range) => isInRange(address, range));
      if (matchingCidr === undefined) continue;
      report(at, {
        message: words().podNetworkAddress.message(address, matchingCidr),
        fix: words().podNetworkAddress.fix,
      });
    }
  },
};

export const addressRules: readonly Rule[] = [addressSpecial, addressDuplicate, macDuplicate, podNetworkAddress];

const dhcpServer: Rule = {
  id: 'dhcp-server',
  dependsOn: [['services']],
  severity: 'error',
  source: 'the design file: `server` is the name of a service host',
  title: () => words().dhcpServer.title,
  check(design, report) {
    const { dhcp, dns, loadBalancer } = design.services;
    const { server } = dhcp;
    // DHCP cannot run on a name server or load balancer that others manage.
    const isManaged = { bastion: true, dns: dns.kind === 'bind', 'load-balancer': loadBalancer.kind === 'haproxy' };
    const managedHosts = listHostEntries(design).filter(({ service }) => isManaged[service]);
    const names = [...new Set(managedHosts.map(({ host }) => host.name))];
    if (server === null || names.includes(server)) return;
    const problem = { message: words().dhcpServer.message(server), fix: words().dhcpServer.fix(names.join(', ')) };
    report(['services', 'dhcp', 'server'], problem);
  },
};

const dhcpOs: Rule = {
  id: 'dhcp-os',
  severity: 'error',
  source: 'RHEL 10 considerations in adopting: ISC dhcp is removed, Kea replaces it',
  title: () => words().dhcpOs.title,
  check(design, report) {
    const { kind, server } = design.services.dhcp;
    const host = listServiceHosts(design).find(({ name }) => name === server);
    if (kind !== 'isc-dhcpd' || host?.os !== 'rhel10') return;
    report(['services', 'dhcp', 'kind'], { message: words().dhcpOs.message, fix: words().dhcpOs.fix });
  },
};

const dhcpKea: Rule = {
  id: 'dhcp-kea',
  dependsOn: [['services']],
  severity: 'warning',
  source: 'RHEL 10 is the first RHEL with a Kea package',
  title: () => words().dhcpKea.title,
  check(design, report) {
    const host = findDhcpHost(design);
    if (design.services.dhcp.kind !== 'kea' || (host?.os !== 'rhel8' && host?.os !== 'rhel9')) return;
    report(['services', 'dhcp', 'kind'], { message: words().dhcpKea.message, fix: words().dhcpKea.fix });
  },
};

function findDhcpHost(design: Design): ServiceHost | undefined {
  const { kind, server } = design.services.dhcp;
  return kind === 'none' ? undefined : listServiceHosts(design).find(({ name }) => name === server);
}

/** Splits the IPv4 machine networks by whether the DHCP server has an address in them. */
function splitDhcpNetworks(design: Design, host: ServiceHost) {
  const networks = parseMachineNetworks(design).filter(({ family }) => family === 4);
  const localNetworks = networks.filter((network) => host.ip.some((address) => isAddressInNetwork(address, network)));
  return { localNetworks, distantNetworks: networks.filter((network) => !localNetworks.includes(network)) };
}

const dhcpNetwork: Rule = {
  id: 'dhcp-network',
  dependsOn: [['services'], ['networks', 'machine']],
  severity: 'error',
  source: 'ISC dhcpd: it does not start where none of its interfaces is in a subnet that it serves',
  title: () => words().dhcpNetwork.title,
  check(design, report) {
    const host = findDhcpHost(design);
    if (host === undefined || design.services.dhcp.kind !== 'isc-dhcpd') return;
    const { localNetworks, distantNetworks } = splitDhcpNetworks(design, host);
    // If no node has an address in these networks either, the machine network is wrong, and another rule says so.
    const isInUse = distantNetworks.some((network) =>
      design.nodes.some(({ ip }) => ip.some((address) => isAddressInNetwork(address, network))),
    );
    if (localNetworks.length > 0 || !isInUse) return;
    const problem = { message: words().dhcpNetwork.message(host.name), fix: words().dhcpNetwork.fix };
    report(['services', 'dhcp', 'server'], problem);
  },
};

const dhcpRelay: Rule = {
  id: 'dhcp-relay',
  dependsOn: [['services'], ['networks', 'machine'], ['nodes']],
  severity: 'warning',
  source: 'RFC 2131: broadcasts end at the router; RFC 1542: relays',
  title: () => words().dhcpRelay.title,
  check(design, report) {
    const host = findDhcpHost(design);
    if (host === undefined) return;
    const { localNetworks, distantNetworks } = splitDhcpNetworks(design, host);
    const relayedNetworks = distantNetworks.filter((network) =>
      design.nodes.some(({ ip }) => ip.some((address) => isAddressInNetwork(address, network))),
    );
    if (relayedNetworks.length === 0 || (localNetworks.length === 0 && design.services.dhcp.kind === 'isc-dhcpd'))
      return;
    const message = words().dhcpRelay.message(host.name, relayedNetworks.map(formatNetwork).join(', '));
    report(['services', 'dhcp', 'server'], { message, fix: words().dhcpRelay.fix });
  },
};

export const dhcpRules: readonly Rule[] = [dhcpServer, dhcpOs, dhcpKea, dhcpNetwork, dhcpRelay];
