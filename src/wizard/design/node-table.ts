import {
  addressToNumber,
  getAddressFamily,
  getNextAddress,
  isAddressInNetwork,
  parseNetwork,
  toCanonicalMac,
} from '../../design/address.ts';
import { DEFAULT_INSTALL_DISK, DEFAULT_NODE_SIZES, NODE_ROLES } from '../../design/choices.ts';
import { type DesignDocument, getAt } from '../../design/paths.ts';

/** A node as typed: values may be missing or wrong. */
export type NodeDraft = Readonly<Record<string, unknown>>;

/** The values that the user can fill down from one node to the nodes below it. */
export const FILL_KINDS = ['name', 'ip', 'mac', 'sizes'] as const;
export type FillKind = (typeof FILL_KINDS)[number];

/** The sort orders of the table, in the order in which the sort key cycles through them. */
export const SORT_KEYS = ['role', 'name', 'ip'] as const;
type SortKey = (typeof SORT_KEYS)[number];

/** Reads the nodes of the document as typed. */
export function readNodeDrafts(document: DesignDocument): readonly NodeDraft[] {
  const nodes = getAt(document, 'nodes');
  if (!Array.isArray(nodes)) return [];
  return nodes.map((node: unknown) => (typeof node === 'object' && node !== null ? (node as NodeDraft) : {}));
}

/** The nodes after a fill, and how many got a value. */
interface FillResult {
  readonly nodes: readonly NodeDraft[];
  /** The number of nodes that got a value. */
  readonly count: number;
  /** The number of nodes without a value, because the network or the numbers ran out. */
  readonly unfilledCount: number;
}

/** Lists the indexes of the nodes that a fill changes: those below the row, of all roles or of the row's role only. */
export function listFillTargets(nodes: readonly NodeDraft[], row: number, isForAllRoles = false): number[] {
  return nodes.flatMap((node, index) =>
    index > row && (isForAllRoles || node.role === nodes[row]?.role) ? [index] : [],
  );
}

/**
 * Fills the nodes below a row from that row: copies sizes; counts up names, addresses and MACs. Addresses that the
 * design already uses are skipped, and new ones stay in the machine networks. Null if no node is below the row, or the
 * row has no value to count from.
 * @param isForAllRoles also fills nodes of other roles
 */
export function fillDown(
  document: DesignDocument,
  row: number,
  fill: FillKind,
  isForAllRoles = false,
): FillResult | null {
  const nodes = readNodeDrafts(document);
  const source = nodes[row];
  const targets = listFillTargets(nodes, row, isForAllRoles);
  if (!source || targets.length === 0) return null;
  const values = computeFillValues(document, source, targets, fill);
  if (values === null) return null;
  const filledNodes = [...nodes];
  for (const [position, value] of values.entries()) {
    const index = targets[position];
    if (index !== undefined) filledNodes[index] = { ...filledNodes[index], ...value };
  }
  return { nodes: filledNodes, count: values.length, unfilledCount: targets.length - values.length };
}

/**
 * Computes the values that the target nodes get from the source node, in order; fewer if the network or the numbers run
 * out. Null if the source has no value to count from.
 */
export function computeFillValues(
  document: DesignDocument,
  source: NodeDraft,
  targets: readonly number[],
  fill: FillKind,
): NodeDraft[] | null {
  const otherNodes = readNodeDrafts(document).filter((_, index) => !targets.includes(index));
  switch (fill) {
    case 'sizes': {
      const keys = ['vcpu', 'memoryGiB', 'diskGiB', 'installDisk'].filter((key) => source[key] !== undefined);
      const sizes = Object.fromEntries(keys.map((key) => [key, source[key]]));
      return keys.length === 0 ? null : targets.map(() => sizes);
    }
    case 'name':
      return (
        countUp(targets.length, String(source.name ?? ''), incrementName, collectTexts(otherNodes, 'name'))?.map(
          (name) => ({
            name,
          }),
        ) ?? null
      );
    case 'mac':
      return (
        countUp(
          targets.length,
          toCanonicalMac(String(source.mac ?? '')) ?? '',
          incrementMac,
          collectTexts(otherNodes, 'mac'),
        )?.map((mac) => ({
          mac,
        })) ?? null
      );
    case 'ip':
      return countUpAddresses(document, source, otherNodes, targets.length);
  }
}

/**
 * Lists up to `maxCount` values after `firstValue`, without those in use; null if `firstValue` cannot be counted up.
 */
function countUp(
  maxCount: number,
  firstValue: string,
  computeNext: (text: string) => string | null,
  usedValues: ReadonlySet<string>,
): string[] | null {
  let value = computeNext(firstValue);
  if (value === null) return null;
  const values: string[] = [];
  while (value !== null && values.length < maxCount) {
    if (!usedValues.has(value)) values.push(value);
    value = computeNext(value);
  }
  return values;
}

/** Returns `w1` for `w0`, `worker-10` for `worker-09`; null without digits at the end. */
function incrementName(name: string): string | null {
  const [, stem, digits] = /^(.*?)(\d{1,9})$/.exec(name) ?? [];
  return digits === undefined ? null : `${stem}${String(Number(digits) + 1).padStart(digits.length, '0')}`;
}

function incrementMac(mac: string): string | null {
  if (mac === '') return null;
  const number = BigInt(`0x${mac.replaceAll(':', '')}`) + 1n;
  const digits = number.toString(16).padStart(12, '0');
  return digits.length > 12 ? null : (digits.match(/../g) ?? []).join(':');
}

