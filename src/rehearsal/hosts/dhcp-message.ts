import type { DhcpClient, Lease } from './dhcp.ts';

// RFC 951, RFC 2131, RFC 2132: the offsets of the fields in a message, and the numbers of its options.
const HEADER = 236;
const MAGIC = Buffer.from([99, 130, 83, 99]);
const [REQUEST, REPLY] = [1, 2];
const [DISCOVER, OFFER] = [1, 2];
const OPTION = { mask: 1, router: 3, nameServer: 6, hostName: 12, domain: 15, type: 53, server: 54 } as const;
const [USER_CLASS, ARCHITECTURE] = [77, 93];
const END = 255;

/** Returns the client of a DHCPDISCOVER, and its relay agent; null: another message. */
export function parseDiscover(message: Buffer): { readonly client: DhcpClient; readonly relay: string } | null {
  if (message.length < HEADER + 4 || message[0] !== REQUEST) return null;
  if (!message.subarray(HEADER, HEADER + 4).equals(MAGIC)) return null;
  const options = new Map<number, Buffer>();
  for (let offset = HEADER + 4; offset + 1 < message.length && message[offset] !== END; ) {
    const [code = 0, length = 0] = message.subarray(offset, offset + 2);
    options.set(code, message.subarray(offset + 2, offset + 2 + length));
    offset += 2 + length;
  }
  if (options.get(OPTION.type)?.[0] !== DISCOVER) return null;
  const architecture = options.get(ARCHITECTURE);
  return {
    client: {
      mac: [...message.subarray(28, 34)].map((byte) => byte.toString(16).padStart(2, '0')).join(':'),
      architecture: architecture === undefined || architecture.length < 2 ? null : architecture.readUInt16BE(0),
      userClass: options.get(USER_CLASS)?.toString('latin1') ?? null,
    },
    relay: [...message.subarray(24, 28)].join('.'),
  };
}

/**
 * The DHCPOFFER of a lease, in response to a message.
 * @param server the address with which the server identifies itself
 */
export function buildOffer(message: Buffer, lease: Lease, server: string): Buffer {
  const head = Buffer.alloc(HEADER);
  message.copy(head, 0, 0, 44);
  head[0] = REPLY;
  head.set(addressBytes(lease.address), 16);
  if (lease.nextServer !== null) head.set(addressBytes(lease.nextServer), 20);
  if (lease.filename !== null) head.write(lease.filename, 108, 'latin1');
  const mask = lease.prefix === null ? [] : [uint32Bytes(2 ** 32 - 2 ** (32 - lease.prefix))];
  const options: readonly (readonly [number, readonly number[] | Buffer])[] = [
    [OPTION.type, [OFFER]],
    [OPTION.server, addressBytes(server)],
    [OPTION.mask, mask.flat()],
    [OPTION.router, lease.routers.flatMap(addressBytes)],
    [OPTION.nameServer, lease.nameServers.flatMap(addressBytes)],
    [OPTION.hostName, Buffer.from(lease.hostname ?? '')],
    [OPTION.domain, Buffer.from(lease.domain ?? '')],
  ];
  const body = options.flatMap(([code, data]) =>
    data.length === 0 ? [] : [Buffer.from([code, data.length]), Buffer.from(data)],
  );
  return Buffer.concat([head, MAGIC, ...body, Buffer.from([END])]);
}

function addressBytes(address: string): number[] {
  return address.split('.').map(Number);
}

function uint32Bytes(value: number): number[] {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256);
}
