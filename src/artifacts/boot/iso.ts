import promptTemplate from '../../../templates/boot-prompt.txt.eta';
import isosTemplate from '../../../templates/make-isos.sh.eta';
import nodeTemplate from '../../../templates/node-install.sh.eta';
import type { Design, DesignNode } from '../../design/model.ts';
import { clusterDomain, nodeFqdn } from '../../design/names.ts';
import { versionProfile } from '../../design/versions.ts';
import type { Draft, Generator } from '../shared/draft.ts';
import type { RhcosImages } from '../shared/files.ts';
import { bootUrl, IN_PLACE_IGNITION_PATH, ignitionPath, WEB_ROOT, WORK_DIR } from '../shared/layout.ts';
import { render } from '../shared/render.ts';
import { imageArguments, installArguments, networkArguments } from './kernel-arguments.ts';

const MAKE_ISOS = `${WORK_DIR}/make-isos.sh`;
const BOOT_PROMPT = `${WORK_DIR}/boot-prompt.txt`;

/**
 * How nodes that boot from the ISO are installed. From 4.6 the ISO is a live system, on which a person runs the node's script; from
 * 4.8 an ISO can be made for each node, which installs by itself; before, the arguments are typed at the boot prompt.
 */
export const coreosInstaller: Generator<'coreos-installer'> = {
  kind: 'coreos-installer',
  host: 'bastion',
  paths: [MAKE_ISOS, BOOT_PROMPT, `${WEB_ROOT}${scriptPath({ name: 'NODE' })}`],
  files({ design, images }) {
    if (design.services.boot.kind !== 'iso') return [];
    const { hasLiveRootfs, isoTool } = versionProfile(design.openshift.version);
    if (!hasLiveRootfs) return [bootPrompt(design, images)];
    // A single node's installation is in the ignition of the live system; there is nothing to run on it.
    const scripts = design.topology === 'single-node' ? [] : design.nodes.map((node) => nodeScript(design, node));
    return isoTool === null ? scripts : [makeIsos(design, isoTool), ...scripts];
  },
};

/** `/iso/m1.sh`, below the boot URL and below WEB_ROOT alike. */
function scriptPath({ name }: Pick<DesignNode, 'name'>): string {
  return `/iso/${name}.sh`;
}

function nodeScript(design: Design, node: DesignNode): Draft {
  const base = bootUrl(design);
  const network = networkArguments(design, node);
  const content = render(nodeTemplate, {
    fqdn: nodeFqdn(design, node),
    role: node.role,
    url: `${base}${scriptPath(node)}`,
    file: `${node.name}.sh`,
    mac: node.mac,
    installDisk: node.installDisk,
    ignitionUrl: `${base}${ignitionPath(node.role)}`,
    network,
    hasDhcp: design.services.dhcp.kind !== 'none',
    kernelArguments: node.kernelArguments,
  });
  const path = `${WEB_ROOT}${scriptPath(node)}`;
  return { host: design.services.bastion, path, mode: '0755', content };
}

function makeIsos(design: Design, tool: 'kargs' | 'customize'): Draft {
  const isSingle = design.topology === 'single-node';
  const nodes = design.nodes.map((node) => ({
    name: node.name,
    role: node.role,
    disk: node.installDisk,
    ignition: isSingle ? baseName(IN_PLACE_IGNITION_PATH) : baseName(ignitionPath(node.role)),
    // By arguments alone, the live system learns of the disk and of the ignition by them too.
    live: tool === 'kargs' && !isSingle ? installArguments(design, node) : networkArguments(design, node),
    installed: tool === 'kargs' && !isSingle ? [] : node.kernelArguments,
  }));
  const content = render(isosTemplate, {
    clusterDomain: clusterDomain(design),
    method: isSingle ? 'single-node' : tool,
    nodes,
  });
  return { host: design.services.bastion, path: MAKE_ISOS, mode: '0755', content };
}

function bootPrompt(design: Design, images: RhcosImages): Draft {
  const nodes = design.nodes.map((node) => ({
    fqdn: nodeFqdn(design, node),
    role: node.role,
    kernelArguments: [...imageArguments(design, images), ...installArguments(design, node)],
  }));
  const content = render(promptTemplate, { clusterDomain: clusterDomain(design), nodes });
  return { host: design.services.bastion, path: BOOT_PROMPT, content };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
