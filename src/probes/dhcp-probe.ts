import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import { getErrorCode } from '../i18n/user-error.ts';
import { type Clock, SECOND } from '../platform/clock.ts';
import { startDeadline } from '../platform/concurrency.ts';
import type { Endpoint, ResolveEndpoint } from '../platform/manual-actions.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { isInSameNetwork, isLocalError, isOnLink, probeNeighbour } from './neighbour-probe.ts';
import {
  type DhcpClient,
  type DhcpMachine,
  type DhcpOffer,
  isUnmeasurable,
  type ProbeAnswer,
  type ProbeQuery,
} from './probe-types.ts';

// RFC 951 and RFC 2131: offsets and values of the fields of a message.
const HEADER_LENGTH = 236;
const MAGIC_COOKIE = Buffer.from([99, 130, 83, 99]);
const [REQUEST, REPLY] = [1, 2];
const [DISCOVER, OFFER] = [1, 2];
const BROADCAST_FLAG = 0x8000;
/** Bytes of a message that fits into one Ethernet frame. */
const MAX_MESSAGE_BYTES = 1472;
/** RFC 1035, 4.1.4: a byte from 192 on begins a pointer; a name has at most 127 labels. */
const NAME_POINTER = 192;
const MAX_LABELS = 127;
/** In option 175, the number by which iPXE announces that it can load over HTTP (ipxe.org/howto/dhcpd). */
const IPXE_HTTP_FEATURE = 19;

/** Creates a number for one exchange, which distinguishes its replies from others. */
function createTransactionId(): number {
  return randomInt(1, 2 ** 31);
}

/**
 * Creates a DHCPDISCOVER for a machine.
 * @param relay address of the relay agent that receives the reply; null: as the machine itself, answered by broadcast
 * @param defaultClient the requesting program, unless the machine has its own; null: an operating system
 */
function createDiscoverMessage(
  { mac, network, client }: DhcpMachine,
  transaction: number,
  relay: string | null,
  defaultClient: DhcpClient | null,
): Buffer {
  const header = Buffer.alloc(HEADER_LENGTH);
  header.set([REQUEST, 1, 6, relay === null ? 0 : 1]);
  header.writeUInt32BE(transaction, 4);
  if (relay === null) header.writeUInt16BE(BROADCAST_FLAG, 10);
  else header.set(toBytes(relay), 24);
  header.set(Buffer.from(mac.replaceAll(':', ''), 'hex'), 28);
  const options: readonly (readonly [number, readonly number[] | Buffer])[] = [
    [53, [DISCOVER]],
    // RFC 2132: a server may leave out what does not fit into the size that the client accepts.
    [57, [MAX_MESSAGE_BYTES >> 8, MAX_MESSAGE_BYTES & 255]],
    [55, [1, 3, 6, 12, 15, 26, 42, 51, 54, 60, 66, 67, 119]],
    ...createClientOptions(client ?? defaultClient),
    // RFC 3527: the network of the machine, wherever its relay agent is.
    ...(relay === null ? [] : ([[82, [5, 4, ...toBytes(network)]]] as const)),
  ];
  const body = options.flatMap(([number, data]) => [Buffer.from([number, data.length]), Buffer.from(data)]);
  return Buffer.concat([header, MAGIC_COOKIE, ...body, Buffer.from([255])]);
}

/** Options by which a server recognizes firmware (RFC 4578; UEFI 24.7.3.1) and iPXE (ipxe.org/howto/dhcpd). */
function createClientOptions(client: DhcpClient | null): (readonly [number, readonly number[] | Buffer])[] {
  if (client === null) return [];
  const { kind, architecture } = client;
  const code = String(architecture).padStart(5, '0');
  return [
    [60, Buffer.from(`${kind === 'http' ? 'HTTPClient' : 'PXEClient'}:Arch:${code}:UNDI:003016`)],
    [93, [architecture >> 8, architecture & 255]],
    ...(kind === 'ipxe'
      ? ([
          [77, Buffer.from('iPXE')],
          [175, [IPXE_HTTP_FEATURE, 1, 1]],
        ] as const)
      : []),
  ];
}

