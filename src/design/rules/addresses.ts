import { designRules as words } from '../../text/en/design-rules.ts';
import { canonicalAddress, canonicalMac, firstAddress, isInside, lastAddress, parseNetwork } from '../address.ts';
import { endpointAddresses, hostAddresses, nodeAddresses, outsideAddresses } from './places.ts';
import type { Rule } from './rule.ts';

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

export const addressRules: readonly Rule[] = [addressSpecial, addressDuplicate, macDuplicate, podNetworkAddress];
