import { catalogue } from '../../i18n/catalogue.ts';
import { formatNetwork, isAddressInNetwork, toCanonicalAddress } from '../address.ts';
import type { Design } from '../model.ts';
import {
  type AddressEntry,
  listEndpointAddresses,
  listHostEntries,
  listNodeAddresses,
  parseMachineNetworks,
} from './entries.ts';
import { reportOutsideAddresses } from './network-membership.ts';
import type { DesignRule } from './rule.ts';

const words = () => catalogue().designRules;

const endpointOutside: DesignRule = {
  id: 'endpoint-outside-network',
  dependsOn: [['topology'], ['networks', 'machine'], ['services']],
  severity: 'error',
  source: 'keepalived puts the endpoints on the interface of the machine network',
  title: () => words().endpointMember.title,
  check(design, report) {
    // An external load balancer may be on any network.
    if (design.services.loadBalancer.kind === 'external' && design.topology !== 'single-node') return;
    // A load balancer's own address may be on any network.
    reportOutsideAddresses(design, listVirtualEndpoints(design), words().endpointMember, report);
  },
};

const endpointTaken: DesignRule = {
  id: 'endpoint-taken',
  dependsOn: [['topology'], ['nodes'], ['services']],
  severity: 'error',
  source: 'the design file: endpoints are equal to each other or to a load balancer’s own address',
  title: () => words().endpointTaken.title,
  check(design, report) {
    const balancerNames = new Set(design.services.loadBalancer.servers.map(({ name }) => name));
    const ownerByAddress = new Map<string, string>();
    // A single node is its own API server and router.
    const nodes = design.topology === 'single-node' ? [] : listNodeAddresses(design);
    for (const { address, owner } of nodes) ownerByAddress.set(address, owner);
    for (const { host } of listHostEntries(design)) {
      if (!balancerNames.has(host.name)) for (const address of host.ip) ownerByAddress.set(address, host.name);
    }
    for (const { path, address } of listEndpointAddresses(design)) {
      const owner = ownerByAddress.get(address);
      if (owner === undefined || toCanonicalAddress(address) === null) continue;
      report(path, { message: words().endpointTaken.message(address, owner), fix: words().endpointTaken.fix });
    }
  },
};

const endpointApiInt: DesignRule = {
  id: 'endpoint-api-int-shared',
  dependsOn: [['topology'], ['services']],
  severity: 'warning',
  source: 'openshift-docs modules/installation-load-balancing-user-infra.adoc: 22623 is internal only',
  title: () => words().endpointApiInt.title,
  check(design, report) {
    if (design.topology === 'single-node' || design.services.loadBalancer.kind === 'external') return;
    const { api, apiInt, ingress } = design.endpoints;
    const sharedAddress = apiInt.find((address) => api.includes(address) || ingress.includes(address));
    if (sharedAddress === undefined || toCanonicalAddress(sharedAddress) === null) return;
    report(['endpoints', 'apiInt'], {
      message: words().endpointApiInt.message(sharedAddress),
      fix: words().endpointApiInt.fix,
    });
  },
};

/** Lists the endpoints that no load balancer has as its own address: keepalived assigns them. */
function listVirtualEndpoints(design: Design): AddressEntry[] {
  const balancerAddresses = new Set(design.services.loadBalancer.servers.flatMap(({ ip }) => ip));
  return listEndpointAddresses(design).filter(({ address }) => !balancerAddresses.has(address));
}

const endpointBalancer: DesignRule = {
  id: 'endpoint-balancer-network',
  dependsOn: [['endpoints'], ['networks', 'machine'], ['services', 'loadBalancer']],
  severity: 'error',
  source: 'RFC 5798: VRRP moves an address between machines of one network',
  title: () => words().endpointBalancer.title,
  check(design, report) {
    const { kind, servers } = design.services.loadBalancer;
    if (kind !== 'haproxy') return;
    const virtualEntries = listVirtualEndpoints(design);
    for (const network of parseMachineNetworks(design)) {
      const endpoint = virtualEntries.find(({ address }) => isAddressInNetwork(address, network));
      if (endpoint === undefined) continue;
      for (const [index, { name, ip }] of servers.entries()) {
        if (ip.some((address) => isAddressInNetwork(address, network))) continue;
        const message = words().endpointBalancer.message(name, formatNetwork(network), endpoint.address);
        report(['services', 'loadBalancer', 'servers', index, 'ip'], { message, fix: words().endpointBalancer.fix });
      }
    }
  },
};

const endpointOneBalancer: DesignRule = {
  id: 'endpoint-one-balancer',
  dependsOn: [['services', 'loadBalancer']],
  severity: 'warning',
  source: 'an address that cannot move fails with its machine',
  title: () => words().endpointOneBalancer.title,
  check(design, report) {
    const { kind, servers } = design.services.loadBalancer;
    if (kind !== 'haproxy' || servers.length < 2) return;
    for (const { path, address } of listEndpointAddresses(design)) {
      const owner = servers.find(({ ip }) => ip.includes(address));
      if (owner === undefined) continue;
      const message = words().endpointOneBalancer.message(address, owner.name);
      report(path, { message, fix: words().endpointOneBalancer.fix });
    }
  },
};

const singleNodeEndpoint: DesignRule = {
  id: 'single-node-endpoint',
  dependsOn: [['topology'], ['nodes'], ['services', 'loadBalancer']],
  severity: 'warning',
  source: 'openshift-docs: the DNS names of a single node resolve to the node',
  title: () => words().singleNodeEndpoint.title,
  check({ topology, nodes, services, endpoints }, report) {
    const [node, ...otherNodes] = nodes.filter(({ role }) => role === 'control-plane');
    if (topology !== 'single-node' || node === undefined || otherNodes.length > 0) return;
    if (services.loadBalancer.servers.length > 0) return;
    for (const key of ['api', 'apiInt', 'ingress'] as const) {
      const otherAddress = endpoints[key].find((address) => !node.ip.includes(address));
      if (otherAddress === undefined || toCanonicalAddress(otherAddress) === null) continue;
      const message = words().singleNodeEndpoint.message(otherAddress, node.name);
      report(['endpoints', key], { message, fix: words().singleNodeEndpoint.fix });
    }
  },
};

export const endpointRules: readonly DesignRule[] = [
  endpointOutside,
  endpointTaken,
  endpointApiInt,
  endpointBalancer,
  endpointOneBalancer,
  singleNodeEndpoint,
];
