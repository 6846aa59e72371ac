import bootTemplate from '../../../templates/boot.ipxe.eta';
import closedTemplate from '../../../templates/closed.ipxe.eta';
import installedTemplate from '../../../templates/installed.ipxe.eta';
import nodeTemplate from '../../../templates/node.ipxe.eta';
import type { Design, DesignNode } from '../../design/model.ts';
import { clusterDomain } from '../../design/names.ts';
import type { Generator } from '../shared/draft.ts';
import type { RhcosImages } from '../shared/files.ts';
import {
  BOOT_SCRIPT_PATH,
  bootUrl,
  CLOSED_SCRIPT_PATH,
  INSTALLED_SCRIPT_PATH,
  imagePath,
  nodeScriptPath,
  WEB_ROOT,
} from '../shared/layout.ts';
import { render } from '../shared/render.ts';
import { bootValues } from './kernel-arguments.ts';

/** The first script, one script for each node, and those for nodes that are installed. */
export const ipxe: Generator<'ipxe'> = {
  kind: 'ipxe',
  host: 'bastion',
  paths: [BOOT_SCRIPT_PATH, INSTALLED_SCRIPT_PATH, CLOSED_SCRIPT_PATH, nodeScriptPath({ mac: 'MAC' })].map(
    (path) => `${WEB_ROOT}${path}`,
  ),
  files({ design, images }) {
    const { boot, bastion } = design.services;
    if (boot.kind !== 'ipxe') return [];
    const scripts = [
      { path: BOOT_SCRIPT_PATH, content: bootScript(design) },
      { path: INSTALLED_SCRIPT_PATH, content: render(installedTemplate, {}) },
      { path: CLOSED_SCRIPT_PATH, content: render(closedTemplate, {}) },
      ...design.nodes.map((node) => ({ path: nodeScriptPath(node), content: nodeScript(design, node, images) })),
    ];
    return scripts.map(({ path, content }) => ({ host: bastion, path: `${WEB_ROOT}${path}`, content }));
  },
};

function bootScript(design: Design): string {
  return render(bootTemplate, { base: bootUrl(design), clusterDomain: clusterDomain(design) });
}

function nodeScript(design: Design, node: DesignNode, images: RhcosImages): string {
  const base = bootUrl(design);
  const values = bootValues(design, node, images);
  return render(nodeTemplate, {
    ...values,
    kernelUrl: `${base}${imagePath(images.kernel)}`,
    initramfsUrl: `${base}${imagePath(images.initramfs)}`,
    // Under this name iPXE loads the initramfs, and a UEFI kernel looks for it.
    kernelArguments: ['initrd=main', ...values.kernelArguments],
  });
}
