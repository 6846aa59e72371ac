import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { createServer, type Server } from 'node:net';
import packet, { type Answer, type DecodedPacket, type Packet, type SoaAnswer } from 'dns-packet';
import type { Zone, ZoneRecord } from './zone-file.ts';

const AUTHORITATIVE_ANSWER = 1 << 10;
const NXDOMAIN = 3;
const SERVFAIL = 2;
const REFUSED = 5;

/** What a name server says to one question. */
export interface Lookup {
  readonly code: number;
  readonly answers: readonly ZoneRecord[];
  /** The SOA record of the zone, for answers that say no. */
  readonly soa: ZoneRecord | null;
}

/** Looks a name up in the zones: exact names, aliases, then wildcards (RFC 4592: not below a name that exists). */
export function lookUp(zones: readonly Zone[], name: string, type: string): Lookup {
  const wanted = name.toLowerCase();
  const zone = zones
    .filter(({ origin }) => wanted === origin || wanted.endsWith(`.${origin}`) || origin === '')
    .sort((a, b) => b.origin.length - a.origin.length)[0];
  if (zone === undefined) return { code: REFUSED, answers: [], soa: null };
  const soa = zone.records.find((record) => record.type === 'SOA') ?? null;
  const atName = recordsAt(zone, wanted);
  if (atName === null) return { code: NXDOMAIN, answers: [], soa };
  const direct = atName.filter((record) => record.type === type || type === 'ANY');
  const alias = atName.find((record) => record.type === 'CNAME');
  if (direct.length > 0 || alias === undefined) return { code: 0, answers: direct, soa };
  return { code: 0, answers: [alias, ...lookUp(zones, alias.data, type).answers], soa };
}

/** The records that answer for a name, or null where the name does not exist. */
function recordsAt(zone: Zone, name: string): ZoneRecord[] | null {
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

/** What every name of the internet leads to: an address of the documentation (RFC 5737). */
const OUTSIDE = '203.0.113.7';
/** Names that nobody has there (RFC 2606, RFC 6761, RFC 6762, RFC 8375), and the reverse names of private addresses. */
const NOWHERE = /(?:^|\.)(?:test|example|invalid|localhost|local|localdomain|internal|lan|arpa)$|^[^.]+$/i;

/** What a name server says that also asks others for names that are not its own. */
function lookUpOutside(name: string, type: string): Lookup {
  if (NOWHERE.test(name)) return { code: NXDOMAIN, answers: [], soa: null };
  return { code: 0, answers: type === 'A' ? [{ name, type, ttl: 300, data: OUTSIDE }] : [], soa: null };
}

/**
 * @param zones is called for every query, so that a reload needs no new server
 * @param asksOthers whether it resolves names that are not its own
 */
export async function startNameServer(
  address: string,
  port: number,
  zones: () => readonly Zone[] | null,
  asksOthers: () => boolean = () => false,
): Promise<NameServer> {
  const udp = createSocket('udp4');
  const tcp = createServer((socket) => {
    let pending = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 2 && pending.length >= pending.readUInt16BE(0) + 2) {
        const length = pending.readUInt16BE(0);
        const reply = answer(pending.subarray(2, length + 2), zones(), asksOthers());
        pending = pending.subarray(length + 2);
        if (!reply) continue;
        const size = Buffer.alloc(2);
        size.writeUInt16BE(reply.length);
        socket.write(Buffer.concat([size, reply]));
      }
    });
  });
  udp.on('message', (message, from) => {
    const reply = answer(message, zones(), asksOthers());
    if (reply) udp.send(reply, from.port, from.address);
  });
  await bound(udp, tcp, address, port);
  return {
    stop: () => {
      udp.close();
      tcp.close();
    },
  };
}

async function bound(udp: DatagramSocket, tcp: Server, address: string, port: number): Promise<void> {
  await new Promise<void>((done, fail) => {
    udp.once('error', fail);
    udp.bind(port, address, done);
  });
  await new Promise<void>((done, fail) => {
    tcp.once('error', fail);
    tcp.listen(port, address, done);
  });
}

function answer(message: Uint8Array, zones: readonly Zone[] | null, asksOthers: boolean): Buffer | null {
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
  const found = own.code === REFUSED && asksOthers ? lookUpOutside(name, type) : own;
  const isEmpty = found.answers.length === 0;
  const reply: Packet = {
    type: 'response',
    id: query.id ?? 0,
    flags: AUTHORITATIVE_ANSWER | ((query.flags ?? 0) & packet.RECURSION_DESIRED) | found.code,
    questions: [question],
    answers: found.answers.flatMap(encodable),
    authorities: isEmpty && found.soa ? encodable(found.soa) : [],
  };
  return packet.encode(reply);
}

function encodable(record: ZoneRecord): Answer[] {
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
      return [soaAnswer(name, ttl, words)];
    default:
      return [];
  }
}

function soaAnswer(name: string, ttl: number, words: readonly string[]): SoaAnswer {
  const [mname = '', rname = '', serial = '0', refresh = '0', retry = '0', expire = '0', minimum = '0'] = words;
  const number = (text: string) => Number.parseInt(text, 10) || 0;
  return {
    type: 'SOA',
    name,
    ttl,
    data: {
      mname,
      rname,
      serial: number(serial),
      refresh: number(refresh),
      retry: number(retry),
      expire: number(expire),
      minimum: number(minimum),
    },
  };
}
