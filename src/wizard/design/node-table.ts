import { addressAfter, addressNumber, canonicalMac, familyOf, isInside, parseNetwork } from '../../design/address.ts';
import { defaultSize } from '../../design/defaults.ts';
import { ROLES } from '../../design/model.ts';
import { type Document, getAt } from './document.ts';

/** A node as typed: anything may be missing or wrong. */
export type TypedNode = Readonly<Record<string, unknown>>;

/** What a person can fill down from one node to those below it. */
export const FILLS = ['name', 'ip', 'mac', 'sizes'] as const;
export type Fill = (typeof FILLS)[number];

/** The orders of the table, in the order in which the key goes through them. */
export const SORTS = ['role', 'name', 'ip'] as const;
export type Sort = (typeof SORTS)[number];

/** The nodes of the document as typed. */
export function typedNodes(document: Document): readonly TypedNode[] {
  const nodes = getAt(document, 'nodes');
  if (!Array.isArray(nodes)) return [];
  return nodes.map((node: unknown) => (typeof node === 'object' && node !== null ? (node as TypedNode) : {}));
}

export interface Filled {
  readonly nodes: readonly TypedNode[];
  /** How many nodes got a value. */
  readonly count: number;
  /** How many did not, because the network or the numbers ran out. */
  readonly left: number;
}

/** The nodes below a row that a fill reaches, up to the end of the table: those of the same role, or all of them. */
export function fillTargets(nodes: readonly TypedNode[], row: number, isAcross = false): number[] {
  return nodes.flatMap((node, index) => (index > row && (isAcross || node.role === nodes[row]?.role) ? [index] : []));
}

/**
 * Fills the nodes below a row from it: copies sizes; counts up names, addresses and MACs. Skips addresses that
 * something else of the design has, and stays in the machine networks. Null when the row has nothing to count from.
 */
export function fillDown(document: Document, row: number, fill: Fill, isAcross = false): Filled | null {
  const nodes = typedNodes(document);
  const source = nodes[row];
  const targets = fillTargets(nodes, row, isAcross);
  if (!source || targets.length === 0) return null;
  const values = valuesAfter(document, source, targets, fill);
  if (values === null) return null;
  const filled = [...nodes];
  for (const [position, value] of values.entries()) {
    const index = targets[position];
    if (index !== undefined) filled[index] = { ...filled[index], ...value };
  }
  return { nodes: filled, count: values.length, left: targets.length - values.length };
}

/**
 * What these nodes get when they are filled from another one, in their order; fewer where the network or the numbers run out.
 * Null when that one has nothing to count from.
 */
export function valuesAfter(
  document: Document,
  source: TypedNode,
  targets: readonly number[],
  fill: Fill,
): TypedNode[] | null {
  const others = typedNodes(document).filter((_, index) => !targets.includes(index));
  switch (fill) {
    case 'sizes': {
      const keys = ['vcpu', 'memoryGiB', 'diskGiB', 'installDisk'].filter((key) => source[key] !== undefined);
      const sizes = Object.fromEntries(keys.map((key) => [key, source[key]]));
      return keys.length === 0 ? null : targets.map(() => sizes);
    }
    case 'name':
      return (
        counted(targets.length, String(source.name ?? ''), nextName, textsOf(others, 'name'))?.map((name) => ({
          name,
        })) ?? null
      );
    case 'mac':
      return (
        counted(targets.length, canonicalMac(String(source.mac ?? '')) ?? '', nextMac, textsOf(others, 'mac'))?.map(
          (mac) => ({
            mac,
          }),
        ) ?? null
      );
    case 'ip':
      return addressesFor(document, source, others, targets.length);
  }
}

/** As many values after the first one as wanted, or as exist; null when there is nothing to count from. */
function counted(
  wanted: number,
  first: string,
  next: (text: string) => string | null,
  taken: ReadonlySet<string>,
): string[] | null {
  let value = next(first);
  if (value === null) return null;
  const values: string[] = [];
  while (value !== null && values.length < wanted) {
    if (!taken.has(value)) values.push(value);
    value = next(value);
  }
  return values;
}

/** `w1` after `w0`, `worker-10` after `worker-09`; null without digits at the end. */
function nextName(name: string): string | null {
  const [, stem, digits] = /^(.*?)(\d{1,9})$/.exec(name) ?? [];
  return digits === undefined ? null : `${stem}${String(Number(digits) + 1).padStart(digits.length, '0')}`;
}

function nextMac(mac: string): string | null {
  if (mac === '') return null;
  const number = BigInt(`0x${mac.replaceAll(':', '')}`) + 1n;
  const digits = number.toString(16).padStart(12, '0');
  return digits.length > 12 ? null : (digits.match(/../g) ?? []).join(':');
}

