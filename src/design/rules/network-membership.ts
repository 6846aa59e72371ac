import { catalogue } from '../../i18n/catalogue.ts';
import { IPV6_LINK_LOCAL, isAddressInNetwork, isInRange, parseNetwork, toCanonicalAddress } from '../address.ts';
import type { Design } from '../model.ts';
import {
  type AddressEntry,
  listHostEntries,
  listNetworkEntries,
  listNodeAddresses,
  listParsedNetworks,
  parseMachineNetworks,
} from './entries.ts';
import type { DesignRule, ReportProblem } from './rule.ts';

const words = () => catalogue().designRules;

/** Reports the addresses that are in none of the machine networks. */
export function reportOutsideAddresses(
  design: Design,
  addresses: readonly AddressEntry[],
  texts: { readonly message: (address: string, networks: string) => string; readonly fix: string },
  report: ReportProblem,
) {
  const networks = parseMachineNetworks(design);
  if (networks.length < design.networks.machine.length) return;
  const cidrs = design.networks.machine.map(({ cidr }) => cidr).join(', ');
  for (const { path, address } of addresses) {
    if (toCanonicalAddress(address) === null || networks.some((network) => isAddressInNetwork(address, network)))
      continue;
    report(path, { message: texts.message(address, cidrs), fix: texts.fix });
  }
}

const gatewayOutside: DesignRule = {
  id: 'gateway-outside',
  severity: 'error',
  source: 'a host reaches its gateway directly, on the same network',
  title: () => words().gatewayOutside.title,
  check({ networks }, report) {
    for (const [index, { cidr, gateway }] of networks.machine.entries()) {
      const network = parseNetwork(cidr);
      if (
        gateway === null ||
        network === null ||
        toCanonicalAddress(gateway) === null ||
        isAddressInNetwork(gateway, network)
      )
        continue;
      // IPv6 routers announce themselves by their link-local address.
      if (network.family === 6 && isInRange(gateway, IPV6_LINK_LOCAL)) continue;
      const message = words().gatewayOutside.message(gateway, cidr);
      report(['networks', 'machine', index, 'gateway'], { message, fix: words().gatewayOutside.fix });
    }
  },
};

const gatewayMissing: DesignRule = {
  id: 'gateway-missing',
  severity: 'warning',
  source: 'openshift-docs modules/installation-network-user-infra.adoc',
  dependsOn: [['services', 'dhcp']],
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

const routerInside: DesignRule = {
  id: 'router-inside',
  dependsOn: [['networks']],
  severity: 'error',
  source: 'the design file: the company side of the router',
  title: () => words().routerNetwork.title,
  check(design, report) {
    const { router } = design.networks;
    const internalNetwork = listParsedNetworks(design).find(
      ({ kind, network }) => kind !== 'company' && router !== null && isAddressInNetwork(router, network),
    );
    if (router === null || internalNetwork === undefined) return;
    report(['networks', 'router'], {
      message: words().routerNetwork.message(router, internalNetwork.cidr),
      fix: words().routerNetwork.fix,
    });
  },
};

const routerOutside: DesignRule = {
  id: 'router-outside',
  dependsOn: [['networks']],
  severity: 'warning',
  source: 'the next hop of a route is on a connected network',
  title: () => words().routerOutside.title,
  check(design, report) {
    const { router, company } = design.networks;
    const parsedNetworks = listParsedNetworks(design);
    if (router === null || toCanonicalAddress(router) === null || company.length === 0) return;
    // A link-local address does not identify its network. An address inside a network of the cluster is reported by
    // `router-inside`.
    if (isInRange(router, IPV6_LINK_LOCAL)) return;
    if (
      parsedNetworks.length < listNetworkEntries(design).length ||
      parsedNetworks.some(({ network }) => isAddressInNetwork(router, network))
    )
      return;
    const problem = {
      message: words().routerOutside.message(router, company.join(', ')),
      fix: words().routerOutside.fix,
    };
    report(['networks', 'router'], problem);
  },
};

const nodeOutside: DesignRule = {
  id: 'node-outside-network',
  dependsOn: [['networks', 'machine']],
  severity: 'error',
  source: 'openshift/installer docs/user/metal/install_upi.md: machineNetwork is where the nodes are',
  title: () => words().machineMember.title,
  check(design, report) {
    const networks = parseMachineNetworks(design);
    const addressEntries = listNodeAddresses(design).filter(({ address }) => toCanonicalAddress(address) !== null);
    const areAllOutside = !addressEntries.some(({ address }) =>
      networks.some((network) => isAddressInNetwork(address, network)),
    );
    // If no node is inside, the network is wrong: one problem, at the first node.
    const otherNames = areAllOutside ? design.nodes.slice(1).map(({ name }) => name) : [];
    const texts = { ...words().machineMember, message: appendOtherNames(words().machineMember.message, otherNames) };
    reportOutsideAddresses(design, areAllOutside ? addressEntries.slice(0, 1) : addressEntries, texts, report);
  },
};

function appendOtherNames(message: (address: string, networks: string) => string, otherNames: readonly string[]) {
  return (address: string, networks: string) => `${message(address, networks)}${words().alsoNodes(otherNames)}`;
}

const serviceHostOutside: DesignRule = {
  id: 'service-host-outside-network',
  dependsOn: [['networks', 'machine'], ['services']],
  severity: 'warning',
  source: 'the design file: service hosts are on the machine network; elsewhere they need a router',
  title: () => words().hostMember.title,
  check(design, report) {
    const networks = parseMachineNetworks(design);
    const { dns, loadBalancer } = design.services;
    // External name servers and load balancers may be on any network.
    const isExternal = {
      bastion: false,
      dns: dns.kind === 'external',
      'load-balancer': loadBalancer.kind === 'external',
    };
    const reportedHosts = new Set<string>();
    for (const { path, host, service } of listHostEntries(design)) {
      const isInMachineNetwork = host.ip.some((address) =>
        networks.some((network) => isAddressInNetwork(address, network)),
      );
      if (isExternal[service] || isInMachineNetwork || reportedHosts.has(host.name)) continue;
      reportedHosts.add(host.name);
      const texts = {
        ...words().hostMember,
        message: (address: string) => words().hostMember.message(host.name, address),
      };
      reportOutsideAddresses(
        design,
        host.ip.slice(0, 1).map((address) => ({ path: [...path, 'ip'], address, owner: host.name })),
        texts,
        report,
      );
    }
  },
};

export const membershipRules: readonly DesignRule[] = [
  gatewayOutside,
  gatewayMissing,
  routerInside,
  routerOutside,
  nodeOutside,
  serviceHostOutside,
];
