import { catalogue } from '../../i18n/catalogue.ts';
import type { Design } from '../model.ts';
import type { DesignRule } from './rule.ts';

const words = () => catalogue().designRules;

const BALANCER_PORTS = [80, 443, 6443, 22_623];
const SSH_PORTS = [22];
// DNS queries, and rndc.
const DNS_PORTS = [53, 953];

const dnsServer: DesignRule = {
  id: 'dns-server',
  severity: 'error',
  source: 'openshift-docs modules/installation-dns-user-infra.adoc',
  title: () => words().dnsServer.title,
  check({ services: { dns } }, report) {
    const hasNameServer = dns.servers.length > 0 || (dns.kind === 'external' && dns.forwarders.length > 0);
    if (!hasNameServer) report(['services', 'dns'], { message: words().dnsServer.message, fix: words().dnsServer.fix });
  },
};

const forwarderLoop: DesignRule = {
  id: 'forwarder-loop',
  dependsOn: [['services', 'dns', 'servers']],
  severity: 'error',
  source: 'BIND 9 Administrator Reference Manual: forwarders',
  title: () => words().forwarderLoop.title,
  check({ services: { dns } }, report) {
    if (dns.kind !== 'bind') return;
    for (const [index, address] of dns.forwarders.entries()) {
      const server = dns.servers.find(({ ip }) => ip.includes(address));
      if (server === undefined) continue;
      const problem = { message: words().forwarderLoop.message(address, server.name), fix: words().forwarderLoop.fix };
      report(['services', 'dns', 'forwarders', index], problem);
    }
  },
};

const loadBalancerServer: DesignRule = {
  id: 'load-balancer-server',
  severity: 'error',
  source: 'openshift-docs modules/installation-load-balancing-user-infra.adoc',
  title: () => words().loadBalancerServer.title,
  check({ services: { loadBalancer } }, report) {
    if (loadBalancer.kind !== 'haproxy' || loadBalancer.servers.length > 0) return;
    const problem = { message: words().loadBalancerServer.message, fix: words().loadBalancerServer.fix };
    report(['services', 'loadBalancer'], problem);
  },
};

const ipxeWithoutDhcp: DesignRule = {
  id: 'ipxe-without-dhcp',
  severity: 'warning',
  source: 'RFC 4578; iPXE runs the script that DHCP names',
  title: () => words().ipxeWithoutDhcp.title,
  check({ services: { boot, dhcp } }, report) {
    if (boot.kind !== 'ipxe' || dhcp.kind !== 'none') return;
    report(['services', 'boot'], { message: words().ipxeWithoutDhcp.message, fix: words().ipxeWithoutDhcp.fix });
  },
};

/** Lists the programs besides the boot server that listen on TCP ports of the bastion. */
function listBastionListeners({ bastion, dns, loadBalancer }: Design['services']) {
  const isBastion = ({ name }: { readonly name: string }) => name === bastion.name;
  return [
    { program: 'SSH', ports: SSH_PORTS },
    ...(dns.kind === 'bind' && dns.servers.some(isBastion) ? [{ program: 'BIND', ports: DNS_PORTS }] : []),
    ...(loadBalancer.kind === 'haproxy' && loadBalancer.servers.some(isBastion)
      ? [{ program: 'HAProxy', ports: BALANCER_PORTS }]
      : []),
  ];
}

const httpPort: DesignRule = {
  id: 'http-port',
  severity: 'error',
  source: 'one program listens on a port',
  title: () => words().httpPort.title,
  check({ services }, report) {
    const port = services.boot.httpPort;
    const listener = listBastionListeners(services).find(({ ports }) => ports.includes(port));
    if (listener === undefined) return;
    const problem = { message: words().httpPort.message(port, listener.program), fix: words().httpPort.fix };
    report(['services', 'boot', 'httpPort'], problem);
  },
};

const httpPortLow: DesignRule = {
  id: 'http-port-low',
  severity: 'warning',
  source: 'RFC 6335: system ports; SELinux gives them types of other services',
  title: () => words().httpPortLow.title,
  check({ services }, report) {
    const port = services.boot.httpPort;
    const isTaken = listBastionListeners(services).some(({ ports }) => ports.includes(port));
    if (port >= 1024 || [80, 81, 443].includes(port) || isTaken) return;
    const problem = { message: words().httpPortLow.message(port), fix: words().httpPortLow.fix };
    report(['services', 'boot', 'httpPort'], problem);
  },
};

const timeServers: DesignRule = {
  id: 'time-servers',
  severity: 'warning',
  source: 'openshift/assisted-service: ntp-server-configured; ironicbadger/ocp4#23',
  title: () => words().timeServers.title,
  check({ services: { time } }, report) {
    if (time.servers.length > 0) return;
    report(['services', 'time'], { message: words().timeServers.message, fix: words().timeServers.fix });
  },
};

export const serviceRules: readonly DesignRule[] = [
  dnsServer,
  forwarderLoop,
  loadBalancerServer,
  ipxeWithoutDhcp,
  httpPort,
  httpPortLow,
  timeServers,
];
