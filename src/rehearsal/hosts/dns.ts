import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, isIPv4, isIPv6 } from 'node:net';
import { isAbsolute, join } from 'node:path';
import packet, { type Answer, type DecodedPacket, type Packet } from 'dns-packet';
import { Address4, Address6 } from 'ip-address';
import { toCanonicalAddress } from '../../design/address.ts';
import { isMisspelled, parseStatements, type Statement } from './config-syntax.ts';

/** One record; names are lowercase and absolute without the last dot. */
interface ZoneRecord {
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

/** Record types, each with the number of its data fields; null: the fields are not counted. */
const FIELD_COUNT_BY_TYPE: Readonly<Record<string, number | null>> = {
  ...{ A: 1, AAAA: 1, PTR: 1, CNAME: 1, NS: 1, MX: 2, SRV: 4, SOA: 7 },
  ...{ TXT: null, CAA: null, DS: null, DNSKEY: null, HINFO: null },
};
const TTL_UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/**
 * Parses a master file (RFC 1035 §5).
 * @throws Error with named's message if named would not load the zone
 */
export function parseZone(text: string, zoneName: string): Zone {
  const apex = zoneName.toLowerCase().replace(/\.$/, '');
  let origin = apex;
  let defaultTtl = 3600;
  let owner = origin;
  const records: ZoneRecord[] = [];
  for (const { line, words, isIndented } of parseLogicalLines(text)) {
    const [keyword = ''] = words;
    if (keyword === '$ORIGIN') origin = toAbsolute(words[1] ?? '', origin);
    else if (keyword === '$TTL') {
      const seconds = parseSeconds(words[1] ?? '');
      if (seconds === null) throw new Error(`line ${line}: $TTL: bad ttl`);
      defaultTtl = seconds;
    } else if (keyword.startsWith('$')) throw new Error(`line ${line}: unknown directive ${keyword}`);
    else {
      const fields = isIndented ? [...words] : words.slice(1);
      if (!isIndented) owner = toAbsolute(keyword, origin);
      records.push(parseRecord(owner, fields, defaultTtl, origin, line));
    }
  }
  const problem = findZoneError(apex, records);
  if (problem !== null) throw new Error(`zone ${zoneName}/IN: ${problem}`);
  return { origin: apex, records };
}

/**
 * Finds why the name server (named) refuses a zone whose records are valid one by one; null: named accepts the zone.
 */
function findZoneError(apex: string, records: readonly ZoneRecord[]): string | null {
  const hasRecord = (name: string, ...types: readonly string[]) =>
    records.some((record) => record.name === name && types.includes(record.type));
  if (!hasRecord(apex, 'SOA')) return 'has 0 SOA records';
  if (!hasRecord(apex, 'NS')) return 'has no NS records';
  const isInZone = (name: string) => name === apex || name.endsWith(`.${apex}`);
  const unresolvedServer = records.find(
    ({ type, data }) => type === 'NS' && isInZone(data) && !hasRecord(data, 'A', 'AAAA'),
  );
  if (unresolvedServer !== undefined) return `NS '${unresolvedServer.data}' has no address records (A or AAAA)`;
  const alias = records.find(
    ({ name, type }) => type === 'CNAME' && records.filter((record) => record.name === name).length > 1,
  );
  return alias === undefined ? null : `${alias.name}: CNAME and other data`;
}

function parseRecord(name: string, words: string[], defaultTtl: number, origin: string, line: number): ZoneRecord {
  let ttl = defaultTtl;
  while (words.length > 0) {
    const word = words[0] ?? '';
    const seconds = parseSeconds(word);
    if (word.toUpperCase() === 'IN') words.shift();
    else if (seconds !== null && !(word.toUpperCase() in FIELD_COUNT_BY_TYPE)) {
      ttl = seconds;
      words.shift();
    } else break;
  }
  const type = (words.shift() ?? '').toUpperCase();
  if (!(type in FIELD_COUNT_BY_TYPE)) throw new Error(`line ${line}: unknown RR type '${type}'`);
  const problem = findDataError(name, type, words);
  if (problem !== null) throw new Error(`dns_rdata_fromtext: line ${line}: ${problem}`);
  return { name, type, ttl, data: normalizeData(type, words, origin) };
}

/** Finds why the name server (named) refuses the data of a record; null: named accepts the data. */
function findDataError(name: string, type: string, words: readonly string[]): string | null {
  const fieldCount = FIELD_COUNT_BY_TYPE[type] ?? words.length;
  const lastWord = words.at(-1) ?? '';
  if (words.length < fieldCount) return 'unexpected end of input';
  if (words.length > fieldCount) return `near '${words[fieldCount]}': extra input text`;
  if (type === 'A' && !isIPv4(lastWord)) return `near '${lastWord}': bad dotted quad`;
  if (type === 'AAAA' && !isIPv6(lastWord)) return `near '${lastWord}': bad IPv6 address`;
  if (type === 'SOA' && words.slice(2).some((word) => parseSeconds(word) === null))
    return `near '${lastWord}': not a valid number`;
  if (/^\.|\.\./.test(name)) return 'empty label';
  // named requires a host name only as the owner of an address record (check-names).
  if ((type === 'A' || type === 'AAAA') && /[^a-z0-9.*-]|\*[^.]|[^.]\*/.test(name))
    return `${name}: bad owner name (check-names)`;
  return null;
}

/** Makes names in the data absolute and shortens IPv6 addresses; other data is unchanged. */
function normalizeData(type: string, words: readonly string[], origin: string): string {
  if (type === 'CNAME' || type === 'PTR' || type === 'NS') return toAbsolute(words[0] ?? '', origin);
  if (type === 'AAAA') return toCanonicalAddress(words[0] ?? '') ?? words.join(' ');
  if (type === 'SOA')
    return [toAbsolute(words[0] ?? '', origin), toAbsolute(words[1] ?? '', origin), ...words.slice(2)].join(' ');
  return words.join(' ');
}

/** Yields the lines without comments; lines within parentheses are joined. */
function* parseLogicalLines(text: string): Generator<{ line: number; words: string[]; isIndented: boolean }> {
  let depth = 0;
  let logicalLine = '';
  let startLine = 0;
  for (const [index, physicalLine] of text.split('\n').entries()) {
    const content = stripComment(physicalLine);
    if (depth === 0) {
      logicalLine = '';
      startLine = index + 1;
    }
    depth += content.split('(').length - content.split(')').length;
    logicalLine += `${content.replace(/[()]/g, ' ')} `;
    if (depth < 0) throw new Error(`line ${index + 1}: unbalanced parentheses`);
    if (depth > 0 || logicalLine.trim() === '') continue;
    const words = logicalLine.match(/"[^"]*"|\S+/g) ?? [];
    yield { line: startLine, words: [...words], isIndented: /^\s/.test(logicalLine) };
  }
  if (depth > 0) throw new Error('unbalanced parentheses');
}

function stripComment(line: string): string {
  const [content = ''] = line.match(/^(?:"[^"]*"|[^";])*/) ?? [];
  return content;
}

