import { X509Certificate } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import packet from 'dns-packet';
import { SECOND } from '../../../ports/clock.ts';
import type { World } from '../world.ts';
import { type Attachment, reaches } from './attachment.ts';

const DNS_PORT = 53;
const LOOKUP_TIMEOUT = 1000;
const FETCH_TIMEOUT = 10_000;
/** What passes where the path is too narrow, in bytes, and how long the two sides wait for what does not. */
const NARROW = 1300;
const LOST_PACKETS = 10 * SECOND;

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

/**
 * @param attachment the machine's own address of the design, from which every connection comes, its name servers and routers
 * @param clockError how far its clock is from the right time, ms; negative: behind
 */
export function machineNetwork(world: World, attachment: Attachment, clockError = 0): MachineNetwork {
  const { addresses, clock, design } = world;
  const { address, nameServers } = attachment;
  const localAddress = addresses.loopback(address);

  async function lookUp(name: string, type: 'A' | 'AAAA' | 'PTR'): Promise<string[]> {
    for (const server of nameServers.filter((each) => reaches(design, attachment, each))) {
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
    if (!reaches(design, attachment, found))
      throw new Error(`Get "${url}": dial tcp ${found}:${port}: connect: no route to host`);
    const isNarrow = isNarrowPath(world, found);
    if (isNarrow && isTls) {
      await clock.sleep(LOST_PACKETS, world.signal);
      throw new Error(`Get "${url}": net/http: TLS handshake timeout`);
    }
    const early = authority === undefined ? null : tooEarly(authority, clock.now() + clockError);
    const options = {
      host: addresses.loopback(found),
      port: addresses.port(port),
      localAddress,
      path: `${target.pathname}${target.search}`,
      headers: { host: target.host, accept: 'application/vnd.coreos.ignition+json;version=3.2.0, */*;q=0.1' },
      timeout: FETCH_TIMEOUT,
      agent: false as const,
    };
    const answer = await new Promise<Fetched>((resolve, reject) => {
      const call = isTls
        ? httpsRequest({
            ...options,
            servername: isIP(name) === 0 ? name : '',
            ...trusting(early === null ? authority : ''),
          })
        : httpRequest(options);
      call.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
      });
      call.on('timeout', () => call.destroy(new Error('timeout awaiting response headers')));
      call.on('error', (error: NodeJS.ErrnoException) =>
        reject(new Error(`Get "${url}": ${isUntrusted(error) && early !== null ? early : words(error, found, port)}`)),
      );
      call.end();
    });
    if (!isNarrow || answer.body.length <= NARROW) return answer;
    await clock.sleep(LOST_PACKETS, world.signal);
    throw new Error(
      `Get "${url}": context deadline exceeded (Client.Timeout or context cancellation while reading body)`,
    );
  }

  return { fetch, lookUp };
}

/** The way from the load balancer to the nodes drops big packets, and tells nobody (a tunnel, with ICMP filtered). */
function isNarrowPath({ faults, design }: World, target: string): boolean {
  if (!faults.has('mtu-too-small')) return false;
  const { loadBalancer } = design.services;
  return [
    ...design.endpoints.apiInt,
    ...design.endpoints.api,
    ...loadBalancer.servers.flatMap(({ ip }) => ip),
  ].includes(target);
}

/** By the trusted authority: a machine asks again and again until it gets its answer, and to read an authority takes longer than to ask. */
const contexts = new Map<string | undefined, SecureContext>();

function trusting(authority: string | undefined): { readonly secureContext: SecureContext } {
  const secureContext = contexts.get(authority) ?? createSecureContext({ ca: authority });
  contexts.set(authority, secureContext);
  return { secureContext };
}

/** When each authority was made (ms): a machine asks again and again here, too. */
const beginnings = new Map<string, number>();

function beginningOf(authority: string): number {
  const begins = beginnings.get(authority) ?? new X509Certificate(authority).validFromDate.getTime();
  beginnings.set(authority, begins);
  return begins;
}

/** What a TLS library says whose clock is before the time at which the certificates were made; null: it is not. */
function tooEarly(authority: string, now: number): string | null {
  const begins = authority === '' ? 0 : beginningOf(authority);
  if (now >= begins) return null;
  const time = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  return `x509: certificate has expired or is not yet valid: current time ${time(now)} is before ${time(begins)}`;
}

function isUntrusted({ code = '' }: NodeJS.ErrnoException): boolean {
  return /SIGNED|VERIFY|ISSUER/.test(code);
}

function words(error: NodeJS.ErrnoException, address: string, port: number): string {
  if (error.code === 'ECONNREFUSED') return `dial tcp ${address}:${port}: connect: connection refused`;
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return 'EOF';
  if (isUntrusted(error)) return 'x509: certificate signed by unknown authority';
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
