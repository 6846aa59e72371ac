import envTemplate from '../../../templates/env.sh.eta';
import notesTemplate from '../../../templates/network-notes.md.eta';
import { familyOf } from '../../design/address.ts';
import type { Design } from '../../design/model.ts';
import { clusterDomain } from '../../design/names.ts';
import { nameServers } from '../dhcp/plan.ts';
import { reverseZones } from '../dns/records.ts';
import type { Generator } from '../shared/draft.ts';
import { WORK_DIR } from '../shared/layout.ts';
import { render } from '../shared/render.ts';
import { firstOf, netmask, prefixOf } from './addresses.ts';
import { flows } from './flows.ts';

const ENV_PATH = `${WORK_DIR}/env.sh`;
const NOTES_PATH = `${WORK_DIR}/network-notes.md`;

/** The shell environment of the person who installs. */
export const env: Generator<'env'> = {
  kind: 'env',
  host: 'bastion',
  paths: [ENV_PATH],
  files: ({ design }) => [
    { host: design.services.bastion, path: ENV_PATH, content: render(envTemplate, { workDir: WORK_DIR }) },
  ],
};

/** The notes for the owners of the network. */
export const networkNotes: Generator<'network-notes'> = {
  kind: 'network-notes',
  host: 'bastion',
  paths: [NOTES_PATH],
  files({ design }) {
    const { bastion, dns } = design.services;
    const content = render(notesTemplate, {
      clusterDomain: clusterDomain(design),
      router: design.networks.router ?? '',
      routes: returnRoutes(design),
      machine: design.networks.machine.map(({ cidr }) => cidr),
      zones: dns.kind === 'bind' ? [design.cluster.baseDomain, ...reverseZones(design)] : [],
      nameServers: nameServers(design),
      forwarders: dns.forwarders,
      secureBoot: secureBootNodes(design),
      ipv6: design.networks.machine.filter(({ cidr }) => familyOf(cidr) === 6),
      flows: flows(design),
    });
    return [{ host: bastion, path: NOTES_PATH, content }];
  },
};

/** Nodes whose firmware would not start an unsigned iPXE. */
function secureBootNodes(design: Design): string[] {
  const isIpxe = design.services.boot.kind === 'ipxe';
  return design.nodes.filter(({ secureBoot }) => isIpxe && secureBoot).map(({ name }) => name);
}

/** Commands for a machine of the company network; a router leads to the networks of its own family. */
function returnRoutes(design: Design) {
  const { router, machine } = design.networks;
  if (router === null) return [];
  const isSix = familyOf(router) === 6;
  const cidrs = machine.map(({ cidr }) => cidr).filter((cidr) => familyOf(cidr) === familyOf(router));
  return cidrs.map((cidr) => ({
    linux: `ip ${isSix ? '-6 ' : ''}route add ${cidr} via ${router}`,
    windows: isSix
      ? `netsh interface ipv6 add route ${cidr} INTERFACE ${router}`
      : `route -p add ${firstOf(cidr)} mask ${netmask(prefixOf(cidr))} ${router}`,
    macos: `sudo route -n add ${isSix ? '-inet6' : '-net'} ${cidr} ${router}`,
  }));
}
