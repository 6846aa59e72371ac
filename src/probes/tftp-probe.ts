import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError } from '../i18n/user-error.ts';
import type { Clock } from '../platform/clock.ts';
import { startDeadline } from '../platform/concurrency.ts';
import type { ResolveEndpoint } from '../platform/manual-actions.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { describeLocalError, isLocalError } from './neighbour-probe.ts';
import type { ProbeAnswer, Unmeasurable } from './probe-types.ts';

const words = () => catalogue().bastion.probe;

// RFC 1350: opcodes, and 512 bytes a block.
const READ_REQUEST = 1;
const DATA = 3;
const ACK = 4;
const ERROR = 5;
const BLOCK_BYTES = 512;
/** Limit of a download in bytes. A boot program is about one megabyte. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Limit for the first block in real milliseconds: later, the server counts as missing. A file may take longer. */
const FIRST_BLOCK_TIMEOUT_MS = 3000;
/** Real milliseconds without an answer, after which the last packet is sent again: UDP loses packets. */
const RESEND_INTERVAL_MS = 700;

/**
 * Fetches a file from a TFTP server, as firmware does, and counts its bytes.
 * @param timeoutMs limit for the whole file, in ms of the clock; at least min(timeoutMs, 3,000) ms of real time
 */
export async function probeTftp(
  resolveEndpoint: ResolveEndpoint,
  clock: Clock,
  { server, path }: { readonly server: string; readonly path: string },
  timeoutMs: number,
): Promise<ProbeAnswer<'tftp'> | Unmeasurable> {
  const { host, port } = resolveEndpoint(server, 69);
  const endpointText = words().hostAndPort(server, 69);
  const deadline = startDeadline(clock, timeoutMs);
  const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4');
  try {
    return await new Promise<ProbeAnswer<'tftp'>>((resolve, reject) => {
      let bytes = 0;
      let head = '';
      let nextBlock = 1;
      let lastPacket = { packet: createReadRequest(path), port };
      const send = (packet: Buffer, targetPort: number) => {
        lastPacket = { packet, port: targetPort };
        socket.send(packet, targetPort, host, (error) => error && reject(error));
      };
      const resendTimer = setInterval(() => send(lastPacket.packet, lastPacket.port), RESEND_INTERVAL_MS);
      deadline.signal.addEventListener('abort', () =>
        resolve({ state: 'timeout', bytes: null, detail: words().timeout(endpointText) }),
      );
      const firstBlockTimer = setTimeout(() => {
        if (nextBlock === 1) resolve({ state: 'timeout', bytes: null, detail: words().timeout(endpointText) });
      }, FIRST_BLOCK_TIMEOUT_MS);
      socket.on('close', () => {
        clearInterval(resendTimer);
        clearTimeout(firstBlockTimer);
      });
      socket.on('error', reject);
      socket.on('message', (message, { port: sourcePort }) => {
        const opcode = message.length < 4 ? 0 : message.readUInt16BE(0);
        if (opcode === ERROR) {
          const reason = sanitizeLine(message.subarray(4).toString('latin1').replace(/\0.*$/s, ''), 100);
          return resolve({ state: 'refused', bytes: null, detail: reason });
        }
        if (opcode !== DATA || message.readUInt16BE(2) !== (nextBlock & 0xffff)) return;
        const size = message.length - 4;
        if (nextBlock === 1) head = message.toString('latin1', 4, 6);
        bytes += size;
        nextBlock += 1;
        send(createAck(nextBlock - 1), sourcePort);
        if (size < BLOCK_BYTES || bytes > MAX_BYTES) resolve({ state: 'fetched', bytes, head, detail: '' });
      });
      send(lastPacket.packet, port);
    });
  } catch (error) {
    if (isLocalError(error))
      return { isUnmeasured: true, detail: words().sendBlocked(server, describeLocalError(error)) };
    return {
      state: 'failed',
      bytes: null,
      detail: words().unreachable(endpointText, describeSystemError(error)),
    };
  } finally {
    deadline.end();
    socket.close();
  }
}

function createReadRequest(path: string): Buffer {
  return Buffer.concat([Buffer.from([0, READ_REQUEST]), Buffer.from(`${path}\0octet\0`, 'latin1')]);
}

function createAck(block: number): Buffer {
  const packet = Buffer.alloc(4);
  packet.writeUInt16BE(ACK, 0);
  packet.writeUInt16BE(block & 0xffff, 2);
  return packet;
}
