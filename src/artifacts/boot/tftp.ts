import dropInTemplate from '../../../templates/tftp.service.conf.eta';
import daemonTemplate from '../../../templates/tftpd-hpa.eta';
import { serviceHostFqdn } from '../../design/names.ts';
import { getOsFacts } from '../hosts/os.ts';
import { isTftpServer } from '../network/firewall-openings.ts';
import type { Generator } from '../shared/generator.ts';
import { renderTemplate } from '../shared/render.ts';
import { listBootPrograms } from './programs.ts';

const DROP_IN = '/etc/systemd/system/tftp.service.d/upi-wizard.conf';
const DAEMON = '/etc/default/tftpd-hpa';

/** The TFTP server of the bastion: tftp-hpa on every operating system, with the configuration file of that system. */
export const tftp: Generator<'tftp'> = {
  kind: 'tftp',
  host: 'bastion',
  paths: [DROP_IN, DAEMON],
  files({ design }) {
    const { bastion } = design.services;
    if (!isTftpServer(design, bastion)) return [];
    const { root, unit } = getOsFacts(bastion.os).tftp;
    const data = { fqdn: serviceHostFqdn(design, bastion), root, programs: listBootPrograms(design) };
    if (bastion.os === 'debian') {
      const reload = ['systemctl', 'restart', unit];
      return [{ host: bastion, path: DAEMON, content: renderTemplate(daemonTemplate, data), reload }];
    }
    return [
      {
        host: bastion,
        path: DROP_IN,
        content: renderTemplate(dropInTemplate, data),
        reload: ['systemctl', 'daemon-reload'],
      },
    ];
  },
};
