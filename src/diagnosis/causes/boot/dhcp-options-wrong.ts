import { type Clue, cause, failed } from '../cause.ts';
import type { Evidence } from '../evidence.ts';
import { otherSettings } from './dhcp-settings.ts';

const NAMES = new Set([
  ...['domain-name-servers', 'domain-name', 'domain-search', 'host-name', 'hostname', 'ntp-servers', 'subnet-mask'],
  ...['fixed-address', 'ip-address', 'hardware ethernet', 'hw-address'],
]);
/** Names come from reverse records as well. */
const NEEDED = new Set(['fixed-address', 'ip-address', 'domain-name-servers']);

/** The DHCP server gives machines another address, name server, domain or name than planned. */
export const dhcpOptionsWrong = cause('dhcp-options-wrong', 'boot', (evidence) => [
  ...failed(evidence, 'dhcp-leases'),
  ...otherSettings(evidence, NAMES, NEEDED),
  ...unknownThere(evidence),
  ...shortLeases(evidence),
]);

/** Machines wait for each other for longer; a lease that ends meanwhile takes the address of a system that cannot renew it (okd-project/okd#294). */
const SHORTEST_LEASE = 900;

function shortLeases({ files }: Evidence): Clue[] {
  return files.flatMap(({ host, kind, path, text, planned }): Clue[] => {
    if (kind !== 'isc-dhcpd' && kind !== 'kea-dhcp4') return [];
    const [there, wanted] = [leaseOf(text), leaseOf(planned)];
    if (there === null || wanted === null || there.seconds >= Math.min(SHORTEST_LEASE, wanted.seconds)) return [];
    const symptom = `${path} on ${host}: ${there.said}; planned ${wanted.said}`;
    return [
      { likelihood: 'possible', subject: host, symptom, command: `ssh ${host} grep -nE 'lease-time|lifetime' ${path}` },
    ];
  });
}

function leaseOf(text: string): { said: string; seconds: number } | null {
  const found = /^\s*default-lease-time\s+(\d+)/m.exec(text) ?? /"valid-lifetime"\s*:\s*(\d+)/.exec(text);
  return found === null ? null : { said: found[0].trim(), seconds: Number(found[1]) };
}

/** The server turns a machine of the design away: its file has no such machine, or another MAC address. */
function unknownThere({ lines, machines }: Evidence): Clue[] {
  const waiting = machines.filter(
    ({ stage, hasJoined, poweredOnAt }) => stage === 'off' && !hasJoined && poweredOnAt !== null,
  );
  const refusals = lines.filter(({ source, text }) => source === 'dhcp' && /no free leases|unknown client/i.test(text));
  return waiting.flatMap(({ name, mac }): Clue[] => {
    const line = refusals.findLast(({ text }) => text.toLowerCase().includes(mac));
    const command = `journalctl -u dhcpd -u kea-dhcp4 | grep -i ${mac}`;
    return line === undefined ? [] : [{ likelihood: 'certain', subject: name, symptom: line.text, command }];
  });
}
