import template from '../../../templates/selinux.sh.eta';
import { getServiceHostFqdn, listServiceHosts } from '../../design/derived-facts.ts';
import type { Design, ServiceHost } from '../../design/model.ts';
import { fileWords } from '../file-words.ts';
import { isTftpServer } from '../network/firewall.ts';
import { type FileDraft, type FileGenerator, WEB_ROOT, WORK_DIR } from '../shared/generator.ts';
import { renderTemplate } from '../shared/render.ts';
import { getOsProfile } from './os.ts';
import { SELINUX_PACKAGES } from './packages.ts';

const words = () => fileWords.selinux;

/** Ports that httpd_t may listen on by the policy of RHEL 8 to 10: http_port_t and http_cache_port_t. */
const WEB_PORTS = new Set([80, 81, 443, 488, 8008, 8009, 8080, 8118, 8123, 8443, 9000]);

const PATH = `${WORK_DIR}/selinux.sh`;

/** `selinux.sh` for every service host that has SELinux (RHEL, not Debian) and needs settings beyond the policy. */
export const selinux: FileGenerator<'selinux'> = {
  kind: 'selinux',
  host: 'every',
  paths: [PATH],
  getRequirements: () => ({ packages: SELINUX_PACKAGES, unit: null }),
  files({ design }) {
    return listServiceHosts(design).flatMap((host): FileDraft[] => {
      const settings = deriveSettings(design, host);
      if (!needsSelinux(design, host)) return [];
      const content = renderTemplate(template, { fqdn: getServiceHostFqdn(design, host), ...settings });
      return [{ host, path: PATH, mode: '0755', content }];
    });
  },
};

/** Whether a host needs SELinux settings beyond the policy. */
export function needsSelinux(design: Design, host: ServiceHost): boolean {
  const { booleans, labels } = deriveSettings(design, host);
  return host.os !== 'debian' && (booleans.length > 0 || labels.length > 0);
}

function deriveSettings(design: Design, host: ServiceHost) {
  const { bastion, boot, loadBalancer } = design.services;
  const isBastion = host.name === bastion.name;
  const isBalancer = loadBalancer.kind === 'haproxy' && loadBalancer.servers.some(({ name }) => name === host.name);
  const web = { type: 'httpd_sys_content_t', directory: WEB_ROOT, reason: words().web };
  const tftp = { type: 'tftpdir_rw_t', directory: getOsProfile(host.os).tftp.root, reason: words().tftp };
  return {
    // Without it HAProxy may not listen on 6443 and 22623, nor connect to them.
    booleans: isBalancer ? ['haproxy_connect_any'] : [],
    ports: isBastion && !WEB_PORTS.has(boot.httpPort) ? [{ type: 'http_port_t', port: boot.httpPort }] : [],
    labels: [...(isBastion ? [web] : []), ...(isTftpServer(design, host) ? [tftp] : [])],
  };
}
