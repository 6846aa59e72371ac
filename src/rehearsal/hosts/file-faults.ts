import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isInRange } from '../../design/address.ts';
import { getApiIntName, getAppsDomain, listServiceHosts } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { formatUrlHost } from '../../platform/text.ts';
import { getList, getString, isRecord } from '../api/objects.ts';
import type { FaultId } from '../site/faults.ts';
import { findAffectedNode } from '../site/seeded-random.ts';
import { formatReverseName } from './dns.ts';
import { listFiles } from './host-files.ts';

/** Removes the host name for the machine with this MAC from a dhcpd.conf or kea-dhcp4.conf. */
function dropHostName(text: string, mac: string): string {
  if (isKeaConfig(text)) {
    return changeKeaConfig(text, (entry) => {
      if (getString(entry, 'hw-address').toLowerCase() !== mac) return;
      delete entry.hostname;
      entry['option-data'] = getList(entry, 'option-data').filter(
        (option) => getString(option, 'name') !== 'host-name',
      );
    });
  }
  return text.replace(/^host \S+ \{[^}]*\}/gm, (block) =>
    block.toLowerCase().includes(mac) ? block.replace(/\n\s*option host-name [^;]*;/, '') : block,
  );
}

/** Replaces the gateway of each machine network with an adjacent address, which is no router. */
function replaceGateway(
  text: string,
  networks: readonly { readonly cidr: string; readonly gateway: string | null }[],
): string {
  const replacements = new Map(
    networks.flatMap(({ cidr, gateway }): [string, string][] =>
      gateway === null || gateway.includes(':') ? [] : [[gateway, getAdjacentAddress(gateway, cidr)]],
    ),
  );
  if (isKeaConfig(text)) {
    return changeKeaConfig(text, (entry) => {
      if (getString(entry, 'name') === 'routers') entry.data = replacements.get(getString(entry, 'data')) ?? entry.data;
    });
  }
  return text.replace(/(?<=option routers )[^;]+/g, (gateway) => replacements.get(gateway.trim()) ?? gateway);
}

const isKeaConfig = (text: string) => text.includes('"Dhcp4"');

/** Returns the configuration after `change` was applied to every object in it. */
function changeKeaConfig(text: string, change: (entry: Record<string, unknown>) => void): string {
  const config: unknown = JSON.parse(text);
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isRecord(value)) {
      change(value);
      Object.values(value).forEach(visit);
    }
  };
  visit(config);
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** Returns the address before or after another one in the same network. */
function getAdjacentAddress(address: string, cidr: string): string {
  const lastOctet = Number(address.split('.')[3]);
  const previousAddress = address.replace(/\d+$/, String(lastOctet - 1));
  return lastOctet > 1 && isInRange(previousAddress, cidr)
    ? previousAddress
    : address.replace(/\d+$/, String(lastOctet + 1));
}

/** Returns a haproxy.cfg after `change` was applied to every section: a list of lines that begins with its header. */
function changeSections(text: string, change: (section: readonly string[]) => readonly string[]): string {
  const sections: string[][] = [[]];
  for (const line of text.split('\n')) {
    if (/^(?:global|defaults|frontend|backend|listen)\b/.test(line)) sections.push([]);
    sections.at(-1)?.push(line);
  }
  return sections.flatMap(change).join('\n');
}

const isServerLine = (line: string) => /^\s*server\s/.test(line);
const routesToPort = (section: readonly string[], port: number) =>
  section.some((line) => isServerLine(line) && parseServerAddress(line, port) !== null);

/** Removes these members from the pools of a port. */
function dropMembers(text: string, port: number, addresses: readonly string[]): string {
  const isDropped = (line: string) =>
    isServerLine(line) && addresses.some((address) => parseServerAddress(line, port) === address);
  return text
    .split('\n')
    .filter((line) => !isDropped(line))
    .join('\n');
}

/** Replaces the members of the pools of a port with these. */
function replaceMembers(text: string, port: number, addresses: readonly string[]): string {
  const members = addresses.map(
    (address, index) => `    server node${index + 1} ${formatUrlHost(address)}:${port} check`,
  );
  return changeSections(text, (section) => {
    if (!routesToPort(section, port)) return section;
    const firstServerIndex = section.findIndex(isServerLine);
    const otherLines = section.filter((line) => !isServerLine(line));
    return otherLines.toSpliced(firstServerIndex, 0, ...members);
  });
}

/** Makes the HTTP health checks of a port use plain HTTP. */
function removeTlsChecks(text: string, port: number): string {
  return changeSections(text, (section) =>
    routesToPort(section, port) ? section.map((line) => line.replace(/ check-ssl| verify none/g, '')) : section,
  );
}

