import { designRules as words } from '../../text/en/design-rules.ts';
import {
  canonicalAddress,
  canonicalMac,
  familyOf,
  firstAddress,
  isInside,
  lastAddress,
  type Network,
  parseNetwork,
} from '../address.ts';
import type { Design } from '../model.ts';
import {
  endpointAddresses,
  hostAddresses,
  nodeAddresses,
  outsideAddresses,
  type PlacedAddress,
  placedHosts,
} from './places.ts';
import type { Report, Rule } from './rule.ts';

/** The machine networks that can be read; empty when none can, and then nothing is said about membership. */
function machineNetworks(design: Design): Network[] {
  return design.networks.machine.flatMap(({ cidr }) => parseNetwork(cidr) ?? []);
}

function reportOutside(
  design: Design,
  addresses: readonly PlacedAddress[],
  said: typeof words.machineMember | typeof words.endpointMember,
  report: Report,
) {
  const networks = machineNetworks(design);
  if (networks.length < design.networks.machine.length) return;
  const names = design.networks.machine.map(({ cidr }) => cidr).join(', ');
  for (const { at, address } of addresses) {
    if (canonicalAddress(address) === null || networks.some((network) => isInside(address, network))) continue;
    report(at, { message: said.message(address, names), fix: said.fix });
  }
}

const machineMember: Rule = {
  id: 'node-outside-network',
  restsOn: [['networks', 'machine']],
  severity: 'error',
  source: 'openshift/installer docs/user/metal/install_upi.md: machineNetwork is where the nodes are',
  title: words.machineMember.title,
  check(design, report) {
    reportOutside(design, nodeAddresses(design), words.machineMember, report);
  },
};

const endpointMember: Rule = {
  id: 'endpoint-outside-network',
  restsOn: [['topology'], ['networks', 'machine'], ['services']],
  severity: 'error',
  source: 'keepalived puts the endpoints on the interface of the machine network',
  title: words.endpointMember.title,
  check(design, report) {
    // A load balancer that is not ours may be anywhere.
    if (design.services.loadBalancer.kind === 'external' && design.topology !== 'single-node') return;
    reportOutside(design, endpointAddresses(design), words.endpointMember, report);
  },
};

const addressSpecial: Rule = {
  id: 'address-special',
  severity: 'error',
  source: 'RFC 1122 section 3.2.1.3',
  title: words.addressSpecial.title,
  check(design, report) {
    const said = words.addressSpecial;
    const machines = [...nodeAddresses(design), ...hostAddresses(design), ...endpointAddresses(design)];
    const gateways = design.networks.machine.flatMap(({ gateway: address }, index) =>
      address === null ? [] : [{ at: ['networks', 'machine', index, 'gateway'] as const, address, isGateway: true }],
    );
    const all = [...machines.map((machine) => ({ ...machine, isGateway: false })), ...gateways];
    for (const { at, address, isGateway } of all) {
      for (const { cidr, gateway } of design.networks.machine) {
        const network = parseNetwork(cidr);
        const hasEnds = network !== null && network.family === 4 && network.prefix < 31;
        if (hasEnds && address === firstAddress(network))
          report(at, { message: said.network(address, cidr), fix: said.fix });
        else if (hasEnds && address === lastAddress(network))
          report(at, { message: said.broadcast(address, cidr), fix: said.fix });
        else if (!isGateway && gateway !== null && address === gateway && canonicalAddress(address) !== null) {
          report(at, { message: said.gateway(address), fix: said.fix });
        }
      }
    }
  },
};

const addressDuplicate: Rule = {
  id: 'address-duplicate',
  severity: 'error',
  source: 'openshift/assisted-service: no-ip-collisions-in-network',
  title: words.addressDuplicate.title,
  check(design, report) {
    const taken = new Map<string, string>();
    const nodes = nodeAddresses(design).map((placed) => ({ ...placed, key: `node ${String(placed.at[1])}` }));
    // The same service host in several roles is one machine.
    const hosts = hostAddresses(design).map((placed) => ({ ...placed, key: `host ${placed.owner}` }));
    const owners = new Map<string, string>();
    for (const { at, address, owner, key } of [...nodes, ...hosts]) {
      if (canonicalAddress(address) === null) continue;
      const other = taken.get(address);
      if (other !== undefined && other !== key) {
        const message = words.addressDuplicate.message(address, owners.get(address) ?? '');
        report(at, { message, fix: words.addressDuplicate.fix });
      } else if (other !== undefined && key.startsWith('node')) {
        report(at, { message: words.addressDuplicate.message(address, owner), fix: words.addressDuplicate.fix });
      }
      taken.set(address, other ?? key);
      owners.set(address, owners.get(address) ?? owner);
    }
  },
};