/** Makes a name absolute against the origin: lower case, without the last dot. */
function toAbsolute(name: string, origin: string): string {
  const lowerName = name.toLowerCase();
  if (lowerName === '@') return origin;
  if (lowerName.endsWith('.')) return lowerName.slice(0, -1);
  return origin === '' ? lowerName : `${lowerName}.${origin}`;
}

/** Parses `3600`, `1h` or `1h30m` to seconds; null: the word is not a duration. */
function parseSeconds(word: string): number | null {
  if (/^\d+$/.test(word)) return Number(word);
  if (!/^(?:\d+[smhdw])+$/i.test(word)) return null;
  return [...word.matchAll(/(\d+)([smhdw])/gi)].reduce(
    (sum, [, count = '0', unit = 's']) => sum + Number(count) * (TTL_UNITS[unit.toLowerCase()] ?? 1),
    0,
  );
}

const AUTHORITATIVE_ANSWER = 1 << 10;
const NXDOMAIN = 3;
const SERVFAIL = 2;
const REFUSED = 5;

/** The response of a name server to one question. */
interface LookupResult {
  readonly code: number;
  readonly answers: readonly ZoneRecord[];
  /** The SOA record of the zone, for negative responses. */
  readonly soa: ZoneRecord | null;
}

/**
 * Looks a name up in the most specific zone: exact names, then wildcards; aliases are followed. A wildcard does not
 * apply below a name that exists (RFC 4592).
 */
