import { MINUTE } from '../../../platform/clock.ts';
import { allChecksPassed, diagnosticRule, type Symptom, symptomsFromFailedChecks } from '../diagnostic-rule.ts';
import type { Evidence, ObservedMachine } from '../evidence.ts';
import { findWrongSettings } from './dhcp-settings.ts';

const OPTIONS = new Set(['next-server', 'filename', 'boot-file-name', 'tftp-server-name', 'server-hostname']);
const REQUIRED_OPTIONS = new Set(['next-server', 'filename', 'boot-file-name']);
/** A slow boot program requests its script within this time. */
const GRACE_PERIOD = 10 * MINUTE;

/** The DHCP server directs firmware to another server or boot program than the generated configuration does. */
export const dhcpBootOptionsWrong = diagnosticRule('dhcp-boot-wrong', 'boot', (evidence) => [
  ...symptomsFromFailedChecks(evidence, 'dhcp-boot'),
  ...findWrongSettings(evidence, OPTIONS, REQUIRED_OPTIONS),
  ...findMisdirectedMachines(evidence),
]);

/** Lists the powered-on machines, if every one of them got its address and none went on; empty otherwise. */
export function listLeaseOnlyMachines({ machines, now }: Evidence): ObservedMachine[] {
  const on = machines.filter(({ poweredOnAt, hasJoined }) => poweredOnAt !== null && !hasJoined);
  const isStuck = ({ stage, requests, poweredOnAt }: ObservedMachine) =>
    stage === 'lease' && requests.length === 0 && now - (poweredOnAt ?? now) >= GRACE_PERIOD;
  return on.length > 1 && on.every(isStuck) ? on : [];
}

function findMisdirectedMachines(evidence: Evidence): Symptom[] {
  const { design } = evidence;
  if (design?.services.boot.kind !== 'ipxe' || !allChecksPassed(evidence, 'tftp')) return [];
  const { server } = design.services.dhcp;
  return listLeaseOnlyMachines(evidence).map(({ name, address }) => ({
    likelihood: 'likely',
    subject: name,
    symptom: `${name} ${address}: has its lease, no request to the boot server`,
    command: `ssh ${server ?? 'DHCP-SERVER'} grep -nE 'next-server|filename|boot-file-name' /etc/dhcp/dhcpd.conf /etc/kea/kea-dhcp4.conf`,
  }));
}
