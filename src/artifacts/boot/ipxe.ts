import bootTemplate from '../../../templates/boot.ipxe.eta';
import nodeTemplate from '../../../templates/node.ipxe.eta';
import type { Design, DesignNode } from '../../design/model.ts';
import { clusterDomain, nodeFqdn } from '../../design/names.ts';
import type { Draft, GenerateInput } from '../shared/draft.ts';
import type { RhcosImages } from '../shared/files.ts';
import { BOOT_SCRIPT_PATH, bootUrl, imagePath, nodeScriptPath, WEB_ROOT } from '../shared/layout.ts';
import { render } from '../shared/render.ts';
import { kernelArguments } from './kernel-arguments.ts';

/** The first script, and one script for each node. */
export function ipxeFiles({ design, images }: GenerateInput): Draft[] {
  const { boot, bastion } = design.services;
  if (boot.kind !== 'ipxe') return [];
  const scripts = [
    { path: BOOT_SCRIPT_PATH, content: bootScript(design) },
    ...design.nodes.map((node) => ({ path: nodeScriptPath(node), content: nodeScript(design, node, images) })),
  ];
  return scripts.map(({ path, content }) => ({ host: bastion, path: `${WEB_ROOT}${path}`, kind: 'ipxe', content }));
}

function bootScript(design: Design): string {
  const nodes = design.nodes.map((node) => ({
    script: node.mac.replaceAll(':', '-'),
    label: `${node.name}, ${node.role}, ${node.ip.join(' ')}`,
  }));
  return render(bootTemplate, { base: bootUrl(design), clusterDomain: clusterDomain(design), nodes });
}

function nodeScript(design: Design, node: DesignNode, images: RhcosImages): string {
  const base = bootUrl(design);
  return render(nodeTemplate, {
    fqdn: nodeFqdn(design, node),
    role: node.role,
    address: node.ip.join(' '),
    release: images.release,
    installDisk: node.installDisk,
    kernelUrl: `${base}${imagePath(images.kernel)}`,
    initramfsUrl: `${base}${imagePath(images.initramfs)}`,
    // Under this name iPXE loads the initramfs, and a UEFI kernel looks for it.
    kernelArguments: ['initrd=main', ...kernelArguments(design, node, images)],
  });
}
