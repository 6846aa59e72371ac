import { OS_NAMES } from '../../design/model.ts';

/**
 * How a field's text becomes a value of the document. `words`: a list separated by blanks alone. `hosts`: the entries of a
 * list after the first, `ns2 172.16.0.103, ns3 172.16.0.104 debian`. `mirrors`: `source=mirror` pairs.
 */
export type FieldType = 'text' | 'number' | 'list' | 'words' | 'addresses' | 'choice' | 'flag' | 'hosts' | 'mirrors';

type Entry = Readonly<Record<string, unknown>>;

/** The text of a value of the document; empty for a missing one. */
export function textOf(type: FieldType, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (type === 'hosts') return entriesOf(value).slice(1).map(hostText).join(', ');
  if (type === 'mirrors') return entriesOf(value).flatMap(mirrorTexts).join(', ');
  if (Array.isArray(value)) return value.map(String).join(type === 'words' ? ' ' : ', ');
  return String(value);
}

/** The value that a text stands for; `before` is what the document has there now. */
export function answerOf(type: FieldType, text: string, before: unknown): unknown {
  switch (type) {
    case 'number':
      return /^\d+$/.test(text) ? Number(text) : text;
    case 'flag':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'list':
      return parts(text, /[,\s]+/);
    case 'words':
      return parts(text, /\s+/);
    case 'addresses': {
      const list = parts(text, /[,\s]+/);
      return list.length > 1 ? list : (list[0] ?? '');
    }
    case 'hosts':
      return [...entriesOf(before).slice(0, 1), ...parts(text, /[,;]/).map(hostOf)];
    case 'mirrors':
      return mirrorsOf(parts(text, /[,;\s]+/));
    case 'choice':
    case 'text':
      return text;
  }
}

function parts(text: string, separator: RegExp): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function entriesOf(value: unknown): Entry[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.map((entry) => (typeof entry === 'object' && entry !== null ? (entry as Entry) : { name: entry }));
}

/** `ns2 172.16.0.103 fd00::103 debian` */
function hostText({ name, ip, os }: Entry): string {
  return [name, ...(Array.isArray(ip) ? ip : [ip]), os]
    .filter((part) => part !== undefined && part !== null && part !== '')
    .map(String)
    .join(' ');
}

/** In any order: a word that is neither an address nor a system is the name. */
function hostOf(text: string): Entry {
  const found = parts(text, /\s+/);
  const os = found.find((part) => (OS_NAMES as readonly string[]).includes(part));
  const ips = found.filter((part) => part !== os && /^[\d.]+$|:/.test(part));
  const names = found.filter((part) => part !== os && !ips.includes(part));
  return { name: names.join(' '), ip: ips.length > 1 ? ips : (ips[0] ?? ''), ...(os === undefined ? {} : { os }) };
}

function mirrorTexts({ source, mirrors }: Entry): string[] {
  const list: readonly unknown[] = Array.isArray(mirrors) ? mirrors : [];
  return list.map((mirror) => `${String(source ?? '')}=${String(mirror)}`);
}

/** Groups mirrors of one source, in the order of their names. */
function mirrorsOf(pairs: readonly string[]): Entry[] {
  const bySource = new Map<string, string[]>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const [source, mirror] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
    bySource.set(source, [...(bySource.get(source) ?? []), mirror]);
  }
  return [...bySource].map(([source, mirrors]) => ({ source, mirrors }));
}
