import { catalogue } from '../../i18n/catalogue.ts';
import { hasOverlap, overlapsRange, parseNetwork } from '../address.ts';
import type { Design } from '../model.ts';
import { isOvnKubernetes } from '../names.ts';
import { versionProfile } from '../versions.ts';
import { listParsedNetworks, type ParsedNetwork } from './design-entries.ts';
import type { Rule } from './rule.ts';
import { ASSISTED_VALIDATION, INSTALLER_VALIDATION } from './rule-sources.ts';

const words = () => catalogue().designRules;

const DOCKER_BRIDGE = '172.17.0.0/16';

function findOvnOverlaps(design: Design): Overlap[] {
  return findOverlaps(
    design,
    versionProfile(design.openshift.version).internalNetworks.map(({ cidr }) => cidr),
  );
}

type Overlap = ParsedNetwork & { readonly internal: string };

function findOverlaps(design: Design, internals: readonly string[]): Overlap[] {
  if (!isOvnKubernetes(design)) return [];
  return listParsedNetworks(design).flatMap((entry) =>
    internals.flatMap((internal) => (overlapsRange(entry.network, internal) ? [{ ...entry, internal }] : [])),
  );
}

const networkOverlap: Rule = {
  id: 'network-overlap',
  severity: 'error',
  source: INSTALLER_VALIDATION,
  title: () => words().cidrOverlap.title,
  check(design, report) {
    const all = listParsedNetworks(design);
    for (const [index, { at, cidr, network, kind }] of all.entries()) {
      for (const other of all.slice(0, index)) {
        // Company networks may be listed in parts and as a whole.
        if ((kind === 'company' && other.kind === 'company') || !hasOverlap(network, other.network)) continue;
        const message = words().cidrOverlap.message(cidr, other.cidr, other.kind);
        report(at, { message, fix: words().cidrOverlap.fix });
      }
    }
  },
};

const ovnInternal: Rule = {
  id: 'ovn-internal',
  dependsOn: [['openshift'], ['networks', 'type']],
  severity: 'error',
  source: `${INSTALLER_VALIDATION}: OVNKubernetes default internal subnets (4.19)`,
  title: () => words().ovnInternal.title,
  check(design, report) {
    for (const { at, cidr, internal, kind } of findOvnOverlaps(design)) {
      if (kind !== 'company')
        report(at, { message: words().ovnInternal.message(cidr, internal), fix: words().ovnInternal.fix });
    }
  },
};

const ovnInternalCompany: Rule = {
  id: 'ovn-internal-company',
  dependsOn: [['openshift'], ['networks', 'type']],
  severity: 'warning',
  source: `${INSTALLER_VALIDATION}: OVNKubernetes default internal subnets`,
  title: () => words().ovnInternalCompany.title,
  check(design, report) {
    for (const { at, cidr, internal, kind } of findOvnOverlaps(design)) {
      if (kind !== 'company') continue;
      report(at, { message: words().ovnInternalCompany.message(cidr, internal), fix: words().ovnInternalCompany.fix });
    }
  },
};

const ovnInternalLater: Rule = {
  id: 'ovn-internal-later',
  dependsOn: [['openshift'], ['networks', 'type']],
  severity: 'warning',
  source: 'OVN-Kubernetes: the transit switch between zones, 4.14',
  title: () => words().ovnInternalLater.title,
  check(design, report) {
    const later = versionProfile(design.openshift.version).laterInternalNetworks;
    for (const { at, cidr, internal, kind } of findOverlaps(design, later)) {
      if (kind === 'company') continue;
      report(at, { message: words().ovnInternalLater.message(cidr, internal), fix: words().ovnInternalLater.fix });
    }
  },
};

const machineNetworkSize: Rule = {
  id: 'machine-network-size',
  dependsOn: [['topology']],
  severity: 'error',
  source: `${ASSISTED_VALIDATION}: the machine network holds the hosts`,
  title: () => words().machineNetworkSize.title,
  check(design, report) {
    for (const { at, cidr, network, kind } of listParsedNetworks(design)) {
      const bits = network.family === 4 ? 32 : 128;
      // Two addresses suffice for a node and its router; other machines on the same network need four.
      const hostBits = design.topology === 'single-node' ? 1 : 2;
      if (kind !== 'machine' || network.prefix <= bits - hostBits) continue;
      report(at, { message: words().machineNetworkSize.message(cidr), fix: words().machineNetworkSize.fix });
    }
  },
};

const dockerBridge: Rule = {
  id: 'docker-bridge',
  severity: 'warning',
  source: `${INSTALLER_VALIDATION}: overlaps with default Docker Bridge subnet (4.19)`,
  title: () => words().dockerBridge.title,
  check(design, report) {
    const bridge = parseNetwork(DOCKER_BRIDGE);
    for (const { at, cidr, network, kind } of listParsedNetworks(design)) {
      if (kind === 'company' || bridge === null || !hasOverlap(network, bridge)) continue;
      report(at, { message: words().dockerBridge.message(cidr), fix: words().dockerBridge.fix });
    }
  },
};

export const networkRules: readonly Rule[] = [
  networkOverlap,
  ovnInternal,
  ovnInternalCompany,
  ovnInternalLater,
  machineNetworkSize,
  dockerBridge,
];
