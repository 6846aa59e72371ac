import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { ProbeAnswer, Unmeasurable } from '../../diagnosis/site/probe-types.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { describeSystemError } from '../../i18n/system-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ResolveEndpoint } from '../../platform/resolve-endpoint.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { errorCode, startDeadline } from '../deadline.ts';
import { describeLocalError, isLocalError } from './send-block.ts';

const words = () => catalogue().bastion.probe;

/** Seconds from 1900, where NTP begins, to 1970. */
const EPOCH = 2_208_988_800;
/** RFC 5905: no leap indicator, version 4, client. */
const CLIENT = 0x23;
const PACKET_BYTES = 48;

/**
 * Measures the offset between the clock of a time server and this machine's.
 * @param address the resolved address of `server`
 * @param timeoutMs milliseconds of the clock (and no fewer real ones, up to 3,000)
 */
export async function probeTime(
  reach: ResolveEndpoint,
  clock: Clock,
  { server, address }: { readonly server: string; readonly address: string },
  timeoutMs: number,
): Promise<ProbeAnswer<'time'> | Unmeasurable> {
  const where = words().hostAndPort(server, 123);
  const deadline = startDeadline(clock, timeoutMs);
  try {
    const target = reach(address, 123);
    const socket = createSocket(isIPv6(target.host) ? 'udp6' : 'udp4');
    try {
      const request = Buffer.alloc(PACKET_BYTES);
      request[0] = CLIENT;
      const sent = clock.now();
      const answer = await new Promise<Buffer | null>((resolve, reject) => {
        deadline.signal.addEventListener('abort', () => resolve(null));
        socket.on('error', reject);
        socket.on('message', resolve);
        // A connected socket reports a closed port immediately.
        socket.on('connect', () => socket.send(request, (error) => error && reject(error)));
        socket.connect(target.port, target.host);
      });
      if (answer === null) return { offsetMs: null, detail: words().timeout(where) };
      const received = clock.now();
      if (answer.length < PACKET_BYTES || answer[1] === 0) return { offsetMs: null, detail: words().noTime(where) };
      // The server's time is between our sending and receiving; half of the round trip is ours.
      const offset = (readTimestamp(answer, 32) - sent + (readTimestamp(answer, 40) - received)) / 2;
      const within = (received - sent - (readTimestamp(answer, 40) - readTimestamp(answer, 32))) / 2;
      return { offsetMs: Math.round(offset), withinMs: Math.max(0, Math.round(within)), detail: '' };
    } finally {
      socket.close();
    }
  } catch (error) {
    const code = errorCode(error);
    if (isLocalError(error))
      return { isUnmeasured: true, detail: words().sendBlocked(server, describeLocalError(error)) };
    // A router reports this, and nodes may have another route.
    if (code === 'EHOSTUNREACH')
      return { isUnmeasured: true, detail: words().unreachable(where, describeSystemError(error)) };
    const detail = code === 'ECONNREFUSED' ? words().refused(where) : words().unreachable(where, sanitizeLine(code));
    return { offsetMs: null, detail };
  } finally {
    deadline.end();
  }
}

/** Reads a timestamp of 64 bits, in milliseconds since 1970. */
function readTimestamp(message: Buffer, offset: number): number {
  return (message.readUInt32BE(offset) - EPOCH + message.readUInt32BE(offset + 4) / 2 ** 32) * 1000;
}
