import { execFile } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { readFile } from 'node:fs/promises';
import { isIP, isIPv6 } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError, getErrorCode } from '../i18n/user-error.ts';
import type { Clock } from '../platform/clock.ts';
import { startDeadline } from '../platform/concurrency.ts';
import { get } from '../platform/http.ts';
import type { Endpoint, ResolveEndpoint } from '../platform/manual-actions.ts';
import { findEntry } from '../platform/table-lookup.ts';
import { getUrlHost } from '../platform/text.ts';
import type { ProbeAnswer, ProbeQuery, Unmeasurable } from './probe-types.ts';

/** Nothing listens on the discard port (RFC 863): the packet only makes the kernel look up a route. */
const DISCARD_PORT = 9;

/**
 * Errors with which this machine itself refuses to send a packet (connect(2), ip-route(8)). It has no such network, a
 * route forbids or drops the packet, or its firewall blocks it. Or it lacks an address, file descriptors or memory.
 */
const LOCAL_ERRORS = new Set(
  'ENETUNREACH ENETDOWN EACCES EPERM EINVAL EADDRNOTAVAIL EAFNOSUPPORT ENODEV EMFILE ENFILE ENOBUFS ENOMEM'.split(' '),
);

/** Whether an error comes from this machine, not from the host that was to be reached. */
export function isLocalError(error: unknown): boolean {
  return LOCAL_ERRORS.has(getErrorCode(error));
}

/** Describes why this machine sends nothing. */
export function describeLocalError(error: unknown): string {
  return findEntry(catalogue().bastion.probe.sendBlockReasons, getErrorCode(error)) ?? describeSystemError(error);
}

/**
 * Finds why this machine sends nothing to an address; null: it sends, or this cannot be determined. An empty packet
 * goes to the discard port, so a host that did not respond gets no further request.
 * @param host an address; null is returned for a name
 */
export async function findLocalSendError(host: string): Promise<string | null> {
  const family = isIP(host);
  if (family === 0) return null;
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
  try {
    return await new Promise<string | null>((resolve) => {
      const fail = (error: Error) => resolve(describeLocalError(error));
      socket.on('error', fail);
      // An `unreachable` route is reported here, too; the answer of a router arrives later.
      socket.on('connect', () =>
        socket.send(Buffer.alloc(0), (error) => (error && isLocalError(error) ? fail(error) : resolve(null))),
      );
      socket.connect(DISCARD_PORT, host);
    });
  } finally {
    socket.close();
  }
}

/** The kernel sends three requests, a second apart (net.ipv4.neigh.*.mcast_solicit). Milliseconds. */
const RESOLVE_TIMEOUT_MS = 3500;
const POLL_INTERVAL_MS = 250;
/** The kernel's neighbour table, for IPv4. */
export const ARP_TABLE = '/proc/net/arp';

/**
 * Sends a packet to an address on a network of this machine, and reads the MAC address that answers from the kernel's
 * neighbour table. IPv4 only: the wizard sets up no DHCP for IPv6 that could assign an address twice.
 */
export async function probeNeighbour(
  clock: Clock,
  { address, shouldFindOthers = false }: ProbeQuery<'neighbour'>,
): Promise<ProbeAnswer<'neighbour'> | Unmeasurable> {
  if (isIPv6(address) || !isOnLink(address)) return { isLocal: false, mac: null };
  const socket = createSocket('udp4');
  try {
    const sendError = await new Promise<Error | null>((resolve) => {
      socket.on('error', resolve);
      socket.send(Buffer.alloc(0), DISCARD_PORT, address, resolve);
    });
    if (sendError !== null && isLocalError(sendError))
      return {
        isUnmeasured: true,
        detail: catalogue().bastion.probe.sendBlocked(address, describeLocalError(sendError)),
      };
    for (let elapsedMs = 0; elapsedMs < RESOLVE_TIMEOUT_MS; elapsedMs += POLL_INTERVAL_MS) {
      const mac = findMac(await readFile(ARP_TABLE, 'utf8').catch(() => ''), address);
      if (mac !== null) {
        const answers = shouldFindOthers ? await listAnsweringMacs(address) : [];
        return { isLocal: true, mac, otherMacs: answers.filter((otherMac) => otherMac !== mac) };
      }
      await clock.sleep(POLL_INTERVAL_MS);
    }
    return { isLocal: true, mac: null };
  } finally {
    socket.close();
  }
}

