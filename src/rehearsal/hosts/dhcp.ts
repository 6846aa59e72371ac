import { addressToNumber, formatAddress } from '../../design/address.ts';

/** The fields of a machine's DHCP request. */
export interface DhcpClient {
  readonly mac: string;
  /** Option 93: 0 BIOS, 7 UEFI x86-64, 11 UEFI ARM64. Null: the request of an operating system. */
  readonly architecture: number | null;
  /** Option 77; iPXE sends `iPXE`. */
  readonly userClass: string | null;
}

export interface Lease {
  readonly address: string;
  readonly prefix: number | null;
  readonly hostname: string | null;
  readonly domain: string | null;
  readonly nameServers: readonly string[];
  readonly routers: readonly string[];
  readonly timeServers: readonly string[];
  readonly filename: string | null;
  readonly nextServer: string | null;
  /** Option 60. */
  readonly vendorClass: string | null;
}

/** A lease with an address only: its missing options. */
export const NO_LEASE_OPTIONS = {
  prefix: null,
  hostname: null,
  domain: null,
  nameServers: [],
  routers: [],
  timeServers: [],
  filename: null,
  nextServer: null,
  vendorClass: null,
} as const;

/** A DHCP server. It gives a client a lease, or names the network that has no free address for the client. */
export interface DhcpServer {
  findLease(client: DhcpClient): { readonly lease: Lease } | { readonly network: string };
}

/** Builds the options of a request that configurations can test, by number. */
export function buildRequestOptions(client: DhcpClient): ReadonlyMap<number, Buffer> {
  const options = new Map<number, Buffer>();
  if (client.architecture !== null) {
    const code = Buffer.alloc(2);
    code.writeUInt16BE(client.architecture);
    options.set(93, code);
    options.set(60, Buffer.from(`PXEClient:Arch:${String(client.architecture).padStart(5, '0')}:UNDI:003016`));
  }
  if (client.userClass !== null) {
    options.set(77, Buffer.from(client.userClass));
    options.set(175, Buffer.from([1]));
  }
  return options;
}

/** Picks an address of the first range [first, last] by the machine's MAC. Null: no range. */
export function pickAddress(mac: string, ranges: readonly (readonly [string, string])[]): string | null {
  const [range] = ranges;
  if (!range) return null;
  const [firstNumber = 0, lastNumber = 0] = range.map((address) => Number(addressToNumber(address)));
  const count = Math.max(1, lastNumber - firstNumber + 1);
  const addressNumber = firstNumber + (Number.parseInt(mac.replaceAll(':', '').slice(-6), 16) % count);
  return formatAddress(4, BigInt(addressNumber));
}

// RFC 951, RFC 2131, RFC 2132: the header length, operations, message types and option numbers.
const HEADER_LENGTH = 236;
const MAGIC_COOKIE = Buffer.from([99, 130, 83, 99]);
const [REQUEST, REPLY] = [1, 2];
const [DISCOVER, OFFER] = [1, 2];
const OPTION = {
  mask: 1,
  router: 3,
  nameServer: 6,
  hostName: 12,
  domain: 15,
  time: 42,
  vendorClass: 60,
  type: 53,
  server: 54,
} as const;
const [USER_CLASS, ARCHITECTURE] = [77, 93];
const END = 255;

/** Parses the client of a DHCPDISCOVER, and its relay agent; null: another message. */
export function parseDiscover(message: Buffer): { readonly client: DhcpClient; readonly relay: string } | null {
  if (message.length < HEADER_LENGTH + 4 || message[0] !== REQUEST) return null;
  if (!message.subarray(HEADER_LENGTH, HEADER_LENGTH + 4).equals(MAGIC_COOKIE)) return null;
  const options = new Map<number, Buffer>();
  for (let offset = HEADER_LENGTH + 4; offset + 1 < message.length && message[offset] !== END; ) {
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
 * Builds the DHCPOFFER of a lease in response to a message.
 * @param server the address with which the server identifies itself
 */
export function buildOffer(message: Buffer, lease: Lease, server: string): Buffer {
  const header = Buffer.alloc(HEADER_LENGTH);
  message.copy(header, 0, 0, 44);
  header[0] = REPLY;
  header.set(encodeAddress(lease.address), 16);
  if (lease.nextServer !== null) header.set(encodeAddress(lease.nextServer), 20);
  if (lease.filename !== null) header.write(lease.filename, 108, 'latin1');
  const mask = lease.prefix === null ? [] : encodeUint32(2 ** 32 - 2 ** (32 - lease.prefix));
  const options: readonly (readonly [number, readonly number[] | Buffer])[] = [
    [OPTION.type, [OFFER]],
    [OPTION.server, encodeAddress(server)],
    [OPTION.mask, mask],
    [OPTION.router, lease.routers.flatMap(encodeAddress)],
    [OPTION.nameServer, lease.nameServers.flatMap(encodeAddress)],
    [OPTION.hostName, Buffer.from(lease.hostname ?? '')],
    [OPTION.domain, Buffer.from(lease.domain ?? '')],
    [OPTION.time, lease.timeServers.flatMap(encodeAddress)],
    [OPTION.vendorClass, Buffer.from(lease.vendorClass ?? '')],
  ];
  const body = options.flatMap(([code, data]) =>
    data.length === 0 ? [] : [Buffer.from([code, data.length]), Buffer.from(data)],
  );
  return Buffer.concat([header, MAGIC_COOKIE, ...body, Buffer.from([END])]);
}

function encodeAddress(address: string): number[] {
  return address.split('.').map(Number);
}

function encodeUint32(value: number): number[] {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256);
}
