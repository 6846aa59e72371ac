import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { getErrorCode } from '../i18n/user-error.ts';
import type { Clock } from '../platform/clock.ts';
import { startDeadline } from '../platform/deadline.ts';
import { get } from '../platform/http.ts';
import type { Endpoint, ResolveEndpoint } from '../platform/manual-actions.ts';
import { getUrlHost } from '../platform/text.ts';
import { isOnLink } from './neighbour-probe.ts';
import type { ProbeAnswer, ProbeQuery } from './probe-types.ts';

/** Nothing listens on the discard port (RFC 863): the host answers that the port is closed. */
const DISCARD_PORT = 9;
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
