import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { canonicalAddress, canonicalMac } from '../address.ts';
import { isRecord } from '../paths.ts';
import { type NodeRow, readAddresses, roleOf, splitHostName } from './node-row.ts';
import type { Rows } from './table.ts';

const words = () => catalogue().imports;

/** Reads the `host NAME { … }` blocks of an ISC dhcpd configuration; null when there is none with a hardware address. */
export function readDhcpdHosts(text: string): Rows | null {
  const plain = text.replaceAll(/(^|[\s;{}])#[^\n]*/g, '$1');
  const blocks = [...plain.matchAll(/\bhost\s+"?([\w.-]+)"?\s*\{([^{}]*)\}/g)];
  const without: string[] = [];
  const rows = blocks.flatMap(([, label = '', body = '']) => {
    const statement = (pattern: string) =>
      new RegExp(`(?:^|[;\\s])${pattern}\\s+([^;]+);`).exec(body)?.[1]?.trim() ?? '';
    const mac = canonicalMac(withWholeOctets(statement('hardware\\s+ethernet')));
    if (mac === null) {
      without.push(label);
      return [];
    }
    const hostName = statement('option\\s+host-name').replaceAll('"', '') || label;
    return [named(hostName, readAddresses(statement('fixed-address6?')), mac)];
  });
  if (rows.length === 0) return null;
  const { notes } = withGuesses(rows);
  return {
    rows,
    notes: [
      ...notes,
      ...(without.length > 0 ? [words().noEthernet(sanitizeLine(without.join(', '), 200))] : []),
      ...(/(?:^|[\s;{}])include\s+"/.test(plain) ? [words().includes] : []),
    ],
  };
}

/** dhcpd takes `0:50:56:96:37:c8` too. */
function withWholeOctets(mac: string): string {
  return /^[\da-f]{1,2}(?::[\da-f]{1,2}){5}$/i.test(mac) ? mac.replaceAll(/\b[\da-f]\b/gi, '0$&') : mac;
}

/** Reads every reservation (hw-address, ip-address, hostname) of a Kea configuration that is plain JSON; null when there is none. */
export function readKeaReservations(document: unknown): Rows | null {
  const rows: NodeRow[] = [];
  const visit = (value: unknown, depth: number) => {
    if (!isRecord(value) || depth > 20) return;
    const mac = canonicalMac(String(value['hw-address'] ?? ''));
    if (mac !== null) {
      const addresses = [value['ip-address'], value['ip-addresses']].flat().map((entry) => String(entry ?? ''));
      rows.push(named(String(value.hostname ?? ''), readAddresses(addresses.join(' ')), mac));
    }
    for (const child of Object.values(value)) visit(child, depth + 1);
  };
  visit(document, 0);
  const usable = rows.filter(({ name }) => name !== '');
  return usable.length > 0 ? withGuesses(usable) : null;
}

/** The names that stand for a service of the cluster, not for a machine: their address is an endpoint. */
export interface HostsFile extends Rows {
  readonly endpoints: {
    readonly api: readonly string[];
    readonly apiInt: readonly string[];
    readonly ingress: readonly string[];
  };
  /** From `api.<cluster>.<base domain>`, when it is there. */
  readonly cluster: { readonly name: string; readonly baseDomain: string } | null;
}

/** Reads lines of `ADDRESS NAME [ALIAS…]`; null when fewer than half of its lines are such. */
export function readHostsFile(text: string): HostsFile | null {
  const lines = text
    .split('\n')
    .map((line, index) => ({ words: line.replace(/#.*/, '').trim().split(/\s+/), line: index + 1 }));
  const filled = lines.filter(({ words: [first = ''] }) => first !== '');
  const hosts = filled.flatMap(({ words: [first = '', ...names] }) => {
    const address = canonicalAddress(first);
    return address !== null && names.length > 0 ? [{ address, names: names.map((name) => name.toLowerCase()) }] : [];
  });
  if (hosts.length === 0 || hosts.length * 2 < filled.length) return null;
  // A table may begin with the address as well.
  if (hosts.some(({ names }) => names.some((name) => canonicalMac(name) !== null))) return null;
  const isOurs = ({ address, names }: (typeof hosts)[number]) =>
    !/^(?:127\.|::1$|ff|fe80:)/.test(address) && !names.some((name) => /^(?:localhost|ip6-)/.test(name));
  return hostsFile(hosts.filter(isOurs));
}

function hostsFile(
  hosts: readonly { readonly address: string; readonly names: readonly string[] }[],
): HostsFile | null {
  const endpoint = (pattern: RegExp) =>
    hosts.filter(({ names }) => names.some((name) => pattern.test(name))).map(({ address }) => address);
  const api = hosts.flatMap(({ names }) => names).find((name) => /^api\.[^.]+\../.test(name));
  const [, clusterName = '', ...base] = api?.split('.') ?? [];
  const byName = new Map<string, { address: string[]; longest: string }>();
  for (const { address, names } of hosts) {
    const own = names.filter((name) => !/^(?:api|api-int|\*)\.|\.apps\./.test(name));
    const longest = own.reduce((best, name) => (name.length > best.length ? name : best), '');
    if (longest === '') continue;
    const known = byName.get(longest) ?? { address: [], longest };
    byName.set(longest, { ...known, address: [...known.address, address] });
  }
  const machines = [...byName.values()].map(({ address, longest }) => named(longest, address, ''));
  // Beside the nodes a hosts file names printers and proxies: only names that tell a role are taken.
  const nodes = machines.filter(({ name }) => roleOf(name) !== null);
  const others = machines.filter(({ name }) => roleOf(name) === null).map(({ name }) => name);
  const endpoints = {
    api: endpoint(/^api\.[^.]+\../),
    apiInt: endpoint(/^api-int\.[^.]+\../),
    ingress: endpoint(/^(?:\*|[\w-]+)\.apps\./).filter((address, index, all) => all.indexOf(address) === index),
  };
  if (nodes.length === 0 && api === undefined) return null;
  return {
    rows: nodes,
    notes: others.length > 0 ? [words().others(sanitizeLine(others.join(', '), 200))] : [],
    endpoints,
    cluster: api === undefined ? null : { name: clusterName, baseDomain: base.join('.') },
  };
}

function named(hostName: string, ip: readonly string[], mac: string): NodeRow {
  const split = splitHostName(hostName);
  return { ...split, role: roleOf(split.name) ?? 'compute', ip, mac };
}

function withGuesses(rows: readonly NodeRow[]): Rows {
  const guessed = rows.filter(({ name }) => roleOf(name) === null).map(({ name }) => name);
  return { rows, notes: guessed.length > 0 ? [words().guessedRole(sanitizeLine(guessed.join(', '), 200))] : [] };
}
