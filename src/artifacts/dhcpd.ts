import template from '../../templates/dhcpd.conf.eta';
import { dhcpHost, dhcpPlan } from './dhcp-plan.ts';
import type { Draft, GenerateInput } from './draft.ts';
import { osFacts } from './host-os.ts';
import { render } from './render.ts';

const PATH = '/etc/dhcp/dhcpd.conf';

/** dhcpd.conf of ISC dhcpd. */
export function dhcpdFiles({ design }: GenerateInput): Draft[] {
  const host = dhcpHost(design);
  if (!host || design.services.dhcp.kind !== 'isc-dhcpd') return [];
  return [
    {
      host,
      path: PATH,
      kind: 'isc-dhcpd',
      content: render(template, dhcpPlan(design)),
      check: ['dhcpd', '-t', '-cf', PATH],
      reload: ['systemctl', 'restart', osFacts(host.os).dhcpd.unit],
    },
  ];
}
