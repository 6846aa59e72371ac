import nginxTemplate from '../../../templates/nginx.conf.eta';
import { getClusterDomain } from '../../design/derived-facts.ts';
import type { Design, DesignNode } from '../../design/model.ts';
import { getNodeOsName } from '../../design/versions.ts';
import {
  type FileGenerator,
  IN_PLACE_IGNITION_PATH,
  listIgnitionFiles,
  WEB_ROOT,
  WORK_DIR,
} from '../shared/generator.ts';
import { renderTemplate } from '../shared/render.ts';

const NGINX_PATH = `${WORK_DIR}/nginx.conf`;

/**
 * A complete nginx.conf for sites that prefer nginx to the built-in boot server: the same URLs, the same rules. It is
 * written to your work directory, because two servers cannot share one port; upi-wizard neither installs nor starts
 * nginx.
 */
export const nginx: FileGenerator<'nginx'> = {
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
          clusterDomain: getClusterDomain(design),
          path: NGINX_PATH,
          port: boot.httpPort,
          hasIpv6: bastion.ip.some((address) => address.includes(':')),
          webRoot: WEB_ROOT,
          system: getNodeOsName(design.openshift.version),
          ignition: listIgnitionAccessRules(design),
        }),
      },
    ];
  },
};

/**
 * Lists the ignition files with the addresses that may fetch them. An ignition file gives access to the cluster, and
 * bootstrap.ign contains its private keys.
 */
function listIgnitionAccessRules(design: Design) {
  const listAddresses = (nodes: readonly DesignNode[]) => nodes.flatMap(({ ip }) => ip);
  if (design.topology === 'single-node') return [{ path: IN_PLACE_IGNITION_PATH, allow: listAddresses(design.nodes) }];
  const files = listIgnitionFiles(design).map(({ path, nodes }) => ({ path, allow: listAddresses(nodes) }));
  return files.filter(({ allow }) => allow.length > 0);
}
