import {
  addressNumber,
  addressOf,
  canonicalAddress,
  familyOf,
  isInside,
  type Network,
  networkText,
  parseNetwork,
} from './address.ts';
import { draftOf, isRecord, type Path, pathText, valueAt } from './paths.ts';
import { isDomain, isLabel } from './text-forms.ts';

/** An answer that others may follow, before and after a person changed it. */
export type Change =
  /** A machine network: the addresses in it follow. */
  | { readonly kind: 'network'; readonly from: string; readonly to: string }
  /** A gateway: what else had its address (a forwarder, a time server) follows. */
  | { readonly kind: 'gateway'; readonly from: string; readonly to: string }
  /** The cluster's name, in this base domain: names of nodes and names below the cluster's domain follow. */
  | { readonly kind: 'name'; readonly from: string; readonly to: string; readonly domain: string }
  | { readonly kind: 'domain'; readonly from: string; readonly to: string };

/** One text that follows, and every place (`nodes.2.ip`) that has it. Holds no more of a place than the text itself. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly paths: readonly string[];
}

export interface Following {
  /** The document in which they have followed; nothing else in it is changed. */
  readonly document: unknown;
  readonly moves: readonly Move[];
  /** Addresses that the new network has no room for: they stay as they are. */
  readonly left: readonly string[];
}

/**
 * What follows from a change, in the order of the document, which may be of any shape and has the new answer already.
 * Addresses keep their host part where it fits into the new network and is free there; the others get the next free
 * addresses in order. What lay outside the old network, or lies inside another machine network, is left alone.
 */
export function followersOf(document: unknown, change: Change): Following {
  const seen = new Map<string, { to: string; paths: string[] }>();
  const note = (from: string, to: string, path: Path) => {
    const move = seen.get(from) ?? { to, paths: [] };
    if (!move.paths.includes(pathText(path))) move.paths.push(pathText(path));
    seen.set(from, move);
  };
  const { rewrite, left } = rewriterFor(document, change);
  const draft = draftOf(document);
  for (const { path, text } of followingTexts(document)) {
    const written = rewrite(text, path, (from, to) => note(from, to, path));
    if (written !== text) draft.put(path, written);
  }
  return { document: draft.current(), moves: [...seen].map(([from, move]) => ({ from, ...move })), left };
}

/** Writes a text anew, and notes each part of it that it replaced. */
type Rewrite = (text: string, path: Path, note: (from: string, to: string) => void) => string;

function rewriterFor(document: unknown, change: Change): { readonly rewrite: Rewrite; readonly left: string[] } {
  switch (change.kind) {
    case 'network': {
      const [from, to] = [parseNetwork(change.from), parseNetwork(change.to)];
      if (from === null || to === null || from.family !== to.family) return { rewrite: (text) => text, left: [] };
      return addressRewriter(document, from, to);
    }
    case 'gateway': {
      const [from, to] = [canonicalAddress(change.from), canonicalAddress(change.to)];
      const moves = new Map(from === null || to === null || from === to ? [] : [[from, to]]);
      const rewrite: Rewrite = (text, path, note) =>
        isGateway(path) ? text : withAddresses(text, (address) => moves.get(address) ?? null, note);
      return { rewrite, left: [] };
    }
    case 'name':
      return { rewrite: nameRewriter(change), left: [] };
    case 'domain':
      return { rewrite: (text, path, note) => withDomain(text, path, change, note), left: [] };
  }
}

const isGateway = (path: Path) => path[0] === 'networks' && path[1] === 'machine';

// What never follows: the networks themselves, versions, paths of files, and what only the cluster knows.
const PLACES: readonly (readonly string[])[] = [
  ['networks', 'machine'],
  ['networks', 'router'],
  ['endpoints'],
  ['nodes'],
  ['services'],
  ['proxy'],
  ['imageDigestSources'],
];

/** The texts of the document in which an address or a name may stand. */
function followingTexts(document: unknown): { readonly path: Path; readonly text: string }[] {
  return PLACES.flatMap((place) => textsBelow(valueAt(document, place), place)).filter(
    ({ path }) => !(isGateway(path) && path.at(-1) === 'cidr'),
  );
}

function textsBelow(value: unknown, path: Path): { readonly path: Path; readonly text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((entry: unknown, index) => textsBelow(entry, [...path, index]));
  return isRecord(value) ? Object.keys(value).flatMap((key) => textsBelow(value[key], [...path, key])) : [];
}

