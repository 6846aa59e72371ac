import type { Design } from '../../design/model.ts';
import { serviceHosts } from '../../design/names.ts';
import type { FaultId } from '../site/faults.ts';
import { victimOf } from '../site/victims.ts';
import { dropHostName, wrongGateway } from './slips-dhcp.ts';
import { dropMembers, replaceMembers, shortTimeouts, withoutTls } from './slips-haproxy.ts';
import { dropRecord, nameReverse, widenWildcard } from './slips-zone.ts';

/** What a fault that lies in the files of a service host may look at. */
export interface SlipContext {
  readonly design: Design;
  readonly faults: ReadonlySet<FaultId>;
  readonly seed: number;
}

/** What a host was given when somebody slipped, by fault and file: the same again is put in place by somebody who looks. */
export type SlipNotes = Record<string, { readonly given: string; isMended: boolean }>;

/**
 * Changes a file that is put in place on a host as somebody did who made this mistake; the same text where the file is not
 * concerned. `before` is what lay there, null where nothing did.
 */
type Slip = (text: string, file: string, context: SlipContext, before: string | null) => string;

const SLIPS: Readonly<Partial<Record<FaultId, Slip>>> = {
  'ptr-missing': (text, file, context) => {
    const victim = victimOf('ptr-missing', context);
    if (victim === null) return text;
    if (isZone(file)) return victim.ip.reduce((zone, address) => dropRecord(zone, file, address, 'PTR'), text);
    return isDhcp(file) ? dropHostName(text, victim.mac) : text;
  },
  'hostname-localhost': (text, file, context) => {
    const victim = victimOf('hostname-localhost', context);
    if (victim === null) return text;
    if (isZone(file))
      return victim.ip.reduce((zone, address) => nameReverse(zone, file, address, 'localhost.localdomain.'), text);
    return isDhcp(file) ? dropHostName(text, victim.mac) : text;
  },
  'wildcard-too-wide': (text, file, { design }) => (isZone(file) ? widenWildcard(text, file, domainOf(design)) : text),
  'api-int-missing': (text, file, { design }) =>
    isZone(file) ? dropRecord(text, file, `api-int.${domainOf(design)}`, 'A') : text,
  'apps-wildcard-missing': (text, file, { design }) =>
    isZone(file) ? dropRecord(text, file, `*.apps.${domainOf(design)}`, 'A') : text,
  // The package with the programs was not installed on this host, or for another firmware.
  'boot-program-missing': (text, file) => (/\/(?:tftpboot|tftp)\/[^/]+\.(?:efi|kpxe)$/.test(file) ? '' : text),
  // Somebody keeps a firewall.sh of his own, and has forgotten a port.
  'tftp-silent': (text, file) => (file.endsWith('/firewall.sh') ? text.replace(/^ *"udp 69 .*\n/gm, '') : text),
  'gateway-wrong': (text, file, { design }) => (isDhcp(file) ? wrongGateway(text, design.networks.machine) : text),
  'config-server-closed': (text, file, { design }) =>
    isBalancer(file) ? dropMembers(text, 22623, addressesOf(design, ['bootstrap'])) : text,
  'api-health-check-wrong': (text, file) => (isBalancer(file) ? withoutTls(text, 6443) : text),
  'balancer-timeout-short': (text, file) => (isBalancer(file) ? shortTimeouts(text) : text),
  'routers-outside-pool': (text, file, { design }) =>
    isBalancer(file)
      ? [80, 443].reduce((config, port) => replaceMembers(config, port, routersElsewhere(design)), text)
      : text,
  'bootstrap-left-in-balancer': (text, file, { design }, before) => {
    const bootstrap = addressesOf(design, ['bootstrap']);
    const names = (config: string | null) => bootstrap.some((address) => config?.includes(`${address}:22623`));
    // The reload after the removal was forgotten, and so was the file.
    return isBalancer(file) && before !== null && names(before) && !names(text) ? before : text;
  },
};

/**
 * Who puts files in place makes the mistakes of this rehearsal: the first time, and again with every other text of the file, because
 * nobody has noticed. Whoever puts the very same text in place again does so because something is wrong, and makes no mistake.
 * @param notes is changed in place
 */
export function slipOf(context: SlipContext, notes: SlipNotes) {
  return (host: string, file: string, text: string, before: string | null): string => {
    let written = text;
    for (const fault of context.faults) {
      const key = `${fault} ${host} ${file}`;
      const known = notes[key];
      if (known?.isMended) continue;
      if (known?.given === text) {
        known.isMended = true;
        continue;
      }
      const spoilt = SLIPS[fault]?.(written, file, context, before) ?? written;
      if (spoilt === written) continue;
      notes[key] = { given: text, isMended: false };
      written = spoilt;
    }
    return written;
  };
}

const isZone = (file: string) => file.endsWith('.zone');
const isDhcp = (file: string) => /(?:dhcpd|kea-dhcp4)\.conf$/.test(file);
const isBalancer = (file: string) => file.endsWith('haproxy.cfg');

function domainOf({ cluster }: Design): string {
  return `${cluster.name}.${cluster.baseDomain}`;
}

function addressesOf(design: Design, roles: readonly string[]): string[] {
  return design.nodes.filter(({ role }) => roles.includes(role)).flatMap(({ ip }) => ip);
}

/** Addresses on the machine network at which no router will ever run: those of the name servers' neighbours, never a node's. */
function routersElsewhere(design: Design): string[] {
  const planned = addressesOf(design, ['compute', 'infra']);
  const control = addressesOf(design, ['control-plane']);
  // Where the control plane runs the routers, the pool lists what is no node at all.
  return planned.length > 0 ? control : serviceHosts(design).flatMap(({ ip }) => ip.slice(0, 1));
}