/** Parses the offer in a message, with its transaction; null: not an offer. */
function parseOffer(message: Buffer, sender: string): (DhcpOffer & { readonly transaction: number }) | null {
  if (
    message.length < HEADER_LENGTH + 4 ||
    message[0] !== REPLY ||
    !message.subarray(HEADER_LENGTH, HEADER_LENGTH + 4).equals(MAGIC_COOKIE)
  )
    return null;
  const options = parseOptions(message);
  if (options.get(53)?.[0] !== OFFER) return null;
  const isFileOverloaded = ((options.get(52)?.[0] ?? 0) & 1) !== 0;
  const file = (isFileOverloaded ? '' : parseText(message.subarray(108, HEADER_LENGTH))) || parseText(options.get(67));
  const readText = (code: number) => parseText(options.get(code)) || null;
  return {
    transaction: message.readUInt32BE(4),
    mac: [...message.subarray(28, 34)].map((byte) => byte.toString(16).padStart(2, '0')).join(':'),
    address: parseAddresses(message.subarray(16, 20))[0] ?? '',
    netmask: parseAddresses(options.get(1))[0] ?? null,
    server: parseAddresses(options.get(54))[0] ?? sender,
    gateways: parseAddresses(options.get(3)),
    nameServers: parseAddresses(options.get(6)),
    timeServers: parseAddresses(options.get(42)),
    hostName: readText(12),
    domain: readText(15),
    searchDomains: parseNames(options.get(119)),
    mtu: readNumber(options.get(26), 2),
    leaseSeconds: readNumber(options.get(51), 4),
    vendorClass: readText(60),
    file: file === '' ? null : file,
    nextServer: parseAddresses(message.subarray(20, 24))[0] ?? '',
  };
}

/**
 * Parses options (RFC 2132): number, length, data; 0 is padding and 255 the end. A truncated option is skipped. An
 * option that occurs again continues (RFC 3396); with option 52 the fields `file` and `sname` hold options, too.
 */
function parseOptions(message: Buffer): ReadonlyMap<number, Buffer> {
  const options = new Map<number, Buffer>();
  addOptions(message.subarray(HEADER_LENGTH + 4), options);
  const overload = options.get(52)?.[0] ?? 0;
  if ((overload & 1) !== 0) addOptions(message.subarray(108, HEADER_LENGTH), options);
  if ((overload & 2) !== 0) addOptions(message.subarray(44, 108), options);
  return options;
}

function addOptions(field: Buffer, options: Map<number, Buffer>): void {
  for (let offset = 0; offset < field.length && field[offset] !== 255; ) {
    const [code = 0, length = 0] = field.subarray(offset, offset + 2);
    if (code === 0) {
      offset += 1;
      continue;
    }
    const data = field.subarray(offset + 2, offset + 2 + length);
    if (data.length === length) options.set(code, Buffer.concat([options.get(code) ?? Buffer.alloc(0), data]));
    offset += 2 + length;
  }
}

/** Parses a list of names as in DNS, in which a name may end with a pointer to an earlier one (RFC 3397). */
function parseNames(data: Buffer | undefined): string[] {
  const names: string[] = [];
  for (let offset = 0; data !== undefined && offset < data.length; ) {
    const labels: string[] = [];
    let position = offset;
    let end: number | null = null;
    // A pointer that leads back to itself ends with the limit of labels.
    while (position < data.length && labels.length < MAX_LABELS) {
      const length = data[position] ?? 0;
      if (length === 0) break;
      if (length >= NAME_POINTER) {
        end ??= position + 2;
        const target = ((length & 63) << 8) | (data[position + 1] ?? 0);
        if (target >= position) break;
        position = target;
        continue;
      }
      labels.push(parseText(data.subarray(position + 1, position + 1 + length)));
      position += 1 + length;
    }
    offset = end ?? position + 1;
    if (labels.length > 0) names.push(labels.join('.'));
  }
  return names;
}

function readNumber(data: Buffer | undefined, bytes: number): number | null {
  return data?.length === bytes ? data.readUIntBE(0, bytes) : null;
}

function toBytes(address: string): number[] {
  return address.split('.').map(Number);
}

function parseAddresses(data: Buffer | undefined): string[] {
  const count = Math.floor((data?.length ?? 0) / 4);
  return Array.from({ length: count }, (_, index) => [...(data?.subarray(index * 4, index * 4 + 4) ?? [])].join('.'));
}

function parseText(data: Buffer | undefined): string {
  return sanitizeLine((data?.toString('latin1') ?? '').replace(/\0.*$/s, ''), 255);
}

const [SERVER_PORT, CLIENT_PORT] = [67, 68];
const BROADCAST_ADDRESS = '255.255.255.255';
/** UDP loses packets; a machine without an offer sends again. */
const RESEND_INTERVAL_MS = SECOND;
const PROBE_TIMEOUT_MS = 3 * SECOND;

