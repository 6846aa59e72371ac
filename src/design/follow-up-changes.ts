import {
  addressToNumber,
  formatAddress,
  formatNetwork,
  getAddressFamily,
  isAddressInNetwork,
  type Network,
  parseNetwork,
  toCanonicalAddress,
} from './address.ts';
import { createDocumentDraft, formatPath, getAt, isObjectOrList, type Path } from './paths.ts';
import { isDnsLabel, isDomain } from './text-formats.ts';

/** A changed value that other values may follow, with its text before and after. */
export type DesignChange =
  /** A machine network: the addresses in it follow. */
  | { readonly kind: 'network'; readonly from: string; readonly to: string }
  /** A gateway: other values with its address (a forwarder, a time server) follow, never the address of a machine. */
  | { readonly kind: 'gateway'; readonly from: string; readonly to: string }
  /** The cluster's name, in this base domain: names of nodes and names below the cluster's domain follow. */
  | { readonly kind: 'name'; readonly from: string; readonly to: string; readonly domain: string }
  | { readonly kind: 'domain'; readonly from: string; readonly to: string };

/**
 * A text to replace, and every path (`nodes.2.ip`) whose value contains it. `from` and `to` hold only the replaced part
 * of a value.
 */
interface Replacement {
  readonly from: string;
  readonly to: string;
  readonly paths: readonly string[];
}

/** The changes that follow from one changed value. */
export interface FollowUpChanges {
  /** The document after all replacements; nothing else in it changes. */
  readonly document: unknown;
  readonly replacements: readonly Replacement[];
  /** Addresses for which the new network has no free address; they stay unchanged. */
  readonly unplacedAddresses: readonly string[];
}

/**
 * Finds what follows from a change, in document order. The document may have any shape and already contains the new
 * answer. Addresses keep their host part where it fits into the new network and is free there; the others get the next
 * free addresses in order. Addresses outside the old network, or inside another machine network, stay unchanged.
 */
export function computeFollowUpChanges(document: unknown, change: DesignChange): FollowUpChanges {
  const replacementsByText = new Map<string, { to: string; paths: string[] }>();
  const addReplacement = (from: string, to: string, path: Path) => {
    const replacement = replacementsByText.get(from) ?? { to, paths: [] };
    if (!replacement.paths.includes(formatPath(path))) replacement.paths.push(formatPath(path));
    replacementsByText.set(from, replacement);
  };
  const { rewrite, unplacedAddresses } = createRewriter(document, change);
  const draft = createDocumentDraft(document);
  for (const { path, text } of listCandidateTexts(document)) {
    const newText = rewrite(text, path, (from, to) => addReplacement(from, to, path));
    if (newText !== text) draft.set(path, newText);
  }
  return {
    document: draft.getDocument(),
    replacements: [...replacementsByText].map(([from, replacement]) => ({ from, ...replacement })),
    unplacedAddresses,
  };
}

/** Rewrites a text and reports each replaced part to `onReplace`. */
type Rewriter = (text: string, path: Path, onReplace: (from: string, to: string) => void) => string;

function createRewriter(
  document: unknown,
  change: DesignChange,
): { readonly rewrite: Rewriter; readonly unplacedAddresses: string[] } {
  switch (change.kind) {
    case 'network': {
      const [from, to] = [parseNetwork(change.from), parseNetwork(change.to)];
      if (from === null || to === null || from.family !== to.family)
        return { rewrite: (text) => text, unplacedAddresses: [] };
      return createAddressRewriter(document, from, to);
    }
    case 'gateway': {
      const [from, to] = [toCanonicalAddress(change.from), toCanonicalAddress(change.to)];
      const newAddresses = new Map(from === null || to === null || from === to ? [] : [[from, to]]);
      const rewrite: Rewriter = (text, path, onReplace) =>
        isMachineNetworkPath(path) || isMachineAddressPath(path)
          ? text
          : replaceAddresses(text, (address) => newAddresses.get(address) ?? null, onReplace);
      return { rewrite, unplacedAddresses: [] };
    }
    case 'name':
      return { rewrite: createNameRewriter(change), unplacedAddresses: [] };
    case 'domain':
      return {
        rewrite: (text, path, onReplace) => replaceDomain(text, path, change, onReplace),
        unplacedAddresses: [],
      };
  }
}

