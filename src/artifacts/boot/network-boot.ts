import bootTemplate from '../../../templates/boot.ipxe.eta';
import closedTemplate from '../../../templates/closed.ipxe.eta';
import menuTemplate from '../../../templates/grub.cfg.eta';
import grubNodeTemplate from '../../../templates/grub-node.cfg.eta';
import installedTemplate from '../../../templates/installed.ipxe.eta';
import nodeTemplate from '../../../templates/node.ipxe.eta';
import dropInTemplate from '../../../templates/tftp.service.conf.eta';
import daemonTemplate from '../../../templates/tftpd-hpa.eta';
import { HOST_OS_NAMES, type HostOs } from '../../design/choices.ts';
import { getClusterDomain, getServiceHostFqdn } from '../../design/derived-facts.ts';
import type { Design, DesignNode } from '../../design/model.ts';
import { getOsProfile } from '../hosts/os.ts';
import { removeDuplicates } from '../network/addresses.ts';
import { isTftpServer } from '../network/firewall.ts';
import {
  ACCESS_DENIED_SCRIPT_PATH,
  BOOT_SCRIPT_PATH,
  bootProgramPath,
  bootUrl,
  type FileDraft,
  type FileGenerator,
  INSTALLED_SCRIPT_PATH,
  imagePath,
  nodeScriptPath,
  WEB_ROOT,
} from '../shared/generator.ts';
import { renderTemplate } from '../shared/render.ts';
import type { RhcosImageNames } from './images.ts';
import { type BootValues, buildBootValues } from './kernel-arguments.ts';
import { listBootPrograms, needsGrub } from './programs.ts';

/**
 * iPXE scripts: the first script, one script for each node, and the scripts for machines that must not install again.
 */
export const ipxe: FileGenerator<'ipxe'> = {
  kind: 'ipxe',
  host: 'bastion',
  paths: [BOOT_SCRIPT_PATH, INSTALLED_SCRIPT_PATH, ACCESS_DENIED_SCRIPT_PATH, nodeScriptPath({ mac: 'MAC' })].map(
    (path) => `${WEB_ROOT}${path}`,
  ),
  files({ design, images }) {
    const { boot, bastion } = design.services;
    if (boot.kind !== 'ipxe') return [];
    const scripts = [
      { path: BOOT_SCRIPT_PATH, content: renderBootScript(design) },
      { path: INSTALLED_SCRIPT_PATH, content: renderTemplate(installedTemplate, {}) },
      { path: ACCESS_DENIED_SCRIPT_PATH, content: renderTemplate(closedTemplate, {}) },
      ...design.nodes.map((node) => ({
        path: nodeScriptPath(node),
        content: renderIpxeNodeScript(design, images, buildBootValues(design, node, images)),
      })),
    ];
    return scripts.map(({ path, content }) => ({ host: bastion, path: `${WEB_ROOT}${path}`, content }));
  },
};

function renderBootScript(design: Design): string {
  return renderTemplate(bootTemplate, {
    base: bootUrl(design),
    clusterDomain: getClusterDomain(design),
    // iPXE has the command `cpuid` for x86 only.
    hasCpuLevels: design.openshift.architecture === 'x86_64',
  });
}

function renderIpxeNodeScript(
  design: Design,
  images: Pick<RhcosImageNames, 'kernel' | 'initramfs'>,
  values: BootValues,
): string {
  const baseUrl = bootUrl(design);
  return renderTemplate(nodeTemplate, {
    ...values,
    kernelUrl: `${baseUrl}${imagePath(images.kernel)}`,
    initramfsUrl: `${baseUrl}${imagePath(images.initramfs)}`,
    // iPXE loads the initramfs under the name `main`; a UEFI kernel finds it by this argument.
    kernelArguments: ['initrd=main', ...values.kernelArguments],
  });
}

/**
 * GRUB's configuration for nodes with Secure Boot, whose firmware does not start iPXE. GRUB of RHEL looks for one file
 * per node, named by its MAC. GRUB of Debian looks only for `grub.cfg`, which leads to the node's file.
 */
