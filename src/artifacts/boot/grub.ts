import menuTemplate from '../../../templates/grub.cfg.eta';
import nodeTemplate from '../../../templates/grub-node.cfg.eta';
import type { Design, DesignNode } from '../../design/model.ts';
import { clusterDomain, nodeFqdn } from '../../design/names.ts';
import { osFacts } from '../hosts/os.ts';
import type { Draft, GenerateInput } from '../shared/draft.ts';
import type { RhcosImages } from '../shared/files.ts';
import { bootProgramPath, bootUrl, imagePath, WEB_ROOT } from '../shared/layout.ts';
import { render } from '../shared/render.ts';
import { kernelArguments } from './kernel-arguments.ts';
import { needsGrub } from './programs.ts';

/**
 * GRUB's configuration for nodes with Secure Boot, whose firmware starts no iPXE: one file for each by its MAC, which the GRUB
 * of RHEL looks for by itself, and a first one that leads there, which is all that Debian's looks for.
 */
export function grubFiles({ design, images }: GenerateInput): Draft[] {
  if (!needsGrub(design)) return [];
  const { bastion } = design.services;
  const nodes = design.nodes.filter(({ secureBoot }) => secureBoot);
  const texts = [
    { name: 'grub.cfg', content: menu(design, nodes) },
    ...nodes.map((node) => ({ name: nodeFile(node), content: nodeConfig(design, node, images) })),
  ];
  return directories(design).flatMap((directory) =>
    texts.map(({ name, content }): Draft => ({ host: bastion, path: `${directory}/${name}`, kind: 'grub', content })),
  );
}

/** `grub.cfg-01-00-50-56-96-11-c2`: 01 is Ethernet. */
function nodeFile({ mac }: DesignNode): string {
  return `grub.cfg-01-${mac.replaceAll(':', '-')}`;
}

/** Where GRUB looks: beside itself (RHEL), or always in /grub (Debian's image for the network). */
function directories({ services: { bastion } }: Design): string[] {
  const { root } = osFacts(bastion.os).tftp;
  return bastion.os === 'debian' ? [`${root}/grub`] : [root, `${WEB_ROOT}${bootProgramPath('').slice(0, -1)}`];
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
    fqdn: nodeFqdn(design, node),
    role: node.role,
    address: node.ip.join(' '),
    release: images.release,
    installDisk: node.installDisk,
    linux: `linux${suffix}`,
    initrd: `initrd${suffix}`,
    server: bootUrl(design).replace(/^http:\/\//, ''),
    tftpRoot: osFacts(bastion.os).tftp.root,
    kernel: imagePath(images.kernel),
    initramfs: imagePath(images.initramfs),
    kernelArguments: kernelArguments(design, node, images),
  });
}
