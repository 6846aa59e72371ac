import { unknownMac } from '../../boot/silent.ts';
import { diagnosticRule } from '../diagnostic-rule.ts';
import { bootEvidence } from './evidence.ts';

/** A machine is silent, and an unknown MAC address requests an address. */
export const wrongMac = diagnosticRule('wrong-mac', 'boot', (evidence) =>
  unknownMac.evaluate(bootEvidence(evidence)).map(({ subject, title }) => {
    const line = evidence.lines.findLast(
      ({ source, text }) => source === 'dhcp' && evidence.unknownMacs.some((mac) => text.toLowerCase().includes(mac)),
    );
    return {
      likelihood: 'likely' as const,
      subject: subject ?? '',
      symptom: line?.text ?? title,
      command: 'journalctl -u dhcpd -u kea-dhcp4 | grep -iE "no free leases|unknown client|DISCOVER"',
    };
  }),
);