export function lookUpName(zones: readonly Zone[], name: string, type: string): LookupResult {
  const lowerName = name.toLowerCase();
  const zone = zones
    .filter(({ origin }) => lowerName === origin || lowerName.endsWith(`.${origin}`) || origin === '')
    .sort((a, b) => b.origin.length - a.origin.length)[0];
  if (zone === undefined) return { code: REFUSED, answers: [], soa: null };
  const soa = zone.records.find((record) => record.type === 'SOA') ?? null;
  const recordsOfName = findRecords(zone, lowerName);
  if (recordsOfName === null) return { code: NXDOMAIN, answers: [], soa };
  const matchingRecords = recordsOfName.filter((record) => record.type === type || type === 'ANY');
  const alias = recordsOfName.find((record) => record.type === 'CNAME');
  if (matchingRecords.length > 0 || alias === undefined) return { code: 0, answers: matchingRecords, soa };
  return { code: 0, answers: [alias, ...lookUpName(zones, alias.data, type).answers], soa };
}

/** Finds the records for a name. Empty: the name exists without records; null: it does not exist. */
function findRecords(zone: Zone, name: string): ZoneRecord[] | null {
  const exactRecords = zone.records.filter((record) => record.name === name);
  if (exactRecords.length > 0) return exactRecords;
  if (zone.records.some((record) => record.name.endsWith(`.${name}`))) return [];
  let parent = name;
  while (parent.includes('.')) {
    parent = parent.slice(parent.indexOf('.') + 1);
    const wildcardRecords = zone.records.filter((record) => record.name === `*.${parent}`);
    if (wildcardRecords.length > 0) return wildcardRecords.map((record) => ({ ...record, name }));
    if (zone.records.some((record) => record.name === parent || record.name.endsWith(`.${parent}`))) return null;
  }
  return null;
}

/** A name server that answers from its zones over UDP and TCP. */
export type NameServer = Awaited<ReturnType<typeof startNameServer>>;

/** Address of every public name, from a range for documentation (RFC 5737). */
const PUBLIC_ADDRESS = '203.0.113.7';
/** Names without public DNS (RFC 2606, RFC 6761, RFC 6762, RFC 8375), reverse names, and names without a dot. */
const NON_PUBLIC_NAMES = /(?:^|\.)(?:test|example|invalid|localhost|local|localdomain|internal|lan|arpa)$|^[^.]+$/i;

/** Simulates recursion for names outside the zones: public names resolve to one address. */
function lookUpPublicName(name: string, type: string): LookupResult {
  if (NON_PUBLIC_NAMES.test(name)) return { code: NXDOMAIN, answers: [], soa: null };
  return { code: 0, answers: type === 'A' ? [{ name, type, ttl: 300, data: PUBLIC_ADDRESS }] : [], soa: null };
}

/**
 * Starts a name server.
 * @param getZones called for every query, so that a reload needs no new server; null: every query fails (SERVFAIL)
 * @param isRecursive whether the server resolves names outside its zones
 */
export async function startNameServer(
  address: string,
  port: number,
  getZones: () => readonly Zone[] | null,
  isRecursive: () => boolean = () => false,
) {
  const udp = createSocket('udp4');
  const tcp = createServer((socket) => {
    let buffer = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      buffer = Buffer.concat([buffer, chunk]);
      while (buffer.length >= 2 && buffer.length >= buffer.readUInt16BE(0) + 2) {
        const length = buffer.readUInt16BE(0);
        const reply = answerQuery(buffer.subarray(2, length + 2), getZones(), isRecursive());
        buffer = buffer.subarray(length + 2);
        if (!reply) continue;
        const lengthPrefix = Buffer.alloc(2);
        lengthPrefix.writeUInt16BE(reply.length);
        socket.write(Buffer.concat([lengthPrefix, reply]));
      }
    });
  });
  udp.on('message', (message, sender) => {
    const reply = answerQuery(message, getZones(), isRecursive());
    if (reply) udp.send(reply, sender.port, sender.address);
  });
  await Promise.all([once(udp.bind(port, address), 'listening'), once(tcp.listen(port, address), 'listening')]);
  return {
    stop(): void {
      udp.close();
      tcp.close();
    },
  };
}

