import { catalogue } from '../../i18n/catalogue.ts';
import { formatNetwork, isAddressInNetwork } from '../address.ts';
import { findDhcpHost, listServiceHosts } from '../derived-facts.ts';
import type { Design, ServiceHost } from '../model.ts';
import { listHostEntries, parseMachineNetworks } from './entries.ts';
import type { DesignRule } from './rule.ts';

const words = () => catalogue().designRules;

const dhcpServer: DesignRule = {
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

const dhcpOs: DesignRule = {
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

const dhcpKea: DesignRule = {
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

/** Splits the IPv4 machine networks by whether the DHCP server has an address in them. */
function splitDhcpNetworks(design: Design, host: ServiceHost) {
  const networks = parseMachineNetworks(design).filter(({ family }) => family === 4);
  const localNetworks = networks.filter((network) => host.ip.some((address) => isAddressInNetwork(address, network)));
  return { localNetworks, distantNetworks: networks.filter((network) => !localNetworks.includes(network)) };
}

const dhcpNetwork: DesignRule = {
  id: 'dhcp-network',
  dependsOn: [['services'], ['networks', 'machine']],
  severity: 'error',
  source: 'ISC dhcpd: it does not start where none of its interfaces is in a subnet that it serves',
  title: () => words().dhcpNetwork.title,
  check(design, report) {
    const host = findDhcpHost(design);
    if (host === null || design.services.dhcp.kind !== 'isc-dhcpd') return;
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

const dhcpRelay: DesignRule = {
  id: 'dhcp-relay',
  dependsOn: [['services'], ['networks', 'machine'], ['nodes']],
  severity: 'warning',
  source: 'RFC 2131: broadcasts end at the router; RFC 1542: relays',
  title: () => words().dhcpRelay.title,
  check(design, report) {
    const host = findDhcpHost(design);
    if (host === null) return;
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

export const dhcpRules: readonly DesignRule[] = [dhcpServer, dhcpOs, dhcpKea, dhcpNetwork, dhcpRelay];
