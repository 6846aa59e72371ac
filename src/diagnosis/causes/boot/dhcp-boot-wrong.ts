import { MINUTE } from '../../../ports/clock.ts';
import { type Clue, cause, failed, isRight } from '../cause.ts';
import type { Evidence, MachineSeen } from '../evidence.ts';
import { otherSettings } from './dhcp-settings.ts';

const NAMES = new Set(['next-server', 'filename', 'boot-file-name', 'tftp-server-name', 'server-hostname']);
const NEEDED = new Set(['next-server', 'filename', 'boot-file-name']);
/** A boot program that is slow to come asks for its script within this. */
const LONG = 10 * MINUTE;

/** The DHCP server leads the firmware to another server or program than the generated one. */
export const dhcpBootWrong = cause('dhcp-boot-wrong', 'boot', (evidence) => [
  ...failed(evidence, 'dhcp-boot'),
  ...otherSettings(evidence, NAMES, NEEDED),
  ...ledAstray(evidence),
]);

/** Every machine that is on got its address and none went on, although what they should load is served. */
export function leasedOnly({ machines, now }: Evidence): MachineSeen[] {
  const on = machines.filter(({ poweredOnAt, hasJoined }) => poweredOnAt !== null && !hasJoined);
  const isStuck = ({ stage, requests, poweredOnAt }: MachineSeen) =>
    stage === 'lease' && requests.length === 0 && now - (poweredOnAt ?? now) >= LONG;
  return on.length > 1 && on.every(isStuck) ? on : [];
}

function ledAstray(evidence: Evidence): Clue[] {
  const { design } = evidence;
  if (design?.services.boot.kind !== 'ipxe' || !isRight(evidence, 'tftp')) return [];
  const { server } = design.services.dhcp;
  return leasedOnly(evidence).map(({ name, address }) => ({
    likelihood: 'likely',
    subject: name,
    symptom: `${name} ${address}: has its lease, no request to the boot server`,
    command: `ssh ${server ?? 'DHCP-SERVER'} grep -nE 'next-server|filename|boot-file-name' /etc/dhcp/dhcpd.conf /etc/kea/kea-dhcp4.conf`,
  }));
}