/** Whether a path is an address of a node or a service host, or one of the cluster's endpoints. */
const isMachineAddressPath = (path: Path) =>
  path[0] === 'endpoints' ||
  (path[0] === 'nodes' && path[2] === 'ip') ||
  (path[0] === 'services' && (path[2] === 'ip' || (path[2] === 'servers' && path[4] === 'ip')));

/** Whether a node, a service host or an endpoint of the document has this address. */
export function isMachineAddress(document: unknown, address: string): boolean {
  const canonicalAddress = toCanonicalAddress(address);
  return listCandidateTexts(document).some(
    ({ path, text }) => isMachineAddressPath(path) && toCanonicalAddress(text) === canonicalAddress,
  );
}

/** Whether a node, a service host or an endpoint of the document has an address in this network. */
export function hasMachineAddressIn(document: unknown, cidr: string): boolean {
  const network = parseNetwork(cidr);
  return (
    network !== null &&
    listCandidateTexts(document).some(
      ({ path, text }) => isMachineAddressPath(path) && isAddressInNetwork(text, network),
    )
  );
}

const isMachineNetworkPath = (path: Path) => path[0] === 'networks' && path[1] === 'machine';

// Sections whose addresses and names may follow a changed network or domain. The networks themselves, versions, file
// paths and values that only the cluster knows never follow.
const FOLLOW_UP_SECTIONS: readonly (readonly string[])[] = [
  ['networks', 'machine'],
  ['networks', 'router'],
  ['endpoints'],
  ['nodes'],
  ['services'],
  ['proxy'],
  ['imageDigestSources'],
];

/** Lists the texts of the document that may contain an address or a name. */
function listCandidateTexts(document: unknown): { readonly path: Path; readonly text: string }[] {
  return FOLLOW_UP_SECTIONS.flatMap((section) => listTexts(getAt(document, section), section)).filter(
    ({ path }) => !(isMachineNetworkPath(path) && path.at(-1) === 'cidr') && !isImageSourcePath(path),
  );
}

/** Whether a path names the registry of images: unlike its mirrors, it is not part of the site. */
const isImageSourcePath = (path: Path) => path[0] === 'imageDigestSources' && path.at(-1) === 'source';

function listTexts(value: unknown, path: Path): { readonly path: Path; readonly text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((entry: unknown, index) => listTexts(entry, [...path, index]));
  return isObjectOrList(value) ? Object.keys(value).flatMap((key) => listTexts(value[key], [...path, key])) : [];
}

function listEntries(document: unknown, path: Path): readonly unknown[] {
  const list = getAt(document, path);
  return Array.isArray(list) ? list : [];
}

function createAddressRewriter(document: unknown, from: Network, to: Network) {
  // Keeps addresses in these networks: they belong to the company, or to another machine network.
  const foreignNetworks = [
    ...listEntries(document, ['networks', 'machine']).map((entry) => getAt(entry, ['cidr'])),
    ...listEntries(document, ['networks', 'company']),
  ].flatMap((cidr) => parseNetwork(String(cidr ?? '')) ?? []);
  const shouldFollow = (address: string) =>
    isAddressInNetwork(address, from) &&
    !isAddressInNetwork(address, to) &&
    !foreignNetworks.some((network) => isAddressInNetwork(address, network));
  const addressesToMove = new Set<string>();
  const addressesToKeep = new Set<string>();
  for (const { text } of listCandidateTexts(document))
    replaceAddresses(text, (address) => {
      (shouldFollow(address) ? addressesToMove : addressesToKeep).add(address);
      return null;
    });
  const { newAddresses, unplacedAddresses } = assignAddresses([...addressesToMove], from, to, addressesToKeep);
  const [oldText, newText] = [formatNetwork(from), formatNetwork(to)];
  const rewrite: Rewriter = (text, _path, onReplace) => {
    // noProxy may contain the network itself.
    const rewrittenParts = text.split(/([,\s]+)/).map((part) => {
      if (part !== oldText || oldText === newText) return part;
      onReplace(part, newText);
      return newText;
    });
    return replaceAddresses(rewrittenParts.join(''), (address) => newAddresses.get(address) ?? null, onReplace);
  };
  return { rewrite, unplacedAddresses };
}

