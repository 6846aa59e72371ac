import { isIPv4 } from 'node:net';
import { Address6 } from 'ip-address';
import template from '../../templates/keepalived.conf.eta';
import type { Design, ServiceHost } from '../design/model.ts';
import { serviceHostFqdn } from '../design/names.ts';
import { isInNetwork, prefixOf, unique } from './addresses.ts';
import type { Draft, GenerateInput } from './draft.ts';
import { render } from './render.ts';

const PATH = '/etc/keepalived/keepalived.conf';

/** keepalived.conf for every load balancer, when an endpoint is no balancer's own address. */
export function keepalivedFiles({ design }: GenerateInput): Draft[] {
  const { loadBalancer } = design.services;
  if (loadBalancer.kind !== 'haproxy' || movingAddresses(design).length === 0) return [];
  return loadBalancer.servers.map((host, index) => ({
    host,
    path: PATH,
    kind: 'keepalived',
    content: keepalivedConfig(design, host, index),
    check: ['keepalived', '-t', '-f', PATH],
    reload: ['systemctl', 'reload-or-restart', 'keepalived'],
  }));
}

/** The endpoints that no load balancer has as its own address, so that keepalived has to put them on one. */
export function movingAddresses(design: Design): string[] {
  const { api, apiInt, ingress } = design.endpoints;
  const own = new Set(design.services.loadBalancer.servers.flatMap(({ ip }) => ip));
  return unique([...api, ...apiInt, ...ingress]).filter((address) => !own.has(address));
}

function keepalivedConfig(design: Design, host: ServiceHost, index: number): string {
  const moving = movingAddresses(design);
  // One instance per family: VRRP does not mix them.
  const instances = [
    {
      name: 'endpoints4',
      addresses: moving.filter((address) => isIPv4(address)),
      isFamily: (ip: string) => isIPv4(ip),
    },
    {
      name: 'endpoints6',
      addresses: moving.filter((address) => !isIPv4(address)),
      isFamily: (ip: string) => !isIPv4(ip),
    },
  ]
    .filter(({ addresses }) => addresses.length > 0)
    .map(({ name, addresses, isFamily }) => ({
      name,
      routerId: routerId(addresses[0] ?? ''),
      addresses: addresses.map((address) => `${address}/${prefixFor(design, address)}`),
      source: host.ip.find(isFamily) ?? '',
      peers: design.services.loadBalancer.servers
        .filter(({ name: other }) => other !== host.name)
        .flatMap(({ ip }) => ip.find(isFamily) ?? []),
    }));
  return render(template, {
    name: host.name,
    fqdn: serviceHostFqdn(design, host),
    priority: Math.max(1, 150 - 10 * index),
    instances,
  });
}

/** 1-255, the same on all balancers, and likely another one than that of other pairs on the segment: the address's last byte. */
function routerId(address: string): number {
  const last = isIPv4(address) ? Number(address.split('.')[3]) : Number(new Address6(address).bigInt() & 255n);
  return Math.max(1, last);
}

function prefixFor(design: Design, address: string): number {
  const network = design.networks.machine.find(({ cidr }) => isInNetwork(address, cidr));
  return network ? prefixOf(network.cidr) : isIPv4(address) ? 32 : 128;
}