/** Sets the client, server and tunnel timeouts to ten seconds. */
function shortenTimeouts(text: string): string {
  return text.replace(/^(?<head>\s*timeout (?:client|server|tunnel)\s+)\S+/gm, '$<head>10s');
}

function parseServerAddress(line: string, port: number): string | null {
  const match = new RegExp(`\\s\\[?([^\\s\\]]+?)\\]?:${port}(?:\\s|$)`).exec(line);
  return match?.[1] ?? null;
}

/** Parses the origin of a zone file, without the last dot: its `$ORIGIN`, else its file name. */
function parseOrigin(text: string, file: string): string {
  return /^\$ORIGIN\s+(\S+?)\.?\s*$/m.exec(text)?.[1] ?? basename(file, '.zone');
}

/**
 * Changes the first record of a name and type in a zone.
 * @param name a domain name without the last dot, or an address for its reverse record (type PTR)
 * @param change returns the new line; null removes it
 */
function changeRecord(
  text: string,
  file: string,
  name: string,
  type: 'A' | 'AAAA' | 'PTR',
  change: (line: string) => string | null,
): string {
  const origin = parseOrigin(text, file);
  const fullName = type === 'PTR' ? formatReverseName(name) : name;
  const owner = fullName === origin ? '@' : fullName.replace(`.${origin}`, '');
  const lines = text.split('\n');
  const index = lines.findIndex((line) => {
    const [lineOwner, ...fields] = line.split(/\s+/);
    return (lineOwner === owner || lineOwner === `${fullName}.`) && fields.includes(type);
  });
  return lines.flatMap((line, position) => (position === index ? (change(line) ?? []) : [line])).join('\n');
}

/** Changes the address records of a name in a zone, A and AAAA. */
const changeAddressRecords = (text: string, file: string, name: string, change: (line: string) => string | null) =>
  changeRecord(changeRecord(text, file, name, 'A', change), file, name, 'AAAA', change);

const removeLine = () => null;

/** Input of the faults in the files of service hosts. */
interface FileFaultContext {
  readonly design: Design;
  readonly faults: ReadonlySet<FaultId>;
  readonly seed: number;
}

/** Files installed with a mistake, by fault, host and file. The same text, installed again, is a repair. */
export type FileFaultState = Record<string, { readonly given: string; isMended: boolean }>;

/**
 * Returns an installed file with the mistake of one fault, or unchanged if the fault does not affect it. `previousText`
 * is the text of the file on the host, null if there was none.
 */
type FileFault = (text: string, file: string, context: FileFaultContext, previousText: string | null) => string;

/** Changes the host name that the affected node of a fault gets: in reverse records, and in DHCP. */
function changeNodeName(
  fault: FaultId,
  change: (line: string) => string | null,
  text: string,
  file: string,
  context: FileFaultContext,
): string {
  const node = findAffectedNode(fault, context);
  if (node === null) return text;
  if (isZoneFile(file))
    return node.ip.reduce((zone, address) => changeRecord(zone, file, address, 'PTR', change), text);
  return isDhcpFile(file) ? dropHostName(text, node.mac) : text;
}

