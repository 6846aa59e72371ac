import { X509Certificate } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createServer, isIP, isIPv4, type Server } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import packet from 'dns-packet';
import { isInRange } from '../../../design/address.ts';
import type { Design } from '../../../design/model.ts';
import { SECOND } from '../../../platform/clock.ts';
import { getUrlHost } from '../../../platform/text.ts';
import { formatTimestamp } from '../../api/objects.ts';
import { type Lease, NO_LEASE_OPTIONS } from '../../hosts/dhcp.ts';
import { NEIGHBOUR_TIMEOUT } from '../../site/dial-map.ts';
import { findRegistry } from '../../site/files.ts';
import { type FetchResult, sendRequest } from '../../site/http-exchange.ts';
import { deriveRandom, findAffectedNode } from '../../site/seeded-random.ts';
import type { Hardware, MachineState } from '../saved-world.ts';
import type { World } from '../world.ts';

/** Network settings of a machine: its address, its name servers, and its routers to other networks. */
interface NetworkSettings {
  readonly address: string;
  readonly nameServers: readonly string[];
  readonly routers: readonly string[];
}

export const NO_NETWORK: NetworkSettings = { address: '', nameServers: [], routers: [] };

/** Finds the machine network that contains an address, or null. */
const findNetwork = ({ networks }: Design, address: string) =>
  networks.machine.find(({ cidr }) => isInRange(address, cidr)) ?? null;

/**
 * Whether packets from a machine reach an address. Addresses in the machine's network are always reachable,
 * others only if one of its routers is the network's gateway. Networks without a known gateway count as connected.
 * @param target null: an address outside of the site
 */
function canReach(design: Design, { address, routers }: NetworkSettings, target: string | null): boolean {
  const network = findNetwork(design, address);
  if (network === null || network.gateway === null) return true;
  if (target !== null && (!isIPv4(target) || findNetwork(design, target) === network)) return true;
  return routers.includes(network.gateway);
}

const DNS_PORT = 53;
const LOOKUP_TIMEOUT_MS = 1000;
const FETCH_TIMEOUT_MS = 10_000;
/** Maximum size of a response on a path with a small MTU, bytes; and the time that both ends wait for lost packets. */
const SMALL_MTU_MAX_BYTES = 1300;
const LOST_PACKET_TIMEOUT = 10 * SECOND;

type FetchOutcome =
  | { readonly problem: null; readonly status: number; readonly body: Buffer }
  | { readonly problem: string; readonly status: number | null };

type LookupType = 'A' | 'AAAA' | 'PTR';

/** Network operations of a machine with its current address and name servers. */
type MachineNetwork = ReturnType<typeof createMachineNetwork>;

/**
 * Creates the network of a machine.
 * @param settings the machine's address in the design, which every connection comes from; its name servers and
 * routers
 * @param clockError deviation of its clock from the right time, ms; negative: behind
 */
