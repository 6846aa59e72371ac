import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { readFile } from 'node:fs/promises';
import { isIP, isIPv6 } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError, getErrorCode } from '../i18n/user-error.ts';
import type { Clock } from '../platform/clock.ts';
import { findEntry } from '../platform/table-lookup.ts';
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