export const grub: FileGenerator<'grub'> = {
  kind: 'grub',
  host: 'bastion',
  paths: removeDuplicates(HOST_OS_NAMES.flatMap(listGrubDirectories)).flatMap((directory) =>
    ['grub.cfg', grubConfigName({ mac: 'MAC' })].map((name) => `${directory}/${name}`),
  ),
  files({ design, images }) {
    if (!needsGrub(design)) return [];
    const { bastion } = design.services;
    const nodes = design.nodes.filter(({ secureBoot }) => secureBoot);
    const configFiles = [
      { name: 'grub.cfg', content: renderGrubMenu(design, nodes) },
      ...nodes.map((node) => ({
        name: grubConfigName(node),
        content: renderGrubNodeConfig(design, images, buildBootValues(design, node, images)),
      })),
    ];
    return listGrubDirectories(bastion.os).flatMap((directory) =>
      configFiles.map(({ name, content }): FileDraft => ({ host: bastion, path: `${directory}/${name}`, content })),
    );
  },
};

/** Returns the name of a node's file: `grub.cfg-01-00-50-56-96-11-c2`; 01 is Ethernet. */
function grubConfigName({ mac }: Pick<DesignNode, 'mac'>): string {
  return `grub.cfg-01-${mac.replaceAll(':', '-')}`;
}

/** Lists the directories that GRUB searches: the one it was loaded from (RHEL), or always /grub (Debian). */
function listGrubDirectories(os: HostOs): string[] {
  const { root } = getOsProfile(os).tftp;
  return os === 'debian' ? [`${root}/grub`] : [root, `${WEB_ROOT}${bootProgramPath('').slice(0, -1)}`];
}

function renderGrubMenu(design: Design, nodes: readonly DesignNode[]): string {
  const entries = nodes.map((node) => ({ name: node.name, mac: node.mac, file: grubConfigName(node) }));
  return renderTemplate(menuTemplate, { clusterDomain: getClusterDomain(design), nodes: entries });
}

function renderGrubNodeConfig(
  design: Design,
  images: Pick<RhcosImageNames, 'kernel' | 'initramfs'>,
  values: BootValues,
): string {
  const { bastion } = design.services;
  // The GRUB of RHEL 8 verifies kernels only with `linuxefi` and `initrdefi`.
  const suffix = bastion.os === 'rhel8' && design.openshift.architecture === 'x86_64' ? 'efi' : '';
  return renderTemplate(grubNodeTemplate, {
    ...values,
    linux: `linux${suffix}`,
    initrd: `initrd${suffix}`,
    server: bootUrl(design).replace(/^http:\/\//, ''),
    tftpRoot: getOsProfile(bastion.os).tftp.root,
    kernel: imagePath(images.kernel),
    initramfs: imagePath(images.initramfs),
  });
}

/**
 * Renders the boot files with which a node starts a given live system: an iPXE script or, with Secure Boot, the
 * configuration files of GRUB.
 * @param images the file names of the live system
 * @param values of the node, with the kernel arguments of the live system
 */
export function renderLiveBootFiles(
  design: Design,
  node: DesignNode,
  images: Pick<RhcosImageNames, 'kernel' | 'initramfs'>,
  values: BootValues,
): { readonly path: string; readonly content: string }[] {
  if (!node.secureBoot)
    return [{ path: `${WEB_ROOT}${nodeScriptPath(node)}`, content: renderIpxeNodeScript(design, images, values) }];
  const content = renderGrubNodeConfig(design, images, values);
  return listGrubDirectories(design.services.bastion.os).map((directory) => ({
    path: `${directory}/${grubConfigName(node)}`,
    content,
  }));
}

const DROP_IN_PATH = '/etc/systemd/system/tftp.service.d/upi-wizard.conf';
const DAEMON_DEFAULTS_PATH = '/etc/default/tftpd-hpa';

/** The TFTP server of the bastion: tftp-hpa on every operating system, with the configuration file of that system. */
export const tftp: FileGenerator<'tftp'> = {
  kind: 'tftp',
  host: 'bastion',
  paths: [DROP_IN_PATH, DAEMON_DEFAULTS_PATH],
  files({ design }) {
    const { bastion } = design.services;
    if (!isTftpServer(design, bastion)) return [];
    const { root, unit } = getOsProfile(bastion.os).tftp;
    const templateValues = { fqdn: getServiceHostFqdn(design, bastion), root, programs: listBootPrograms(design) };
    if (bastion.os === 'debian') {
      const reload = ['systemctl', 'restart', unit];
      return [
        { host: bastion, path: DAEMON_DEFAULTS_PATH, content: renderTemplate(daemonTemplate, templateValues), reload },
      ];
    }
    return [
      {
        host: bastion,
        path: DROP_IN_PATH,
        content: renderTemplate(dropInTemplate, templateValues),
        reload: ['systemctl', 'daemon-reload'],
      },
    ];
  },
};
