import bootTemplate from '../../../templates/boot.ipxe.eta';
import closedTemplate from '../../../templates/closed.ipxe.eta';
import installedTemplate from '../../../templates/installed.ipxe.eta';
import nodeTemplate from '../../../templates/node.ipxe.eta';
import type { Design, DesignNode } from '../../design/model.ts';
import { clusterDomain } from '../../design/names.ts';
import type { Generator } from '../shared/generator.ts';
import {
  BOOT_SCRIPT_PATH,
  bootUrl,
  CLOSED_SCRIPT_PATH,
  INSTALLED_SCRIPT_PATH,
  imagePath,
  nodeScriptPath,
  WEB_ROOT,
} from '../shared/layout.ts';
import { renderTemplate } from '../shared/render.ts';
import type { RhcosImages } from '../shared/rhcos-images.ts';
import { bootValues } from './kernel-arguments.ts';

/**
 * iPXE scripts: the first script, one script for each node, and the scripts for machines that must not install again.
 */
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
      { path: BOOT_SCRIPT_PATH, content: renderBootScript(design) },
      { path: INSTALLED_SCRIPT_PATH, content: renderTemplate(installedTemplate, {}) },
      { path: CLOSED_SCRIPT_PATH, content: renderTemplate(closedTemplate, {}) },
      ...design.nodes.map((node) => ({ path: nodeScriptPath(node), content: renderNodeScript(design, node, images) })),
    ];
    return scripts.map(({ path, content }) => ({ host: bastion, path: `${WEB_ROOT}${path}`, content }));
  },
};

function renderBootScript(design: Design): string {
  return renderTemplate(bootTemplate, { base: bootUrl(design), clusterDomain: clusterDomain(design) });
}

function renderNodeScript(design: Design, node: DesignNode, images: RhcosImages): string {
  const base = bootUrl(design);
  const values = bootValues(design, node, images);
  return renderTemplate(nodeTemplate, {
    ...values,
    kernelUrl: `${base}${imagePath(images.kernel)}`,
    initramfsUrl: `${base}${imagePath(images.initramfs)}`,
    // Under this name iPXE loads the initramfs, and a UEFI kernel looks for it.
    kernelArguments: ['initrd=main', ...values.kernelArguments],
  });
}