function countUpAddresses(
  document: DesignDocument,
  source: NodeDraft,
  otherNodes: readonly NodeDraft[],
  maxCount: number,
): NodeDraft[] | null {
  const networks = getArray(document, 'networks.machine').flatMap(
    (entry) => parseNetwork(String(getAt(entry, 'cidr') ?? '')) ?? [],
  );
  const usedValues = collectUsedAddresses(document, otherNodes);
  const addressLists = toAddresses(source.ip).map((firstAddress) => {
    const machineNetwork = networks.find((network) => isAddressInNetwork(firstAddress, network));
    const computeNext = (address: string) => {
      const followingAddress = getNextAddress(address);
      // The last address of an IPv4 network is its broadcast address.
      const isPastEnd =
        machineNetwork !== undefined &&
        followingAddress !== null &&
        (addressToNumber(followingAddress) ?? 0n) >=
          machineNetwork.last + (getAddressFamily(followingAddress) === 4 ? 0n : 1n);
      return followingAddress === null || isPastEnd ? null : followingAddress;
    };
    return countUp(maxCount, firstAddress, computeNext, usedValues) ?? [];
  });
  const count = Math.min(...addressLists.map(({ length }) => length));
  if (addressLists.length === 0 || count === 0) return null;
  return Array.from({ length: count }, (_, index) => {
    const ip = addressLists.flatMap((list) => list[index] ?? []);
    return { ip: ip.length === 1 ? ip[0] : ip };
  });
}

/**
 * Returns all addresses that the document assigns, gateways included.
 * @param nodes the nodes whose addresses count; by default all nodes of the document
 */
export function collectUsedAddresses(
  document: DesignDocument,
  nodes: readonly unknown[] = getArray(document, 'nodes'),
): ReadonlySet<string> {
  const hosts = [
    getAt(document, 'services.bastion'),
    ...getArray(document, 'services.dns.servers'),
    ...getArray(document, 'services.loadBalancer.servers'),
    ...nodes,
  ];
  const endpoints = ['api', 'apiInt', 'ingress'].flatMap((key) => toAddresses(getAt(document, `endpoints.${key}`)));
  const gateways = getArray(document, 'networks.machine').flatMap((entry) => toAddresses(getAt(entry, 'gateway')));
  return new Set([...hosts.flatMap((host) => toAddresses(getAt(host, 'ip'))), ...endpoints, ...gateways]);
}

function getArray(document: DesignDocument, path: string): readonly unknown[] {
  const value = getAt(document, path);
  return Array.isArray(value) ? value : [];
}

function toAddresses(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((entry) =>
    typeof entry === 'string' && entry !== '' ? [entry] : [],
  );
}

function collectTexts(nodes: readonly NodeDraft[], key: string): ReadonlySet<string> {
  return new Set(nodes.map((node) => String(node[key] ?? '').toLowerCase()));
}

/** Sorts by role, name (w2 before w10) or address. The sort is stable. */
export function sortNodes(nodes: readonly NodeDraft[], sort: SortKey): readonly NodeDraft[] {
  const collator = new Intl.Collator('en', { numeric: true });
  const compareNames = (a: NodeDraft, b: NodeDraft) => collator.compare(String(a.name ?? ''), String(b.name ?? ''));
  const getRoleIndex = (node: NodeDraft) => NODE_ROLES.indexOf(node.role as (typeof NODE_ROLES)[number]);
  const getAddressNumber = (node: NodeDraft) => addressToNumber(toAddresses(node.ip)[0] ?? '') ?? -1n;
  const comparators: Record<SortKey, (a: NodeDraft, b: NodeDraft) => number> = {
    role: (a, b) => getRoleIndex(a) - getRoleIndex(b) || compareNames(a, b),
    name: compareNames,
    ip: (a, b) => (getAddressNumber(a) < getAddressNumber(b) ? -1 : getAddressNumber(a) > getAddressNumber(b) ? 1 : 0),
  };
  return [...nodes].sort(comparators[sort]);
}

/** Creates a node. Missing values are the defaults of its role, or empty. */
export function createNode(values: NodeDraft): NodeDraft {
  const role = NODE_ROLES.find((name) => name === values.role) ?? 'compute';
  return { name: '', role, ip: '', mac: '', ...DEFAULT_NODE_SIZES[role], installDisk: DEFAULT_INSTALL_DISK, ...values };
}

/** The table after a merge, and how many nodes it added and changed. */
interface MergedNodes {
  readonly nodes: readonly NodeDraft[];
  readonly addedCount: number;
  readonly changedCount: number;
}

/**
 * Merges other nodes into the table by name: empty values do not overwrite existing ones, and unknown names are added.
 */
export function mergeNodes(nodes: readonly NodeDraft[], otherNodes: readonly NodeDraft[]): MergedNodes {
  const mergedNodes = [...nodes];
  let changedCount = 0;
  for (const node of otherNodes) {
    const index = mergedNodes.findIndex(({ name }) => name === node.name);
    if (index < 0) {
      mergedNodes.push(createNode(node));
      continue;
    }
    const filledEntries = Object.entries(node).filter(([, value]) => value !== '' && value !== undefined);
    mergedNodes[index] = { ...mergedNodes[index], ...Object.fromEntries(filledEntries) };
    changedCount += 1;
  }
  return { nodes: mergedNodes, addedCount: otherNodes.length - changedCount, changedCount };
}
