import { designRules as words } from '../../text/en/design-rules.ts';
import { serviceHosts } from '../names.ts';
import { placedHosts } from './places.ts';
import type { Rule } from './rule.ts';

const BALANCER_PORTS = [80, 443, 6443, 22_623];

const dnsServer: Rule = {
  id: 'dns-server',
  severity: 'error',
  source: 'openshift-docs modules/installation-dns-user-infra.adoc',
  title: words.dnsServer.title,
  check({ services: { dns } }, report) {
    const isEnough = dns.servers.length > 0 || (dns.kind === 'external' && dns.forwarders.length > 0);
    if (!isEnough) report(['services', 'dns'], { message: words.dnsServer.message, fix: words.dnsServer.fix });
  },
};

const forwarderLoop: Rule = {
  id: 'forwarder-loop',
  restsOn: [['services', 'dns', 'servers']],
  severity: 'error',
  source: 'BIND 9 Administrator Reference Manual: forwarders',
  title: words.forwarderLoop.title,
  check({ services: { dns } }, report) {
    if (dns.kind !== 'bind') return;
    for (const [index, address] of dns.forwarders.entries()) {
      const server = dns.servers.find(({ ip }) => ip.includes(address));
      if (server === undefined) continue;
      const said = { message: words.forwarderLoop.message(address, server.name), fix: words.forwarderLoop.fix };
      report(['services', 'dns', 'forwarders', index], said);
    }
  },
};

const dhcpServer: Rule = {
  id: 'dhcp-server',
  restsOn: [['services']],
  severity: 'error',
  source: 'the design file: `server` is the name of a service host',
  title: words.dhcpServer.title,
  check(design, report) {
    const { dhcp, dns, loadBalancer } = design.services;
    const { server } = dhcp;
    // A name server or load balancer that exists already is none of ours to put DHCP on.
    const isOurs = { bastion: true, dns: dns.kind === 'bind', 'load-balancer': loadBalancer.kind === 'haproxy' };
    const ours = placedHosts(design).filter(({ duty }) => isOurs[duty]);
    const names = [...new Set(ours.map(({ host }) => host.name))];
    if (server === null || names.includes(server)) return;
    const said = { message: words.dhcpServer.message(server), fix: words.dhcpServer.fix(names.join(', ')) };
    report(['services', 'dhcp', 'server'], said);
  },
};

const dhcpOs: Rule = {
  id: 'dhcp-os',
  severity: 'error',
  source: 'RHEL 10 considerations in adopting: ISC dhcp is removed, Kea replaces it',
  title: words.dhcpOs.title,
  check(design, report) {
    const { kind, server } = design.services.dhcp;
    const host = serviceHosts(design).find(({ name }) => name === server);
    if (kind !== 'isc-dhcpd' || host?.os !== 'rhel10') return;
    report(['services', 'dhcp', 'kind'], { message: words.dhcpOs.message, fix: words.dhcpOs.fix });
  },
};

const loadBalancerServer: Rule = {
  id: 'load-balancer-server',
  severity: 'error',
  source: 'openshift-docs modules/installation-load-balancing-user-infra.adoc',
  title: words.loadBalancerServer.title,
  check({ services: { loadBalancer } }, report) {
    if (loadBalancer.kind !== 'haproxy' || loadBalancer.servers.length > 0) return;
    const said = { message: words.loadBalancerServer.message, fix: words.loadBalancerServer.fix };
    report(['services', 'loadBalancer'], said);
  },
};

const ipxeWithoutDhcp: Rule = {
  id: 'ipxe-without-dhcp',
  severity: 'warning',
  source: 'RFC 4578; iPXE chains what DHCP names',
  title: words.ipxeWithoutDhcp.title,
  check({ services: { boot, dhcp } }, report) {
    if (boot.kind !== 'ipxe' || dhcp.kind !== 'none') return;
    report(['services', 'boot'], { message: words.ipxeWithoutDhcp.message, fix: words.ipxeWithoutDhcp.fix });
  },
};

const httpPort: Rule = {
  id: 'http-port',
  severity: 'error',
  source: 'one program listens on a port',
  title: words.httpPort.title,
  check({ services: { boot, bastion, loadBalancer } }, report) {
    const isBalancer = loadBalancer.servers.some(({ name }) => name === bastion.name);
    if (!isBalancer || loadBalancer.kind !== 'haproxy' || !BALANCER_PORTS.includes(boot.httpPort)) return;
    const said = { message: words.httpPort.message(boot.httpPort), fix: words.httpPort.fix };
    report(['services', 'boot', 'httpPort'], said);
  },
};

const timeServers: Rule = {
  id: 'time-servers',
  severity: 'warning',
  source: 'openshift/assisted-service: ntp-server-configured; ironicbadger/ocp4#23',
  title: words.timeServers.title,
  check({ services: { time } }, report) {
    if (time.servers.length > 0) return;
    report(['services', 'time'], { message: words.timeServers.message, fix: words.timeServers.fix });
  },
};

export const serviceRules: readonly Rule[] = [
  dnsServer,
  forwarderLoop,
  dhcpServer,
  dhcpOs,
  loadBalancerServer,
  ipxeWithoutDhcp,
  httpPort,
  timeServers,
];
