import type { DialMap } from '../../platform/manual-actions.ts';
import type { Zone } from '../hosts/dns.ts';
import { lookUp } from '../hosts/dns.ts';
import type { Addresses } from './addresses.ts';

/** Labels below a wildcard that the wizard and its users request: a map cannot hold all names. */
const WILDCARD_LABELS = [
  'console-openshift-console',
  'oauth-openshift',
  'downloads-openshift-console',
  'canary-openshift-ingress-canary',
  'random',
];

/**
 * Maps every address of the site, and every name that the name servers resolve: a missing record is missing here too.
 */
export function buildDialMap(addresses: Addresses, zones: readonly Zone[]): DialMap {
  const hosts: Record<string, string> = {};
  for (const name of listNames(zones)) {
    const found = lookUp(zones, name, 'A').answers.find(({ type }) => type === 'A');
    const other = found ?? lookUp(zones, name, 'AAAA').answers.find(({ type }) => type === 'AAAA');
    if (other) hosts[name] = addresses.loopback(other.data);
  }
  return { hosts: { ...addresses.all(), ...hosts }, lowPortShift: addresses.lowPortShift };
}

function listNames(zones: readonly Zone[]): Set<string> {
  const names = zones
    .flatMap(({ records }) => records)
    .filter(({ type }) => type === 'A' || type === 'AAAA' || type === 'CNAME')
    .flatMap(({ name }) =>
      name.startsWith('*.') ? WILDCARD_LABELS.map((label) => `${label}${name.slice(1)}`) : [name],
    );
  return new Set(names);
}
