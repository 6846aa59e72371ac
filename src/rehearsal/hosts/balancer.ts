import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { isWorker, listNodesWithRole } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { type Clock, MINUTE, SECOND, systemClock } from '../../platform/clock.ts';
import { formatUrlHost } from '../../platform/text.ts';
import type { Addresses } from '../site/addresses.ts';
import type { BackendServer, Listener } from './balancer-conf.ts';

/** A TCP load balancer on the loopback addresses that represent those of the site. */
export type Balancer = ReturnType<typeof createBalancer>;

/**
 * A listener with a resolved address. Several balancers listen on a shared address (net.ipv4.ip_nonlocal_bind), but
 * only the host that holds the address gets connections.
 */
export type BoundListener = Omit<Listener, 'address'> & { readonly address: string; readonly isShared?: boolean };

/** Settings of listeners that forward TCP connections without timeouts. */
const PLAIN_LISTENER = {
  mode: 'tcp',
  isStatusPage: false,
  hasLegends: false,
  hasHttpCheck: false,
  idleTimeoutMs: null,
} as const;

/** Ports whose servers expect TLS. */
const TLS_PORTS = [443, 6443, 22623];

/**
 * Reasons why a connection to a member fails, each with the status and the empty code of its health check (HAProxy
 * management guide, 9.1).
 */
const CHECK_FAILURES = { refused: 'L4CON,', timeout: 'L4TOUT,' } as const;
type DialFailure = keyof typeof CHECK_FAILURES;

interface OpenPort {
  readonly server: Server;
  listener: BoundListener;
  rotation: number;
}

/** Every watch gets a bookmark within a minute: only a shorter idle limit closes a connection in use. */
const BOOKMARK_INTERVAL = MINUTE;

/** Real time that a connection stays open: the probes of the wizard take their real time at any speed of the site. */
const MIN_OPEN_TIME = SECOND;

/**
 * @param clock of the site, for the limits of idle connections
 * @param logLine receives the log lines of haproxy
 * @param resolve returns the address of a member that is given by name; null: unknown name
 */
export function createBalancer(
  addresses: Addresses,
  clock: Clock,
  logLine: (line: string) => void,
  resolve: (name: string) => Promise<string | null>,
) {
  const ports = new Map<string, OpenPort>();
  const isDownByMember = new Map<string, boolean>();

  /** Tries the members in turn until one accepts. Each attempt counts as a health check that only connects. */
  async function serveClient(client: Socket, port: OpenPort): Promise<void> {
    client.pause();
    client.on('error', () => client.destroy());
    const { listener } = port;
    port.rotation += 1;
    for (const member of orderMembers(listener.members, port.rotation)) {
      const upstream = await connectToMember(member);
      const isUp = recordHealth(listener, member, upstream);
      if (typeof upstream === 'string') continue;
      if (isUp) return joinSockets(client, upstream, port);
      upstream.destroy();
    }
    logLine(`proxy ${listener.name} has no server available!`);
    client.destroy();
  }

  /**
   * Connects to a member. An address that no machine holds fails at once: the health checks of a real load balancer
   * would have marked the member as down already.
   */
  async function connectToMember(member: BackendServer): Promise<Socket | DialFailure> {
    const address = await resolve(member.address);
    if (address === null) return 'refused';
    if (!addresses.isAssigned(address)) return 'timeout';
    return new Promise((done) => {
      const socket = connect({
        host: addresses.getLoopbackAddress(address),
        port: addresses.getLocalPort(member.port),
      });
      socket.once('error', () => done('refused'));
      socket.once('connect', () => done(socket));
    });
  }

  function joinSockets(client: Socket, upstream: Socket, { listener }: OpenPort): void {
    const { idleTimeoutMs } = listener;
    const closeSockets = () => {
      client.destroy();
      upstream.destroy();
    };
    const sockets = [client, upstream];
    for (const socket of sockets) socket.on('error', closeSockets).on('close', closeSockets);
    client.pipe(upstream).pipe(client);
    if (idleTimeoutMs === null || idleTimeoutMs >= BOOKMARK_INTERVAL) return;
    let lastActivityAt = clock.now();
    const idleAbort = new AbortController();
    for (const socket of sockets) {
      socket.on('data', () => {
        lastActivityAt = clock.now();
      });
      // An explicit reason: Node.js's default is an error with a stack trace, created for every connection that ends.
      socket.once('close', () => idleAbort.abort('closed'));
    }
    const watchIdle = async () => {
      await systemClock.sleep(MIN_OPEN_TIME, idleAbort.signal);
      while (!idleAbort.signal.aborted) {
        await clock.sleep(Math.max(1, lastActivityAt + idleTimeoutMs - clock.now()), idleAbort.signal);
        if (clock.now() < lastActivityAt + idleTimeoutMs) continue;
        // The client was silent for too long (haproxy configuration manual, 8.5).
        logLine(`${client.remoteAddress}:${client.remotePort} ${listener.name} ${listener.name} cD`);
        return closeSockets();
      }
    };
    watchIdle().catch(() => undefined);
  }

  /**
   * Records the result of a member's health check, and reports a change. A TLS port rejects plain HTTP requests.
   * @returns whether the member is up
   */
  function recordHealth(
    { name, hasHttpCheck }: BoundListener,
    member: BackendServer,
    upstream: Socket | DialFailure,
  ): boolean {
    const acceptsCheck = !hasHttpCheck || member.hasTlsCheck || !TLS_PORTS.includes(member.port);
    const isUp = typeof upstream !== 'string' && acceptsCheck;
    const key = `${name}/${member.name}`;
    if (isDownByMember.get(key) === !isUp) return isUp;
    isDownByMember.set(key, !isUp);
    const layer = hasHttpCheck ? 'Layer7' : 'Layer4';
    if (isUp) logLine(`Server ${key} is UP, reason: ${layer} check passed${hasHttpCheck ? ', code: 200' : ''}.`);
    else if (upstream === 'timeout') logLine(`Server ${key} is DOWN, reason: Layer4 timeout.`);
    else if (upstream === 'refused')
      logLine(`Server ${key} is DOWN, reason: Layer4 connection problem, info: "Connection refused".`);
    else logLine(`Server ${key} is DOWN, reason: Layer7 wrong status, code: 400, info: "Bad Request".`);
    return isUp;
  }

  /** Serves the status page, as comma-separated values only. Each request checks the members. */
  async function serveStats(hasLegends: boolean, path: string, response: ServerResponse): Promise<void> {
    if (path !== '/;csv') return void response.writeHead(200, { 'Content-Type': 'text/plain' }).end('See /;csv\n');
    const listenersByName = new Map([...ports.values()].map(({ listener }) => [listener.name, listener]));
    const rows = [...listenersByName.values()].flatMap((listener) =>
      listener.members.map(async (member) => {
        const socket = await connectToMember(member);
        if (typeof socket !== 'string') socket.destroy();
        const isUp = recordHealth(listener, member, socket);
        const successStatus = listener.hasHttpCheck ? 'L7OK,200' : 'L4OK,';
        const check = isUp ? successStatus : typeof socket === 'string' ? CHECK_FAILURES[socket] : 'L7STS,400';
        const endpoint = hasLegends ? `${formatUrlHost(member.address)}:${member.port}` : '';
        return `${[listener.name, member.name, isUp ? 'UP' : 'DOWN', check, endpoint, listener.mode].join(',')},\n`;
      }),
    );
    const text = `# pxname,svname,status,check_status,check_code,addr,mode,\n${(await Promise.all(rows)).join('')}`;
    response.writeHead(200, { 'Content-Type': 'text/plain' }).end(text);
  }

  async function openPort(key: string, listener: BoundListener): Promise<void> {
    const reusedPort = ports.get(key);
    if (reusedPort?.server.listening) {
      reusedPort.listener = listener;
      return;
    }
    const server = listener.isStatusPage
      ? createHttpServer((request, response) => void serveStats(port.listener.hasLegends, request.url ?? '', response))
      : createServer((socket) => void serveClient(socket, port));
    const port: OpenPort = { server, listener, rotation: -1 };
    await new Promise<void>((done, fail) => {
      server.once('error', fail);
      server.listen(addresses.getLocalPort(listener.port), addresses.getLoopbackAddress(listener.address), done);
    }).catch((error: NodeJS.ErrnoException) => {
      if (listener.isShared && error.code === 'EADDRINUSE') return;
      throw new Error(`Starting proxy ${listener.name}: cannot bind socket (${error.code ?? error.message}) [${key}]`);
    });
    ports.set(key, port);
  }

  function closePort(key: string): void {
    ports.get(key)?.server.close();
    ports.delete(key);
  }

  return {
    /** Applies a new configuration; open connections continue, as with `systemctl reload`. */
    async apply(listeners: readonly BoundListener[]): Promise<void> {
      const listenersByKey = new Map(listeners.map((listener) => [`${listener.address}:${listener.port}`, listener]));
      for (const key of ports.keys()) if (!listenersByKey.has(key)) closePort(key);
      for (const [key, listener] of listenersByKey) await openPort(key, listener);
    },
    async stop(): Promise<void> {
      for (const key of [...ports.keys()]) closePort(key);
    },
  };
}

