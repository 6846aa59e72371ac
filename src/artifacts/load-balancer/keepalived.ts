import { Address6 } from 'ip-address';
import sysctlTemplate from '../../../templates/balancer-sysctl.conf.eta';
import template from '../../../templates/keepalived.conf.eta';
import { type Family, familyOf } from '../../design/address.ts';
import type { Design, ServiceHost } from '../../design/model.ts';
import { serviceHostFqdn } from '../../design/names.ts';
import { KEEPALIVED_PACKAGES } from '../hosts/packages.ts';
import { movingAddresses, peerAddresses, statsPort } from '../network/openings.ts';
import type { Draft, Generator } from '../shared/draft.ts';
import { render } from '../shared/render.ts';

const PATH = '/etc/keepalived/keepalived.conf';
/** The file that install.sh makes: it knows the name of the interface. */
export const INTERFACE_PATH = '/etc/keepalived/upi-wizard-interface.conf';
const SYSCTL_PATH = '/etc/sysctl.d/90-upi-wizard.conf';

/** keepalived.conf and what it needs of the kernel, for every load balancer, when an endpoint is no balancer's own address. */
export const keepalived: Generator<'keepalived'> = {
  kind: 'keepalived',
  host: 'load-balancer',
  paths: [PATH, SYSCTL_PATH],
  role: () => ({ packages: KEEPALIVED_PACKAGES, unit: 'keepalived' }),
  files({ design }) {
    if (movingAddresses(design).length === 0) return [];
    return design.services.loadBalancer.servers.flatMap((host, index): Draft[] => [
      {
        host,
        path: SYSCTL_PATH,
        content: render(sysctlTemplate, {}),
        // A host without IPv6 does not know the second key.
        reload: ['sysctl', '-q', '-e', '-p', SYSCTL_PATH],
      },
      {
        host,
        path: PATH,
        content: keepalivedConfig(design, host, index),
        check: ['keepalived', '-t', '-f', PATH],
        reload: ['systemctl', 'reload-or-restart', 'keepalived'],
      },
    ]);
  },
};

function keepalivedConfig(design: Design, host: ServiceHost, index: number): string {
  const moving = movingAddresses(design);
  // One instance per family: VRRP does not mix them. An IPv6 address alone in its /128 is not taken as source of new connections.
  const taken = new Set<number>();
  const instances = ([4, 6] as const).flatMap((family) => {
    const addresses = moving.filter((address) => familyOf(address) === family);
    const [first] = addresses;
    if (first === undefined) return [];
    const id = routerId(family, first, taken);
    taken.add(id);
    return {
      name: `endpoints${family}`,
      routerId: id,
      addresses: addresses.map((address) => `${address}/${family === 4 ? 32 : 128}`),
      source: host.ip.find((address) => familyOf(address) === family) ?? '',
      peers: peerAddresses(design, host, family),
    };
  });
  return render(template, {
    name: host.name,
    fqdn: serviceHostFqdn(design, host),
    priority: Math.max(1, 150 - 10 * index),
    check: { address: host.ip[0], port: statsPort(design, host) },
    instances,
  });
}

/**
 * 1-255, the same on all balancers, and likely another one than that of other pairs on the segment: the last byte of the
 * address, or the next one that is free.
 */
function routerId(family: Family, address: string, taken: ReadonlySet<number>): number {
  const last = family === 4 ? Number(address.split('.')[3]) : Number(new Address6(address).bigInt() & 255n);
  let id = Math.max(1, last);
  while (taken.has(id)) id = (id % 255) + 1;
  return id;
}
