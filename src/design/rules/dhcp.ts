import { catalogue } from '../../text/catalogue.ts';
import { isInside, networkText } from '../address.ts';
import type { Design, ServiceHost } from '../model.ts';
import { serviceHosts } from '../names.ts';
import { machineNetworks, placedHosts } from './places.ts';
import type { Rule } from './rule.ts';

const words = () => catalogue().designRules;

const dhcpServer: Rule = {
  id: 'dhcp-server',
  restsOn: [['services']],
  severity: 'error',
  source: 'the design file: `server` is the name of a service host',
  title: () => words().dhcpServer.title,
  check(design, report) {
    const { dhcp, dns, loadBalancer } = design.services;
    const { server } = dhcp;
    // DHCP cannot go on a name server or load balancer that other people run.
    const isOurs = { bastion: true, dns: dns.kind === 'bind', 'load-balancer': loadBalancer.kind === 'haproxy' };
    const ours = placedHosts(design).filter(({ duty }) => isOurs[duty]);
    const names = [...new Set(ours.map(({ host }) => host.name))];
    if (server === null || names.includes(server)) return;
    const said = { message: words().dhcpServer.message(server), fix: words().dhcpServer.fix(names.join(', ')) };
    report(['services', 'dhcp', 'server'], said);
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
  restsOn: [['services']],
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

/** The IPv4 machine networks that the DHCP server has an address in, and those that it has none in. */
function dhcpReach(design: Design, host: ServiceHost) {
  const networks = machineNetworks(design).filter(({ family }) => family === 4);
  const has = networks.filter((network) => host.ip.some((address) => isInside(address, network)));
  return { has, misses: networks.filter((network) => !has.includes(network)) };
}

const dhcpNetwork: Rule = {
  id: 'dhcp-network',
  restsOn: [['services'], ['networks', 'machine']],
  severity: 'error',
  source: 'ISC dhcpd: it does not start where none of its interfaces is in a subnet that it serves',
  title: () => words().dhcpNetwork.title,
  check(design, report) {
    const host = dhcpHost(design);
    if (host === undefined || design.services.dhcp.kind !== 'isc-dhcpd') return;
    const { has, misses } = dhcpReach(design, host);
    // Where no node is either, it is the machine network that is wrong.
    const isInUse = misses.some((network) => design.nodes.some(({ ip }) => ip.some((one) => isInside(one, network))));
    if (has.length > 0 || !isInUse) return;
    const said = { message: words().dhcpNetwork.message(host.name), fix: words().dhcpNetwork.fix };
    report(['services', 'dhcp', 'server'], said);
  },
};

const dhcpRelay: Rule = {
  id: 'dhcp-relay',
  restsOn: [['services'], ['networks', 'machine'], ['nodes']],
  severity: 'warning',
  source: 'RFC 2131: broadcasts end at the router; RFC 1542: relays',
  title: () => words().dhcpRelay.title,
  check(design, report) {
    const host = dhcpHost(design);
    if (host === undefined) return;
    const { has, misses } = dhcpReach(design, host);
    const far = misses.filter((network) => design.nodes.some(({ ip }) => ip.some((one) => isInside(one, network))));
    if (far.length === 0 || (has.length === 0 && design.services.dhcp.kind === 'isc-dhcpd')) return;
    const message = words().dhcpRelay.message(host.name, far.map(networkText).join(', '));
    report(['services', 'dhcp', 'server'], { message, fix: words().dhcpRelay.fix });
  },
};

export const dhcpRules: readonly Rule[] = [dhcpServer, dhcpOs, dhcpKea, dhcpNetwork, dhcpRelay];
