import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import type { Answer, Unmeasured } from '../../diagnosis/site/exchange.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Reach } from '../../ports/reach.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { errorCode, runPatience } from '../patience.ts';
import { isOwnError, ownReason } from './kept-here.ts';

const words = () => catalogue().bastion.probe;

// RFC 1350: opcodes, and 512 bytes a block.
const READ = 1;
const DATA = 3;
const ACK = 4;
const ERROR = 5;
const BLOCK = 512;
/** A boot program has about a megabyte; more is not asked for. */
const MOST_BYTES = 8 * 1024 * 1024;
/** A server that sent nothing by then (real milliseconds) is not there; a whole file takes longer. */
const BEGINS_WITHIN = 3000;
/** Real milliseconds without an answer, after which the last packet is sent again: UDP loses packets. */
const AGAIN_AFTER = 700;

/**
 * Fetches a file from a TFTP server, as firmware does, and counts its bytes.
 * @param timeoutMs milliseconds of the clock (and no fewer real ones, up to 3,000) for the whole file
 */
export async function tftpProbe(
  reach: Reach,
  clock: Clock,
  { server, path }: { readonly server: string; readonly path: string },
  timeoutMs: number,
): Promise<Answer<'tftp'> | Unmeasured> {
  const { host, port } = reach(server, 69);
  const where = words().place(server, 69);
  const patience = runPatience(clock, timeoutMs);
  const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4');
  try {
    return await new Promise<Answer<'tftp'>>((resolve, reject) => {
      let bytes = 0;
      let head = '';
      let next = 1;
      let last = { packet: request(path), port };
      const send = (packet: Buffer, to: number) => {
        last = { packet, port: to };
        socket.send(packet, to, host, (error) => error && reject(error));
      };
      const timer = setInterval(() => send(last.packet, last.port), AGAIN_AFTER);
      patience.signal.addEventListener('abort', () =>
        resolve({ state: 'timeout', bytes: null, detail: words().timeout(where) }),
      );
      const beginning = setTimeout(() => {
        if (next === 1) resolve({ state: 'timeout', bytes: null, detail: words().timeout(where) });
      }, BEGINS_WITHIN);
      socket.on('close', () => {
        clearInterval(timer);
        clearTimeout(beginning);
      });
      socket.on('error', reject);
      socket.on('message', (message, { port: from }) => {
        const opcode = message.length < 4 ? 0 : message.readUInt16BE(0);
        if (opcode === ERROR) {
          const said = sanitizeLine(message.subarray(4).toString('latin1').replace(/\0.*$/s, ''), 100);
          return resolve({ state: 'refused', bytes: null, detail: said });
        }
        if (opcode !== DATA || message.readUInt16BE(2) !== (next & 0xffff)) return;
        const size = message.length - 4;
        if (next === 1) head = message.toString('latin1', 4, 6);
        bytes += size;
        next += 1;
        send(acknowledge(next - 1), from);
        if (size < BLOCK || bytes > MOST_BYTES) resolve({ state: 'fetched', bytes, head, detail: '' });
      });
      send(last.packet, port);
    });
  } catch (error) {
    if (isOwnError(error)) return { isUnmeasured: true, detail: words().kept(server, ownReason(error)) };
    return { state: 'failed', bytes: null, detail: words().unreachable(where, sanitizeLine(errorCode(error))) };
  } finally {
    patience.end();
    socket.close();
  }
}

function request(path: string): Buffer {
  return Buffer.concat([Buffer.from([0, READ]), Buffer.from(`${path}\0octet\0`, 'latin1')]);
}

function acknowledge(block: number): Buffer {
  const packet = Buffer.alloc(4);
  packet.writeUInt16BE(ACK, 0);
  packet.writeUInt16BE(block & 0xffff, 2);
  return packet;
}
