import { serviceHosts } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { findAffectedNode } from '../site/affected-nodes.ts';
import type { FaultId } from '../site/faults.ts';
import { dropHostName, replaceGateway } from './file-faults-dhcp.ts';
import { dropMembers, removeTlsChecks, replaceMembers, shortenTimeouts } from './file-faults-haproxy.ts';
import { dropRecord, replaceReverseName, widenWildcard } from './file-faults-zone.ts';

/** Input of the faults in the files of service hosts. */
export interface FileFaultContext {
  readonly design: Design;
  readonly faults: ReadonlySet<FaultId>;
  readonly seed: number;
}

/**
 * Files that were installed with a mistake, by fault, host and file. Installing the same text again repairs the file.
 */
export type FileFaultState = Record<string, { readonly given: string; isMended: boolean }>;

/**
 * Returns an installed file with the mistake of one fault, or unchanged if the fault does not affect it. `before` is
 * the text of the file on the host, null if there was none.
 */
type FileFault = (text: string, file: string, context: FileFaultContext, before: string | null) => string;

const FILE_FAULTS: Readonly<Partial<Record<FaultId, FileFault>>> = {
  'ptr-missing': (text, file, context) => {
    const node = findAffectedNode('ptr-missing', context);
    if (node === null) return text;
    if (isZone(file)) return node.ip.reduce((zone, address) => dropRecord(zone, file, address, 'PTR'), text);
    return isDhcp(file) ? dropHostName(text, node.mac) : text;
  },
  'hostname-localhost': (text, file, context) => {
    const node = findAffectedNode('hostname-localhost', context);
    if (node === null) return text;
    if (isZone(file))
      return node.ip.reduce((zone, address) => replaceReverseName(zone, file, address, 'localhost.localdomain.'), text);
    return isDhcp(file) ? dropHostName(text, node.mac) : text;
  },
  'wildcard-too-wide': (text, file, { design }) =>
    isZone(file) ? widenWildcard(text, file, getClusterDomain(design)) : text,
  'api-int-missing': (text, file, { design }) =>
    isZone(file) ? dropRecord(text, file, `api-int.${getClusterDomain(design)}`, 'A') : text,
  'apps-wildcard-missing': (text, file, { design }) =>
    isZone(file) ? dropRecord(text, file, `*.apps.${getClusterDomain(design)}`, 'A') : text,
  // The package with the boot programs is missing on this host, or is for another firmware.
  'boot-program-missing': (text, file) => (/\/(?:tftpboot|tftp)\/[^/]+\.(?:efi|kpxe)$/.test(file) ? '' : text),
  // A firewall.sh that is maintained manually lacks a port.
  'tftp-silent': (text, file) => (file.endsWith('/firewall.sh') ? text.replace(/^ *"udp 69 .*\n/gm, '') : text),
  'gateway-wrong': (text, file, { design }) => (isDhcp(file) ? replaceGateway(text, design.networks.machine) : text),
  'config-server-closed': (text, file, { design }) =>
    isBalancer(file) ? dropMembers(text, 22623, listAddresses(design, ['bootstrap'])) : text,
  'api-health-check-wrong': (text, file) => (isBalancer(file) ? removeTlsChecks(text, 6443) : text),
  'balancer-timeout-short': (text, file) => (isBalancer(file) ? shortenTimeouts(text) : text),
  'routers-outside-pool': (text, file, { design }) =>
    isBalancer(file)
      ? [80, 443].reduce((config, port) => replaceMembers(config, port, listNonRouterAddresses(design)), text)
      : text,
  'bootstrap-left-in-balancer': (text, file, { design }, before) => {
    const bootstrap = listAddresses(design, ['bootstrap']);
    const listsBootstrap = (config: string | null) => bootstrap.some((address) => config?.includes(`${address}:22623`));
    // The file without the bootstrap node was never installed, so the previous one stays.
    return isBalancer(file) && before !== null && listsBootstrap(before) && !listsBootstrap(text) ? before : text;
  },
};

/**
 * Creates the function that applies the mistakes of the injected faults to an installed file. Each new text of a file
 * gets the mistake. Installing the same text again is a deliberate repair and gets none.
 * @param state changed in place
 */
export function createFileFaults(context: FileFaultContext, state: FileFaultState) {
  return (host: string, file: string, text: string, before: string | null): string => {
    let written = text;
    for (const fault of context.faults) {
      const key = `${fault} ${host} ${file}`;
      const known = state[key];
      if (known?.isMended) continue;
      if (known?.given === text) {
        known.isMended = true;
        continue;
      }
      const faulty = FILE_FAULTS[fault]?.(written, file, context, before) ?? written;
      if (faulty === written) continue;
      state[key] = { given: text, isMended: false };
      written = faulty;
    }
    return written;
  };
}

const isZone = (file: string) => file.endsWith('.zone');
const isDhcp = (file: string) => /(?:dhcpd|kea-dhcp4)\.conf$/.test(file);
const isBalancer = (file: string) => file.endsWith('haproxy.cfg');

function getClusterDomain({ cluster }: Design): string {
  return `${cluster.name}.${cluster.baseDomain}`;
}

function listAddresses(design: Design, roles: readonly string[]): string[] {
  return design.nodes.filter(({ role }) => roles.includes(role)).flatMap(({ ip }) => ip);
}

/** Addresses on the machine network without a router: those of control plane nodes, else those of service hosts. */
function listNonRouterAddresses(design: Design): string[] {
  const planned = listAddresses(design, ['compute', 'infra']);
  const control = listAddresses(design, ['control-plane']);
  // If the control plane runs the routers, the pool lists addresses that are not nodes.
  return planned.length > 0 ? control : serviceHosts(design).flatMap(({ ip }) => ip.slice(0, 1));
}
