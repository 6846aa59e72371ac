import dropInTemplate from '../../../templates/tftp.service.conf.eta';
import daemonTemplate from '../../../templates/tftpd-hpa.eta';
import { serviceHostFqdn } from '../../design/names.ts';
import { osFacts } from '../hosts/os.ts';
import { isTftpServer } from '../network/openings.ts';
import type { Draft, GenerateInput } from '../shared/draft.ts';
import { render } from '../shared/render.ts';
import { bootPrograms } from './programs.ts';

/** The TFTP server of the bastion: tftp-hpa on every system, configured where that system keeps it. */
export function tftpFiles({ design }: GenerateInput): Draft[] {
  const { bastion } = design.services;
  if (!isTftpServer(design, bastion)) return [];
  const { root, unit } = osFacts(bastion.os).tftp;
  const data = { fqdn: serviceHostFqdn(design, bastion), root, programs: bootPrograms(design) };
  const common = { host: bastion, kind: 'tftp' } as const;
  if (bastion.os === 'debian') {
    const reload = ['systemctl', 'restart', unit];
    return [{ ...common, path: '/etc/default/tftpd-hpa', content: render(daemonTemplate, data), reload }];
  }
  const path = '/etc/systemd/system/tftp.service.d/upi-wizard.conf';
  return [{ ...common, path, content: render(dropInTemplate, data), reload: ['systemctl', 'daemon-reload'] }];
}
