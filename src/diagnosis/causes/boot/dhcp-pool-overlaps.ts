import { addressNumber, canonicalAddress, parseNetwork } from '../../../design/address.ts';
import type { Design } from '../../../design/model.ts';
import { serviceHosts } from '../../../design/names.ts';
import { type Clue, cause, clueOfLines, told } from '../cause.ts';
import type { Evidence } from '../evidence.ts';

const RANGES = {
  'isc-dhcpd': /^\s*range\s+(?:dynamic-bootp\s+)?([\d.]+)(?:\s+([\d.]+))?\s*;/gm,
  'kea-dhcp4': /"pool"\s*:\s*"\s*([\d.]+)\s*(?:-\s*([\d.]+)|\/(\d+))\s*"/g,
} as const;
/** Told of one range. */
const MOST = 4;

/** The DHCP server gives addresses to anybody that nodes, service hosts or the endpoints have for themselves. */
export const dhcpPoolOverlaps = cause('dhcp-pool-overlaps', 'boot', (evidence) => [
  ...inFiles(evidence),
  ...clueOfLines(
    told(evidence, /Dynamic and static leases present for/).slice(-1),
    'certain',
    'journalctl -u dhcpd -u isc-dhcp-server | grep "Dynamic and static"',
  ),
]);

function inFiles({ design, files }: Evidence): Clue[] {
  if (design === null) return [];
  const taken = takenIn(design);
  return files.flatMap(({ host, kind, path, text, planned }): Clue[] => {
    if (kind !== 'isc-dhcpd' && kind !== 'kea-dhcp4') return [];
    const own = new Set(rangesIn(kind, planned).map(({ said }) => said));
    return rangesIn(kind, text).flatMap(({ said, first, last }): Clue[] => {
      const inside = taken.filter(({ number }) => number >= first && number <= last);
      // A range of the design is the design's own.
      if (own.has(said) || inside.length === 0) return [];
      const named = inside.slice(0, MOST).map(({ name, address }) => `${name} ${address}`);
      const symptom = `${path} on ${host}: ${said}: ${named.join(', ')}${inside.length > MOST ? ', …' : ''}`;
      const command = `ssh ${host} grep -nE 'range|pool' ${path}`;
      return [{ likelihood: 'likely', subject: host, symptom, command }];
    });
  });
}

function rangesIn(kind: keyof typeof RANGES, text: string): { said: string; first: bigint; last: bigint }[] {
  // A comment gives nobody an address.
  const plain = text.replaceAll(/^\s*(?:#|\/\/).*$/gm, '');
  return [...plain.matchAll(RANGES[kind])].flatMap(([said, from = '', to, prefix]) => {
    const network = prefix === undefined ? null : parseNetwork(`${from}/${prefix}`);
    const [first, last] = network === null ? [numberOf(from), numberOf(to ?? from)] : [network.first, network.last];
    return first === null || last === null ? [] : [{ said: said.trim().replaceAll(/\s+/g, ' '), first, last }];
  });
}

function takenIn(design: Design): { name: string; address: string; number: bigint }[] {
  const { api, apiInt, ingress } = design.endpoints;
  const all = [
    ...design.nodes.map(({ name, ip }) => ({ name, ip })),
    ...serviceHosts(design).map(({ name, ip }) => ({ name, ip })),
    ...[...new Set([...api, ...apiInt])].map((address) => ({ name: 'api', ip: [address] })),
    ...ingress.map((address) => ({ name: '*.apps', ip: [address] })),
  ];
  return all.flatMap(({ name, ip }) =>
    ip.flatMap((address) => {
      const number = address.includes(':') ? null : numberOf(address);
      return number === null ? [] : [{ name, address, number }];
    }),
  );
}

function numberOf(text: string): bigint | null {
  return canonicalAddress(text) === null ? null : addressNumber(text);
}
