import { OS_NAMES } from '../../design/model.ts';

/**
 * The type of a field: how its text becomes a value of the document. `words`: a list separated by blanks alone.
 * `hosts`: the entries of a list after the first, `ns2 172.16.0.103, ns3 172.16.0.104 debian`. `mirrors`:
 * `source=mirror` pairs.
 */
export type FieldType = 'text' | 'number' | 'list' | 'words' | 'addresses' | 'choice' | 'flag' | 'hosts' | 'mirrors';

type Entry = Readonly<Record<string, unknown>>;

/** Formats a value of the document as text; empty for a missing one. */
export function formatFieldValue(type: FieldType, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (type === 'hosts') return toEntries(value).slice(1).map(formatHost).join(', ');
  if (type === 'mirrors') return toEntries(value).flatMap(formatMirrors).join(', ');
  if (Array.isArray(value)) return value.map(String).join(type === 'words' ? ' ' : ', ');
  return String(value);
}

/** Parses a text into a value; `current` is the value that the document has now. */
export function parseFieldValue(type: FieldType, text: string, current: unknown): unknown {
  switch (type) {
    case 'number':
      return /^\d+$/.test(text) ? Number(text) : text;
    case 'flag':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'list':
      return splitParts(text, /[,\s]+/);
    case 'words':
      return splitParts(text, /\s+/);
    case 'addresses': {
      const list = splitParts(text, /[,\s]+/);
      return list.length > 1 ? list : (list[0] ?? '');
    }
    case 'hosts':
      return [...toEntries(current).slice(0, 1), ...splitParts(text, /[,;]/).map(parseHost)];
    case 'mirrors':
      return groupMirrors(splitParts(text, /[,;\s]+/));
    case 'choice':
    case 'text':
      return text;
  }
}

function splitParts(text: string, separator: RegExp): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function toEntries(value: unknown): Entry[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.map((entry) => (typeof entry === 'object' && entry !== null ? (entry as Entry) : { name: entry }));
}

/** `ns2 172.16.0.103 fd00::103 debian` */
function formatHost({ name, ip, os }: Entry): string {
  return [name, ...(Array.isArray(ip) ? ip : [ip]), os]
    .filter((part) => part !== undefined && part !== null && part !== '')
    .map(String)
    .join(' ');
}

/** Accepts any order: a word that is neither an address nor a system is the name. */
function parseHost(text: string): Entry {
  const words = splitParts(text, /\s+/);
  const os = words.find((part) => (OS_NAMES as readonly string[]).includes(part));
  const ips = words.filter((part) => part !== os && /^[\d.]+$|:/.test(part));
  const names = words.filter((part) => part !== os && !ips.includes(part));
  return { name: names.join(' '), ip: ips.length > 1 ? ips : (ips[0] ?? ''), ...(os === undefined ? {} : { os }) };
}

function formatMirrors({ source, mirrors }: Entry): string[] {
  const list: readonly unknown[] = Array.isArray(mirrors) ? mirrors : [];
  return list.map((mirror) => `${String(source ?? '')}=${String(mirror)}`);
}

/** Groups mirrors of one source, in the order of their names. */
function groupMirrors(pairs: readonly string[]): Entry[] {
  const bySource = new Map<string, string[]>();
  for (const pair of pairs) {
    const index = pair.indexOf('=');
    const [source, mirror] = index < 0 ? [pair, ''] : [pair.slice(0, index), pair.slice(index + 1)];
    bySource.set(source, [...(bySource.get(source) ?? []), mirror]);
  }
  return [...bySource].map(([source, mirrors]) => ({ source, mirrors }));
}