export function createMachineNetwork(world: World, settings: NetworkSettings, clockError = 0) {
  const { addresses, clock, design } = world;
  const { address, nameServers } = settings;
  const localAddress = addresses.getLoopbackAddress(address);

  /** Resolves a name to addresses, or an address to names (type PTR). Empty: no answer. */
  async function lookUp(name: string, type: LookupType): Promise<string[]> {
    for (const server of nameServers.filter((nameServer) => canReach(design, settings, nameServer))) {
      const address = addresses.getLoopbackAddress(server);
      const answers = await queryDns({ address, port: addresses.getLocalPort(DNS_PORT), localAddress }, name, type);
      if (answers !== null) return answers;
    }
    return [];
  }

  /** @throws Error with the message that the machine's console shows */
  async function sendMachineRequest(url: string, authority: string): Promise<FetchResult> {
    const target = new URL(url);
    const fail = (message: string): never => {
      throw new Error(`Get "${url}": ${message}`);
    };
    const name = getUrlHost(target);
    const [targetAddress] = isIP(name) !== 0 ? [name] : [...(await lookUp(name, 'A')), ...(await lookUp(name, 'AAAA'))];
    if (targetAddress === undefined) throw new Error(`dial tcp: lookup ${name}: no such host`);
    const isTls = target.protocol === 'https:';
    const port = Number(target.port || (isTls ? 443 : 80));
    const isReachable = canReach(design, settings, targetAddress);
    if (!isReachable || !addresses.isAssigned(targetAddress)) {
      if (isReachable) await clock.sleep(NEIGHBOUR_TIMEOUT, world.signal);
      fail(`dial tcp ${targetAddress}:${port}: connect: no route to host`);
    }
    const isMtuSmall = hasSmallMtu(world, targetAddress);
    if (isMtuSmall && isTls) {
      await clock.sleep(LOST_PACKET_TIMEOUT, world.signal);
      fail('net/http: TLS handshake timeout');
    }
    const earlyClockError = formatEarlyClockError(getTrustedAuthority(authority).validFrom, clock.now() + clockError);
    const options = {
      host: addresses.getLoopbackAddress(targetAddress),
      port: addresses.getLocalPort(port),
      localAddress,
      path: `${target.pathname}${target.search}`,
      headers: { host: target.host, accept: 'application/vnd.coreos.ignition+json;version=3.2.0, */*;q=0.1' },
      timeout: FETCH_TIMEOUT_MS,
      agent: false as const,
    };
    const tls = { secureContext: getTrustedAuthority(earlyClockError === null ? authority : '').secureContext };
    const clientRequest = isTls
      ? httpsRequest({ ...options, ...tls, servername: isIP(name) === 0 ? name : '' })
      : httpRequest(options);
    clientRequest.on('timeout', () => clientRequest.destroy(new Error('timeout awaiting response headers')));
    const result = await sendRequest(clientRequest).catch((error: NodeJS.ErrnoException) => {
      const isTooEarly = isUntrustedError(error) && earlyClockError !== null;
      return fail(isTooEarly ? earlyClockError : formatConnectionError(error, targetAddress, port));
    });
    if (!isMtuSmall || result.body.length <= SMALL_MTU_MAX_BYTES) return result;
    await clock.sleep(LOST_PACKET_TIMEOUT, world.signal);
    return fail('context deadline exceeded (Client.Timeout or context cancellation while reading body)');
  }

  return {
    lookUp,
    /**
     * Fetches a URL.
     * @param authority PEM of the trusted CA for https; empty: nothing is trusted
     * @returns the body, or the problem as the machine's console shows it; `status` null: there was no answer
     */
    async fetch(url: string, authority = ''): Promise<FetchOutcome> {
      const result = await sendMachineRequest(url, authority).catch((error: Error) => error);
      if (result instanceof Error) return { problem: result.message, status: null };
      const { status, body } = result;
      return status === 200 ? { problem: null, status, body } : { problem: `HTTP status ${status}`, status };
    },
  };
}

/**
 * Whether the path to a target drops large packets without an error, as a tunnel with filtered ICMP does. The fault
 * affects the path from the load balancer to the nodes.
 */
function hasSmallMtu({ faults, design }: World, target: string): boolean {
  if (!faults.has('mtu-too-small')) return false;
  const { endpoints, services } = design;
  const balancerAddresses = services.loadBalancer.servers.flatMap(({ ip }) => ip);
  return [...endpoints.apiInt, ...endpoints.api, ...balancerAddresses].includes(target);
}

/** A trusted CA: its TLS context, and the start of its validity (ms). */
interface TrustedAuthority {
  readonly secureContext: SecureContext;
  readonly validFrom: number;
}

/** Trusted CAs by PEM. Machines retry often, and parsing a CA takes longer than a request. */
const trustedAuthorities = new Map<string, TrustedAuthority>();

function getTrustedAuthority(authority: string): TrustedAuthority {
  const trustedAuthority = trustedAuthorities.get(authority) ?? {
    secureContext: createSecureContext({ ca: authority }),
    validFrom: authority === '' ? 0 : new X509Certificate(authority).validFromDate.getTime(),
  };
  trustedAuthorities.set(authority, trustedAuthority);
  return trustedAuthority;
}

/** Returns the TLS library's error for a clock that is before the certificates' start of validity, or null. */
function formatEarlyClockError(validFrom: number, now: number): string | null {
  if (now >= validFrom) return null;
  return `x509: certificate has expired or is not yet valid: current time ${formatTimestamp(now)} is before ${formatTimestamp(validFrom)}`;
}

