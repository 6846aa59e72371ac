import { createSocket } from 'node:dgram';
import { request } from 'node:https';
import { isIPv6 } from 'node:net';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError, getErrorCode } from '../i18n/user-error.ts';
import type { Clock } from '../platform/clock.ts';
import { startDeadline } from '../platform/concurrency.ts';
import { fetchResponseHead } from '../platform/http.ts';
import type { ResolveEndpoint } from '../platform/manual-actions.ts';
import { describeLocalError, isLocalError } from './neighbour-probe.ts';
import type { ProbeAnswer, Unmeasurable } from './probe-types.ts';
import { toTcpFailure } from './tcp-probe.ts';

const words = () => catalogue().bastion.probe;

/** Seconds from 1900, where NTP begins, to 1970. */
const NTP_EPOCH_OFFSET = 2_208_988_800;
/** RFC 5905: no leap indicator, version 4, client. */
const CLIENT_HEADER = 0x23;
const PACKET_BYTES = 48;

/**
 * Measures the offset between the clock of a time server and this machine's.
 * @param address the resolved address of `server`
 * @param timeoutMs limit in ms of the clock; at least min(timeoutMs, 3,000) ms of real time
 */
export async function probeTime(
  resolveEndpoint: ResolveEndpoint,
  clock: Clock,
  { server, address }: { readonly server: string; readonly address: string },
  timeoutMs: number,
): Promise<ProbeAnswer<'time'> | Unmeasurable> {
  const endpointText = words().hostAndPort(server, 123);
  const deadline = startDeadline(clock, timeoutMs);
  try {
    const target = resolveEndpoint(address, 123);
    const socket = createSocket(isIPv6(target.host) ? 'udp6' : 'udp4');
    try {
      const requestPacket = Buffer.alloc(PACKET_BYTES);
      requestPacket[0] = CLIENT_HEADER;
      const sentAt = clock.now();
      const answer = await new Promise<Buffer | null>((resolve, reject) => {
        deadline.signal.addEventListener('abort', () => resolve(null));
        socket.on('error', reject);
        socket.on('message', resolve);
        // A connected socket reports a closed port immediately.
        socket.on('connect', () => socket.send(requestPacket, (error) => error && reject(error)));
        socket.connect(target.port, target.host);
      });
      if (answer === null) return { offsetMs: null, detail: words().timeout(endpointText) };
      const receivedAt = clock.now();
      if (answer.length < PACKET_BYTES || answer[1] === 0)
        return { offsetMs: null, detail: words().noTime(endpointText) };
      // The mean of both directions (RFC 5905), which cancels out the time that the packets take.
      const offset = (readTimestamp(answer, 32) - sentAt + (readTimestamp(answer, 40) - receivedAt)) / 2;
      const uncertainty = (receivedAt - sentAt - (readTimestamp(answer, 40) - readTimestamp(answer, 32))) / 2;
      return { offsetMs: Math.round(offset), uncertaintyMs: Math.max(0, Math.round(uncertainty)), detail: '' };
    } finally {
      socket.close();
    }
  } catch (error) {
    const code = getErrorCode(error);
    if (isLocalError(error))
      return { isUnmeasured: true, detail: words().sendBlocked(server, describeLocalError(error)) };
    // A router reports this, and nodes may have another route.
    if (code === 'EHOSTUNREACH')
      return { isUnmeasured: true, detail: words().unreachable(endpointText, describeSystemError(error)) };
    const detail =
      code === 'ECONNREFUSED'
        ? words().refused(endpointText)
        : words().unreachable(endpointText, describeSystemError(error));
    return { offsetMs: null, detail };
  } finally {
    deadline.end();
  }
}

/** Reads a timestamp of 64 bits, in milliseconds since 1970. */
function readTimestamp(message: Buffer, byteOffset: number): number {
  return (message.readUInt32BE(byteOffset) - NTP_EPOCH_OFFSET + message.readUInt32BE(byteOffset + 4) / 2 ** 32) * 1000;
}

/**
 * Measures the offset between the clock of a TLS server and this machine's, by the date of a response (whole seconds).
 * The certificate is not verified, because a wrong clock may be the reason that it is invalid. Only the request is
 * sent, and only the date is used.
 * @param timeoutMs limit in ms of the clock; at least min(timeoutMs, 3,000) ms of real time
 */
export async function probeDate(
  resolveEndpoint: ResolveEndpoint,
  clock: Clock,
  { host, port }: { readonly host: string; readonly port: number },
  timeoutMs: number,
): Promise<ProbeAnswer<'date'>> {
  const endpointText = words().hostAndPort(host, port);
  const deadline = startDeadline(clock, timeoutMs);
  const sentAt = clock.now();
  try {
    const { headers } = await fetchResponseHead(
      request({
        ...resolveEndpoint(host, port),
        method: 'HEAD',
        path: '/version',
        headers: { Host: endpointText },
        rejectUnauthorized: false,
        agent: false,
        signal: deadline.signal,
      }),
    );
    const serverTime = Date.parse(headers.date ?? '');
    if (Number.isNaN(serverTime)) return { offsetMs: null, isPresent: true, detail: words().noTime(endpointText) };
    // On average, the server reads its clock halfway through the request, and cuts off half a second.
    const halfRoundTripMs = (clock.now() - sentAt) / 2;
    const offsetMs = Math.round(serverTime + 500 - sentAt - halfRoundTripMs);
    return { offsetMs, uncertaintyMs: Math.round(halfRoundTripMs) + 500, isPresent: true, detail: '' };
  } catch (error) {
    if (deadline.signal.aborted) return { offsetMs: null, isPresent: false, detail: words().timeout(endpointText) };
    return { offsetMs: null, isPresent: false, detail: toTcpFailure(endpointText, error).detail };
  } finally {
    deadline.end();
  }
}