/** Orders members by round robin; backup members come after all others. */
function orderMembers(members: readonly BackendServer[], rotation: number): BackendServer[] {
  const activeMembers = members.filter(({ isBackup }) => !isBackup);
  const startIndex = activeMembers.length === 0 ? 0 : rotation % activeMembers.length;
  return [
    ...activeMembers.slice(startIndex),
    ...activeMembers.slice(0, startIndex),
    ...members.filter(({ isBackup }) => isBackup),
  ];
}

/**
 * Lists the listeners that forward a port of these addresses to the members, without timeouts.
 * @param formatName returns the name of the listener of an address
 */
export function listPlainListeners(
  port: number,
  addresses: readonly string[],
  members: readonly { readonly name: string; readonly address: string }[],
  formatName: (address: string) => string,
): BoundListener[] {
  const plainMembers = members.map((member) => ({ ...member, port, isBackup: false, hasTlsCheck: false }));
  return addresses.map((address) => {
    return { ...PLAIN_LISTENER, name: formatName(address), address, port, members: plainMembers };
  });
}

/**
 * Lists the listeners of an external load balancer, as network-notes.md requests them. Empty: the site
 * has no external load balancer.
 */
export function listExternalListeners(design: Design): BoundListener[] {
  const { endpoints, services, topology, nodes } = design;
  if (services.loadBalancer.kind !== 'external' || topology === 'single-node') return [];
  const apiNodes = listNodesWithRole(design, 'bootstrap', 'control-plane');
  const computeNodes = nodes.filter(isWorker);
  const routerNodes = computeNodes.length > 0 ? computeNodes : listNodesWithRole(design, 'control-plane');
  const listListeners = (port: number, addresses: readonly string[], targets: Design['nodes']) => {
    const members = targets.map(({ name, ip }) => ({ name, address: ip[0] ?? '' }));
    return listPlainListeners(port, addresses, members, () => `others-${port}`);
  };
  return [
    ...listListeners(6443, [...new Set([...endpoints.api, ...endpoints.apiInt])], apiNodes),
    ...listListeners(22623, endpoints.apiInt, apiNodes),
    ...listListeners(443, endpoints.ingress, routerNodes),
    ...listListeners(80, endpoints.ingress, routerNodes),
  ];
}
