import { addressToNumber, canonicalAddress, parseNetwork } from '../../../design/address.ts';
import type { Design } from '../../../design/model.ts';
import { serviceHosts } from '../../../design/names.ts';
import { diagnosticRule, matchLogLines, type Symptom, symptomsFromLines } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';

const RANGES = {
  'isc-dhcpd': /^\s*range\s+(?:dynamic-bootp\s+)?([\d.]+)(?:\s+([\d.]+))?\s*;/gm,
  'kea-dhcp4': /"pool"\s*:\s*"\s*([\d.]+)\s*(?:-\s*([\d.]+)|\/(\d+))\s*"/g,
} as const;
/** Addresses that are listed for one range. */
const MAX_ADDRESSES = 4;

/** The DHCP server leases out addresses that belong to nodes, service hosts or the endpoints. */
export const dhcpPoolOverlaps = diagnosticRule('dhcp-pool-overlaps', 'boot', (evidence) => [
  ...findOverlappingRanges(evidence),
  ...symptomsFromLines(
    matchLogLines(evidence, /Dynamic and static leases present for/).slice(-1),
    'certain',
    'journalctl -u dhcpd -u isc-dhcp-server | grep "Dynamic and static"',
  ),
]);

function findOverlappingRanges({ design, files }: Evidence): Symptom[] {
  if (design === null) return [];
  const reserved = listReservedAddresses(design);
  return files.flatMap(({ host, kind, path, text, planned }): Symptom[] => {
    if (kind !== 'isc-dhcpd' && kind !== 'kea-dhcp4') return [];
    const own = new Set(parseRanges(kind, planned).map(({ range }) => range));
    return parseRanges(kind, text).flatMap(({ range, first, last }): Symptom[] => {
      const inside = reserved.filter(({ number }) => number >= first && number <= last);
      // A range that the design itself has is intended.
      if (own.has(range) || inside.length === 0) return [];
      const named = inside.slice(0, MAX_ADDRESSES).map(({ name, address }) => `${name} ${address}`);
      const symptom = `${path} on ${host}: ${range}: ${named.join(', ')}${inside.length > MAX_ADDRESSES ? ', …' : ''}`;
      const command = `ssh ${host} grep -nE 'range|pool' ${path}`;
      return [{ likelihood: 'likely', subject: host, symptom, command }];
    });
  });
}

function parseRanges(kind: keyof typeof RANGES, text: string): { range: string; first: bigint; last: bigint }[] {
  // A range in a comment has no effect.
  const plain = text.replaceAll(/^\s*(?:#|\/\/).*$/gm, '');
  return [...plain.matchAll(RANGES[kind])].flatMap(([range, from = '', to, prefix]) => {
    const network = prefix === undefined ? null : parseNetwork(`${from}/${prefix}`);
    const [first, last] =
      network === null ? [toAddressNumber(from), toAddressNumber(to ?? from)] : [network.first, network.last];
    return first === null || last === null ? [] : [{ range: range.trim().replaceAll(/\s+/g, ' '), first, last }];
  });
}

function listReservedAddresses(design: Design): { name: string; address: string; number: bigint }[] {
  const { api, apiInt, ingress } = design.endpoints;
  const all = [
    ...design.nodes.map(({ name, ip }) => ({ name, ip })),
    ...serviceHosts(design).map(({ name, ip }) => ({ name, ip })),
    ...[...new Set([...api, ...apiInt])].map((address) => ({ name: 'api', ip: [address] })),
    ...ingress.map((address) => ({ name: '*.apps', ip: [address] })),
  ];
  return all.flatMap(({ name, ip }) =>
    ip.flatMap((address) => {
      const number = address.includes(':') ? null : toAddressNumber(address);
      return number === null ? [] : [{ name, address, number }];
    }),
  );
}

function toAddressNumber(text: string): bigint | null {
  return canonicalAddress(text) === null ? null : addressToNumber(text);
}
