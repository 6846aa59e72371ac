import menuTemplate from '../../../templates/grub.cfg.eta';
import nodeTemplate from '../../../templates/grub-node.cfg.eta';
import { type Design, type DesignNode, type HostOs, OS_NAMES } from '../../design/model.ts';
import { clusterDomain } from '../../design/names.ts';
import { osFacts } from '../hosts/os.ts';
import { unique } from '../network/addresses.ts';
import type { Draft, Generator } from '../shared/draft.ts';
import type { RhcosImages } from '../shared/files.ts';
import { bootProgramPath, bootUrl, imagePath, WEB_ROOT } from '../shared/layout.ts';
import { render } from '../shared/render.ts';
import { bootValues } from './kernel-arguments.ts';
import { needsGrub } from './programs.ts';

/**
 * GRUB's configuration for nodes with Secure Boot, whose firmware starts no iPXE: one file for each by its MAC, which the GRUB
 * of RHEL looks for by itself, and a first one that leads there, which is all that Debian's looks for.
 */
export const grub: Generator<'grub'> = {
  kind: 'grub',
  host: 'bastion',
  paths: unique(OS_NAMES.flatMap(directories)).flatMap((directory) =>
    ['grub.cfg', nodeFile({ mac: 'MAC' })].map((name) => `${directory}/${name}`),
  ),
  files({ design, images }) {
    if (!needsGrub(design)) return [];
    const { bastion } = design.services;
    const nodes = design.nodes.filter(({ secureBoot }) => secureBoot);
    const texts = [
      { name: 'grub.cfg', content: menu(design, nodes) },
      ...nodes.map((node) => ({ name: nodeFile(node), content: nodeConfig(design, node, images) })),
    ];
    return directories(bastion.os).flatMap((directory) =>
      texts.map(({ name, content }): Draft => ({ host: bastion, path: `${directory}/${name}`, content })),
    );
  },
};

/** `grub.cfg-01-00-50-56-96-11-c2`: 01 is Ethernet. */
function nodeFile({ mac }: Pick<DesignNode, 'mac'>): string {
  return `grub.cfg-01-${mac.replaceAll(':', '-')}`;
}

/** Where GRUB looks: beside itself (RHEL), or always in /grub (Debian's image for the network). */
function directories(os: HostOs): string[] {
  const { root } = osFacts(os).tftp;
  return os === 'debian' ? [`${root}/grub`] : [root, `${WEB_ROOT}${bootProgramPath('').slice(0, -1)}`];
}

function menu(design: Design, nodes: readonly DesignNode[]): string {
  const entries = nodes.map((node) => ({ name: node.name, mac: node.mac, file: nodeFile(node) }));
  return render(menuTemplate, { clusterDomain: clusterDomain(design), nodes: entries });
}

function nodeConfig(design: Design, node: DesignNode, images: RhcosImages): string {
  const { bastion } = design.services;
  // The GRUB of RHEL 8 verifies kernels with these commands only.
  const suffix = bastion.os === 'rhel8' && design.openshift.architecture === 'x86_64' ? 'efi' : '';
  return render(nodeTemplate, {
    ...bootValues(design, node, images),
    linux: `linux${suffix}`,
    initrd: `initrd${suffix}`,
    server: bootUrl(design).replace(/^http:\/\//, ''),
    tftpRoot: osFacts(bastion.os).tftp.root,
    kernel: imagePath(images.kernel),
    initramfs: imagePath(images.initramfs),
  });
}
