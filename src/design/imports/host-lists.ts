import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { toCanonicalAddress, toCanonicalMac } from '../address.ts';
import { isObjectOrList } from '../paths.ts';
import type { ImportedNodes } from './node-table.ts';
import { detectRole, looksLikeMac, type NodeRow, parseAddresses, splitHostName } from './node-table.ts';

const words = () => catalogue().imports;

/** Parses the `host NAME { … }` blocks of an ISC dhcpd configuration; null if none has a hardware address. */
export function parseDhcpdHosts(text: string): ImportedNodes | null {
  const config = text.replaceAll(/(^|[\s;{}])#[^\n]*/g, '$1');
  const blocks = [...config.matchAll(/\bhost\s+"?([\w.-]+)"?\s*\{([^{}]*)\}/g)];
  const labelsWithoutMac: string[] = [];
  const rows = blocks.flatMap(([, label = '', body = '']) => {
    const getStatement = (pattern: string) =>
      new RegExp(`(?:^|[;\\s])${pattern}\\s+([^;]+);`).exec(body)?.[1]?.trim() ?? '';
    const mac = toCanonicalMac(padOctets(getStatement('hardware\\s+ethernet')));
    if (mac === null) {
      labelsWithoutMac.push(label);
      return [];
    }
    const hostName = getStatement('option\\s+host-name').replaceAll('"', '') || label;
    return [createNodeRow(hostName, parseAddresses(getStatement('fixed-address6?')), mac)];
  });
  if (rows.length === 0) return null;
  const { notes } = createImportedNodes(rows);
  return {
    rows,
    notes: [
      ...notes,
      ...(labelsWithoutMac.length > 0 ? [words().noEthernet(sanitizeLine(labelsWithoutMac.join(', '), 200))] : []),
      ...(/(?:^|[\s;{}])include\s+"/.test(config) ? [words().includes] : []),
    ],
  };
}

/** Pads octets to two digits: dhcpd also accepts `0:50:56:96:37:c8`. */
function padOctets(mac: string): string {
  return /^[\da-f]{1,2}(?::[\da-f]{1,2}){5}$/i.test(mac) ? mac.replaceAll(/\b[\da-f]\b/gi, '0$&') : mac;
}

/**
 * Parses every reservation (hw-address, ip-address, hostname) of a Kea configuration in plain JSON; null if there is
 * none.
 */
export function parseKeaReservations(document: unknown): ImportedNodes | null {
  const rows: NodeRow[] = [];
  const visit = (value: unknown, depth: number) => {
    if (!isObjectOrList(value) || depth > 20) return;
    const mac = toCanonicalMac(String(value['hw-address'] ?? ''));
    if (mac !== null) {
      const addresses = [value['ip-address'], value['ip-addresses']].flat().map((entry) => String(entry ?? ''));
      rows.push(createNodeRow(String(value.hostname ?? ''), parseAddresses(addresses.join(' ')), mac));
    }
    for (const child of Object.values(value)) visit(child, depth + 1);
  };
  visit(document, 0);
  const namedRows = rows.filter(({ name }) => name !== '');
  return namedRows.length > 0 ? createImportedNodes(namedRows) : null;
}

/** A hosts file: its nodes, and the endpoints from the names of cluster services (api, api-int, *.apps). */
interface HostsFile extends ImportedNodes {
  readonly endpoints: {
    readonly api: readonly string[];
    readonly apiInt: readonly string[];
    readonly ingress: readonly string[];
  };
  /** From `api.<cluster>.<base domain>`; null without such a name. */
  readonly cluster: { readonly name: string; readonly baseDomain: string } | null;
}

/** Parses lines of `ADDRESS NAME [ALIAS…]`; null when fewer than half of the lines have this form. */
export function parseHostsFile(text: string): HostsFile | null {
  const lines = text
    .split('\n')
    .map((line, index) => ({ fields: line.replace(/#.*/, '').trim().split(/\s+/), line: index + 1 }));
  const nonEmptyLines = lines.filter(({ fields: [first = ''] }) => first !== '');
  const hosts = nonEmptyLines.flatMap(({ fields: [first = '', ...names] }) => {
    const address = toCanonicalAddress(first);
    return address !== null && names.length > 0 ? [{ address, names: names.map((name) => name.toLowerCase()) }] : [];
  });
  if (hosts.length === 0 || hosts.length * 2 < nonEmptyLines.length) return null;
  // A table may also begin with the address. A MAC address, also a mistyped one, shows that the text is a table.
  if (hosts.some(({ names }) => names.some((name) => looksLikeMac(name)))) return null;
  const isRelevantHost = ({ address, names }: (typeof hosts)[number]) =>
    !/^(?:127\.|::1$|ff|fe80:)/.test(address) && !names.some((name) => /^(?:localhost|ip6-)/.test(name));
  return buildHostsFile(hosts.filter(isRelevantHost));
}

function buildHostsFile(
  hosts: readonly { readonly address: string; readonly names: readonly string[] }[],
): HostsFile | null {
  const listAddressesByName = (pattern: RegExp) =>
    hosts.filter(({ names }) => names.some((name) => pattern.test(name))).map(({ address }) => address);
  const apiHostName = hosts.flatMap(({ names }) => names).find((name) => /^api\.[^.]+\../.test(name));
  const [, clusterName = '', ...baseLabels] = apiHostName?.split('.') ?? [];
  const hostsByName = new Map<string, { addresses: string[]; hostName: string }>();
  for (const { address, names } of hosts) {
    const hostNames = names.filter((name) => !/^(?:api|api-int|\*)\.|\.apps\./.test(name));
    const hostName = hostNames.reduce(
      (longestName, name) => (name.length > longestName.length ? name : longestName),
      '',
    );
    if (hostName === '') continue;
    const existingHost = hostsByName.get(hostName) ?? { addresses: [], hostName };
    hostsByName.set(hostName, { ...existingHost, addresses: [...existingHost.addresses, address] });
  }
  const machines = [...hostsByName.values()].map(({ addresses, hostName }) => createNodeRow(hostName, addresses, ''));
  // A hosts file also lists printers and proxies. Only names that imply a role become nodes.
  const nodes = machines.filter(({ name }) => detectRole(name) !== null);
  const clusterDomain = [clusterName, ...baseLabels].join('.');
  const joinOtherNames = (isInCluster: boolean) =>
    machines
      .filter(
        ({ name, domain }) => detectRole(name) === null && (domain !== '' && domain === clusterDomain) === isInCluster,
      )
      .map(({ name }) => name)
      .join(', ');
  const [unclearNames, otherNames] = [joinOtherNames(true), joinOtherNames(false)];
  const endpoints = {
    api: listAddressesByName(/^api\.[^.]+\../),
    apiInt: listAddressesByName(/^api-int\.[^.]+\../),
    ingress: listAddressesByName(/^(?:\*|[\w-]+)\.apps\./).filter(
      (address, index, all) => all.indexOf(address) === index,
    ),
  };
  if (nodes.length === 0 && apiHostName === undefined) return null;
  return {
    rows: nodes,
    notes: [
      ...(unclearNames === '' ? [] : [words().hostsWithoutRole(sanitizeLine(unclearNames, 200))]),
      ...(otherNames === '' ? [] : [words().hostsOutsideCluster(sanitizeLine(otherNames, 200))]),
    ],
    endpoints,
    cluster: apiHostName === undefined ? null : { name: clusterName, baseDomain: baseLabels.join('.') },
  };
}

function createNodeRow(hostName: string, ip: readonly string[], mac: string): NodeRow {
  const parts = splitHostName(hostName);
  return { ...parts, role: detectRole(parts.name) ?? 'compute', ip, mac };
}

function createImportedNodes(rows: readonly NodeRow[]): ImportedNodes {
  const namesWithoutRole = rows.filter(({ name }) => detectRole(name) === null).map(({ name }) => name);
  return {
    rows,
    notes: namesWithoutRole.length > 0 ? [words().guessedRole(sanitizeLine(namesWithoutRole.join(', '), 200))] : [],
  };
}
