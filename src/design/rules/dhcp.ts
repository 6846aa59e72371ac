import { catalogue } from '../../i18n/catalogue.ts';
import { formatNetwork, isAddressInNetwork } from '../address.ts';
import type { Design, ServiceHost } from '../model.ts';
import { serviceHosts } from '../names.ts';
import { listHostEntries, machineNetworks } from './design-entries.ts';
import type { Rule } from './rule.ts';

const words = () => catalogue().designRules;

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
    const host = serviceHosts(design).find(({ name }) => name === server);
    if (kind !== 'isc-dhcpd' || host?.os !== 'rhel10') return;
    report(['services', 'dhcp', 'kind'], { message: words().dhcpOs.message, fix: words().dhcpOs.fix });
  },
};

const dhcpKea: Rule = {
  id: 'dhcp-kea',
  dependsOn: [['services']],
  severity: 'warning',
  source: 'RHEL 10 is the first to bring Kea',
  title: () => words().dhcpKea.title,
  check(design, report) {
    const host = dhcpHost(design);
    if (design.services.dhcp.kind !== 'kea' || (host?.os !== 'rhel8' && host?.os !== 'rhel9')) return;
    report(['services', 'dhcp', 'kind'], { message: words().dhcpKea.message, fix: words().dhcpKea.fix });
  },
};

function dhcpHost(design: Design): ServiceHost | undefined {
  const { kind, server } = design.services.dhcp;
  return kind === 'none' ? undefined : serviceHosts(design).find(({ name }) => name === server);
}

/** Splits the IPv4 machine networks by whether the DHCP server has an address in them. */
function splitDhcpNetworks(design: Design, host: ServiceHost) {
  const networks = machineNetworks(design).filter(({ family }) => family === 4);
  const has = networks.filter((network) => host.ip.some((address) => isAddressInNetwork(address, network)));
  return { has, misses: networks.filter((network) => !has.includes(network)) };
}

const dhcpNetwork: Rule = {
  id: 'dhcp-network',
  dependsOn: [['services'], ['networks', 'machine']],
  severity: 'error',
  source: 'ISC dhcpd: it does not start where none of its interfaces is in a subnet that it serves',
  title: () => words().dhcpNetwork.title,
  check(design, report) {
    const host = dhcpHost(design);
    if (host === undefined || design.services.dhcp.kind !== 'isc-dhcpd') return;
    const { has, misses } = splitDhcpNetworks(design, host);
    // If no node is inside either, the machine network itself is wrong.
    const isInUse = misses.some((network) =>
      design.nodes.some(({ ip }) => ip.some((one) => isAddressInNetwork(one, network))),
    );
    if (has.length > 0 || !isInUse) return;
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
    const host = dhcpHost(design);
    if (host === undefined) return;
    const { has, misses } = splitDhcpNetworks(design, host);
    const remoteNetworks = misses.filter((network) =>
      design.nodes.some(({ ip }) => ip.some((one) => isAddressInNetwork(one, network))),
    );
    if (remoteNetworks.length === 0 || (has.length === 0 && design.services.dhcp.kind === 'isc-dhcpd')) return;
    const message = words().dhcpRelay.message(host.name, remoteNetworks.map(formatNetwork).join(', '));
    report(['services', 'dhcp', 'server'], { message, fix: words().dhcpRelay.fix });
  },
};

export const dhcpRules: readonly Rule[] = [dhcpServer, dhcpOs, dhcpKea, dhcpNetwork, dhcpRelay];
