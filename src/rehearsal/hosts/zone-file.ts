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

const RECORD_TYPES = new Set([
  'A',
  'AAAA',
  'PTR',
  'CNAME',
  'NS',
  'SOA',
  'MX',
  'TXT',
  'SRV',
  'CAA',
  'DS',
  'DNSKEY',
  'HINFO',
]);
const TTL_UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/**
 * Parses a master file (RFC 1035 §5).
 * @throws Error with named's message where it would not load the zone
 */
export function parseZone(text: string, zoneName: string): Zone {
  let origin = toAbsolute(zoneName.endsWith('.') ? zoneName : `${zoneName}.`, '');
  let defaultTtl = 3600;
  let owner = origin;
  const records: ZoneRecord[] = [];
  for (const { line, words, isIndented } of readLogicalLines(text)) {
    const [first = ''] = words;
    if (first === '$ORIGIN') origin = toAbsolute(words[1] ?? '', origin);
    else if (first === '$TTL') {
      const given = parseSeconds(words[1] ?? '');
      if (given === null) throw new Error(`line ${line}: $TTL: bad ttl`);
      defaultTtl = given;
    } else if (first.startsWith('$')) throw new Error(`line ${line}: unknown directive ${first}`);
    else {
      const rest = isIndented ? [...words] : words.slice(1);
      if (!isIndented) owner = toAbsolute(first, origin);
      records.push(parseRecord(owner, rest, defaultTtl, origin, line));
    }
  }
  const apex = toAbsolute(zoneName.endsWith('.') ? zoneName : `${zoneName}.`, '');
  const hasApexRecord = (type: string) => records.some((record) => record.name === apex && record.type === type);
  if (!hasApexRecord('SOA')) throw new Error(`zone ${zoneName}/IN: has 0 SOA records`);
  if (!hasApexRecord('NS')) throw new Error(`zone ${zoneName}/IN: has no NS records`);
  if (records.filter(({ type }) => type === 'SOA').length > 1)
    throw new Error(`zone ${zoneName}/IN: multiple RRs of singleton type`);
  const unresolved = records.find(
    ({ type, data }) =>
      type === 'NS' &&
      (data === apex || data.endsWith(`.${apex}`)) &&
      !records.some((record) => record.name === data && (record.type === 'A' || record.type === 'AAAA')),
  );
  if (unresolved !== undefined)
    throw new Error(`zone ${zoneName}/IN: NS '${unresolved.data}' has no address records (A or AAAA)`);
  const alias = records.find(
    ({ name, type }) => type === 'CNAME' && records.filter((record) => record.name === name).length > 1,
  );
  if (alias !== undefined) throw new Error(`zone ${zoneName}/IN: ${alias.name}: CNAME and other data`);
  return { origin: apex, records };
}

function parseRecord(name: string, words: string[], defaultTtl: number, origin: string, line: number): ZoneRecord {
  let ttl = defaultTtl;
  while (words.length > 0) {
    const word = words[0] ?? '';
    const given = parseSeconds(word);
    if (word.toUpperCase() === 'IN') words.shift();
    else if (given !== null && !RECORD_TYPES.has(word.toUpperCase())) {
      ttl = given;
      words.shift();
    } else break;
  }
  const type = (words.shift() ?? '').toUpperCase();
  if (!RECORD_TYPES.has(type)) throw new Error(`line ${line}: unknown RR type '${type}'`);
  const problem = findDataError(name, type, words);
  if (problem !== null) throw new Error(`dns_rdata_fromtext: line ${line}: ${problem}`);
  return { name, type, ttl, data: normalizeData(type, words, origin) };
}

const FIELD_COUNTS: Readonly<Record<string, number>> = {
  A: 1,
  AAAA: 1,
  PTR: 1,
  CNAME: 1,
  NS: 1,
  MX: 2,
  SRV: 4,
  SOA: 7,
};

/** Finds why named refuses the data of a record; null: it accepts the data. */
function findDataError(name: string, type: string, words: readonly string[]): string | null {
  const fieldCount = FIELD_COUNTS[type];
  const last = words.at(-1) ?? '';
  if (fieldCount !== undefined && words.length < fieldCount) return 'unexpected end of input';
  if (fieldCount !== undefined && words.length > fieldCount) return `near '${words[fieldCount]}': extra input text`;
  if (type === 'A' && !isIPv4(last)) return `near '${last}': bad dotted quad`;
  if (type === 'AAAA' && !isIPv6(last)) return `near '${last}': bad IPv6 address`;
  if (type === 'SOA' && words.slice(2).some((word) => parseSeconds(word) === null))
    return `near '${last}': not a valid number`;
  if (/^\.|\.\./.test(name)) return 'empty label';
  // Only host names follow these rules (check-names).
  if ((type === 'A' || type === 'AAAA') && /[^a-z0-9.*-]|\*[^.]|[^.]\*/.test(name))
    return `${name}: bad owner name (check-names)`;
  return null;
}

/** Makes the names in the data absolute; the rest stays as written. */
function normalizeData(type: string, words: readonly string[], origin: string): string {
  if (type === 'CNAME' || type === 'PTR' || type === 'NS') return toAbsolute(words[0] ?? '', origin);
  if (type === 'AAAA') return canonicalizeIpv6(words[0] ?? '');
  if (type === 'SOA')
    return [toAbsolute(words[0] ?? '', origin), toAbsolute(words[1] ?? '', origin), ...words.slice(2)].join(' ');
  if (type === 'SRV') return [...words.slice(0, 3), toAbsolute(words[3] ?? '', origin)].join(' ');
  return words.join(' ');
}

/** Yields the lines without comments; the lines of a bracket are joined. */
function* readLogicalLines(text: string): Generator<{ line: number; words: string[]; isIndented: boolean }> {
  let depth = 0;
  let pending = '';
  let start = 0;
  for (const [index, raw] of text.split('\n').entries()) {
    const bare = stripComment(raw);
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

function stripComment(line: string): string {
  const [content = ''] = line.match(/^(?:"[^"]*"|[^";])*/) ?? [];
  return content;
}

/** Makes a name absolute against the origin: lower case, without the last dot. */
function toAbsolute(name: string, origin: string): string {
  const lower = name.toLowerCase();
  if (lower === '@') return origin;
  if (lower.endsWith('.')) return lower.slice(0, -1);
  return origin === '' ? lower : `${lower}.${origin}`;
}

/** Parses `3600`, `1h` or `1h30m` to seconds; null if it is no time. */
function parseSeconds(word: string): number | null {
  if (/^\d+$/.test(word)) return Number(word);
  if (!/^(?:\d+[smhdw])+$/i.test(word)) return null;
  return [...word.matchAll(/(\d+)([smhdw])/gi)].reduce(
    (sum, [, count = '0', unit = 's']) => sum + Number(count) * (TTL_UNITS[unit.toLowerCase()] ?? 1),
    0,
  );
}

/** Formats an IPv6 address in its shortest form, as the platform's URL parser does; other text is unchanged. */
function canonicalizeIpv6(text: string): string {
  return isIPv6(text) ? new URL(`http://[${text}]/`).hostname.slice(1, -1) : text;
}