/** arping sends two requests, a second apart. Milliseconds. */
const ARPING_TIMEOUT_MS = 3500;

/**
 * Lists the MAC addresses that answer for an address; the neighbour table of the kernel has only one of them. Empty
 * without arping of iputils, which RHEL installs with the right to send ARP (arping(8)).
 */
async function listAnsweringMacs(address: string): Promise<readonly string[]> {
  const device = findDevice(address);
  if (device === null) return [];
  const path = `${process.env.PATH ?? ''}:/usr/sbin:/sbin`;
  const argv = ['-b', '-c', '2', '-w', '2', '-I', device, address];
  const env = { PATH: path, LC_ALL: 'C' };
  // arping ends with an error if it may not send, and also if there are more answers than requests.
  const stdout = await new Promise<string>((resolve) => {
    execFile('arping', argv, { env, timeout: ARPING_TIMEOUT_MS }, (_error, text) => resolve(text));
  });
  const replyPattern = new RegExp(`^Unicast reply from \\S+ \\[(${MAC_PATTERN})\\]`, 'gim');
  return [...new Set([...stdout.matchAll(replyPattern)].map(([, mac = '']) => mac.toLowerCase()))];
}

/** Finds the MAC address that a neighbour table has for an IP address. */
export function toNeighbourAnswer(table: string, address: string): ProbeAnswer<'neighbour'> {
  return { isLocal: true, mac: findMac(table, address) };
}

/** Whether the address is in a network of an interface of this machine. */
export function isOnLink(address: string): boolean {
  return findDevice(address) !== null;
}

/** Finds the interface of this machine whose network has the address. */
function findDevice(address: string): string | null {
  const isOnSameNetwork = (localAddress: NetworkInterfaceInfo) =>
    localAddress.family === 'IPv4' &&
    !localAddress.internal &&
    localAddress.address !== address &&
    isInSameNetwork(localAddress.address, address, localAddress.netmask);
  return Object.entries(networkInterfaces()).find(([, addresses]) => addresses?.some(isOnSameNetwork))?.[0] ?? null;
}

/** Whether two IPv4 addresses are in the same network. */
export function isInSameNetwork(a: string, b: string, netmask: string): boolean {
  return (toNumber(a) & toNumber(netmask)) === (toNumber(b) & toNumber(netmask));
}

function toNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) | 0;
}

/** Finds the MAC address in a neighbour table; null: no reply yet. */
function findMac(table: string, address: string): string | null {
  return parseArpTable(table, true).find((entry) => entry.address === address)?.mac ?? null;
}

const MAC_PATTERN = '[0-9a-f]{2}(?::[0-9a-f]{2}){5}';
/** ATF_COM of linux/if_arp.h: the entry is complete. */
const COMPLETE_FLAG = 2;

/**
 * Parses /proc/net/arp (proc_net(5)), which does not show the age of an entry.
 * @param isFresh whether the entries were probed immediately before
 */
export function parseArpTable(
  text: string,
  isFresh: boolean,
): { readonly mac: string; readonly address: string; readonly isFresh: boolean }[] {
  const linePattern = new RegExp(`^(\\S+) +0x\\S+ +0x([0-9a-f]+) +(${MAC_PATTERN}) `, 'gim');
  return [...text.matchAll(linePattern)].flatMap(([, address = '', flags = '', mac = '']) =>
    (Number.parseInt(flags, 16) & COMPLETE_FLAG) === 0 ? [] : [{ address, mac: mac.toLowerCase(), isFresh }],
  );
}

/** Bytes of the headers of IP and UDP, before the data. */
const [HEADER_BYTES, IPV6_HEADER_BYTES] = [28, 48];
const LARGE_PACKET_BYTES = 1500;
/** Passes on every network: it is smaller than the minimum MTU of IPv6, 1280 bytes (RFC 8200). */
const SMALL_PACKET_BYTES = 1000;
/** The MTUs of PPPoE, VXLAN, WireGuard and other tunnels, in descending order. */
const TUNNEL_MTUS = [1492, 1480, 1450, 1420, 1400, 1376, 1300];
/** Real milliseconds. An answer takes a round trip. */
const ANSWER_TIMEOUT_MS = 350;
const MAX_ATTEMPTS = 4;
const PAGE_TIMEOUT_MS = 3000;

