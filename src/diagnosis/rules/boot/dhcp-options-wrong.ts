import { diagnosticRule, type Symptom, symptomsFromFailedChecks } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';
import { findWrongSettings } from './dhcp-settings.ts';

const OPTIONS = new Set([
  ...['domain-name-servers', 'domain-name', 'domain-search', 'host-name', 'hostname', 'ntp-servers', 'subnet-mask'],
  ...['fixed-address', 'ip-address', 'hardware ethernet', 'hw-address'],
]);
/** A machine can also get its name from a reverse record. */
const REQUIRED_OPTIONS = new Set(['fixed-address', 'ip-address', 'domain-name-servers']);

/** The DHCP server gives machines another address, name server, domain or host name than planned. */
export const dhcpOptionsWrong = diagnosticRule('dhcp-options-wrong', 'boot', (evidence) => [
  ...symptomsFromFailedChecks(evidence, 'dhcp-leases'),
  ...findWrongSettings(evidence, OPTIONS, REQUIRED_OPTIONS),
  ...findUnknownMachines(evidence),
  ...findShortLeases(evidence),
]);

/**
 * Machines wait longer than this for each other. A lease that ends meanwhile takes the address of a system that cannot
 * renew it (okd-project/okd#294).
 */
const MIN_LEASE_SECONDS = 900;

function findShortLeases({ files }: Evidence): Symptom[] {
  return files.flatMap(({ host, kind, path, text, planned }): Symptom[] => {
    if (kind !== 'isc-dhcpd' && kind !== 'kea-dhcp4') return [];
    const [actual, wanted] = [parseLeaseTime(text), parseLeaseTime(planned)];
    if (actual === null || wanted === null || actual.seconds >= Math.min(MIN_LEASE_SECONDS, wanted.seconds)) return [];
    const symptom = `${path} on ${host}: ${actual.text}; planned ${wanted.text}`;
    return [
      { likelihood: 'possible', subject: host, symptom, command: `ssh ${host} grep -nE 'lease-time|lifetime' ${path}` },
    ];
  });
}

function parseLeaseTime(text: string): { text: string; seconds: number } | null {
  const found = /^\s*default-lease-time\s+(\d+)/m.exec(text) ?? /"valid-lifetime"\s*:\s*(\d+)/.exec(text);
  return found === null ? null : { text: found[0].trim(), seconds: Number(found[1]) };
}

/** The server rejects a machine of the design: its file lacks the machine, or has another MAC address for it. */
function findUnknownMachines({ lines, machines }: Evidence): Symptom[] {
  const waiting = machines.filter(
    ({ stage, hasJoined, poweredOnAt }) => stage === 'off' && !hasJoined && poweredOnAt !== null,
  );
  const refusals = lines.filter(({ source, text }) => source === 'dhcp' && /no free leases|unknown client/i.test(text));
  return waiting.flatMap(({ name, mac }): Symptom[] => {
    const line = refusals.findLast(({ text }) => text.toLowerCase().includes(mac));
    const command = `journalctl -u dhcpd -u kea-dhcp4 | grep -i ${mac}`;
    return line === undefined ? [] : [{ likelihood: 'certain', subject: name, symptom: line.text, command }];
  });
}
