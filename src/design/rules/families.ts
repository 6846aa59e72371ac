import { designRules as words } from '../../text/en/design-rules.ts';
import { canonicalAddress, familyOf } from '../address.ts';
import { versionProfile } from '../versions.ts';
import { INSTALLER } from './origins.ts';
import { machineNetworks, parsedNetworks, placedNetworks } from './places.ts';
import type { Rule } from './rule.ts';

const dualStack: Rule = {
  id: 'dual-stack',
  severity: 'error',
  source: `${INSTALLER}: dual-stack requires both families in this list`,
  title: words.dualStack.title,
  check(design, report) {
    const all = parsedNetworks(design);
    if (all.length < placedNetworks(design).length) return;
    const wanted = new Set(all.filter(({ kind }) => kind === 'service').map(({ network }) => network.family));
    for (const kind of ['machine', 'cluster'] as const) {
      const has = new Set(all.filter((entry) => entry.kind === kind).map(({ network }) => network.family));
      for (const family of wanted) {
        if (!has.has(family))
          report(['networks', kind], { message: words.dualStack.message(family), fix: words.dualStack.fix });
      }
    }
  },
};

const familyOrder: Rule = {
  id: 'family-order',
  restsOn: [['openshift']],
  severity: 'error',
  source: `${INSTALLER}: IPv4 addresses must be listed before IPv6 addresses (4.9; not on platform none since 4.21)`,
  title: words.familyOrder.title,
  check(design, report) {
    if (versionProfile(design.openshift.version).canIpv6BeFirst) return;
    for (const kind of ['machine', 'cluster', 'service'] as const) {
      const entries = parsedNetworks(design).filter((entry) => entry.kind === kind);
      if (entries[0]?.network.family !== 6 || !entries.some(({ network }) => network.family === 4)) continue;
      report(['networks', kind], { message: words.familyOrder.message, fix: words.familyOrder.fix });
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

export const familyRules: readonly Rule[] = [dualStack, familyOrder, nodeFamilies];