/**
 * Finds whether full-size Ethernet packets (MTU 1500) reach a host that small packets reach. Linux sends them without
 * permission to fragment. Once a router reports a limit, Linux sends smaller ones, which arrive.
 */
export async function probePackets(
  resolveEndpoint: ResolveEndpoint,
  clock: Clock,
  { host, page }: ProbeQuery<'packets'>,
): Promise<ProbeAnswer<'packets'>> {
  const target = resolveEndpoint(host, DISCARD_PORT);
  const sendUntilAnswered = async (size: number, tries = MAX_ATTEMPTS) => {
    for (let attempt = 0; attempt < tries; attempt += 1) if (await sendDatagram(target, size)) return true;
    return false;
  };
  if (!(await sendUntilAnswered(SMALL_PACKET_BYTES, 2))) return { state: 'silent' };
  if (await sendUntilAnswered(LARGE_PACKET_BYTES)) return { state: 'passed' };
  // Hosts limit the rate of such answers (icmp_ratelimit of Linux): silence counts only if small packets are answered.
  if (
    !(await sendUntilAnswered(SMALL_PACKET_BYTES, 1)) ||
    (await sendUntilAnswered(LARGE_PACKET_BYTES, 1)) ||
    !(await sendUntilAnswered(SMALL_PACKET_BYTES, 1))
  )
    return { state: 'silent' };
  let passingSize = SMALL_PACKET_BYTES;
  for (const size of TUNNEL_MTUS)
    if (passingSize === SMALL_PACKET_BYTES && (await sendUntilAnswered(size, 2))) passingSize = size;
  const isPageStalled = page === null ? null : await doesPageStall(resolveEndpoint, clock, page);
  return { state: 'lost', size: LARGE_PACKET_BYTES, passingSize, isPageStalled };
}

/**
 * Sends one datagram.
 * @param size bytes of the packet, with its headers
 * @returns whether the host answers it
 */
async function sendDatagram({ host, port, lookup }: Endpoint, size: number) {
  const isV6 = isIPv6(host);
  const socket: Socket = createSocket({ type: isV6 ? 'udp6' : 'udp4', ...(lookup === undefined ? {} : { lookup }) });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<boolean>((resolve) => {
      let isSent = false;
      // An error before the datagram is sent comes from this machine.
      socket.on('error', (error) => resolve(isSent && isAnswer(error, host)));
      socket.on('message', () => resolve(true));
      socket.on('connect', () => {
        isSent = true;
        socket.send(Buffer.alloc(size - (isV6 ? IPV6_HEADER_BYTES : HEADER_BYTES)), (error) => error && resolve(false));
        timer = setTimeout(() => resolve(false), ANSWER_TIMEOUT_MS);
      });
      socket.connect(port, host);
    });
  } finally {
    clearTimeout(timer);
    socket.close();
  }
}

/**
 * Whether the error is an answer of the host: nothing listens, or its firewall rejects. Outside the local network, a
 * router may send EHOSTUNREACH. In the local network, a machine that is off causes it too, but only after seconds.
 */
function isAnswer(error: Error, host: string): boolean {
  const code = getErrorCode(error);
  return code === 'ECONNREFUSED' || (code === 'EHOSTUNREACH' && isOnLink(host));
}

/** Whether a page that is larger than one packet stops before its end; null: no such page, or no connection. */
async function doesPageStall(resolveEndpoint: ResolveEndpoint, clock: Clock, page: string): Promise<boolean | null> {
  const { hostname, port, pathname, search } = new URL(page);
  const deadline = startDeadline(clock, PAGE_TIMEOUT_MS);
  let [hasConnected, bytes] = [false, 0];
  try {
    return await new Promise<boolean | null>((resolve) => {
      const target = resolveEndpoint(getUrlHost({ hostname }), Number(port || 80));
      const request = get({ ...target, path: pathname + search, agent: false, signal: deadline.signal }, (response) => {
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on('end', () => resolve(bytes > LARGE_PACKET_BYTES ? false : null));
        response.on('error', () => resolve(hasConnected && deadline.signal.aborted ? true : null));
      });
      request.on('socket', (socket) =>
        socket.on('connect', () => {
          hasConnected = true;
        }),
      );
      request.on('error', () => resolve(hasConnected && deadline.signal.aborted ? true : null));
    });
  } finally {
    deadline.end();
  }
}
