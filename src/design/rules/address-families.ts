import { catalogue } from '../../i18n/catalogue.ts';
import { type AddressFamily, getAddressFamily, toCanonicalAddress } from '../address.ts';
import type { Design } from '../model.ts';
import { getVersionProfile, parseMinorVersion } from '../versions.ts';
import {
  listHostEntries,
  listNetworkEntries,
  listParsedNetworks,
  type ParsedNetwork,
  parseMachineNetworks,
} from './entries.ts';
import { createNodeGroupRule, type DesignRule, INSTALLER_VALIDATION } from './rule.ts';

const words = () => catalogue().designRules;

const NETWORK_KINDS = ['machine', 'cluster', 'service'] as const;

function collectFamilies(networks: readonly ParsedNetwork[], kind: ParsedNetwork['kind']): Set<AddressFamily> {
  return new Set(networks.filter((entry) => entry.kind === kind).map(({ network }) => network.family));
}

const dualStack: DesignRule = {
  id: 'dual-stack',
  severity: 'error',
  source: `${INSTALLER_VALIDATION}: dual-stack requires both families in this list`,
  title: () => words().dualStack.title,
  check(design, report) {
    const parsedNetworks = listParsedNetworks(design);
    if (parsedNetworks.length < listNetworkEntries(design).length) return;
    const { message, messageService, fix } = words().dualStack;
    const serviceFamilies = collectFamilies(parsedNetworks, 'service');
    for (const kind of ['machine', 'cluster'] as const) {
      const kindFamilies = collectFamilies(parsedNetworks, kind);
      for (const family of serviceFamilies)
        if (!kindFamilies.has(family)) report(['networks', kind], { message: message(family), fix });
    }
    for (const family of collectFamilies(parsedNetworks, 'cluster')) {
      if (!serviceFamilies.has(family)) report(['networks', 'service'], { message: messageService(family), fix });
    }
  },
};

const familyOrder: DesignRule = {
  id: 'family-order',
  dependsOn: [['openshift']],
  severity: 'error',
  source: `${INSTALLER_VALIDATION}: IPv4 addresses must be listed before IPv6 addresses (4.9; not on platform none since 4.21)`,
  title: () => words().familyOrder.title,
  check(design, report) {
    const parsedNetworks = listParsedNetworks(design);
    const getFirstFamily = (kind: ParsedNetwork['kind']) =>
      parsedNetworks.find((entry) => entry.kind === kind)?.network.family;
    const canStartWithV6 = getVersionProfile(design.openshift.version).canIpv6BeFirst;
    for (const kind of NETWORK_KINDS) {
      const isDual = collectFamilies(parsedNetworks, kind).size > 1;
      if (isDual && !canStartWithV6 && getFirstFamily(kind) === 6) {
        report(['networks', kind], { message: words().familyOrder.message, fix: words().familyOrder.fix });
      } else if (isDual && canStartWithV6 && getFirstFamily(kind) !== getFirstFamily('service')) {
        report(['networks', kind], { message: words().familyOrder.mixed, fix: words().familyOrder.fixMixed });
      }
    }
  },
};

const networkTypeIpv6: DesignRule = {
  id: 'network-type-families',
  dependsOn: [['openshift']],
  severity: 'error',
  source: `${INSTALLER_VALIDATION}: IPv6 is not supported for this networking plugin`,
  title: () => words().networkTypeIpv6.title,
  check(design, report) {
    const { networks, openshift } = design;
    const isSdn = /^openshiftsdn$/i.test(networks.type) && parseMinorVersion(openshift.version) !== null;
    const parsedNetworks = listParsedNetworks(design);
    const hasV6 = NETWORK_KINDS.some((kind) => collectFamilies(parsedNetworks, kind).has(6));
    if (!isSdn || !hasV6 || !getVersionProfile(openshift.version).networkTypes.includes(networks.type)) return;
    report(['networks', 'type'], { message: words().networkTypeIpv6.message, fix: words().networkTypeIpv6.fix });
  },
};

const nodeFamilies = createNodeGroupRule(
  {
    id: 'node-families',
    dependsOn: [['networks', 'machine']],
    severity: 'error',
    source: `${INSTALLER_VALIDATION}: dual-stack`,
    title: () => words().nodeFamilies.title,
  },
  (design) => {
    const families = [...collectMachineFamilies(design)];
    const { message, fix } = words().nodeFamilies;
    return ({ ip }) => {
      if (ip.some((address) => toCanonicalAddress(address) === null)) return [];
      const missingFamilies = families.filter((family) => !ip.some((address) => getAddressFamily(address) === family));
      return missingFamilies.map((family) => ({ path: ['ip'], group: String(family), message: message(family), fix }));
    };
  },
);

function collectMachineFamilies(design: Design): Set<AddressFamily> {
  return new Set(parseMachineNetworks(design).map(({ family }) => family));
}

const hostFamilies: DesignRule = {
  id: 'host-families',
  dependsOn: [['networks', 'machine'], ['services']],
  severity: 'error',
  source: 'machines that have no family in common cannot reach each other',
  title: () => words().hostFamilies.title,
  check(design, report) {
    const families = collectMachineFamilies(design);
    const isReachable = (addresses: readonly string[]) =>
      addresses.some((address) => toCanonicalAddress(address) === null || families.has(getAddressFamily(address)));
    if (families.size === 0) return;
    const toProblem = (name: string) => ({
      message: words().hostFamilies.message(name),
      fix: words().hostFamilies.fix,
    });
    for (const { path, host } of listHostEntries(design)) {
      if (!isReachable(host.ip)) report([...path, 'ip'], toProblem(host.name));
    }
    const { servers, forwarders } = design.services.dns;
    if (servers.length > 0 || forwarders.length === 0 || isReachable(forwarders)) return;
    report(['services', 'dns', 'forwarders'], toProblem(forwarders.join(', ')));
  },
};

const endpointFamilies: DesignRule = {
  id: 'endpoint-families',
  dependsOn: [['networks', 'service']],
  severity: 'warning',
  source: 'openshift-docs modules/installation-dns-user-infra.adoc: A/AAAA records of the endpoints',
  title: () => words().endpointFamilies.title,
  check(design, report) {
    const families = collectFamilies(listParsedNetworks(design), 'service');
    for (const key of ['api', 'apiInt', 'ingress'] as const) {
      const list = design.endpoints[key];
      if (list.some((address) => toCanonicalAddress(address) === null)) continue;
      for (const family of families) {
        if (list.some((address) => getAddressFamily(address) === family)) continue;
        const problem = { message: words().endpointFamilies.message(family), fix: words().endpointFamilies.fix };
        report(['endpoints', key], problem);
      }
    }
  },
};

const dhcpIpv6: DesignRule = {
  id: 'dhcp-families',
  dependsOn: [
    ['networks', 'machine'],
    ['services', 'dhcp'],
  ],
  severity: 'error',
  source: 'the generated DHCP servers serve IPv4',
  title: () => words().dhcpIpv6.title,
  check(design, report) {
    const families = collectMachineFamilies(design);
    if (design.services.dhcp.kind === 'none' || families.has(4) || !families.has(6)) return;
    report(['services', 'dhcp', 'kind'], { message: words().dhcpIpv6.message, fix: words().dhcpIpv6.fix });
  },
};

export const familyRules: readonly DesignRule[] = [
  dualStack,
  familyOrder,
  networkTypeIpv6,
  nodeFamilies,
  hostFamilies,
  endpointFamilies,
  dhcpIpv6,
];
