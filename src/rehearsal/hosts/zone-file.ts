import { isIPv4, isIPv6 } from 'node:net';

/** One record; names are lower-case and absolute without the last dot. */
export interface ZoneRecord {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  readonly data: string;
}

export interface Zone {
  /** `example.localdomain`, `0.16.172.in-addr.arpa`; the root is the empty string. */
  readonly origin: string;
  readonly records: readonly ZoneRecord[];
}

const TYPES = new Set(['A', 'AAAA', 'PTR', 'CNAME', 'NS', 'SOA', 'MX', 'TXT', 'SRV', 'CAA', 'DS', 'DNSKEY', 'HINFO']);
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/**
 * Reads a master file (RFC 1035 §5).
 * @throws Error with the words of named where it would not load the zone
 */
export function parseZone(text: string, zoneName: string): Zone {
  let origin = absolute(zoneName.endsWith('.') ? zoneName : `${zoneName}.`, '');
  let defaultTtl = 3600;
  let owner = origin;
  const records: ZoneRecord[] = [];
  for (const { line, words, isIndented } of logicalLines(text)) {
    const [first = ''] = words;
    if (first === '$ORIGIN') origin = absolute(words[1] ?? '', origin);
    else if (first === '$TTL') {
      const given = seconds(words[1] ?? '');
      if (given === null) throw new Error(`line ${line}: $TTL: bad ttl`);
      defaultTtl = given;
    } else if (first.startsWith('$')) throw new Error(`line ${line}: unknown directive ${first}`);
    else {
      const rest = isIndented ? [...words] : words.slice(1);
      if (!isIndented) owner = absolute(first, origin);
      records.push(recordOf(owner, rest, defaultTtl, origin, line));
    }
  }
  const apex = absolute(zoneName.endsWith('.') ? zoneName : `${zoneName}.`, '');
  const atApex = (type: string) => records.some((record) => record.name === apex && record.type === type);
  if (!atApex('SOA')) throw new Error(`zone ${zoneName}/IN: has 0 SOA records`);
  if (!atApex('NS')) throw new Error(`zone ${zoneName}/IN: has no NS records`);
  if (records.filter(({ type }) => type === 'SOA').length > 1)
    throw new Error(`zone ${zoneName}/IN: multiple RRs of singleton type`);
  const lost = records.find(
    ({ type, data }) =>
      type === 'NS' &&
      (data === apex || data.endsWith(`.${apex}`)) &&
      !records.some((record) => record.name === data && (record.type === 'A' || record.type === 'AAAA')),
  );
  if (lost !== undefined) throw new Error(`zone ${zoneName}/IN: NS '${lost.data}' has no address records (A or AAAA)`);
  const alias = records.find(
    ({ name, type }) => type === 'CNAME' && records.filter((record) => record.name === name).length > 1,
  );
  if (alias !== undefined) throw new Error(`zone ${zoneName}/IN: ${alias.name}: CNAME and other data`);
  return { origin: apex, records };
}

function recordOf(name: string, words: string[], defaultTtl: number, origin: string, line: number): ZoneRecord {
  let ttl = defaultTtl;
  while (words.length > 0) {
    const word = words[0] ?? '';
    const given = seconds(word);
    if (word.toUpperCase() === 'IN') words.shift();
    else if (given !== null && !TYPES.has(word.toUpperCase())) {
      ttl = given;
      words.shift();
    } else break;
  }
  const type = (words.shift() ?? '').toUpperCase();
  if (!TYPES.has(type)) throw new Error(`line ${line}: unknown RR type '${type}'`);
  const wrong = wrongData(name, type, words);
  if (wrong !== null) throw new Error(`dns_rdata_fromtext: line ${line}: ${wrong}`);
  return { name, type, ttl, data: dataOf(type, words, origin) };
}

