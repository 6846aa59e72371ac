import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import type { Answer } from '../../diagnosis/site/exchange.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Reach } from '../../ports/reach.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { errorCode, runPatience } from '../patience.ts';

const words = () => catalogue().bastion.probe;

/** Seconds from 1900, where NTP begins, to 1970. */
const EPOCH = 2_208_988_800;
/** RFC 5905: no leap indicator, version 4, client. */
const CLIENT = 0x23;
const LENGTH = 48;

/**
 * Asks a time server how far its clock is from this machine's.
 * @param timeoutMs milliseconds of the clock (and no fewer real ones, up to 3,000)
 */
export async function timeProbe(
  reach: Reach,
  clock: Clock,
  server: string,
  timeoutMs: number,
): Promise<Answer<'time'>> {
  const where = words().place(server, 123);
  const patience = runPatience(clock, timeoutMs);
  const target = reach(server, 123);
  try {
    const { address, family } = await lookup(target.host);
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
    try {
      const request = Buffer.alloc(LENGTH);
      request[0] = CLIENT;
      const sent = clock.now();
      const answer = await new Promise<Buffer | null>((resolve, reject) => {
        patience.signal.addEventListener('abort', () => resolve(null));
        socket.on('error', reject);
        socket.on('message', resolve);
        // Connected, so that a port that nobody has is told at once.
        socket.on('connect', () => socket.send(request));
        socket.connect(target.port, address);
      });
      if (answer === null) return { offsetMs: null, detail: words().timeout(where) };
      const received = clock.now();
      if (answer.length < LENGTH || answer[1] === 0) return { offsetMs: null, detail: words().noTime(where) };
      // The server's time lies between our sending and receiving; half of the way is ours.
      const offset = (timeAt(answer, 32) - sent + (timeAt(answer, 40) - received)) / 2;
      return { offsetMs: Math.round(offset), detail: '' };
    } finally {
      socket.close();
    }
  } catch (error) {
    const code = errorCode(error);
    const detail =
      code === 'ENOTFOUND' || code === 'EAI_AGAIN'
        ? words().nameUnknown(where)
        : code === 'ECONNREFUSED'
          ? words().refused(where)
          : words().unreachable(where, sanitizeLine(code));
    return { offsetMs: null, detail };
  } finally {
    patience.end();
  }
}

/** A timestamp of 64 bits, in milliseconds since 1970. */
function timeAt(message: Buffer, offset: number): number {
  return (message.readUInt32BE(offset) - EPOCH + message.readUInt32BE(offset + 4) / 2 ** 32) * 1000;
}
