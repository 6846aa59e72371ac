import template from '../../../templates/dhcpd.conf.eta';
import type { Design } from '../../design/model.ts';
import { getOsFacts } from '../hosts/os.ts';
import type { Generator } from '../shared/generator.ts';
import { renderTemplate } from '../shared/render.ts';
import { type DhcpNode, dhcpHost, dhcpPlan } from './plan.ts';

const PATH = '/etc/dhcp/dhcpd.conf';

/** dhcpd.conf of ISC dhcpd. */
export const dhcpd: Generator<'isc-dhcpd'> = {
  kind: 'isc-dhcpd',
  host: 'dhcp',
  paths: [PATH],
  getRequirements: (facts) => facts.dhcpd,
  files({ design }) {
    const host = dhcpHost(design);
    if (!host || design.services.dhcp.kind !== 'isc-dhcpd') return [];
    return [
      {
        host,
        path: PATH,
        content: renderTemplate(template, dhcpdData(design)),
        check: ['dhcpd', '-t', '-cf', PATH],
        reload: ['systemctl', 'restart', getOsFacts(host.os).dhcpd.unit],
      },
    ];
  },
};

/** Nodes with Secure Boot are listed apart: they start signed programs only. */
function dhcpdData(design: Design) {
  const plan = dhcpPlan(design);
  const nodes = plan.subnets.flatMap((subnet) => subnet.nodes);
  const isSecure = ({ secureBoot }: DhcpNode) => secureBoot && plan.boot !== null;
  return { ...plan, nodes: nodes.filter((node) => !isSecure(node)), secureNodes: nodes.filter(isSecure) };
}
