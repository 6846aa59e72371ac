import template from '../../../templates/firewall.sh.eta';

import { serviceHostFqdn, serviceHosts } from '../../design/names.ts';
import type { Draft, Generator } from '../shared/draft.ts';
import { WORK_DIR } from '../shared/layout.ts';
import { render } from '../shared/render.ts';
import { type Opening, openings } from './openings.ts';

const PATH = `${WORK_DIR}/firewall.sh`;

/**
 * `firewall.sh` for every service host that serves something. RHEL has firewalld; Debian has no firewall until somebody
 * installs one, then firewalld or ufw.
 */
export const firewall: Generator<'firewall'> = {
  kind: 'firewall',
  host: 'every',
  paths: [PATH],
  files({ design }) {
    return serviceHosts(design).flatMap((host): Draft[] => {
      const found = openings(design, host);
      if (found.length === 0) return [];
      const data = {
        fqdn: serviceHostFqdn(design, host),
        address: host.ip[0],
        isDebian: host.os === 'debian',
        openings: found.map(asRows),
      };
      return [{ host, path: PATH, mode: '0755', content: render(template, data) }];
    });
  },
};

function asRows(opening: Opening) {
  const { sources, port } = opening;
  return { ...opening, port: port ?? '-', sources: sources.length === 0 ? ['any'] : sources };
}