function addressRewriter(document: unknown, from: Network, to: Network) {
  const machine = valueAt(document, ['networks', 'machine']);
  const others = (Array.isArray(machine) ? machine : []).flatMap(
    (entry: unknown) => parseNetwork(String(valueAt(entry, ['cidr']) ?? '')) ?? [],
  );
  const isFollowing = (address: string) =>
    isInside(address, from) && !isInside(address, to) && !others.some((network) => isInside(address, network));
  const moving = new Set<string>();
  const staying = new Set<string>();
  for (const { text } of followingTexts(document))
    withAddresses(text, (address) => {
      (isFollowing(address) ? moving : staying).add(address);
      return null;
    });
  const { moves, left } = dealt([...moving], from, to, staying);
  const [oldText, newText] = [networkText(from), networkText(to)];
  const rewrite: Rewrite = (text, _path, note) => {
    // A list of exceptions to a proxy may name the network itself.
    const withNetwork = text.split(/([,\s]+)/).map((part) => {
      if (part !== oldText || oldText === newText) return part;
      note(part, newText);
      return newText;
    });
    return withAddresses(withNetwork.join(''), (address) => moves.get(address) ?? null, note);
  };
  return { rewrite, left };
}

/** The new address of each: its host part where that fits and is free, else the last one for the last one, else the next. */
function dealt(moving: readonly string[], from: Network, to: Network, staying: ReadonlySet<string>) {
  const moves = new Map<string, string>();
  const taken = new Set(staying);
  // The first address names the network; the last one of IPv4 is its broadcast.
  const [first, last] = [to.first + 1n, to.last - (to.family === 4 ? 1n : 0n)];
  const give = (address: string, number: bigint): boolean => {
    if (number < first || number > last) return false;
    const next = addressOf(to.family, number);
    if (taken.has(next)) return false;
    taken.add(next);
    moves.set(address, next);
    return true;
  };
  const hostOf = (address: string) => (addressNumber(address) ?? 0n) - from.first;
  const unfit = moving.filter((address) => !give(address, to.first + hostOf(address)));
  const isLast = (address: string) => hostOf(address) === from.last - from.first - (from.family === 4 ? 1n : 0n);
  const rest = unfit.filter((address) => !(isLast(address) && give(address, last)));
  const left: string[] = [];
  let next = first;
  for (const address of rest) {
    while (next <= last && !give(address, next)) next += 1n;
    if (!moves.has(address)) left.push(address);
  }
  return { moves, left };
}

// Whatever looks like an address, not inside a longer name or number, and not the network of a CIDR.
const ADDRESSES =
  /(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w/-]|\.\w)|(?<![\w:.])(?=[0-9a-f]*:)[0-9a-f:]{2,39}(?![\w:./])/gi;

function withAddresses(
  text: string,
  moved: (address: string) => string | null,
  note: (from: string, to: string) => void = () => undefined,
): string {
  return text.replace(ADDRESSES, (found) => {
    const address = canonicalAddress(found);
    const next = address === null ? null : moved(address);
    if (address === null || next === null || familyOf(address) !== familyOf(next)) return found;
    note(address, next);
    return next;
  });
}

/** Names below `from` in a text, as names below `to`. A node's name is a label of its own and holds no domain. */
function withDomain(
  text: string,
  path: Path,
  { from, to }: { readonly from: string; readonly to: string },
  note: (from: string, to: string) => void,
): string {
  if (!isDomain(from) || !isDomain(to) || path.at(-1) === 'name') return text;
  const name = new RegExp(`(?<![\\w.-])(\\.?(?:[a-z0-9*-]+\\.)*)${from.replaceAll('.', '\\.')}(?![\\w-]|\\.\\w)`, 'gi');
  return text.replace(name, (found: string, before: string) => {
    note(found, `${before}${to}`);
    return `${before}${to}`;
  });
}

function nameRewriter({ from, to, domain }: Extract<Change, { kind: 'name' }>): Rewrite {
  return (text, path, note) => {
    if (!isLabel(from) || !isLabel(to)) return text;
    const isNodeName = path[0] === 'nodes' && path.at(-1) === 'name';
    if (!isNodeName) return withDomain(text, path, { from: `${from}.${domain}`, to: `${to}.${domain}` }, note);
    const renamed = text.startsWith(`${from}-`) ? `${to}${text.slice(from.length)}` : text;
    if (renamed === text || !isLabel(renamed)) return text;
    note(text, renamed);
    return renamed;
  };
}