/**
 * Assigns each address a new one: the same host part if that fits and is free. Otherwise the last usable address
 * becomes the last one of the new network, and any other gets the next free one.
 */
function assignAddresses(
  addresses: readonly string[],
  from: Network,
  to: Network,
  reservedAddresses: ReadonlySet<string>,
) {
  const newAddresses = new Map<string, string>();
  const usedAddresses = new Set(reservedAddresses);
  // Excludes the network address and the IPv4 broadcast address.
  const [firstNumber, lastNumber] = [to.first + 1n, to.last - (to.family === 4 ? 1n : 0n)];
  const tryAssign = (address: string, number: bigint): boolean => {
    if (number < firstNumber || number > lastNumber) return false;
    const newAddress = formatAddress(to.family, number);
    if (usedAddresses.has(newAddress)) return false;
    usedAddresses.add(newAddress);
    newAddresses.set(address, newAddress);
    return true;
  };
  const getHostPart = (address: string) => (addressToNumber(address) ?? 0n) - from.first;
  const unassignedAddresses = addresses.filter((address) => !tryAssign(address, to.first + getHostPart(address)));
  const isLast = (address: string) => getHostPart(address) === from.last - from.first - (from.family === 4 ? 1n : 0n);
  const remainingAddresses = unassignedAddresses.filter(
    (address) => !(isLast(address) && tryAssign(address, lastNumber)),
  );
  const unplacedAddresses: string[] = [];
  let number = firstNumber;
  for (const address of remainingAddresses) {
    while (number <= lastNumber && !tryAssign(address, number)) number += 1n;
    if (!newAddresses.has(address)) unplacedAddresses.push(address);
  }
  return { newAddresses, unplacedAddresses };
}

// Matches texts that look like an address, except inside a longer name or number or as the network of a CIDR.
const ADDRESS_PATTERN =
  /(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w/-]|\.\w)|(?<![\w:.])(?=[0-9a-f]*:)[0-9a-f:]{2,39}(?![\w:./])/gi;

function replaceAddresses(
  text: string,
  findReplacement: (address: string) => string | null,
  onReplace: (from: string, to: string) => void = () => undefined,
): string {
  return text.replace(ADDRESS_PATTERN, (match) => {
    const address = toCanonicalAddress(match);
    const replacement = address === null ? null : findReplacement(address);
    if (address === null || replacement === null || getAddressFamily(address) !== getAddressFamily(replacement))
      return match;
    onReplace(address, replacement);
    return replacement;
  });
}

/**
 * Moves the names in a text from the domain `from` to the domain `to`. A node's name is a single label without a
 * domain.
 */
function replaceDomain(
  text: string,
  path: Path,
  { from, to }: { readonly from: string; readonly to: string },
  onReplace: (from: string, to: string) => void,
): string {
  if (!isDomain(from) || !isDomain(to) || path.at(-1) === 'name') return text;
  const pattern = new RegExp(
    `(?<![\\w.-])(\\.?(?:[a-z0-9*-]+\\.)*)${from.replaceAll('.', '\\.')}(?![\\w-]|\\.\\w)`,
    'gi',
  );
  return text.replace(pattern, (match: string, prefix: string) => {
    onReplace(match, `${prefix}${to}`);
    return `${prefix}${to}`;
  });
}

function createNameRewriter({ from, to, domain }: Extract<DesignChange, { kind: 'name' }>): Rewriter {
  return (text, path, onReplace) => {
    if (!isDnsLabel(from) || !isDnsLabel(to)) return text;
    const isNodeName = path[0] === 'nodes' && path.at(-1) === 'name';
    if (!isNodeName) return replaceDomain(text, path, { from: `${from}.${domain}`, to: `${to}.${domain}` }, onReplace);
    const newName = text.startsWith(`${from}-`) ? `${to}${text.slice(from.length)}` : text;
    if (newName === text || !isDnsLabel(newName)) return text;
    onReplace(text, newName);
    return newName;
  };
}