function answerQuery(message: Uint8Array, zones: readonly Zone[] | null, isRecursive: boolean): Buffer | null {
  let query: DecodedPacket;
  try {
    query = packet.decode(Buffer.from(message));
  } catch {
    return null;
  }
  const question = query.questions?.[0];
  if (!question || query.type !== 'query') return null;
  const { name, type } = question;
  const zoneResult = zones === null ? { code: SERVFAIL, answers: [], soa: null } : lookUpName(zones, name, type);
  const result = zoneResult.code === REFUSED && isRecursive ? lookUpPublicName(name, type) : zoneResult;
  const isEmpty = result.answers.length === 0;
  const reply: Packet = {
    type: 'response',
    id: query.id ?? 0,
    flags: AUTHORITATIVE_ANSWER | ((query.flags ?? 0) & packet.RECURSION_DESIRED) | result.code,
    questions: [question],
    answers: result.answers.flatMap(toAnswers),
    authorities: isEmpty && result.soa ? toAnswers(result.soa) : [],
  };
  return packet.encode(reply);
}

function toAnswers({ type, name, ttl, data }: ZoneRecord): Answer[] {
  const [mname = '', rname = '', ...numbers] = data.split(' ');
  const [serial = 0, refresh = 0, retry = 0, expire = 0, minimum = 0] = numbers.map((word) =>
    Number.parseInt(word, 10),
  );
  switch (type) {
    case 'A':
    case 'AAAA':
    case 'PTR':
    case 'CNAME':
    case 'NS':
      return [{ type, name, ttl, data }];
    case 'SOA':
      return [{ type, name, ttl, data: { mname, rname, serial, refresh, retry, expire, minimum } }];
    default:
      return [];
  }
}

/** A zone statement of named.conf. */
interface DeclaredZone {
  readonly name: string;
  readonly type: 'primary' | 'secondary';
  /** Path on the host; null for a secondary zone without a copy. */
  readonly file: string | null;
  readonly primaries: readonly string[];
}

const CLAUSES = ['acl', 'include', 'key', 'logging', 'options', 'zone'];
const ZONE_TYPES: Readonly<Record<string, DeclaredZone['type']>> = {
  ...{ master: 'primary', primary: 'primary', slave: 'secondary', secondary: 'secondary' },
};

/**
 * Parses the primary and secondary zones of one configuration file; other zone types are left out.
 * @throws Error with named's message for missing braces or semicolons, and for misspelled statements of zones
 */
export function parseNamedConf(text: string): DeclaredZone[] {
  const statements = parseStatements(text.replace(/\/\*[\s\S]*?\*\//g, ' '), {
    tokenPattern: /"[^"]*"|\/\/.*$|#.*$|[{};]|[^\s{};"]+|"/g,
    isComment: (word) => /^(?:#|\/\/)/.test(word),
    hasSemicolonAfterBlock: true,
    createError: (line, word = 'end of file') => new Error(`/etc/named.conf:${line}: missing ';' before '${word}'`),
  });
  const findStatement = (statementList: readonly Statement[] | null, keyword: RegExp) =>
    statementList?.find(({ words: [word = ''] }) => keyword.test(word));
  const unquote = (word = '') => word.replaceAll('"', '');
  const options = statements.find(({ words: [clause] }) => clause === 'options')?.body ?? null;
  const directory = unquote(findStatement(options, /^directory$/)?.words[1]) || '/var/named';
  return statements.flatMap(({ words: [clause = '', name], body, line }): DeclaredZone[] => {
    if (isMisspelled(clause, CLAUSES)) throw new Error(`/etc/named.conf:${line}: unknown option '${clause}'`);
    const type = ZONE_TYPES[findStatement(body, /^type$/)?.words[1] ?? ''];
    if (clause !== 'zone' || type === undefined) return [];
    const file = unquote(findStatement(body, /^file$/)?.words[1]);
    return [
      {
        name: unquote(name).replace(/\.$/, ''),
        type,
        file: file === '' || isAbsolute(file) ? file || null : join(directory, file),
        primaries: (findStatement(body, /^(?:masters|primaries)$/)?.body ?? []).map(
          ({ words: [address = ''] }) => address,
        ),
      },
    ];
  });
}

/** Formats the name of a PTR query: `21.0.16.172.in-addr.arpa`; IPv6 by nibbles. */
export function formatReverseName(address: string): string {
  const name = address.includes(':') ? new Address6(address).reverseForm() : new Address4(address).reverseForm();
  return name.replace(/\.$/, '');
}