function addressesFor(
  document: Document,
  source: TypedNode,
  others: readonly TypedNode[],
  wanted: number,
): TypedNode[] | null {
  const networks = arrayAt(document, 'networks.machine').flatMap(
    (entry) => parseNetwork(String(getAt(entry, 'cidr') ?? '')) ?? [],
  );
  const taken = takenAddresses(document, others);
  const lists = addressesOf(source.ip).map((first) => {
    const home = networks.find((network) => isInside(first, network));
    const next = (address: string) => {
      const after = addressAfter(address);
      // An IPv4 network's last address is its broadcast.
      const isPast =
        home !== undefined &&
        after !== null &&
        (addressNumber(after) ?? 0n) >= home.last + (familyOf(after) === 4 ? 0n : 1n);
      return after === null || isPast ? null : after;
    };
    return counted(wanted, first, next, taken) ?? [];
  });
  const count = Math.min(...lists.map(({ length }) => length));
  if (lists.length === 0 || count === 0) return null;
  return Array.from({ length: count }, (_, index) => {
    const ip = lists.flatMap((list) => list[index] ?? []);
    return { ip: ip.length === 1 ? ip[0] : ip };
  });
}

/** Every address that the document gives to anything but the nodes to fill. */
function takenAddresses(document: Document, others: readonly TypedNode[]): ReadonlySet<string> {
  const hosts = [
    getAt(document, 'services.bastion'),
    ...arrayAt(document, 'services.dns.servers'),
    ...arrayAt(document, 'services.loadBalancer.servers'),
    ...others,
  ];
  const endpoints = ['api', 'apiInt', 'ingress'].flatMap((key) => addressesOf(getAt(document, `endpoints.${key}`)));
  const gateways = arrayAt(document, 'networks.machine').flatMap((entry) => addressesOf(getAt(entry, 'gateway')));
  return new Set([...hosts.flatMap((host) => addressesOf(getAt(host, 'ip'))), ...endpoints, ...gateways]);
}

function arrayAt(document: Document, path: string): readonly unknown[] {
  const value = getAt(document, path);
  return Array.isArray(value) ? value : [];
}

function addressesOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((entry) =>
    typeof entry === 'string' && entry !== '' ? [entry] : [],
  );
}

function textsOf(nodes: readonly TypedNode[], key: string): ReadonlySet<string> {
  return new Set(nodes.map((node) => String(node[key] ?? '').toLowerCase()));
}

/** The nodes in the order of their roles, names (w2 before w10) or addresses; equal ones keep their order. */
export function sortNodes(nodes: readonly TypedNode[], sort: Sort): readonly TypedNode[] {
  const collator = new Intl.Collator('en', { numeric: true });
  const byName = (a: TypedNode, b: TypedNode) => collator.compare(String(a.name ?? ''), String(b.name ?? ''));
  const rank = (node: TypedNode) => ROLES.indexOf(node.role as (typeof ROLES)[number]);
  const number = (node: TypedNode) => addressNumber(addressesOf(node.ip)[0] ?? '') ?? -1n;
  const compare: Record<Sort, (a: TypedNode, b: TypedNode) => number> = {
    role: (a, b) => rank(a) - rank(b) || byName(a, b),
    name: byName,
    ip: (a, b) => (number(a) < number(b) ? -1 : number(a) > number(b) ? 1 : 0),
  };
  return [...nodes].sort(compare[sort]);
}

/** A node with the default size of its role where its own is not known. */
export function newNode(known: TypedNode): TypedNode {
  const role = ROLES.find((name) => name === known.role) ?? 'compute';
  const { vcpu, memoryGiB, diskGiB } = defaultSize(role);
  return { name: '', role, ip: '', mac: '', vcpu, memoryGiB, diskGiB, installDisk: '/dev/sda', ...known };
}

export interface Joined {
  readonly nodes: readonly TypedNode[];
  readonly added: number;
  readonly changed: number;
}

/** Merges other nodes into these: one of the same name keeps what the other does not set, the rest are added. */
export function joinNodes(nodes: readonly TypedNode[], incoming: readonly TypedNode[]): Joined {
  const joined = [...nodes];
  let changed = 0;
  for (const node of incoming) {
    const index = joined.findIndex(({ name }) => name === node.name);
    if (index < 0) {
      joined.push(newNode(node));
      continue;
    }
    const told = Object.entries(node).filter(([, value]) => value !== '' && value !== undefined);
    joined[index] = { ...joined[index], ...Object.fromEntries(told) };
    changed += 1;
  }
  return { nodes: joined, added: incoming.length - changed, changed };
}
