import { catalogue } from '../../text/catalogue.ts';
import {
  canonicalAddress,
  canonicalMac,
  firstAddress,
  isInRange,
  isInside,
  isOverlap,
  lastAddress,
  overlapsRange,
  parseNetwork,
} from '../address.ts';
import { isOvn } from '../names.ts';
import { versionProfile } from '../versions.ts';
import {
  allAddresses,
  endpointAddresses,
  gatewayAddresses,
  hostAddresses,
  machineNetworks,
  nodeAddresses,
  outsideAddresses,
  parsedNetworks,
  routerAddress,
} from './places.ts';
import type { Rule } from './rule.ts';

const words = () => catalogue().designRules;

const addressSpecial: Rule = {
  id: 'address-special',
  severity: 'error',
  source: 'RFC 1122 section 3.2.1.3',
  title: () => words().addressSpecial.title,
  check(design, report) {
    const { network: ofNetwork, broadcast, gateway, fix } = words().addressSpecial;
    const ends = new Map<string, string>();
    for (const { cidr, network, kind } of parsedNetworks(design)) {
      const hasEnds = network.family === 4 && network.prefix < 31;
      if (!hasEnds || (kind !== 'machine' && kind !== 'company')) continue;
      ends.set(firstAddress(network), ofNetwork(firstAddress(network), cidr));
      ends.set(lastAddress(network), broadcast(lastAddress(network), cidr));
    }
    const gateways = new Set(gatewayAddresses(design).map(({ address }) => address));
    for (const { at, address } of allAddresses(design)) {
      const message = ends.get(address) ?? (gateways.has(address) ? gateway(address) : undefined);
      if (message !== undefined && canonicalAddress(address) !== null) report(at, { message, fix });
    }
    for (const { at, address } of [...gatewayAddresses(design), ...routerAddress(design)]) {
      const message = ends.get(address);
      if (message !== undefined) report(at, { message, fix });
    }
  },
};

const addressDuplicate: Rule = {
  id: 'address-duplicate',
  severity: 'error',
  source: 'openshift/assisted-service: no-ip-collisions-in-network',
  title: () => words().addressDuplicate.title,
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
        const message = words().addressDuplicate.message(address, owners.get(address) ?? '');
        report(at, { message, fix: words().addressDuplicate.fix });
      } else if (other !== undefined && key.startsWith('node')) {
        report(at, { message: words().addressDuplicate.message(address, owner), fix: words().addressDuplicate.fix });
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
  title: () => words().macDuplicate.title,
  check({ nodes }, report) {
    const owners = new Map<string, string>();
    for (const [index, { mac, name }] of nodes.entries()) {
      if (canonicalMac(mac) === null) continue;
      const owner = owners.get(mac);
      if (owner === undefined) owners.set(mac, name);
      else
        report(['nodes', index, 'mac'], {
          message: words().macDuplicate.message(mac, owner),
          fix: words().macDuplicate.fix,
        });
    }
  },
};

const podNetworkAddress: Rule = {
  id: 'address-in-cluster-network',
  severity: 'error',
  source: 'openshift/assisted-service internal/network: non-overlapping-subnets',
  title: () => words().podNetworkAddress.title,
  check(design, report) {
    const own = [...design.networks.cluster.map(({ cidr }) => cidr), ...design.networks.service];
    const ovn = isOvn(design) ? versionProfile(design.openshift.version).internalNetworks : [];
    // A whole machine network in there is one problem, at the network.
    const said = machineNetworks(design);
    const ofOwn = own.flatMap((cidr) => {
      const network = parseNetwork(cidr);
      return network === null || said.some((machine) => isOverlap(machine, network)) ? [] : [{ cidr, network }];
    });
    const ofOvn = ovn.map(({ cidr }) => cidr).filter((range) => !said.some((machine) => overlapsRange(machine, range)));
    const needed = [...hostAddresses(design), ...endpointAddresses(design), ...outsideAddresses(design)];
    for (const { at, address } of needed) {
      const hit =
        ofOwn.find(({ network }) => isInside(address, network))?.cidr ??
        ofOvn.find((range) => isInRange(address, range));
      if (hit === undefined) continue;
      report(at, { message: words().podNetworkAddress.message(address, hit), fix: words().podNetworkAddress.fix });
    }
  },
};

export const addressRules: readonly Rule[] = [addressSpecial, addressDuplicate, macDuplicate, podNetworkAddress];
