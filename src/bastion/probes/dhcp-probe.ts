import { createSocket, type Socket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import type { Answer, DhcpOffer, Question } from '../../diagnosis/site/exchange.ts';
import { type Clock, SECOND } from '../../ports/clock.ts';
import type { Endpoint, Reach } from '../../ports/reach.ts';
import { errorCode, runPatience } from '../patience.ts';
import { discover, newTransaction, offerOf } from './dhcp-message.ts';
import { isOwnError } from './kept-here.ts';

const [SERVER_PORT, CLIENT_PORT] = [67, 68];
const EVERYBODY = '255.255.255.255';
/** Datagrams are lost; a machine that has no offer yet asks again. */
const AGAIN_AFTER = SECOND;
const PATIENCE = 3 * SECOND;

/**
 * Asks a DHCP server, as a relay agent does, what it offers to each machine, and everybody on the networks of this machine who
 * else answers. An offer that nobody takes changes nothing at the server. A relay agent gets its answers at UDP port 67, so that
 * port has to be free here and permitted; who else answers comes to port 68. IPv4.
 */
export async function dhcpProbe(reach: Reach, clock: Clock, question: Question<'dhcp'>): Promise<Answer<'dhcp'>> {
  const [relayed, heard] = await Promise.all([asRelay(reach, clock, question), asMachine(reach, clock, question)]);
  return {
    relay: relayed.state,
    broadcast: heard.state,
    offers: [...relayed.offers, ...heard.offers],
  };
}

type Heard = { readonly state: Answer<'dhcp'>['relay']; readonly offers: readonly DhcpOffer[] };

async function asRelay(
  reach: Reach,
  clock: Clock,
  { server, machines, architecture }: Question<'dhcp'>,
): Promise<Heard> {
  const target = reach(server, SERVER_PORT);
  const own = await sourceTowards(target);
  if (own === null) return { state: 'unreachable', offers: [] };
  if (own === server) return { state: 'itself', offers: [] };
  const first = newTransaction();
  const packets = machines.map((machine, index) => discover(machine, first + index, own, architecture));
  // A server that is reached at another port answers where it was asked from (RFC 8357).
  const at = { address: own, port: target.port === SERVER_PORT ? SERVER_PORT : 0, isShared: false };
  return await exchange(clock, at, { first, count: packets.length, isEnding: true }, (socket, index, sent) => {
    const packet = packets[index];
    if (packet !== undefined) socket.send(packet, target.port, target.host, sent);
  });
}

/** One machine is enough: a server that answers one of ours on this wire is one too many. */
async function asMachine(reach: Reach, clock: Clock, { machines, architecture }: Question<'dhcp'>): Promise<Heard> {
  const [machine] = machines;
  const wire = reach(EVERYBODY, SERVER_PORT);
  const isMapped = wire.host !== EVERYBODY;
  const wires = machine === undefined || isMapped ? [] : wiresOf(machines.map(({ network }) => network));
  if (machine === undefined || (wires.length === 0 && !isMapped)) return { state: 'not-here', offers: [] };
  const transaction = newTransaction();
  const packet = discover(machine, transaction, null, architecture);
  if (isMapped) {
    // A site without a wire says where everybody hears, and there all answer who asked.
    const at = { address: '0.0.0.0', port: 0, isShared: false };
    return await exchange(clock, at, { first: transaction, count: 1, isEnding: false }, (socket, _, sent) =>
      socket.send(packet, wire.port, wire.host, sent),
    );
  }
  const senders = await Promise.all(wires.map((address) => bound(address, CLIENT_PORT, true).catch(() => null)));
  const able = senders.filter((socket) => socket !== null);
  try {
    if (able.length === 0) return { state: 'not-permitted', offers: [] };
    for (const socket of able) socket.setBroadcast(true);
    // The first offer does not end it: another server may be slower than the right one.
    const at = { address: '0.0.0.0', port: CLIENT_PORT, isShared: true };
    return await exchange(clock, at, { first: transaction, count: 1, isEnding: false }, (_, __, sent) => {
      for (const socket of able) socket.send(packet, SERVER_PORT, EVERYBODY, sent);
    });
  } finally {
    for (const socket of able) socket.close();
  }
}

/** Sends until each of `count` transactions from `first` on has an offer (if that ends it), or for as long as a server may take. */
async function exchange(
  clock: Clock,
  at: { readonly address: string; readonly port: number; readonly isShared: boolean },
  { first, count, isEnding }: { readonly first: number; readonly count: number; readonly isEnding: boolean },
  send: (socket: Socket, index: number, sent: (error: Error | null) => void) => void,
): Promise<Heard> {
  let socket: Socket;
  try {
    socket = await bound(at.address, at.port, at.isShared);
  } catch (error) {
    return { state: errorCode(error) === 'EADDRINUSE' ? 'port-taken' : 'not-permitted', offers: [] };
  }
  const patience = runPatience(clock, PATIENCE);
  const offers: DhcpOffer[] = [];
  const answered = new Set<number>();
  let hasLeft = false;
  // Who is kept in has asked nobody; a router's word about one packet comes too late for it.
  const sent = (error: Error | null) => {
    hasLeft ||= error === null || !isOwnError(error);
  };
  const sendOpen = () => {
    for (let index = 0; index < count; index += 1) if (!(isEnding && answered.has(index))) send(socket, index, sent);
  };
  const stop = clock.interval(AGAIN_AFTER, sendOpen);
  try {
    await new Promise<void>((resolve) => {
      patience.signal.addEventListener('abort', () => resolve());
      // A server that is not there is told by its machine; others may still answer.
      socket.on('error', () => undefined);
      socket.on('message', (message, { address }) => {
        const found = offerOf(message, address);
        const index = found === null ? -1 : found.transaction - first;
        if (found === null || index < 0 || index >= count) return;
        const { transaction: _, ...offer } = found;
        answered.add(index);
        offers.push(offer);
        if (isEnding && answered.size === count) resolve();
      });
      sendOpen();
    });
    return { state: hasLeft ? 'asked' : 'unreachable', offers };
  } finally {
    stop();
    patience.end();
    socket.close();
  }
}

function bound(address: string, port: number, isShared: boolean): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', reuseAddr: isShared });
  return new Promise((resolve, reject) => {
    socket.once('error', (error) => {
      socket.close();
      reject(error);
    });
    socket.bind(port, address, () => {
      socket.removeAllListeners('error');
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}

/** The address of this machine that packets to a server leave from; null: no way leads there. */
async function sourceTowards({ host, port }: Endpoint): Promise<string | null> {
  const socket = createSocket('udp4');
  try {
    return await new Promise<string | null>((resolve) => {
      socket.on('error', () => resolve(null));
      socket.on('connect', () => resolve(socket.address().address));
      socket.connect(port, host);
    });
  } finally {
    socket.close();
  }
}

/** The addresses of this machine on these networks, one for each interface. */
function wiresOf(networks: readonly string[]): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => {
    const own = (addresses ?? []).find(
      ({ family, internal, address, netmask }) =>
        family === 'IPv4' && !internal && networks.some((each) => isSameNetwork(each, address, netmask)),
    );
    return own === undefined ? [] : [own.address];
  });
}

function isSameNetwork(one: string, other: string, netmask: string): boolean {
  const [a, b, mask] = [one, other, netmask].map(
    (text) => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) | 0,
  );
  return ((a ?? 0) & (mask ?? 0)) === ((b ?? 0) & (mask ?? 0));
}