const FILE_FAULTS: Readonly<Partial<Record<FaultId, FileFault>>> = {
  'ptr-missing': (text, file, context) => changeNodeName('ptr-missing', removeLine, text, file, context),
  'hostname-localhost': (text, file, context) => {
    const renameToLocalhost = (line: string) => line.replace(/\S+\s*$/, 'localhost.localdomain.');
    return changeNodeName('hostname-localhost', renameToLocalhost, text, file, context);
  },
  // The wildcard covers the cluster domain instead of its apps domain.
  'wildcard-too-wide': (text, file, { design }) =>
    isZoneFile(file)
      ? changeAddressRecords(text, file, `*.${getAppsDomain(design)}`, (line) => line.replace('*.apps', '*'))
      : text,
  'api-int-missing': (text, file, { design }) =>
    isZoneFile(file) ? changeAddressRecords(text, file, getApiIntName(design), removeLine) : text,
  'apps-wildcard-missing': (text, file, { design }) =>
    isZoneFile(file) ? changeAddressRecords(text, file, `*.${getAppsDomain(design)}`, removeLine) : text,
  // The package with the boot programs is missing on this host, or is for another firmware.
  'boot-program-missing': (text, file) => (/\/(?:tftpboot|tftp)\/[^/]+\.(?:efi|kpxe)$/.test(file) ? '' : text),
  // A firewall.sh that is maintained manually lacks a port.
  'tftp-silent': (text, file) => (file.endsWith('/firewall.sh') ? text.replace(/^ *"udp 69 .*\n/gm, '') : text),
  'gateway-wrong': (text, file, { design }) =>
    isDhcpFile(file) ? replaceGateway(text, design.networks.machine) : text,
  'config-server-closed': (text, file, { design }) =>
    isBalancerFile(file) ? dropMembers(text, 22623, listAddresses(design, ['bootstrap'])) : text,
  'api-health-check-wrong': (text, file) => (isBalancerFile(file) ? removeTlsChecks(text, 6443) : text),
  'balancer-timeout-short': (text, file) => (isBalancerFile(file) ? shortenTimeouts(text) : text),
  'routers-outside-pool': (text, file, { design }) =>
    isBalancerFile(file)
      ? [80, 443].reduce((config, port) => replaceMembers(config, port, listNonRouterAddresses(design)), text)
      : text,
  'bootstrap-left-in-balancer': (text, file, { design }, previousText) => {
    const bootstrapAddresses = listAddresses(design, ['bootstrap']);
    const listsBootstrap = (config: string | null) =>
      bootstrapAddresses.some((address) => config?.includes(`${address}:22623`));
    // The file without the bootstrap node was never installed, so the previous one stays.
    return isBalancerFile(file) && previousText !== null && listsBootstrap(previousText) && !listsBootstrap(text)
      ? previousText
      : text;
  },
};

/**
 * Creates the function that applies the mistakes of the injected faults to an installed file. Each new text of a file
 * gets the mistake. Installing the same text again is a deliberate repair and gets none.
 * @param state changed in place
 */
export function createFileFaultApplier(context: FileFaultContext, state: FileFaultState) {
  return (host: string, file: string, text: string, previousText: string | null): string => {
    let installedText = text;
    for (const fault of context.faults) {
      const key = `${fault} ${host} ${file}`;
      const faultState = state[key];
      if (faultState?.isMended) continue;
      if (faultState?.given === text) {
        faultState.isMended = true;
        continue;
      }
      const faultyText = FILE_FAULTS[fault]?.(installedText, file, context, previousText) ?? installedText;
      if (faultyText === installedText) continue;
      state[key] = { given: text, isMended: false };
      installedText = faultyText;
    }
    return installedText;
  };
}

const isZoneFile = (file: string) => file.endsWith('.zone');
const isDhcpFile = (file: string) => /(?:dhcpd|kea-dhcp4)\.conf$/.test(file);
const isBalancerFile = (file: string) => file.endsWith('haproxy.cfg');

function listAddresses(design: Design, roles: readonly string[]): string[] {
  return design.nodes.filter(({ role }) => roles.includes(role)).flatMap(({ ip }) => ip);
}

/** Lists machine network addresses without a router: of control plane nodes, else of service hosts. */
function listNonRouterAddresses(design: Design): string[] {
  const routerAddresses = listAddresses(design, ['compute', 'infra']);
  const controlPlaneAddresses = listAddresses(design, ['control-plane']);
  // If the control plane runs the routers, the pool lists addresses that are not nodes.
  return routerAddresses.length > 0
    ? controlPlaneAddresses
    : listServiceHosts(design).flatMap(({ ip }) => ip.slice(0, 1));
}

/** Typos in the files of services, one character too many or too few, which the program rejects. */
const TYPOS: readonly (readonly [RegExp, (text: string) => string])[] = [
  [/^haproxy\.cfg$/, (text) => text.replace(/^(\s*)mode tcp$/m, '$1mod tcp')],
  [/^dhcpd\.conf$/, (text) => text.replace(/(option domain-name "[^"]*");/, '$1')],
  [/^kea-dhcp4\.conf$/, (text) => text.replace(/,$/m, '')],
  [/\.zone$/, (text) => text.replace(/^(.*\sA\s+[\d.]+)$/m, '$1.')],
];

/** Lists the files below the root of a host that such a typo can break. */
export function listBreakableFiles(root: string): string[] {
  return listFiles(root).filter((file) => findTypo(file) !== undefined && readWithTypo(file) !== null);
}

/** Breaks a file in place. */
export function breakFile(file: string): void {
  const text = readWithTypo(file);
  if (text !== null) writeFileSync(file, text);
}

function readWithTypo(file: string): string | null {
  const text = readFileSync(file, 'utf8');
  const brokenText = findTypo(file)?.(text) ?? text;
  return brokenText === text ? null : brokenText;
}

function findTypo(file: string) {
  return TYPOS.find(([name]) => name.test(basename(file)))?.[1];
}