function isUntrustedError({ code = '' }: NodeJS.ErrnoException): boolean {
  return /SIGNED|VERIFY|ISSUER/.test(code);
}

function formatConnectionError(error: NodeJS.ErrnoException, address: string, port: number): string {
  if (error.code === 'ECONNREFUSED') return `dial tcp ${address}:${port}: connect: connection refused`;
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return 'EOF';
  if (isUntrustedError(error)) return 'x509: certificate signed by unknown authority';
  return error.message;
}

/** Sends one DNS query to one server over UDP. Null: the server does not answer or fails. */
function queryDns(
  server: { readonly address: string; readonly port: number; readonly localAddress: string },
  name: string,
  type: LookupType,
): Promise<string[] | null> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    const timer = setTimeout(() => finish(null), LOOKUP_TIMEOUT_MS);
    const finish = (answers: string[] | null) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.on('error', () => undefined);
      socket.close();
      resolve(answers);
    };
    socket.on('error', () => finish(null));
    socket.on('message', (message) => {
      const reply = packet.decode(message);
      if (((reply.flags ?? 0) & 0x0f) === 2) return finish(null);
      const answers = reply.answers ?? [];
      finish(answers.flatMap((answer) => (answer.type === type ? [String(answer.data)] : [])));
    });
    // Binds and connects the socket, so that a port without a listener reports an error at once.
    const query = packet.encode({ type: 'query', id: 1, flags: packet.RECURSION_DESIRED, questions: [{ type, name }] });
    socket.bind(0, server.localAddress, () => {
      socket.connect(server.port, server.address, () => socket.send(query));
    });
  });
}

/** Everything that a stage uses: the machine, its saved state, and the signal that aborts it at power loss. */
export interface MachineContext {
  readonly world: World;
  readonly hardware: Hardware;
  readonly state: MachineState;
  readonly signal: AbortSignal;
  /** The network, used from the machine's current address. */
  readonly getNetwork: () => MachineNetwork;
  /** Prints a line on the console, in the site's log and in the journal. A repetition of the last line is dropped. */
  readonly print: (line: string) => void;
  readonly sleep: (ms: number) => Promise<void>;
}

/** MAC address of the foreign machine that uses a duplicate address. */
export const FOREIGN_MAC = '00:0c:29:5a:b7:10';
const SSH_PORT = 22;

/** Returns the address that a foreign machine also uses. Null: no address is used twice. */
export function getDuplicateAddress(world: World): string | null {
  return findAffectedNode('address-taken-twice', world)?.ip.find((address) => !address.includes(':')) ?? null;
}

/** Lists the machines that run with a lease, each with its address. */
function listLeases({ saved }: World): (readonly [name: string, address: string])[] {
  return Object.values(saved.machines).flatMap(({ name, stage, lease }) =>
    stage === 'off' || stage === 'dead' || lease === null ? [] : [[name, lease.address] as const],
  );
}

/** Lists the addresses of the design's nodes that no machine holds, because the machine is off or has no lease yet. */
export function listUnassignedAddresses(world: World): string[] {
  if (world.cloud !== null) return [];
  const heldAddresses = [...listLeases(world).map(([, address]) => address), getDuplicateAddress(world)];
  return world.design.nodes.flatMap(({ ip }) => (ip.some((address) => heldAddresses.includes(address)) ? [] : ip));
}

/**
 * Formats the neighbour table of the bastion as /proc/net/arp shows it after all addresses were probed. At a duplicate
 * address the foreign machine answers faster than ours.
 */
export function formatArpTable(world: World): string {
  const duplicateAddress = getDuplicateAddress(world);
  const macByAddress = new Map(
    listLeases(world).flatMap(([name, address]) => {
      const mac = world.hardware.get(name)?.mac;
      return mac === undefined ? [] : [[address, mac] as const];
    }),
  );
  if (duplicateAddress !== null) macByAddress.set(duplicateAddress, FOREIGN_MAC);
  const lines = [...macByAddress].map(
    ([address, mac]) => `${address.padEnd(17)}0x1         0x2         ${mac}     *        eth0`,
  );
  return ['IP address       HW type     Flags       HW address            Mask     Device', ...lines, ''].join('\n');
}