/**
 * Requests the offer of a DHCP server to each machine, as a relay agent does. It also broadcasts on the networks of
 * this machine to find other servers. An offer that is not accepted changes nothing at the server. Replies to a relay
 * agent arrive at UDP port 67, so that port must be free and permitted here. Replies to the broadcast arrive at port
 * 68. IPv4 only.
 */
export async function probeDhcp(
  resolveEndpoint: ResolveEndpoint,
  clock: Clock,
  query: ProbeQuery<'dhcp'>,
): Promise<ProbeAnswer<'dhcp'>> {
  const [relay, broadcast] = await Promise.all([
    probeAsRelay(resolveEndpoint, clock, query),
    probeAsMachine(resolveEndpoint, clock, query),
  ]);
  return {
    relay: relay.state,
    broadcast: broadcast.state,
    offers: await addServerMacs(clock, query.server, [...relay.offers, ...broadcast.offers]),
  };
}

/** Adds the MAC addresses of unplanned servers, so that their machines can be found. */
async function addServerMacs(clock: Clock, plannedServer: string, offers: readonly DhcpOffer[]): Promise<DhcpOffer[]> {
  const otherServers = [...new Set(offers.map(({ server }) => server))].filter(
    (server) => server !== plannedServer && isOnLink(server),
  );
  const lookups = otherServers.map(async (server) => {
    const answer = await probeNeighbour(clock, { address: server });
    return [server, isUnmeasurable(answer) ? null : answer.mac] as const;
  });
  const macByServer = new Map(await Promise.all(lookups));
  return offers.map((offer) => {
    const serverMac = macByServer.get(offer.server) ?? null;
    return serverMac === null ? offer : { ...offer, serverMac };
  });
}

function getDefaultClient({ architecture }: ProbeQuery<'dhcp'>): DhcpClient | null {
  return architecture === null ? null : { kind: 'tftp', architecture };
}

/** The offers of one exchange, and whether its requests were sent. */
type DhcpReplies = { readonly state: ProbeAnswer<'dhcp'>['relay']; readonly offers: readonly DhcpOffer[] };

async function probeAsRelay(
  resolveEndpoint: ResolveEndpoint,
  clock: Clock,
  query: ProbeQuery<'dhcp'>,
): Promise<DhcpReplies> {
  const { server, machines } = query;
  const target = resolveEndpoint(server, SERVER_PORT);
  const source = await findSourceAddress(target);
  if (source === null) return { state: 'unreachable', offers: [] };
  if (source === server) return { state: 'same-host', offers: [] };
  const firstTransaction = createTransactionId();
  const defaultClient = getDefaultClient(query);
  const packets = machines.map((machine, index) =>
    createDiscoverMessage(machine, firstTransaction + index, source, defaultClient),
  );
  // A server that is reached at a mapped port replies to the source port of the request (RFC 8357).
  const binding = { address: source, port: target.port === SERVER_PORT ? SERVER_PORT : 0, isShared: false };
  const replies = await collectOffers(
    clock,
    binding,
    { firstTransaction, count: packets.length, stopsWhenAllAnswered: true },
    (socket, index, onSent) => {
      const packet = packets[index];
      if (packet !== undefined) socket.send(packet, target.port, target.host, onSent);
    },
  );
  const offers = replies.offers.map(({ index, ...offer }) => {
    const client = machines[index]?.client;
    return client === undefined ? offer : { ...offer, client };
  });
  return { ...replies, offers };
}

