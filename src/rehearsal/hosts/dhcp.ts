/** The fields of a machine's DHCP request. */
export interface DhcpClient {
  readonly mac: string;
  /** Option 93: 0 BIOS, 7 UEFI x86-64. Null: an operating system asks. */
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
  readonly filename: string | null;
  readonly nextServer: string | null;
}

/** The lease that a DHCP server's configuration gives a client, or the network that has none left. */
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

/** IPv4 text as a number. */
function parseIpv4(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** Returns the prefix length of a netmask; null: not a netmask. */
export function parsePrefixLength(netmask: string): number | null {
  const bits = parseIpv4(netmask).toString(2).padStart(32, '0');
  return /^1*0*$/.test(bits) ? bits.indexOf('0') : null;
}

/** Whether an IPv4 address is in a network; `prefix` is the prefix length in bits. */
export function isInNetwork(address: string, network: string, prefix: number): boolean {
  const size = 2 ** (32 - prefix);
  return Math.floor(parseIpv4(address) / size) === Math.floor(parseIpv4(network) / size);
}

/**
 * Returns an address of the first range, always the same for the same machine; ranges as [first, last]. Null: no range.
 */
export function pickAddress(mac: string, ranges: readonly (readonly [string, string])[]): string | null {
  const [range] = ranges;
  if (!range) return null;
  const first = parseIpv4(range[0]);
  const count = parseIpv4(range[1]) - first + 1;
  const number = first + (Number.parseInt(mac.replaceAll(':', '').slice(-6), 16) % Math.max(1, count));
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}
