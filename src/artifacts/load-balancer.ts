import { Address6 } from 'ip-address';
import sysctlTemplate from '../../templates/balancer-sysctl.conf.eta';
import template from '../../templates/haproxy.cfg.eta';
import keepalivedTemplate from '../../templates/keepalived.conf.eta';
import { type AddressFamily, getAddressFamily } from '../design/address.ts';
import { getBalancerMembers } from '../design/balancer-members.ts';
import type { Stage } from '../design/choices.ts';
import { getClusterDomain, getServiceHostFqdn } from '../design/derived-facts.ts';
import type { Design, DesignNode, ServiceHost } from '../design/model.ts';
import { formatUrlHost } from '../platform/text.ts';
import { getOsProfile } from './hosts/os.ts';
import { KEEPALIVED_PACKAGES } from './hosts/packages.ts';
import { removeDuplicates } from './network/addresses.ts';
import { getStatsPort, listPeerAddresses, listStatsReaders, listVirtualAddresses } from './network/firewall.ts';
import type { FileDraft, FileGenerator } from './shared/generator.ts';
import { renderTemplate } from './shared/render.ts';

const PATH = '/etc/haproxy/haproxy.cfg';

/**
 * Health checks of the members. An API server must leave the pool within 30 s of a red /readyz (openshift/installer
 * docs/dev/kube-apiserver-health-check.md). A control plane node that has rebooted is ready 20 to 30 s before its pod
 * network works. The values are those of openshift/machine-config-operator#6400. Such a node gets few new connections
 * during its first minute. A node that is marked down loses its open connections. The large weight makes the steps of
 * `slowstart` small. test/system/haproxy-tuning.test.ts compares these values with alternatives. The members of the
 * other ports are checked by a plain connect every second, as in openshift-docs
 * modules/installation-load-balancing-user-infra.adoc.
 */
const API_CHECK =
  'check-ssl verify none weight 256 inter 5s fastinter 2s fall 2 rise 3 slowstart 60s on-marked-down shutdown-sessions';
const CONNECT_CHECK = 'inter 1s';

/** haproxy.cfg for every load balancer. */
export const haproxy: FileGenerator<'haproxy'> = {
  kind: 'haproxy',
  host: 'load-balancer',
  paths: [PATH],
  getRequirements: (profile) => ({ ...profile.haproxy, unit: 'haproxy' }),
  files({ design, stage }) {
    return design.services.loadBalancer.servers.map((host) => ({
      host,
      path: PATH,
      content: renderHaproxyConfig(design, stage, host),
      check: ['haproxy', '-c', '-f', PATH],
      reload: ['systemctl', 'reload-or-restart', 'haproxy'],
    }));
  },
};

function renderHaproxyConfig(design: Design, stage: Stage, host: ServiceHost): string {
  const { api, apiInt, ingress } = design.endpoints;
  const members = getBalancerMembers(design, stage);
  const controlPlaneMembers = members.api.map(toMember);
  const ingressMembers = members.ingress.map(toMember);
  const services = [
    {
      name: 'api',
      title: 'Kubernetes API, for users and nodes',
      addresses: removeDuplicates([...api, ...apiInt]).map(formatUrlHost),
      port: 6443,
      balance: 'roundrobin',
      isApi: true,
      check: API_CHECK,
      members: controlPlaneMembers,
    },
    {
      name: 'machine-config',
      title: 'Machine config server, for nodes only: it serves secrets',
      addresses: apiInt.map(formatUrlHost),
      port: 22623,
      balance: 'roundrobin',
      isApi: false,
      check: CONNECT_CHECK,
      members: controlPlaneMembers,
    },
    ...[443, 80].map((port) => ({
      name: port === 443 ? 'ingress-https' : 'ingress-http',
      title: `Application routes, port ${port}. Servers without a router pod are DOWN, which is normal`,
      addresses: ingress.map(formatUrlHost),
      port,
      balance: 'source',
      isApi: false,
      check: CONNECT_CHECK,
      members: ingressMembers,
    })),
  ];
  const { haproxy } = getOsProfile(host.os);
  return renderTemplate(template, {
    fqdn: getServiceHostFqdn(design, host),
    clusterDomain: getClusterDomain(design),
    stage,
    log: haproxy.log,
    statsSocket: haproxy.statsSocket,
    stats: {
      binds: host.ip.map((address) => `${formatUrlHost(address)}:${getStatsPort(design, host)}`),
      readers: removeDuplicates([...host.ip, ...listStatsReaders(design)]),
    },
    services,
  });
}

