import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Answer, Unmeasured } from '../../diagnosis/site/exchange.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Reach } from '../../ports/reach.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { systemReason } from '../../text/system-reason.ts';
import { errorCode, runPatience } from '../patience.ts';
import { isOwnError, ownReason } from './kept-here.ts';

const words = () => catalogue().bastion.probe;

/** Seconds from 1900, where NTP begins, to 1970. */
const EPOCH = 2_208_988_800;
/** RFC 5905: no leap indicator, version 4, client. */
const CLIENT = 0x23;
const LENGTH = 48;

/**
 * Asks a time server how far its clock is from this machine's.
 * @param address where it is, for a name that was looked up
 * @param timeoutMs milliseconds of the clock (and no fewer real ones, up to 3,000)
 */
export async function timeProbe(
  reach: Reach,
  clock: Clock,
  { server, address }: { readonly server: string; readonly address: string },
  timeoutMs: number,
): Promise<Answer<'time'> | Unmeasured> {
  const where = words().place(server, 123);
  const patience = runPatience(clock, timeoutMs);
  try {
    const target = reach(address, 123);
    const socket = createSocket(isIPv6(target.host) ? 'udp6' : 'udp4');
    try {
      const request = Buffer.alloc(LENGTH);
      request[0] = CLIENT;
      const sent = clock.now();
      const answer = await new Promise<Buffer | null>((resolve, reject) => {
        patience.signal.addEventListener('abort', () => resolve(null));
        socket.on('error', reject);
        socket.on('message', resolve);
        // Connected, so that a port that nobody has is told at once.
        socket.on('connect', () => socket.send(request, (error) => error && reject(error)));
        socket.connect(target.port, target.host);
      });
      if (answer === null) return { offsetMs: null, detail: words().timeout(where) };
      const received = clock.now();
      if (answer.length < LENGTH || answer[1] === 0) return { offsetMs: null, detail: words().noTime(where) };
      // The server's time lies between our sending and receiving; half of the way is ours.
      const offset = (timeAt(answer, 32) - sent + (timeAt(answer, 40) - received)) / 2;
      const within = (received - sent - (timeAt(answer, 40) - timeAt(answer, 32))) / 2;
      return { offsetMs: Math.round(offset), withinMs: Math.max(0, Math.round(within)), detail: '' };
    } finally {
      socket.close();
    }
  } catch (error) {
    const code = errorCode(error);
    if (isOwnError(error)) return { isUnmeasured: true, detail: words().kept(server, ownReason(error)) };
    // Somebody on the way says so, and nodes may have another way.
    if (code === 'EHOSTUNREACH') return { isUnmeasured: true, detail: words().unreachable(where, systemReason(error)) };
    const detail = code === 'ECONNREFUSED' ? words().refused(where) : words().unreachable(where, sanitizeLine(code));
    return { offsetMs: null, detail };
  } finally {
    patience.end();
  }
}

/** A timestamp of 64 bits, in milliseconds since 1970. */
function timeAt(message: Buffer, offset: number): number {
  return (message.readUInt32BE(offset) - EPOCH + message.readUInt32BE(offset + 4) / 2 ** 32) * 1000;
}