const macDuplicate: Rule = {
  id: 'mac-duplicate',
  severity: 'error',
  source: 'openshift/installer pkg/types/baremetal/validation: bootMACAddress is unique',
  title: words.macDuplicate.title,
  check({ nodes }, report) {
    const owners = new Map<string, string>();
    for (const [index, { mac, name }] of nodes.entries()) {
      if (canonicalMac(mac) === null) continue;
      const owner = owners.get(mac);
      if (owner === undefined) owners.set(mac, name);
      else
        report(['nodes', index, 'mac'], {
          message: words.macDuplicate.message(mac, owner),
          fix: words.macDuplicate.fix,
        });
    }
  },
};

const endpointTaken: Rule = {
  id: 'endpoint-taken',
  restsOn: [['topology'], ['nodes'], ['services']],
  severity: 'error',
  source: 'the design file: endpoints are equal to each other or to a load balancer’s own address',
  title: words.endpointTaken.title,
  check(design, report) {
    const balancers = new Set(design.services.loadBalancer.servers.map(({ name }) => name));
    const owners = new Map<string, string>();
    // A single node is its own API server and router.
    const nodes = design.topology === 'single-node' ? [] : nodeAddresses(design);
    for (const { address, owner } of nodes) owners.set(address, owner);
    for (const { host } of placedHosts(design)) {
      if (!balancers.has(host.name)) for (const address of host.ip) owners.set(address, host.name);
    }
    for (const { at, address } of endpointAddresses(design)) {
      const owner = owners.get(address);
      if (owner === undefined || canonicalAddress(address) === null) continue;
      report(at, { message: words.endpointTaken.message(address, owner), fix: words.endpointTaken.fix });
    }
  },
};

const endpointApiInt: Rule = {
  id: 'endpoint-api-int-shared',
  restsOn: [['topology'], ['services']],
  severity: 'warning',
  source: 'openshift-docs modules/installation-load-balancing-user-infra.adoc: 22623 is internal only',
  title: words.endpointApiInt.title,
  check(design, report) {
    if (design.topology === 'single-node' || design.services.loadBalancer.kind === 'external') return;
    const shared = design.endpoints.apiInt.find((address) => design.endpoints.ingress.includes(address));
    if (shared === undefined || canonicalAddress(shared) === null) return;
    report(['endpoints', 'apiInt'], { message: words.endpointApiInt.message(shared), fix: words.endpointApiInt.fix });
  },
};

const gateway: Rule = {
  id: 'gateway-outside',
  severity: 'error',
  source: 'a gateway is reached without a gateway',
  title: words.gatewayOutside.title,
  check({ networks }, report) {
    for (const [index, { cidr, gateway }] of networks.machine.entries()) {
      const network = parseNetwork(cidr);
      if (gateway === null || network === null || canonicalAddress(gateway) === null || isInside(gateway, network))
        continue;
      const message = words.gatewayOutside.message(gateway, cidr);
      report(['networks', 'machine', index, 'gateway'], { message, fix: words.gatewayOutside.fix });
    }
  },
};

const gatewayMissing: Rule = {
  id: 'gateway-missing',
  severity: 'warning',
  source: 'openshift-docs modules/installation-network-user-infra.adoc',
  title: words.gatewayMissing.title,
  check({ networks }, report) {
    if (networks.machine.some((network) => network.gateway !== null)) return;
    report(['networks', 'machine', 0], { message: words.gatewayMissing.message, fix: words.gatewayMissing.fix });
  },
};

const podNetworkAddress: Rule = {
  id: 'address-in-cluster-network',
  severity: 'error',
  source: 'openshift/assisted-service internal/network: non-overlapping-subnets',
  title: words.podNetworkAddress.title,
  check(design, report) {
    const inside = [...design.networks.cluster.map(({ cidr }) => cidr), ...design.networks.service];
    for (const { at, address } of [
      ...hostAddresses(design),
      ...endpointAddresses(design),
      ...outsideAddresses(design),
    ]) {
      for (const cidr of inside) {
        const network = parseNetwork(cidr);
        if (network === null || !isInside(address, network)) continue;
        report(at, { message: words.podNetworkAddress.message(address, cidr), fix: words.podNetworkAddress.fix });
      }
    }
  },
};

const nodeFamilies: Rule = {
  id: 'node-families',
  severity: 'error',
  source: 'openshift/installer pkg/types/validation/installconfig.go: dual-stack',
  title: words.nodeFamilies.title,
  check(design, report) {
    const families = new Set(machineNetworks(design).map(({ family }) => family));
    for (const [index, { ip }] of design.nodes.entries()) {
      if (ip.some((address) => canonicalAddress(address) === null)) continue;
      for (const family of families) {
        if (ip.some((address) => familyOf(address) === family)) continue;
        report(['nodes', index, 'ip'], { message: words.nodeFamilies.message(family), fix: words.nodeFamilies.fix });
      }
    }
  },
};

export const addressRules: readonly Rule[] = [
  gateway,
  gatewayMissing,
  endpointMember,
  endpointTaken,
  endpointApiInt,
  machineMember,
  nodeFamilies,
  addressSpecial,
  addressDuplicate,
  macDuplicate,
  podNetworkAddress,
];
