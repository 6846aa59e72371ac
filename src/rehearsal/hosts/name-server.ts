import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { createServer, type Server } from 'node:net';
import packet, { type Answer, type DecodedPacket, type Packet, type SoaAnswer } from 'dns-packet';
import type { Zone, ZoneRecord } from './zone-file.ts';

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

/** Looks a name up in the zones: exact names, aliases, then wildcards (RFC 4592: not below a name that exists). */
export function lookUp(zones: readonly Zone[], name: string, type: string): LookupResult {
  const lowerName = name.toLowerCase();
  const zone = zones
    .filter(({ origin }) => lowerName === origin || lowerName.endsWith(`.${origin}`) || origin === '')
    .sort((a, b) => b.origin.length - a.origin.length)[0];
  if (zone === undefined) return { code: REFUSED, answers: [], soa: null };
  const soa = zone.records.find((record) => record.type === 'SOA') ?? null;
  const atName = findRecords(zone, lowerName);
  if (atName === null) return { code: NXDOMAIN, answers: [], soa };
  const direct = atName.filter((record) => record.type === type || type === 'ANY');
  const alias = atName.find((record) => record.type === 'CNAME');
  if (direct.length > 0 || alias === undefined) return { code: 0, answers: direct, soa };
  return { code: 0, answers: [alias, ...lookUp(zones, alias.data, type).answers], soa };
}

/** Finds the records for a name. Empty: the name exists without records; null: it does not exist. */
function findRecords(zone: Zone, name: string): ZoneRecord[] | null {
  const exact = zone.records.filter((record) => record.name === name);
  if (exact.length > 0) return exact;
  if (zone.records.some((record) => record.name.endsWith(`.${name}`))) return [];
  let parent = name;
  while (parent.includes('.')) {
    parent = parent.slice(parent.indexOf('.') + 1);
    const wildcard = zone.records.filter((record) => record.name === `*.${parent}`);
    if (wildcard.length > 0) return wildcard.map((record) => ({ ...record, name }));
    if (zone.records.some((record) => record.name === parent || record.name.endsWith(`.${parent}`))) return null;
  }
  return null;
}

/** A name server that answers from its zones over UDP and TCP. */
export interface NameServer {
  stop(): void;
}

/** Address of every public name: one for documentation (RFC 5737). */
const PUBLIC_ADDRESS = '203.0.113.7';
/** Names that do not exist in public DNS (RFC 2606, RFC 6761, RFC 6762, RFC 8375), and reverse names. */
const NON_PUBLIC_NAMES = /(?:^|\.)(?:test|example|invalid|localhost|local|localdomain|internal|lan|arpa)$|^[^.]+$/i;

/** Simulates recursion for names outside the zones: public names resolve to one address. */
function lookUpPublicName(name: string, type: string): LookupResult {
  if (NON_PUBLIC_NAMES.test(name)) return { code: NXDOMAIN, answers: [], soa: null };
  return { code: 0, answers: type === 'A' ? [{ name, type, ttl: 300, data: PUBLIC_ADDRESS }] : [], soa: null };
}

/**
 * Starts a name server.
 * @param zones called for every query, so that a reload needs no new server; null: every query fails (SERVFAIL)
 * @param isRecursive whether it resolves names outside its zones
 */
export async function startNameServer(
  address: string,
  port: number,
  zones: () => readonly Zone[] | null,
  isRecursive: () => boolean = () => false,
): Promise<NameServer> {
  const udp = createSocket('udp4');
  const tcp = createServer((socket) => {
    let pending = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 2 && pending.length >= pending.readUInt16BE(0) + 2) {
        const length = pending.readUInt16BE(0);
        const reply = answerQuery(pending.subarray(2, length + 2), zones(), isRecursive());
        pending = pending.subarray(length + 2);
        if (!reply) continue;
        const size = Buffer.alloc(2);
        size.writeUInt16BE(reply.length);
        socket.write(Buffer.concat([size, reply]));
      }
    });
  });
  udp.on('message', (message, from) => {
    const reply = answerQuery(message, zones(), isRecursive());
    if (reply) udp.send(reply, from.port, from.address);
  });
  await bindSockets(udp, tcp, address, port);
  return {
    stop: () => {
      udp.close();
      tcp.close();
    },
  };
}

async function bindSockets(udp: DatagramSocket, tcp: Server, address: string, port: number): Promise<void> {
  await new Promise<void>((done, fail) => {
    udp.once('error', fail);
    udp.bind(port, address, done);
  });
  await new Promise<void>((done, fail) => {
    tcp.once('error', fail);
    tcp.listen(port, address, done);
  });
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
  const own = zones === null ? { code: SERVFAIL, answers: [], soa: null } : lookUp(zones, name, type);
  const found = own.code === REFUSED && isRecursive ? lookUpPublicName(name, type) : own;
  const isEmpty = found.answers.length === 0;
  const reply: Packet = {
    type: 'response',
    id: query.id ?? 0,
    flags: AUTHORITATIVE_ANSWER | ((query.flags ?? 0) & packet.RECURSION_DESIRED) | found.code,
    questions: [question],
    answers: found.answers.flatMap(toAnswers),
    authorities: isEmpty && found.soa ? toAnswers(found.soa) : [],
  };
  return packet.encode(reply);
}

function toAnswers(record: ZoneRecord): Answer[] {
  const { name, ttl, data } = record;
  const words = data.split(' ');
  switch (record.type) {
    case 'A':
    case 'AAAA':
    case 'PTR':
    case 'CNAME':
    case 'NS':
      return [{ type: record.type, name, ttl, data }];
    case 'SRV':
      return [
        {
          type: 'SRV',
          name,
          ttl,
          data: {
            priority: Number(words[0]),
            weight: Number(words[1]),
            port: Number(words[2]),
            target: words[3] ?? '',
          },
        },
      ];
    case 'TXT':
      return [{ type: 'TXT', name, ttl, data: data.replaceAll('"', '') }];
    case 'SOA':
      return [toSoaAnswer(name, ttl, words)];
    default:
      return [];
  }
}

function toSoaAnswer(name: string, ttl: number, words: readonly string[]): SoaAnswer {
  const [mname = '', rname = '', serial = '0', refresh = '0', retry = '0', expire = '0', minimum = '0'] = words;
  const parseNumber = (text: string) => Number.parseInt(text, 10) || 0;
  return {
    type: 'SOA',
    name,
    ttl,
    data: {
      mname,
      rname,
      serial: parseNumber(serial),
      refresh: parseNumber(refresh),
      retry: parseNumber(retry),
      expire: parseNumber(expire),
      minimum: parseNumber(minimum),
    },
  };
}

/** Starts a service that replies to each datagram with the datagrams that `answer` returns. */
export async function startUdpService(
  address: string,
  port: number,
  answer: (message: Buffer) => readonly Buffer[],
): Promise<{ stop(): void }> {
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    for (const reply of answer(message)) socket.send(reply, from.port, from.address, () => undefined);
  });
  await new Promise<void>((done, fail) => {
    socket.once('error', fail);
    socket.bind(port, address, done);
  });
  socket.on('error', () => undefined);
  return { stop: () => void socket.close() };
}
