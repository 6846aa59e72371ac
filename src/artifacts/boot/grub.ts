import menuTemplate from '../../../templates/grub.cfg.eta';
import grubNodeTemplate from '../../../templates/grub-node.cfg.eta';
import { type Design, type DesignNode, type HostOs, OS_NAMES } from '../../design/model.ts';
import { clusterDomain } from '../../design/names.ts';
import { getOsFacts } from '../hosts/os.ts';
import { unique } from '../network/addresses.ts';
import type { FileDraft, Generator } from '../shared/generator.ts';
import { bootProgramPath, bootUrl, imagePath, WEB_ROOT } from '../shared/layout.ts';
import { renderTemplate } from '../shared/render.ts';
import type { RhcosImages } from '../shared/rhcos-images.ts';
import { bootValues } from './kernel-arguments.ts';
import { needsGrub } from './programs.ts';

/**
 * GRUB's configuration for nodes with Secure Boot, whose firmware does not start iPXE. GRUB of RHEL looks for one file
 * per node, named by its MAC. GRUB of Debian looks only for `grub.cfg`, which leads to the node's file.
 */
export const grub: Generator<'grub'> = {
  kind: 'grub',
  host: 'bastion',
  paths: unique(OS_NAMES.flatMap(grubDirectories)).flatMap((directory) =>
    ['grub.cfg', nodeFile({ mac: 'MAC' })].map((name) => `${directory}/${name}`),
  ),
  files({ design, images }) {
    if (!needsGrub(design)) return [];
    const { bastion } = design.services;
    const nodes = design.nodes.filter(({ secureBoot }) => secureBoot);
    const texts = [
      { name: 'grub.cfg', content: renderMenu(design, nodes) },
      ...nodes.map((node) => ({ name: nodeFile(node), content: renderNodeConfig(design, node, images) })),
    ];
    return grubDirectories(bastion.os).flatMap((directory) =>
      texts.map(({ name, content }): FileDraft => ({ host: bastion, path: `${directory}/${name}`, content })),
    );
  },
};

/** `grub.cfg-01-00-50-56-96-11-c2`: 01 is Ethernet. */
function nodeFile({ mac }: Pick<DesignNode, 'mac'>): string {
  return `grub.cfg-01-${mac.replaceAll(':', '-')}`;
}

/** Directories that GRUB searches: that of its own program (RHEL), or always /grub (Debian's image for the network). */
function grubDirectories(os: HostOs): string[] {
  const { root } = getOsFacts(os).tftp;
  return os === 'debian' ? [`${root}/grub`] : [root, `${WEB_ROOT}${bootProgramPath('').slice(0, -1)}`];
}

function renderMenu(design: Design, nodes: readonly DesignNode[]): string {
  const entries = nodes.map((node) => ({ name: node.name, mac: node.mac, file: nodeFile(node) }));
  return renderTemplate(menuTemplate, { clusterDomain: clusterDomain(design), nodes: entries });
}

function renderNodeConfig(design: Design, node: DesignNode, images: RhcosImages): string {
  const { bastion } = design.services;
  // The GRUB of RHEL 8 verifies kernels with these commands only.
  const suffix = bastion.os === 'rhel8' && design.openshift.architecture === 'x86_64' ? 'efi' : '';
  return renderTemplate(grubNodeTemplate, {
    ...bootValues(design, node, images),
    linux: `linux${suffix}`,
    initrd: `initrd${suffix}`,
    server: bootUrl(design).replace(/^http:\/\//, ''),
    tftpRoot: getOsFacts(bastion.os).tftp.root,
    kernel: imagePath(images.kernel),
    initramfs: imagePath(images.initramfs),
  });
}