/** Broadcasts as one machine, which is enough: any server besides the planned one that answers is a foreign one. */
async function probeAsMachine(
  resolveEndpoint: ResolveEndpoint,
  clock: Clock,
  query: ProbeQuery<'dhcp'>,
): Promise<DhcpReplies> {
  const { machines } = query;
  const [machine] = machines;
  const target = resolveEndpoint(BROADCAST_ADDRESS, SERVER_PORT);
  const isMapped = target.host !== BROADCAST_ADDRESS;
  const sources = machine === undefined || isMapped ? [] : listSourceAddresses(machines.map(({ network }) => network));
  if (machine === undefined || (sources.length === 0 && !isMapped)) return { state: 'not-here', offers: [] };
  const transaction = createTransactionId();
  const packet = createDiscoverMessage(machine, transaction, null, getDefaultClient(query));
  if (isMapped) {
    // A simulated site maps the broadcast address to an endpoint, from which all servers reply to the sender.
    const binding = { address: '0.0.0.0', port: 0, isShared: false };
    return await collectOffers(
      clock,
      binding,
      { firstTransaction: transaction, count: 1, stopsWhenAllAnswered: false },
      (socket, _, onSent) => socket.send(packet, target.port, target.host, onSent),
    );
  }
  const senders = await Promise.all(sources.map((address) => bindSocket(address, CLIENT_PORT, true).catch(() => null)));
  const sockets = senders.filter((socket) => socket !== null);
  try {
    if (sockets.length === 0) return { state: 'not-permitted', offers: [] };
    for (const socket of sockets) socket.setBroadcast(true);
    // The first offer does not end the exchange: another server may be slower than the expected one.
    const binding = { address: '0.0.0.0', port: CLIENT_PORT, isShared: true };
    return await collectOffers(
      clock,
      binding,
      { firstTransaction: transaction, count: 1, stopsWhenAllAnswered: false },
      (_, __, onSent) => {
        for (const socket of sockets) socket.send(packet, SERVER_PORT, BROADCAST_ADDRESS, onSent);
      },
    );
  } finally {
    for (const socket of sockets) socket.close();
  }
}

/**
 * Sends until each of the `count` transactions has an offer (if `stopsWhenAllAnswered`), or until PROBE_TIMEOUT has
 * passed.
 */
async function collectOffers(
  clock: Clock,
  binding: { readonly address: string; readonly port: number; readonly isShared: boolean },
  {
    firstTransaction,
    count,
    stopsWhenAllAnswered,
  }: { readonly firstTransaction: number; readonly count: number; readonly stopsWhenAllAnswered: boolean },
  send: (socket: Socket, index: number, onSent: (error: Error | null) => void) => void,
): Promise<{
  readonly state: DhcpReplies['state'];
  readonly offers: readonly (DhcpOffer & { readonly index: number })[];
}> {
  let socket: Socket;
  try {
    socket = await bindSocket(binding.address, binding.port, binding.isShared);
  } catch (error) {
    return { state: getErrorCode(error) === 'EADDRINUSE' ? 'port-taken' : 'not-permitted', offers: [] };
  }
  const deadline = startDeadline(clock, PROBE_TIMEOUT_MS);
  const offers: (DhcpOffer & { readonly index: number })[] = [];
  const answeredIndexes = new Set<number>();
  let hasSent = false;
  // A local error means that nothing was sent. An ICMP error from a router comes later: the packet was sent.
  const onSent = (error: Error | null) => {
    hasSent ||= error === null || !isLocalError(error);
  };
  const sendPending = () => {
    for (let index = 0; index < count; index += 1)
      if (!(stopsWhenAllAnswered && answeredIndexes.has(index))) send(socket, index, onSent);
  };
  const stopResending = clock.startInterval(RESEND_INTERVAL_MS, sendPending);
  try {
    await new Promise<void>((resolve) => {
      deadline.signal.addEventListener('abort', () => resolve());
      // A host without a DHCP server reports an ICMP error; other servers may still reply.
      socket.on('error', () => undefined);
      socket.on('message', (message, { address }) => {
        const reply = parseOffer(message, address);
        const index = reply === null ? -1 : reply.transaction - firstTransaction;
        if (reply === null || index < 0 || index >= count) return;
        const { transaction: _, ...offer } = reply;
        answeredIndexes.add(index);
        offers.push({ ...offer, index });
        if (stopsWhenAllAnswered && answeredIndexes.size === count) resolve();
      });
      sendPending();
    });
    return { state: hasSent ? 'queried' : 'unreachable', offers };
  } finally {
    stopResending();
    deadline.end();
    socket.close();
  }
}

function bindSocket(address: string, port: number, isShared: boolean): Promise<Socket> {
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

/** Finds the address of this machine that packets to a server are sent from; null: no route. */
async function findSourceAddress({ host, port }: Endpoint): Promise<string | null> {
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

/** Lists the addresses of this machine in these networks, one for each interface. */
function listSourceAddresses(networks: readonly string[]): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => {
    const localAddress = (addresses ?? []).find(
      ({ family, internal, address, netmask }) =>
        family === 'IPv4' && !internal && networks.some((network) => isInSameNetwork(network, address, netmask)),
    );
    return localAddress === undefined ? [] : [localAddress.address];
  });
}
