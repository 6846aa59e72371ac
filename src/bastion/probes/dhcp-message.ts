import { randomInt } from 'node:crypto';
import type { DhcpMachine, DhcpOffer } from '../../diagnosis/site/probe-types.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

// RFC 951 and RFC 2131: offsets and values of the fields of a message.
const HEADER = 236;
const MAGIC = Buffer.from([99, 130, 83, 99]);
const [REQUEST, REPLY] = [1, 2];
const [DISCOVER, OFFER] = [1, 2];
const BROADCAST = 0x8000;

/** Creates a number for one exchange, which distinguishes its replies from others. */
export function createTransactionId(): number {
  return randomInt(1, 2 ** 31);
}

/**
 * Creates a DHCPDISCOVER for a machine.
 * @param relay address of the relay agent that receives the reply; null: as the machine itself, answered by broadcast
 * @param architecture option 93 (RFC 4578); null: as an operating system sends it
 */
export function createDiscover(
  { mac, network }: DhcpMachine,
  transaction: number,
  relay: string | null,
  architecture: number | null,
): Buffer {
  const head = Buffer.alloc(HEADER);
  head.set([REQUEST, 1, 6, relay === null ? 0 : 1]);
  head.writeUInt32BE(transaction, 4);
  if (relay === null) head.writeUInt16BE(BROADCAST, 10);
  else head.set(toBytes(relay), 24);
  head.set(Buffer.from(mac.replaceAll(':', ''), 'hex'), 28);
  const code = String(architecture ?? 0).padStart(5, '0');
  const options: readonly (readonly [number, readonly number[] | Buffer])[] = [
    [53, [DISCOVER]],
    [55, [1, 3, 6, 12, 15, 42, 60, 66, 67, 119]],
    ...(architecture === null
      ? []
      : ([
          [60, Buffer.from(`PXEClient:Arch:${code}:UNDI:003016`)],
          [93, [architecture >> 8, architecture & 255]],
        ] as const)),
    // RFC 3527: the network of the machine, wherever its relay agent is.
    ...(relay === null ? [] : ([[82, [5, 4, ...toBytes(network)]]] as const)),
  ];
  const body = options.flatMap(([number, data]) => [Buffer.from([number, data.length]), Buffer.from(data)]);
  return Buffer.concat([head, MAGIC, ...body, Buffer.from([255])]);
}

/** Parses the offer in a message, with its transaction; null: not an offer. */
export function parseOffer(message: Buffer, from: string): (DhcpOffer & { readonly transaction: number }) | null {
  if (message.length < HEADER + 4 || message[0] !== REPLY || !message.subarray(HEADER, HEADER + 4).equals(MAGIC))
    return null;
  const options = parseOptions(message);
  if (options.get(53)?.[0] !== OFFER) return null;
  const file = parseText(message.subarray(108, HEADER)) || parseText(options.get(67));
  return {
    transaction: message.readUInt32BE(4),
    mac: [...message.subarray(28, 34)].map((byte) => byte.toString(16).padStart(2, '0')).join(':'),
    address: parseAddresses(message.subarray(16, 20))[0] ?? '',
    server: parseAddresses(options.get(54))[0] ?? from,
    gateways: parseAddresses(options.get(3)),
    nameServers: parseAddresses(options.get(6)),
    file: file === '' ? null : file,
    nextServer: parseAddresses(message.subarray(20, 24))[0] ?? '',
  };
}

/** RFC 2132: number, length, data; 0 is padding and 255 the end. A truncated option is skipped. */
function parseOptions(message: Buffer): ReadonlyMap<number, Buffer> {
  const options = new Map<number, Buffer>();
  for (let offset = HEADER + 4; offset < message.length && message[offset] !== 255; ) {
    const [code = 0, length = 0] = message.subarray(offset, offset + 2);
    if (code === 0) {
      offset += 1;
      continue;
    }
    const data = message.subarray(offset + 2, offset + 2 + length);
    if (data.length === length) options.set(code, data);
    offset += 2 + length;
  }
  return options;
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
