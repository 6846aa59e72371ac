import { catalogue } from '../../text/catalogue.ts';
import { canonicalAddress, isInRange, isInside, parseNetwork } from '../address.ts';
import type { Design } from '../model.ts';
import {
  machineNetworks,
  nodeAddresses,
  type PlacedAddress,
  parsedNetworks,
  placedHosts,
  placedNetworks,
} from './places.ts';
import type { Report, Rule } from './rule.ts';

const words = () => catalogue().designRules;

const LINK_LOCAL = 'fe80::/10';

/** Reports the addresses that are in none of the machine networks. */
export function reportOutside(
  design: Design,
  addresses: readonly PlacedAddress[],
  said: { readonly message: (address: string, networks: string) => string; readonly fix: string },
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

const gateway: Rule = {
  id: 'gateway-outside',
  severity: 'error',
  source: 'a gateway is reached without a gateway',
  title: () => words().gatewayOutside.title,
  check({ networks }, report) {
    for (const [index, { cidr, gateway }] of networks.machine.entries()) {
      const network = parseNetwork(cidr);
      if (gateway === null || network === null || canonicalAddress(gateway) === null || isInside(gateway, network))
        continue;
      // IPv6 routers announce themselves by their link-local address.
      if (network.family === 6 && isInRange(gateway, LINK_LOCAL)) continue;
      const message = words().gatewayOutside.message(gateway, cidr);
      report(['networks', 'machine', index, 'gateway'], { message, fix: words().gatewayOutside.fix });
    }
  },
};

const gatewayMissing: Rule = {
  id: 'gateway-missing',
  severity: 'warning',
  source: 'openshift-docs modules/installation-network-user-infra.adoc',
  restsOn: [['services', 'dhcp']],
  title: () => words().gatewayMissing.title,
  check({ networks, services }, report) {
    const { message, fix } = words().gatewayMissing;
    for (const [index, { cidr, gateway }] of networks.machine.entries()) {
      // With DHCP, nodes learn their IPv6 router from its advertisements.
      const isAnnounced = parseNetwork(cidr)?.family === 6 && services.dhcp.kind !== 'none';
      if (gateway === null && !isAnnounced) report(['networks', 'machine', index], { message, fix });
    }
  },
};

const routerSide: Rule = {
  id: 'router-inside',
  restsOn: [['networks']],
  severity: 'error',
  source: 'the design file: the company side of the router',
  title: () => words().routerSide.title,
  check(design, report) {
    const { router } = design.networks;
    const own = parsedNetworks(design).find(
      ({ kind, network }) => kind !== 'company' && router !== null && isInside(router, network),
    );
    if (router === null || own === undefined) return;
    report(['networks', 'router'], {
      message: words().routerSide.message(router, own.cidr),
      fix: words().routerSide.fix,
    });
  },
};

const routerOutside: Rule = {
  id: 'router-outside',
  restsOn: [['networks']],
  severity: 'warning',
  source: 'a route leads over a neighbour',
  title: () => words().routerOutside.title,
  check(design, report) {
    const { router, company } = design.networks;
    const all = parsedNetworks(design);
    if (router === null || canonicalAddress(router) === null || company.length === 0) return;
    // A link-local address says nothing of the network it is in; one on our own side is an error of its own.
    if (isInRange(router, LINK_LOCAL)) return;
    if (all.length < placedNetworks(design).length || all.some(({ network }) => isInside(router, network))) return;
    const said = { message: words().routerOutside.message(router, company.join(', ')), fix: words().routerOutside.fix };
    report(['networks', 'router'], said);
  },
};

const machineMember: Rule = {
  id: 'node-outside-network',
  restsOn: [['networks', 'machine']],
  severity: 'error',
  source: 'openshift/installer docs/user/metal/install_upi.md: machineNetwork is where the nodes are',
  title: () => words().machineMember.title,
  check(design, report) {
    const networks = machineNetworks(design);
    const all = nodeAddresses(design).filter(({ address }) => canonicalAddress(address) !== null);
    const isNobodyInside = !all.some(({ address }) => networks.some((network) => isInside(address, network)));
    // Where no node is inside, the network is wrong: one problem, at the network.
    const others = isNobodyInside ? design.nodes.slice(1).map(({ name }) => name) : [];
    const said = { ...words().machineMember, message: withOthers(words().machineMember.message, others) };
    reportOutside(design, isNobodyInside ? all.slice(0, 1) : all, said, report);
  },
};

function withOthers(message: (address: string, networks: string) => string, others: readonly string[]) {
  return (address: string, networks: string) => `${message(address, networks)}${words().alsoNodes(others)}`;
}

const hostMember: Rule = {
  id: 'service-host-outside-network',
  restsOn: [['networks', 'machine'], ['services']],
  severity: 'warning',
  source: 'the design file: service hosts stand on the machine network; elsewhere only a router leads to them',
  title: () => words().hostMember.title,
  check(design, report) {
    const networks = machineNetworks(design);
    const { dns, loadBalancer } = design.services;
    // Name servers and balancers that other people run may be anywhere.
    const isForeign = {
      bastion: false,
      dns: dns.kind === 'external',
      'load-balancer': loadBalancer.kind === 'external',
    };
    const told = new Set<string>();
    for (const { at, host, duty } of placedHosts(design)) {
      const isInsideOne = host.ip.some((address) => networks.some((network) => isInside(address, network)));
      if (isForeign[duty] || isInsideOne || told.has(host.name)) continue;
      told.add(host.name);
      const said = {
        ...words().hostMember,
        message: (address: string) => words().hostMember.message(host.name, address),
      };
      reportOutside(
        design,
        host.ip.slice(0, 1).map((address) => ({ at: [...at, 'ip'], address, owner: host.name })),
        said,
        report,
      );
    }
  },
};

export const membershipRules: readonly Rule[] = [
  gateway,
  gatewayMissing,
  routerSide,
  routerOutside,
  machineMember,
  hostMember,
];
