/** What a machine says of itself when it asks for an address. */
export interface DhcpClient {
  readonly mac: string;
  /** Option 93: 0 BIOS, 7 UEFI x86-64. Null once an operating system asks. */
  readonly architecture: number | null;
  /** Option 77; iPXE says `iPXE`. */
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

/** A DHCP server's mind: a lease, or the network it has none left for. */
export interface DhcpServer {
  lease(client: DhcpClient): { readonly lease: Lease } | { readonly network: string };
}

/** The options of a request that configurations look at, by number. */
export function requestOptions(client: DhcpClient): ReadonlyMap<number, Buffer> {
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
export function ipv4Number(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** The prefix length of a netmask; null: not a netmask. */
export function prefixOf(netmask: string): number | null {
  const bits = ipv4Number(netmask).toString(2).padStart(32, '0');
  return /^1*0*$/.test(bits) ? bits.indexOf('0') : null;
}

export function isInNetwork(address: string, network: string, prefix: number): boolean {
  const size = 2 ** (32 - prefix);
  return Math.floor(ipv4Number(address) / size) === Math.floor(ipv4Number(network) / size);
}

/** A lease of a range, always the same for the same machine; ranges as [first, last]. */
export function fromRange(mac: string, ranges: readonly (readonly [string, string])[]): string | null {
  const [range] = ranges;
  if (!range) return null;
  const first = ipv4Number(range[0]);
  const count = ipv4Number(range[1]) - first + 1;
  const number = first + (Number.parseInt(mac.replaceAll(':', '').slice(-6), 16) % Math.max(1, count));
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}
