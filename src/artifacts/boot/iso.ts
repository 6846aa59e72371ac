import promptTemplate from '../../../templates/boot-prompt.txt.eta';
import isosTemplate from '../../../templates/make-isos.sh.eta';
import nginxTemplate from '../../../templates/nginx.conf.eta';
import nodeTemplate from '../../../templates/node-install.sh.eta';
import { clusterDomain, nodeFqdn } from '../../design/derived-facts.ts';
import type { Design, DesignNode } from '../../design/model.ts';
import { systemName, versionProfile } from '../../design/versions.ts';
import {
  bootUrl,
  type FileDraft,
  type Generator,
  IN_PLACE_IGNITION_PATH,
  ignitionPath,
  listIgnitionFiles,
  WEB_ROOT,
  WORK_DIR,
} from '../shared/generator.ts';
import { renderTemplate } from '../shared/render.ts';
import type { RhcosImages } from './images.ts';
import { imageArguments, installArguments, networkArguments } from './kernel-arguments.ts';

const MAKE_ISOS_PATH = `${WORK_DIR}/make-isos.sh`;
const BOOT_PROMPT_PATH = `${WORK_DIR}/boot-prompt.txt`;

/**
 * Files to install nodes that boot from the ISO. From 4.6 the ISO is a live system, on which you run the node's script.
 * From 4.8 an ISO can be built for each node, which installs on its own. Before 4.6 you type the arguments at the boot
 * prompt.
 */
export const coreosInstaller: Generator<'coreos-installer'> = {
  kind: 'coreos-installer',
  host: 'bastion',
  paths: [MAKE_ISOS_PATH, BOOT_PROMPT_PATH, `${WEB_ROOT}${scriptPath({ name: 'NODE' })}`],
  files({ design, images }) {
    if (design.services.boot.kind !== 'iso') return [];
    const { hasLiveRootfs, isoTool } = versionProfile(design.openshift.version);
    if (!hasLiveRootfs) return [createBootPrompt(design, images)];
    // A single node's installation is in the ignition of the live system; there is nothing to run on it.
    const scripts = design.topology === 'single-node' ? [] : design.nodes.map((node) => createNodeScript(design, node));
    return isoTool === null ? scripts : [createIsoScript(design, isoTool), ...scripts];
  },
};

/** `/iso/m1.sh`; the path is the same below the boot URL and below WEB_ROOT. */
function scriptPath({ name }: Pick<DesignNode, 'name'>): string {
  return `/iso/${name}.sh`;
}

function createNodeScript(design: Design, node: DesignNode): FileDraft {
  const baseUrl = bootUrl(design);
  const network = networkArguments(design, node);
  const content = renderTemplate(nodeTemplate, {
    fqdn: nodeFqdn(design, node),
    role: node.role,
    system: systemName(design.openshift.version),
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
  const isSingle = design.topology === 'single-node';
  const nodes = design.nodes.map((node) => ({
    name: node.name,
    role: node.role,
    disk: node.installDisk,
    ignition: isSingle ? baseName(IN_PLACE_IGNITION_PATH) : baseName(ignitionPath(node.role)),
    // With `kargs` the arguments of the live system also name the disk and the ignition file.
    liveArguments: tool === 'kargs' && !isSingle ? installArguments(design, node) : networkArguments(design, node),
    installedArguments: tool === 'kargs' && !isSingle ? [] : node.kernelArguments,
  }));
  const content = renderTemplate(isosTemplate, {
    clusterDomain: clusterDomain(design),
    method: isSingle ? 'single-node' : tool,
    nodes,
  });
  return { host: design.services.bastion, path: MAKE_ISOS_PATH, mode: '0755', content };
}

function createBootPrompt(design: Design, images: RhcosImages): FileDraft {
  const nodes = design.nodes.map((node) => ({
    fqdn: nodeFqdn(design, node),
    role: node.role,
    kernelArguments: [...imageArguments(design, images), ...installArguments(design, node)],
  }));
  const content = renderTemplate(promptTemplate, { clusterDomain: clusterDomain(design), nodes });
  return { host: design.services.bastion, path: BOOT_PROMPT_PATH, content };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

const NGINX_PATH = `${WORK_DIR}/nginx.conf`;

/**
 * A complete nginx.conf for sites that prefer nginx to the built-in boot server: the same URLs, the same rules. It is
 * written to your work directory, because two servers cannot share one port; upi-wizard neither installs nor starts
 * nginx.
 */
export const nginx: Generator<'nginx'> = {
  kind: 'nginx',
  host: 'bastion',
  paths: [NGINX_PATH],
  files({ design }) {
    const { bastion, boot } = design.services;
    return [
      {
        host: bastion,
        path: NGINX_PATH,
        content: renderTemplate(nginxTemplate, {
          clusterDomain: clusterDomain(design),
          path: NGINX_PATH,
          port: boot.httpPort,
          hasIpv6: bastion.ip.some((address) => address.includes(':')),
          webRoot: WEB_ROOT,
          system: systemName(design.openshift.version),
          ignition: listServedIgnition(design),
        }),
      },
    ];
  },
};

/**
 * Ignition files with the addresses that may fetch them: an ignition file gives access to the cluster, and
 * bootstrap.ign holds its private keys.
 */
function listServedIgnition(design: Design) {
  const addresses = (nodes: readonly DesignNode[]) => nodes.flatMap(({ ip }) => ip);
  if (design.topology === 'single-node') return [{ path: IN_PLACE_IGNITION_PATH, allow: addresses(design.nodes) }];
  const files = listIgnitionFiles(design).map(({ path, nodes }) => ({ path, allow: addresses(nodes) }));
  return files.filter(({ allow }) => allow.length > 0);
}
