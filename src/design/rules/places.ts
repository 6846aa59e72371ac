import { canonicalAddress, type Network, parseNetwork } from '../address.ts';
import type { Design, ServiceHost } from '../model.ts';
import { isRecord, type Path } from '../paths.ts';

/** One address of a design: whose it is and where it stands. */
export interface PlacedAddress {
  readonly at: Path;
  readonly address: string;
  /** In words: the name of the machine, or of the endpoint. */
  readonly owner: string;
}

export interface PlacedHost {
  readonly at: Path;
  readonly host: ServiceHost;
  readonly duty: 'bastion' | 'dns' | 'load-balancer';
}

/** Every service host wherever it is described; a machine with several duties comes several times. */
export function placedHosts({ services }: Design): PlacedHost[] {
  return [
    { at: ['services', 'bastion'], host: services.bastion, duty: 'bastion' },
    ...services.dns.servers.map(
      (host, index): PlacedHost => ({ at: ['services', 'dns', 'servers', index], host, duty: 'dns' }),
    ),
    ...services.loadBalancer.servers.map(
      (host, index): PlacedHost => ({
        at: ['services', 'loadBalancer', 'servers', index],
        host,
        duty: 'load-balancer',
      }),
    ),
  ];
}

/** The addresses of the nodes, each with its place in the design and whose it is. */
export function nodeAddresses({ nodes }: Design): PlacedAddress[] {
  return nodes.flatMap(({ ip, name }, index) => placed(['nodes', index, 'ip'], ip, name));
}

/** The addresses of the service hosts, of a machine with several duties at each place that names it. */
export function hostAddresses(design: Design): PlacedAddress[] {
  return placedHosts(design).flatMap(({ at, host }) => placed([...at, 'ip'], host.ip, host.name));
}

/** The addresses of api, api-int and the routes. */
export function endpointAddresses({ endpoints }: Design): PlacedAddress[] {
  return (['api', 'apiInt', 'ingress'] as const).flatMap((key) => placed(['endpoints', key], endpoints[key], key));
}

/** Every address of a node, a service host or an endpoint. */
export function allAddresses(design: Design): PlacedAddress[] {
  return [...nodeAddresses(design), ...hostAddresses(design), ...endpointAddresses(design)];
}

/** The gateways of the machine networks, as far as they are given. */
export function gatewayAddresses({ networks }: Design): PlacedAddress[] {
  return networks.machine.flatMap(({ gateway }, index) =>
    gateway === null ? [] : [{ at: ['networks', 'machine', index, 'gateway'], address: gateway, owner: 'gateway' }],
  );
}

/** The company side of the router, if it is given. */
export function routerAddress({ networks }: Design): PlacedAddress[] {
  return networks.router === null ? [] : [{ at: ['networks', 'router'], address: networks.router, owner: 'router' }];
}

/** Addresses of servers outside the design that the nodes or the service hosts need. */
export function outsideAddresses({ services, proxy, imageDigestSources }: Design): PlacedAddress[] {
  const forwarders = services.dns.forwarders.map((address, index) => ({
    at: ['services', 'dns', 'forwarders', index],
    address,
    owner: address,
  }));
  const time = services.time.servers.map((address, index) => ({
    at: ['services', 'time', 'servers', index],
    address,
    owner: address,
  }));
  const proxies = (['httpProxy', 'httpsProxy'] as const).flatMap((key) => {
    const url = URL.parse(proxy?.[key] ?? '');
    // Only the host: the rest of the URL may hold a password. IPv6 stands in brackets.
    return url === null ? [] : [{ at: ['proxy', key], address: url.hostname.replace(/^\[|\]$/g, ''), owner: key }];
  });
  const mirrors = imageDigestSources.flatMap(({ mirrors: list }, source) =>
    list.map((mirror, index) => {
      const address = /^[^:/]*/.exec(mirror)?.[0] ?? '';
      return { at: ['imageDigestSources', source, 'mirrors', index], address, owner: address };
    }),
  );
  return [...forwarders, ...time, ...proxies, ...mirrors].filter(({ address }) => canonicalAddress(address) !== null);
}

/** A single address is at its key, whether it was written as a list or not. */
function placed(at: Path, addresses: readonly string[], owner: string): PlacedAddress[] {
  return addresses.map((address, index) => ({ at: addresses.length > 1 ? [...at, index] : at, address, owner }));
}

export interface PlacedNetwork {
  readonly at: Path;
  readonly cidr: string;
  readonly kind: 'machine' | 'cluster' | 'service' | 'company';
}

/** Every network of the design, in the order of the file. */
export function placedNetworks({ networks }: Design): PlacedNetwork[] {
  return (['machine', 'cluster', 'service', 'company'] as const).flatMap((kind) =>
    networks[kind].map((entry: string | { readonly cidr: string }, index): PlacedNetwork => {
      const at: Path = ['networks', kind, index];
      return isRecord(entry) ? { at: [...at, 'cidr'], cidr: String(entry.cidr), kind } : { at, cidr: entry, kind };
    }),
  );
}

export type ParsedNetwork = PlacedNetwork & { readonly network: Network };

/** The networks of the design that can be read. */
export function parsedNetworks(design: Design): ParsedNetwork[] {
  return placedNetworks(design).flatMap((placed) => {
    const network = parseNetwork(placed.cidr);
    return network === null ? [] : [{ ...placed, network }];
  });
}

/** The machine networks that can be read; empty when none can: then no rule judges membership. */
export function machineNetworks(design: Design): Network[] {
  return design.networks.machine.flatMap(({ cidr }) => parseNetwork(cidr) ?? []);
}
