import { getUrlHost } from '../../platform/text.ts';
import { type Network, parseNetwork, toCanonicalAddress } from '../address.ts';
import type { Design, ServiceHost } from '../model.ts';
import { isObjectOrList, type Path } from '../paths.ts';

/** One address of a design, with its path and owner. */
export interface AddressEntry {
  readonly path: Path;
  readonly address: string;
  /** Displayed name of the machine or endpoint. */
  readonly owner: string;
}

/** One description of a service host in a design, with its path. */
interface HostEntry {
  readonly path: Path;
  readonly host: ServiceHost;
  readonly service: 'bastion' | 'dns' | 'load-balancer';
}

/** Lists every description of a service host; a machine with several services appears several times. */
export function listHostEntries({ services }: Design): HostEntry[] {
  return [
    { path: ['services', 'bastion'], host: services.bastion, service: 'bastion' },
    ...services.dns.servers.map(
      (host, index): HostEntry => ({ path: ['services', 'dns', 'servers', index], host, service: 'dns' }),
    ),
    ...services.loadBalancer.servers.map(
      (host, index): HostEntry => ({
        path: ['services', 'loadBalancer', 'servers', index],
        host,
        service: 'load-balancer',
      }),
    ),
  ];
}

/** Lists the addresses of the nodes, each with its path and the node's name. */
export function listNodeAddresses({ nodes }: Design): AddressEntry[] {
  return nodes.flatMap(({ ip, name }, index) => toAddressEntries(['nodes', index, 'ip'], ip, name));
}

/** Lists the addresses of the service hosts; a machine with several services appears at each of its descriptions. */
export function listHostAddresses(design: Design): AddressEntry[] {
  return listHostEntries(design).flatMap(({ path, host }) => toAddressEntries([...path, 'ip'], host.ip, host.name));
}

/** Lists the addresses of api, api-int and the routes. */
export function listEndpointAddresses({ endpoints }: Design): AddressEntry[] {
  return (['api', 'apiInt', 'ingress'] as const).flatMap((key) =>
    toAddressEntries(['endpoints', key], endpoints[key], key),
  );
}

/** Lists every address of a node, a service host or an endpoint. */
export function listAllAddresses(design: Design): AddressEntry[] {
  return [...listNodeAddresses(design), ...listHostAddresses(design), ...listEndpointAddresses(design)];
}

/** Lists the configured gateways of the machine networks. */
export function listGatewayAddresses({ networks }: Design): AddressEntry[] {
  return networks.machine.flatMap(({ gateway }, index) =>
    gateway === null ? [] : [{ path: ['networks', 'machine', index, 'gateway'], address: gateway, owner: 'gateway' }],
  );
}

/** Lists the address of the router on the company network, if the design has one. */
export function listRouterAddressEntries({ networks }: Design): AddressEntry[] {
  return networks.router === null ? [] : [{ path: ['networks', 'router'], address: networks.router, owner: 'router' }];
}

/** Lists the addresses of servers outside the design that the nodes or the service hosts need. */
export function listExternalAddresses({ services, proxy, imageDigestSources }: Design): AddressEntry[] {
  const forwarders = services.dns.forwarders.map((address, index) => ({
    path: ['services', 'dns', 'forwarders', index],
    address,
    owner: address,
  }));
  const timeServers = services.time.servers.map((address, index) => ({
    path: ['services', 'time', 'servers', index],
    address,
    owner: address,
  }));
  const proxies = (['httpProxy', 'httpsProxy'] as const).flatMap((key) => {
    const url = URL.parse(proxy?.[key] ?? '');
    // Takes only the host, without the brackets of IPv6: the rest of the URL may contain a password.
    return url === null ? [] : [{ path: ['proxy', key], address: getUrlHost(url), owner: key }];
  });
  const mirrors = imageDigestSources.flatMap(({ mirrors: list }, sourceIndex) =>
    list.map((mirror, index) => {
      const address = /^[^:/]*/.exec(mirror)?.[0] ?? '';
      return { path: ['imageDigestSources', sourceIndex, 'mirrors', index], address, owner: address };
    }),
  );
  return [...forwarders, ...timeServers, ...proxies, ...mirrors].filter(
    ({ address }) => toCanonicalAddress(address) !== null,
  );
}

/** Converts addresses to entries. A single address has the path of its key, even in a list. */
function toAddressEntries(path: Path, addresses: readonly string[], owner: string): AddressEntry[] {
  return addresses.map((address, index) => ({ path: addresses.length > 1 ? [...path, index] : path, address, owner }));
}

/** One network of a design, with its path. */
interface NetworkEntry {
  readonly path: Path;
  readonly cidr: string;
  readonly kind: 'machine' | 'cluster' | 'service' | 'company';
}

/** Lists every network of the design, in the order of the file. */
export function listNetworkEntries({ networks }: Design): NetworkEntry[] {
  return (['machine', 'cluster', 'service', 'company'] as const).flatMap((kind) =>
    networks[kind].map((entry: string | { readonly cidr: string }, index): NetworkEntry => {
      const path: Path = ['networks', kind, index];
      return isObjectOrList(entry)
        ? { path: [...path, 'cidr'], cidr: String(entry.cidr), kind }
        : { path, cidr: entry, kind };
    }),
  );
}

/** An entry whose CIDR is valid. */
export type ParsedNetwork = NetworkEntry & { readonly network: Network };

/** Lists the networks of the design that can be parsed. */
export function listParsedNetworks(design: Design): ParsedNetwork[] {
  return listNetworkEntries(design).flatMap((entry) => {
    const network = parseNetwork(entry.cidr);
    return network === null ? [] : [{ ...entry, network }];
  });
}

/** Parses the machine networks that can be parsed. When there are none, no rule checks membership. */
export function parseMachineNetworks(design: Design): Network[] {
  return design.networks.machine.flatMap(({ cidr }) => parseNetwork(cidr) ?? []);
}
