import type { DialMap } from '../../ports/reach.ts';
import { lookUp } from '../hosts/name-server.ts';
import type { Zone } from '../hosts/zone-file.ts';
import type { Addresses } from './addresses.ts';

/** The names below a wildcard that the wizard and people ask for: a map cannot hold them all. */
const BELOW_WILDCARDS = [
  'console-openshift-console',
  'oauth-openshift',
  'downloads-openshift-console',
  'canary-openshift-ingress-canary',
  'random',
];

/** Every address of the site, and every name that the name servers answer for: a record that is missing is missing here too. */
export function dialMap(addresses: Addresses, zones: readonly Zone[]): DialMap {
  const hosts: Record<string, string> = {};
  for (const name of namesIn(zones)) {
    const found = lookUp(zones, name, 'A').answers.find(({ type }) => type === 'A');
    const other = found ?? lookUp(zones, name, 'AAAA').answers.find(({ type }) => type === 'AAAA');
    if (other) hosts[name] = addresses.loopback(other.data);
  }
  return { hosts: { ...addresses.all(), ...hosts }, lowPortShift: addresses.lowPortShift };
}

function namesIn(zones: readonly Zone[]): Set<string> {
  const names = zones
    .flatMap(({ records }) => records)
    .filter(({ type }) => type === 'A' || type === 'AAAA' || type === 'CNAME')
    .flatMap(({ name }) =>
      name.startsWith('*.') ? BELOW_WILDCARDS.map((label) => `${label}${name.slice(1)}`) : [name],
    );
  return new Set(names);
}