const FIELDS: Readonly<Record<string, number>> = { A: 1, AAAA: 1, PTR: 1, CNAME: 1, NS: 1, MX: 2, SRV: 4, SOA: 7 };

/** Why named does not take the data of a record; null: it does. */
function wrongData(name: string, type: string, words: readonly string[]): string | null {
  const wanted = FIELDS[type];
  const last = words.at(-1) ?? '';
  if (wanted !== undefined && words.length < wanted) return 'unexpected end of input';
  if (wanted !== undefined && words.length > wanted) return `near '${words[wanted]}': extra input text`;
  if (type === 'A' && !isIPv4(last)) return `near '${last}': bad dotted quad`;
  if (type === 'AAAA' && !isIPv6(last)) return `near '${last}': bad IPv6 address`;
  if (type === 'SOA' && words.slice(2).some((word) => seconds(word) === null))
    return `near '${last}': not a valid number`;
  if (/^\.|\.\./.test(name)) return 'empty label';
  // Only hosts have names with such rules (check-names).
  if ((type === 'A' || type === 'AAAA') && /[^a-z0-9.*-]|\*[^.]|[^.]\*/.test(name))
    return `${name}: bad owner name (check-names)`;
  return null;
}

/** Names inside the data become absolute; the rest stays as it is written. */
function dataOf(type: string, words: readonly string[], origin: string): string {
  if (type === 'CNAME' || type === 'PTR' || type === 'NS') return absolute(words[0] ?? '', origin);
  if (type === 'AAAA') return canonicalIpv6(words[0] ?? '');
  if (type === 'SOA')
    return [absolute(words[0] ?? '', origin), absolute(words[1] ?? '', origin), ...words.slice(2)].join(' ');
  if (type === 'SRV') return [...words.slice(0, 3), absolute(words[3] ?? '', origin)].join(' ');
  return words.join(' ');
}

/** Lines with comments taken away and what stands in brackets joined. */
function* logicalLines(text: string): Generator<{ line: number; words: string[]; isIndented: boolean }> {
  let depth = 0;
  let pending = '';
  let start = 0;
  for (const [index, raw] of text.split('\n').entries()) {
    const bare = withoutComment(raw);
    if (depth === 0) {
      pending = '';
      start = index + 1;
    }
    depth += bare.split('(').length - bare.split(')').length;
    pending += `${bare.replace(/[()]/g, ' ')} `;
    if (depth < 0) throw new Error(`line ${index + 1}: unbalanced parentheses`);
    if (depth > 0 || pending.trim() === '') continue;
    const words = pending.match(/"[^"]*"|\S+/g) ?? [];
    yield { line: start, words: [...words], isIndented: /^\s/.test(pending) };
  }
  if (depth > 0) throw new Error('unbalanced parentheses');
}

function withoutComment(line: string): string {
  const [kept = ''] = line.match(/^(?:"[^"]*"|[^";])*/) ?? [];
  return kept;
}

/** A name made absolute against the origin: lower case, without the last dot. */
function absolute(name: string, origin: string): string {
  const lower = name.toLowerCase();
  if (lower === '@') return origin;
  if (lower.endsWith('.')) return lower.slice(0, -1);
  return origin === '' ? lower : `${lower}.${origin}`;
}

/** `3600`, `1h`, `1h30m` in seconds; null where it is not a time. */
function seconds(word: string): number | null {
  if (/^\d+$/.test(word)) return Number(word);
  if (!/^(?:\d+[smhdw])+$/i.test(word)) return null;
  return [...word.matchAll(/(\d+)([smhdw])/gi)].reduce(
    (sum, [, count = '0', unit = 's']) => sum + Number(count) * (UNITS[unit.toLowerCase()] ?? 1),
    0,
  );
}

/** The shortest spelling, as the platform's URL parser writes it. */
export function canonicalIpv6(text: string): string {
  return isIPv6(text) ? new URL(`http://[${text}]/`).hostname.slice(1, -1) : text;
}
