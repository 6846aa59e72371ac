import { createSocket } from 'node:dgram';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import packet from 'dns-packet';
import type { World } from '../world.ts';

const DNS_PORT = 53;
const LOOKUP_TIMEOUT = 1000;
const FETCH_TIMEOUT = 10_000;

export interface Fetched {
  readonly status: number;
  readonly body: Buffer;
}

/** What a machine can do on the network with the address and name servers it has. */
export interface MachineNetwork {
  /**
   * @param authority PEM of the trusted authority for https
   * @throws Error with the words that its console would show
   */
  fetch(url: string, authority?: string): Promise<Fetched>;
  /** The addresses of a name, or the names of an address (type PTR); empty where there is no answer. */
  lookUp(name: string, type: 'A' | 'AAAA' | 'PTR'): Promise<string[]>;
}

/** @param address the machine's own address of the design: every connection comes from there */
export function machineNetwork(world: World, address: string, nameServers: readonly string[]): MachineNetwork {
  const { addresses } = world;
  const localAddress = addresses.loopback(address);

  async function lookUp(name: string, type: 'A' | 'AAAA' | 'PTR'): Promise<string[]> {
    for (const server of nameServers) {
      const found = await ask(addresses.loopback(server), addresses.port(DNS_PORT), localAddress, name, type);
      if (found !== null) return found;
    }
    return [];
  }

  async function fetch(url: string, authority?: string): Promise<Fetched> {
    const target = new URL(url);
    const name = target.hostname.replace(/^\[|\]$/g, '');
    const [found] = isIP(name) !== 0 ? [name] : [...(await lookUp(name, 'A')), ...(await lookUp(name, 'AAAA'))];
    if (found === undefined) throw new Error(`dial tcp: lookup ${name}: no such host`);
    const isTls = target.protocol === 'https:';
    const port = Number(target.port || (isTls ? 443 : 80));
    const options = {
      host: addresses.loopback(found),
      port: addresses.port(port),
      localAddress,
      path: `${target.pathname}${target.search}`,
      headers: { host: target.host, accept: 'application/vnd.coreos.ignition+json;version=3.2.0, */*;q=0.1' },
      timeout: FETCH_TIMEOUT,
      agent: false as const,
    };
    return new Promise((resolve, reject) => {
      const call = isTls
        ? httpsRequest({ ...options, servername: isIP(name) === 0 ? name : '', ca: authority })
        : httpRequest(options);
      call.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
      });
      call.on('timeout', () => call.destroy(new Error('timeout awaiting response headers')));
      call.on('error', (error: NodeJS.ErrnoException) =>
        reject(new Error(`Get "${url}": ${words(error, found, port)}`)),
      );
      call.end();
    });
  }

  return { fetch, lookUp };
}

function words(error: NodeJS.ErrnoException, address: string, port: number): string {
  if (error.code === 'ECONNREFUSED') return `dial tcp ${address}:${port}: connect: connection refused`;
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return 'EOF';
  if (/SIGNED|VERIFY|ISSUER/.test(error.code ?? '')) return 'x509: certificate signed by unknown authority';
  return error.message;
}

/** One question to one server over UDP; null where it does not answer or cannot. */
function ask(
  server: string,
  port: number,
  localAddress: string,
  name: string,
  type: 'A' | 'AAAA' | 'PTR',
): Promise<string[] | null> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    const timer = setTimeout(() => done(null), LOOKUP_TIMEOUT);
    const done = (found: string[] | null) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.on('error', () => undefined);
      socket.close();
      resolve(found);
    };
    socket.on('error', () => done(null));
    socket.on('message', (message) => {
      const reply = packet.decode(message);
      if (((reply.flags ?? 0) & 0x0f) === 2) return done(null);
      const answers = reply.answers ?? [];
      done(answers.flatMap((answer) => (answer.type === type ? [String(answer.data)] : [])));
    });
    // Bound and connected, so that a port where nobody listens answers at once.
    socket.bind(0, localAddress, () => {
      socket.connect(port, server, () => {
        socket.send(
          packet.encode({ type: 'query', id: 1, flags: packet.RECURSION_DESIRED, questions: [{ type, name }] }),
        );
      });
    });
  });
}

/** `21.0.16.172.in-addr.arpa`; IPv6 by nibbles. */
export function reverseName(address: string): string {
  if (!address.includes(':')) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const [left, right] = [groups(head), groups(tail)];
  const filled = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
  const nibbles = filled.map((group) => group.padStart(4, '0')).join('');
  return `${[...nibbles].reverse().join('.')}.ip6.arpa`;
}