/** Starts the foreign machine at the duplicate address. */
export function startDuplicateHost(world: World): { stop(): void } {
  const address = getDuplicateAddress(world);
  if (address === null) return { stop: () => undefined };
  const server: Server = createServer((socket) => {
    // The foreign machine has another address since the repair.
    if (getDuplicateAddress(world) === null) {
      socket.destroy();
      return;
    }
    socket.on('error', () => socket.destroy());
    socket.end('SSH-2.0-OpenSSH_7.4\r\n');
  });
  server.on('error', (error) => world.log(`the foreign machine: ${error.message}`));
  server.listen(world.addresses.getLocalPort(SSH_PORT), world.addresses.getLoopbackAddress(address));
  return { stop: () => void server.close() };
}

/**
 * Returns the lease of a foreign DHCP server, which is on the same switch as one node and often faster. Firmware waits
 * for an offer with a boot file and ignores this lease; an operating system takes the first offer. Null: there is no
 * such server for this machine, or our server was faster.
 */
export function pickForeignLease(world: World, name: string, mac: string): Lease | null {
  const node = findAffectedNode('foreign-dhcp', world);
  if (node?.name !== name) return null;
  const timerKey = `dhcp race ${mac}`;
  const attempt = (world.saved.timers[timerKey] ?? 0) + 1;
  world.saved.timers[timerKey] = attempt;
  if (attempt > 1 && deriveRandom(world.seed, timerKey, attempt) < 0.5) return null;
  return buildForeignOffer(world);
}

/** Builds the offer that the foreign DHCP server broadcasts to every client. Null: there is no such server. */
export function buildForeignOffer(world: World): Lease | null {
  const node = findAffectedNode('foreign-dhcp', world);
  if (node === null) return null;
  const usedAddresses = new Set([
    ...world.design.nodes.flatMap(({ ip }) => ip),
    ...Object.keys(world.addresses.getLoopbackByAddress()),
  ]);
  const nodeAddress = node.ip.find((address) => !address.includes(':')) ?? '';
  const findFreeAddress = (startOctet: number) => {
    for (let lastOctet = startOctet; lastOctet < 254; lastOctet += 1) {
      const address = nodeAddress.replace(/\d+$/, String(lastOctet));
      if (!usedAddresses.has(address)) return address;
    }
    return nodeAddress;
  };
  const server = findFreeAddress(1);
  const options = { prefix: 24, domain: 'home.arpa', nameServers: [server], routers: [server] };
  return { ...NO_LEASE_OPTIONS, address: findFreeAddress(200), ...options };
}

/** Address of all registries outside of the site, from the documentation range (RFC 5737). */
const REGISTRY_ADDRESS = '203.0.113.7';

/**
 * Returns podman's error if an image cannot be pulled, or null.
 * @param credentials text of the machine's pull secret; null: the login is not checked
 */
export function findPullError(
  world: World,
  settings: NetworkSettings,
  image: string,
  credentials: string | null,
): string | null {
  const registry = findRegistry(world.design.imageDigestSources, image);
  const [host = '', port = '443'] = registry.split(':');
  const errorPrefix = `initializing source docker://${image}: pinging container registry ${registry}: Get "https://${registry}/v2/"`;
  const canResolve = settings.nameServers.some((server) => world.hosts.findZones(server) !== null);
  if (!canResolve) return `${errorPrefix}: dial tcp: lookup ${host}: no such host`;
  if (!canReach(world.design, settings, null))
    return `${errorPrefix}: dial tcp ${REGISTRY_ADDRESS}:${port}: connect: no route to host`;
  if (world.faults.has('registry-unreachable'))
    return `${errorPrefix}: dial tcp ${REGISTRY_ADDRESS}:${port}: i/o timeout`;
  const isAnonymous = world.release.isPublic && registry === image.split('/')[0];
  if (credentials !== null && !isAnonymous && !hasCredentials(credentials, registry))
    return `initializing source docker://${image}: reading manifest in ${registry}: unauthorized: access to the requested resource is not authorized`;
  return null;
}

function hasCredentials(credentials: string, registry: string): boolean {
  try {
    const { auths } = JSON.parse(credentials) as { auths?: Record<string, unknown> };
    return auths !== undefined && Object.keys(auths).some((key) => key === registry || key.startsWith(`${registry}/`));
  } catch {
    return false;
  }
}