/** Converts a node to a member. The bootstrap node is a backup: it gets traffic only while no other member is up. */
function toMember({ name, ip, role }: DesignNode) {
  return { name, address: formatUrlHost(ip[0] ?? ''), isBackup: role === 'bootstrap' };
}

const KEEPALIVED_PATH = '/etc/keepalived/keepalived.conf';

/** The file that install.sh writes, because only the host knows the name of the interface. */
export const INTERFACE_PATH = '/etc/keepalived/upi-wizard-interface.conf';
const SYSCTL_PATH = '/etc/sysctl.d/90-upi-wizard.conf';

/** keepalived.conf and its sysctl settings, for every load balancer, when an endpoint is a virtual address. */
export const keepalived: FileGenerator<'keepalived'> = {
  kind: 'keepalived',
  host: 'load-balancer',
  paths: [KEEPALIVED_PATH, SYSCTL_PATH],
  getRequirements: () => ({ packages: KEEPALIVED_PACKAGES, unit: 'keepalived' }),
  files({ design }) {
    if (listVirtualAddresses(design).length === 0) return [];
    return design.services.loadBalancer.servers.flatMap((host, index): FileDraft[] => [
      {
        host,
        path: SYSCTL_PATH,
        content: renderTemplate(sysctlTemplate, {}),
        // `-e` ignores unknown keys: a host without IPv6 does not have the second one.
        reload: ['sysctl', '-q', '-e', '-p', SYSCTL_PATH],
      },
      {
        host,
        path: KEEPALIVED_PATH,
        content: renderKeepalivedConfig(design, host, index),
        check: ['keepalived', '-t', '-f', KEEPALIVED_PATH],
        reload: ['systemctl', 'reload-or-restart', 'keepalived'],
      },
    ]);
  },
};

function renderKeepalivedConfig(design: Design, host: ServiceHost, index: number): string {
  const virtualAddresses = listVirtualAddresses(design);
  // Creates one instance per address family: VRRP does not mix families. An IPv6 address with the prefix length 128 is
  // not chosen as the source of new connections.
  const usedIds = new Set<number>();
  const instances = ([4, 6] as const).flatMap((family) => {
    const addresses = virtualAddresses.filter((address) => getAddressFamily(address) === family);
    const [first] = addresses;
    if (first === undefined) return [];
    const id = chooseRouterId(family, first, usedIds);
    usedIds.add(id);
    return {
      name: `endpoints${family}`,
      routerId: id,
      addresses: addresses.map((address) => `${address}/${family === 4 ? 32 : 128}`),
      source: host.ip.find((address) => getAddressFamily(address) === family) ?? '',
      peers: listPeerAddresses(design, host, family),
    };
  });
  return renderTemplate(keepalivedTemplate, {
    name: host.name,
    fqdn: getServiceHostFqdn(design, host),
    priority: Math.max(1, 150 - 10 * index),
    check: { address: host.ip[0], port: getStatsPort(design, host) },
    instances,
  });
}

/**
 * Chooses the virtual router ID: 1 to 255, the same on all load balancers, and likely different from that of other
 * pairs on the segment. It is the last byte of the address, or the next free number.
 */
function chooseRouterId(family: AddressFamily, address: string, usedIds: ReadonlySet<number>): number {
  const lastByte = family === 4 ? Number(address.split('.')[3]) : Number(new Address6(address).bigInt() & 255n);
  let id = Math.max(1, lastByte);
  while (usedIds.has(id)) id = (id % 255) + 1;
  return id;
}
