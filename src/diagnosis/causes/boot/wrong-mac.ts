import { unknownMac } from '../../boot/silent.ts';
import { cause } from '../cause.ts';
import { bootEvidence } from './evidence.ts';

/** A machine is silent, and an unknown one asks for an address. */
export const wrongMac = cause('wrong-mac', 'boot', (evidence) =>
  unknownMac.judge(bootEvidence(evidence)).map(({ subject, title }) => {
    const line = evidence.lines.findLast(
      ({ source, text }) => source === 'dhcp' && evidence.strangers.some((mac) => text.toLowerCase().includes(mac)),
    );
    return {
      likelihood: 'likely' as const,
      subject: subject ?? '',
      symptom: line?.text ?? title,
      command: 'journalctl -u dhcpd -u kea-dhcp4 | grep -iE "no free leases|unknown client|DISCOVER"',
    };
  }),
);
