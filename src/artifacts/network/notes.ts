import envTemplate from '../../../templates/env.sh.eta';
import notesTemplate from '../../../templates/network-notes.md.eta';
import { getAddressFamily } from '../../design/address.ts';
import { getClusterDomain } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { listNodeNameServers } from '../dhcp/settings.ts';
import { listReverseZones } from '../dns/records.ts';
import { type FileGenerator, WORK_DIR } from '../shared/generator.ts';
import { renderTemplate } from '../shared/render.ts';
import { formatNetmask, getNetworkAddress, getPrefixLength } from './addresses.ts';
import { listFlows } from './flows.ts';

const ENV_PATH = `${WORK_DIR}/env.sh`;
const NOTES_PATH = `${WORK_DIR}/network-notes.md`;

/** The shell environment for the installation. */
export const envScript: FileGenerator<'env'> = {
  kind: 'env',
  host: 'bastion',
  paths: [ENV_PATH],
  files: ({ design }) => [
    { host: design.services.bastion, path: ENV_PATH, content: renderTemplate(envTemplate, { workDir: WORK_DIR }) },
  ],
};

/** The notes for the administrators of the network. */
export const networkNotes: FileGenerator<'network-notes'> = {
  kind: 'network-notes',
  host: 'bastion',
  paths: [NOTES_PATH],
  files({ design }) {
    const { bastion, dns } = design.services;
    const content = renderTemplate(notesTemplate, {
      clusterDomain: getClusterDomain(design),
      router: design.networks.router ?? '',
      routes: listReturnRouteCommands(design),
      machine: design.networks.machine.map(({ cidr }) => cidr),
      zones: dns.kind === 'bind' ? [design.cluster.baseDomain, ...listReverseZones(design)] : [],
      nameServers: listNodeNameServers(design),
      forwarders: dns.forwarders,
      secureBoot: listSecureBootNodes(design),
      ipv6: design.networks.machine.filter(({ cidr }) => getAddressFamily(cidr) === 6),
      flows: listFlows(design),
    });
    return [{ host: bastion, path: NOTES_PATH, content }];
  },
};

/** Lists the nodes whose firmware does not start an unsigned iPXE. */
function listSecureBootNodes(design: Design): string[] {
  const isIpxe = design.services.boot.kind === 'ipxe';
  return design.nodes.filter(({ secureBoot }) => isIpxe && secureBoot).map(({ name }) => name);
}

/**
 * Lists the commands that add the return routes on a machine of the company network. A router routes only networks of
 * its own address family.
 */
function listReturnRouteCommands(design: Design) {
  const { router, machine } = design.networks;
  if (router === null) return [];
  const isIpv6 = getAddressFamily(router) === 6;
  const cidrs = machine.map(({ cidr }) => cidr).filter((cidr) => getAddressFamily(cidr) === getAddressFamily(router));
  return cidrs.map((cidr) => ({
    linux: `ip ${isIpv6 ? '-6 ' : ''}route add ${cidr} via ${router}`,
    windows: isIpv6
      ? `netsh interface ipv6 add route ${cidr} INTERFACE ${router}`
      : `route -p add ${getNetworkAddress(cidr)} mask ${formatNetmask(getPrefixLength(cidr))} ${router}`,
    macos: `sudo route -n add ${isIpv6 ? '-inet6' : '-net'} ${cidr} ${router}`,
  }));
}
