import promptTemplate from '../../../templates/boot-prompt.txt.eta';
import isosTemplate from '../../../templates/make-isos.sh.eta';
import nodeTemplate from '../../../templates/node-install.sh.eta';
import { getClusterDomain, getNodeFqdn } from '../../design/derived-facts.ts';
import type { Design, DesignNode } from '../../design/model.ts';
import { getNodeOsName, getVersionProfile } from '../../design/versions.ts';
import { getFileName } from '../../platform/text.ts';
import {
  bootUrl,
  type FileDraft,
  type FileGenerator,
  IN_PLACE_IGNITION_PATH,
  ignitionPath,
  WEB_ROOT,
  WORK_DIR,
} from '../shared/generator.ts';
import { renderTemplate } from '../shared/render.ts';
import type { RhcosImageNames } from './images.ts';
import { listImageArguments, listInstallArguments, listNetworkArguments } from './kernel-arguments.ts';

const MAKE_ISOS_PATH = `${WORK_DIR}/make-isos.sh`;
const BOOT_PROMPT_PATH = `${WORK_DIR}/boot-prompt.txt`;

/**
 * Files to install nodes that boot from the ISO. From 4.6 the ISO is a live system, on which you run the node's script.
 * From 4.8 an ISO can be built for each node, which installs on its own. Before 4.6 you type the arguments at the boot
 * prompt.
 */
export const coreosInstaller: FileGenerator<'coreos-installer'> = {
  kind: 'coreos-installer',
  host: 'bastion',
  paths: [MAKE_ISOS_PATH, BOOT_PROMPT_PATH, `${WEB_ROOT}${scriptPath({ name: 'NODE' })}`],
  files({ design, images }) {
    if (design.services.boot.kind !== 'iso') return [];
    const { hasLiveRootfs, isoTool } = getVersionProfile(design.openshift.version);
    if (!hasLiveRootfs) return [createBootPrompt(design, images)];
    // A single node's installation is in the ignition of the live system; there is nothing to run on it.
    const scripts = design.topology === 'single-node' ? [] : design.nodes.map((node) => createNodeScript(design, node));
    return isoTool === null ? scripts : [createIsoScript(design, isoTool), ...scripts];
  },
};

/** Returns the path of a node's script, `/iso/m1.sh`: the same below the boot URL and below WEB_ROOT. */
function scriptPath({ name }: Pick<DesignNode, 'name'>): string {
  return `/iso/${name}.sh`;
}

function createNodeScript(design: Design, node: DesignNode): FileDraft {
  const baseUrl = bootUrl(design);
  const network = listNetworkArguments(design, node);
  const content = renderTemplate(nodeTemplate, {
    fqdn: getNodeFqdn(design, node),
    role: node.role,
    system: getNodeOsName(design.openshift.version),
    url: `${baseUrl}${scriptPath(node)}`,
    file: `${node.name}.sh`,
    mac: node.mac,
    installDisk: node.installDisk,
    ignitionUrl: `${baseUrl}${ignitionPath(node.role)}`,
    network,
    hasDhcp: design.services.dhcp.kind !== 'none',
    kernelArguments: node.kernelArguments,
  });
  const path = `${WEB_ROOT}${scriptPath(node)}`;
  return { host: design.services.bastion, path, mode: '0755', content };
}

function createIsoScript(design: Design, tool: 'kargs' | 'customize'): FileDraft {
  const isSingleNode = design.topology === 'single-node';
  const nodes = design.nodes.map((node) => ({
    name: node.name,
    role: node.role,
    disk: node.installDisk,
    ignition: isSingleNode ? getFileName(IN_PLACE_IGNITION_PATH) : getFileName(ignitionPath(node.role)),
    // With `kargs` the arguments of the live system also name the disk and the ignition file.
    liveArguments:
      tool === 'kargs' && !isSingleNode ? listInstallArguments(design, node) : listNetworkArguments(design, node),
    installedArguments: tool === 'kargs' && !isSingleNode ? [] : node.kernelArguments,
  }));
  const content = renderTemplate(isosTemplate, {
    clusterDomain: getClusterDomain(design),
    method: isSingleNode ? 'single-node' : tool,
    nodes,
  });
  return { host: design.services.bastion, path: MAKE_ISOS_PATH, mode: '0755', content };
}

function createBootPrompt(design: Design, images: RhcosImageNames): FileDraft {
  const nodes = design.nodes.map((node) => ({
    fqdn: getNodeFqdn(design, node),
    role: node.role,
    kernelArguments: [...listImageArguments(design, images), ...listInstallArguments(design, node)],
  }));
  const content = renderTemplate(promptTemplate, { clusterDomain: getClusterDomain(design), nodes });
  return { host: design.services.bastion, path: BOOT_PROMPT_PATH, content };
}
