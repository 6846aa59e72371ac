import { OS_NAMES } from '../design/model.ts';
import { NGINX_PATH } from './boot/nginx.ts';
import { type OsFacts, osFacts } from './hosts/os.ts';
import { INSTALL_CONFIG_PATH } from './installer/install-config.ts';
import { unique } from './network/addresses.ts';
import type { FileKind } from './shared/files.ts';
import { BOOT_SCRIPT_PATH, FIREWALL_PATH, SELINUX_PATH, WEB_ROOT, WORK_DIR } from './shared/layout.ts';

/** The host that a file is for, by its duty; `every`: a file for each service host. */
export type FileHost = 'dns' | 'dns-primary' | 'dhcp' | 'load-balancer' | 'bastion' | 'every';

/** Where the files of one kind go. In paths, words in capitals stand for what differs: ZONE, NODE, MAC, POOL. */
export interface KindFacts {
  readonly host: FileHost;
  readonly paths: readonly string[];
}

/** A path on each operating system that a service host may have. */
const byOs = (pathOf: (facts: OsFacts) => string) => unique(OS_NAMES.map((os) => pathOf(osFacts(os))));
const forPerson = (...names: readonly string[]) => names.map((name) => `${WORK_DIR}/${name}`);
const GRUB_FILES = ['grub.cfg', 'grub.cfg-01-MAC'];

/** Every kind of generated file, for the help page; a test compares it with what the generators make. */
export const FILE_KINDS: Readonly<Record<FileKind, KindFacts>> = {
  'bind-conf': { host: 'dns', paths: byOs(({ named }) => named.conf) },
  'bind-zone': { host: 'dns-primary', paths: byOs(({ named }) => `${named.directory}/ZONE.zone`) },
  'dns-nsupdate': { host: 'bastion', paths: forPerson('dns-records.nsupdate') },
  'dns-records': { host: 'bastion', paths: forPerson('dns-records.csv') },
  'isc-dhcpd': { host: 'dhcp', paths: ['/etc/dhcp/dhcpd.conf'] },
  'kea-dhcp4': { host: 'dhcp', paths: ['/etc/kea/kea-dhcp4.conf'] },
  haproxy: { host: 'load-balancer', paths: ['/etc/haproxy/haproxy.cfg'] },
  keepalived: {
    host: 'load-balancer',
    paths: ['/etc/keepalived/keepalived.conf', '/etc/sysctl.d/90-upi-wizard.conf'],
  },
  ipxe: { host: 'bastion', paths: [`${WEB_ROOT}${BOOT_SCRIPT_PATH}`, `${WEB_ROOT}/ipxe/MAC.ipxe`] },
  grub: {
    host: 'bastion',
    paths: [
      ...byOs(({ tftp, packageTool }) => (packageTool === 'apt' ? `${tftp.root}/grub` : tftp.root)),
      `${WEB_ROOT}/boot`,
    ].flatMap((directory) => GRUB_FILES.map((name) => `${directory}/${name}`)),
  },
  tftp: { host: 'bastion', paths: ['/etc/systemd/system/tftp.service.d/upi-wizard.conf', '/etc/default/tftpd-hpa'] },
  nginx: { host: 'bastion', paths: [NGINX_PATH] },
  'coreos-installer': {
    host: 'bastion',
    paths: [...forPerson('make-isos.sh', 'boot-prompt.txt'), `${WEB_ROOT}/iso/NODE.sh`],
  },
  'install-config': { host: 'bastion', paths: [INSTALL_CONFIG_PATH] },
  chrony: { host: 'bastion', paths: byOs(({ chrony }) => chrony.conf) },
  'chrony-machineconfig': { host: 'bastion', paths: forPerson('manifests/99-POOL-chrony.yaml') },
  firewall: { host: 'every', paths: [FIREWALL_PATH] },
  selinux: { host: 'every', paths: [SELINUX_PATH] },
  'host-script': { host: 'every', paths: forPerson('install.sh') },
  env: { host: 'bastion', paths: forPerson('env.sh') },
  'infra-manifest': { host: 'bastion', paths: forPerson('infra.yaml') },
  'network-notes': { host: 'bastion', paths: forPerson('network-notes.md') },
};
