import template from '../../../templates/nginx.conf.eta';
import { type Design, type DesignNode, WORKER_ROLES } from '../../design/model.ts';
import { clusterDomain, nodesWithRole } from '../../design/names.ts';
import type { Generator } from '../shared/generator.ts';
import { IN_PLACE_IGNITION_PATH, ignitionPath, WEB_ROOT, WORK_DIR } from '../shared/layout.ts';
import { renderTemplate } from '../shared/render.ts';

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
        content: renderTemplate(template, {
          clusterDomain: clusterDomain(design),
          path: NGINX_PATH,
          port: boot.httpPort,
          hasIpv6: bastion.ip.some((address) => address.includes(':')),
          webRoot: WEB_ROOT,
          ignition: listIgnitionFiles(design),
        }),
      },
    ];
  },
};

/**
 * Ignition files with the addresses that may fetch them: an ignition file gives access to the cluster, and
 * bootstrap.ign holds its private keys.
 */
function listIgnitionFiles(design: Design) {
  const addresses = (nodes: readonly DesignNode[]) => nodes.flatMap(({ ip }) => ip);
  if (design.topology === 'single-node') return [{ path: IN_PLACE_IGNITION_PATH, allow: addresses(design.nodes) }];
  const files = [
    { path: ignitionPath('bootstrap'), allow: addresses(nodesWithRole(design, 'bootstrap')) },
    { path: ignitionPath('control-plane'), allow: addresses(nodesWithRole(design, 'control-plane')) },
    { path: ignitionPath('compute'), allow: addresses(nodesWithRole(design, ...WORKER_ROLES)) },
  ];
  return files.filter(({ allow }) => allow.length > 0);
}
