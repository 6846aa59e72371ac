import template from '../../../templates/firewall.sh.eta';

import { serviceHostFqdn, serviceHosts } from '../../design/names.ts';
import type { FileDraft, Generator } from '../shared/generator.ts';
import { WORK_DIR } from '../shared/layout.ts';
import { renderTemplate } from '../shared/render.ts';
import { type FirewallOpening, listFirewallOpenings } from './firewall-openings.ts';

const PATH = `${WORK_DIR}/firewall.sh`;

/**
 * `firewall.sh` for every service host that serves something. RHEL has firewalld; Debian has no firewall until you
 * install one, firewalld or ufw.
 */
export const firewall: Generator<'firewall'> = {
  kind: 'firewall',
  host: 'every',
  paths: [PATH],
  files({ design }) {
    return serviceHosts(design).flatMap((host): FileDraft[] => {
      const found = listFirewallOpenings(design, host);
      if (found.length === 0) return [];
      const data = {
        fqdn: serviceHostFqdn(design, host),
        address: host.ip[0],
        isDebian: host.os === 'debian',
        openings: found.map(toTemplateData),
      };
      return [{ host, path: PATH, mode: '0755', content: renderTemplate(template, data) }];
    });
  },
};

function toTemplateData(opening: FirewallOpening) {
  const { sources, port } = opening;
  return { ...opening, port: port ?? '-', sources: sources.length === 0 ? ['any'] : sources };
}
