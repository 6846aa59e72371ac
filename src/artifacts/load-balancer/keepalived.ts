import { Address6 } from 'ip-address';
import sysctlTemplate from '../../../templates/balancer-sysctl.conf.eta';
import keepalivedTemplate from '../../../templates/keepalived.conf.eta';
import { type AddressFamily, getAddressFamily } from '../../design/address.ts';
import type { Design, ServiceHost } from '../../design/model.ts';
import { serviceHostFqdn } from '../../design/names.ts';
import { KEEPALIVED_PACKAGES } from '../hosts/packages.ts';
import { peerAddresses, statsPort, virtualAddresses } from '../network/firewall-openings.ts';
import type { FileDraft, Generator } from '../shared/generator.ts';
import { renderTemplate } from '../shared/render.ts';

const PATH = '/etc/keepalived/keepalived.conf';
/** The file that install.sh writes, because only the host knows the name of the interface. */
export const INTERFACE_PATH = '/etc/keepalived/upi-wizard-interface.conf';
const SYSCTL_PATH = '/etc/sysctl.d/90-upi-wizard.conf';

/** keepalived.conf and its sysctl settings, for every load balancer, when an endpoint is a virtual address. */
export const keepalived: Generator<'keepalived'> = {
  kind: 'keepalived',
  host: 'load-balancer',
  paths: [PATH, SYSCTL_PATH],
  getRequirements: () => ({ packages: KEEPALIVED_PACKAGES, unit: 'keepalived' }),
  files({ design }) {
    if (virtualAddresses(design).length === 0) return [];
    return design.services.loadBalancer.servers.flatMap((host, index): FileDraft[] => [
      {
        host,
        path: SYSCTL_PATH,
        content: renderTemplate(sysctlTemplate, {}),
        // A host without IPv6 does not know the second key.
        reload: ['sysctl', '-q', '-e', '-p', SYSCTL_PATH],
      },
      {
        host,
        path: PATH,
        content: renderKeepalivedConfig(design, host, index),
        check: ['keepalived', '-t', '-f', PATH],
        reload: ['systemctl', 'reload-or-restart', 'keepalived'],
      },
    ]);
  },
};

function renderKeepalivedConfig(design: Design, host: ServiceHost, index: number): string {
  const virtualIps = virtualAddresses(design);
  // One instance per family: VRRP does not mix them. An IPv6 address alone in its /128 is not taken as source of new connections.
  const usedIds = new Set<number>();
  const instances = ([4, 6] as const).flatMap((family) => {
    const addresses = virtualIps.filter((address) => getAddressFamily(address) === family);
    const [first] = addresses;
    if (first === undefined) return [];
    const id = chooseRouterId(family, first, usedIds);
    usedIds.add(id);
    return {
      name: `endpoints${family}`,
      routerId: id,
      addresses: addresses.map((address) => `${address}/${family === 4 ? 32 : 128}`),
      source: host.ip.find((address) => getAddressFamily(address) === family) ?? '',
      peers: peerAddresses(design, host, family),
    };
  });
  return renderTemplate(keepalivedTemplate, {
    name: host.name,
    fqdn: serviceHostFqdn(design, host),
    priority: Math.max(1, 150 - 10 * index),
    check: { address: host.ip[0], port: statsPort(design, host) },
    instances,
  });
}

/**
 * The virtual router ID: 1-255, the same on all balancers, and likely different from that of other pairs on the
 * segment. It is the last byte of the address, or the next free number.
 */
function chooseRouterId(family: AddressFamily, address: string, usedIds: ReadonlySet<number>): number {
  const last = family === 4 ? Number(address.split('.')[3]) : Number(new Address6(address).bigInt() & 255n);
  let id = Math.max(1, last);
  while (usedIds.has(id)) id = (id % 255) + 1;
  return id;
}
