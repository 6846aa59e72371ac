import { createServer as createPage, type ServerResponse } from 'node:http';
import { connect, createServer, isIPv6, type Server, type Socket } from 'node:net';
import { nodesWithRole } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { type Clock, MINUTE } from '../../platform/clock.ts';
import type { Addresses } from '../site/addresses.ts';
import type { BackendServer, Listener } from './haproxy-config.ts';

/** A TCP load balancer on the loopback addresses that represent those of the site. */
export interface Balancer {
  /** Applies a new configuration; open connections continue, as with `systemctl reload`. */
  apply(listeners: readonly BoundListener[]): Promise<void>;
  stop(): Promise<void>;
}

/** A listener with a resolved address. */
export type BoundListener = Omit<Listener, 'address'> & { readonly address: string };

/** Ports whose servers expect TLS. */
const TLS_PORTS = [443, 6443, 22623];

interface OpenPort {
  readonly server: Server;
  listener: BoundListener;
  rotation: number;
}

/**
 * The API server sends a bookmark on every watch within a minute, so that only shorter limits end connections in use.
 */
const BOOKMARK_INTERVAL = MINUTE;

/**
 * @param clock of the site, for the limits of idle connections
 * @param report receives the log lines of haproxy
 * @param resolve the address of a member that is given by name; null: it does not resolve
 */
export function createBalancer(
  addresses: Addresses,
  clock: Clock,
  report: (line: string) => void,
  resolve: (name: string) => Promise<string | null>,
): Balancer {
  const ports = new Map<string, OpenPort>();
  const downStates = new Map<string, boolean>();

  /** Tries the members in turn until one accepts, which has the effect of health checks by connecting. */
  async function serveClient(client: Socket, port: OpenPort): Promise<void> {
    client.pause();
    client.on('error', () => client.destroy());
    const { listener } = port;
    port.rotation += 1;
    for (const member of orderMembers(listener.members, port.rotation)) {
      const upstream = await dial(member);
      const isUp = recordHealth(listener, member, upstream);
      if (upstream === null) continue;
      if (isUp) return joinSockets(client, upstream, port);
      upstream.destroy();
    }
    report(`proxy ${listener.name} has no server available!`);
    client.destroy();
  }

  async function dial(member: BackendServer): Promise<Socket | null> {
    const address = await resolve(member.address);
    if (address === null) return null;
    return new Promise((done) => {
      const socket = connect({ host: addresses.loopback(address), port: addresses.port(member.port) });
      socket.once('error', () => done(null));
      socket.once('connect', () => done(socket));
    });
  }

  function joinSockets(client: Socket, upstream: Socket, { listener }: OpenPort): void {
    const { idleLimit } = listener;
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const side of [client, upstream]) side.on('error', end).on('close', end);
    client.pipe(upstream).pipe(client);
    if (idleLimit === null || idleLimit >= BOOKMARK_INTERVAL) return;
    let lastActivityAt = clock.now();
    const recordActivity = () => {
      lastActivityAt = clock.now();
    };
    for (const side of [client, upstream]) side.on('data', recordActivity);
    const idleAbort = new AbortController();
    // An explicit reason: Node's default is an error with a stack trace, created for every connection that ends.
    for (const side of [client, upstream]) side.once('close', () => idleAbort.abort('closed'));
    const watchIdle = async () => {
      while (!idleAbort.signal.aborted) {
        await clock.sleep(Math.max(1, lastActivityAt + idleLimit - clock.now()), idleAbort.signal);
        if (clock.now() < lastActivityAt + idleLimit) continue;
        // The client was silent for too long (haproxy configuration manual, 8.5).
        report(`${client.remoteAddress}:${client.remotePort} ${listener.name} ${listener.name} cD`);
        return end();
      }
    };
    watchIdle().catch(() => undefined);
  }

  /**
   * Records the result of a member's health check. Null: the connection was refused. A TLS port rejects plain HTTP
   * requests.
   */
  function recordHealth({ name, isHttpCheck }: BoundListener, member: BackendServer, upstream: Socket | null): boolean {
    const acceptsCheck = !isHttpCheck || member.isTlsCheck || !TLS_PORTS.includes(member.port);
    const isUp = upstream !== null && acceptsCheck;
    const key = `${name}/${member.name}`;
    if (downStates.get(key) === !isUp) return isUp;
    downStates.set(key, !isUp);
    const layer = isHttpCheck ? 'Layer7' : 'Layer4';
    if (isUp) report(`Server ${key} is UP, reason: ${layer} check passed${isHttpCheck ? ', code: 200' : ''}.`);
    else if (upstream === null)
      report(`Server ${key} is DOWN, reason: Layer4 connection problem, info: "Connection refused".`);
    else report(`Server ${key} is DOWN, reason: Layer7 wrong status, code: 400, info: "Bad Request".`);
    return isUp;
  }

  /** Serves the status page, as comma-separated values only. Each request checks the members. */
  async function serveStats(hasLegends: boolean, path: string, response: ServerResponse): Promise<void> {
    if (path !== '/;csv') return void response.writeHead(200, { 'Content-Type': 'text/plain' }).end('See /;csv\n');
    const pools = new Map([...ports.values()].map(({ listener }) => [listener.name, listener]));
    const rows = [...pools.values()].flatMap((listener) =>
      listener.members.map(async (member) => {
        const socket = await dial(member);
        socket?.destroy();
        const isUp = recordHealth(listener, member, socket);
        const layer = listener.isHttpCheck ? 'L7' : 'L4';
        const check = isUp ? (layer === 'L7' ? 'L7OK,200' : 'L4OK,') : socket === null ? 'L4CON,' : 'L7STS,400';
        const endpoint = `${isIPv6(member.address) ? `[${member.address}]` : member.address}:${member.port}`;
        const cells = [
          listener.name,
          member.name,
          isUp ? 'UP' : 'DOWN',
          check,
          hasLegends ? endpoint : '',
          listener.mode,
        ];
        return `${cells.join(',')},\n`;
      }),
    );
    const text = `# pxname,svname,status,check_status,check_code,addr,mode,\n${(await Promise.all(rows)).join('')}`;
    response.writeHead(200, { 'Content-Type': 'text/plain' }).end(text);
  }

  async function openPort(key: string, listener: BoundListener): Promise<void> {
    const known = ports.get(key);
    if (known) {
      known.listener = listener;
      return;
    }
    const server = listener.isStats
      ? createPage((request, response) => void serveStats(port.listener.hasLegends, request.url ?? '', response))
      : createServer((socket) => void serveClient(socket, port));
    const port: OpenPort = { server, listener, rotation: -1 };
    await new Promise<void>((done, fail) => {
      server.once('error', fail);
      server.listen(addresses.port(listener.port), addresses.loopback(listener.address), done);
    }).catch((error: NodeJS.ErrnoException) => {
      throw new Error(`Starting proxy ${listener.name}: cannot bind socket (${error.code ?? error.message}) [${key}]`);
    });
    ports.set(key, port);
  }

  function closePort(key: string): void {
    ports.get(key)?.server.close();
    ports.delete(key);
  }

  return {
    async apply(listeners) {
      const wanted = new Map(listeners.map((listener) => [`${listener.address}:${listener.port}`, listener]));
      for (const key of ports.keys()) if (!wanted.has(key)) closePort(key);
      for (const [key, listener] of wanted) await openPort(key, listener);
    },
    async stop() {
      for (const key of [...ports.keys()]) closePort(key);
    },
  };
}

/** Round robin; backup members only after all others. */
function orderMembers(members: readonly BackendServer[], rotation: number): BackendServer[] {
  const active = members.filter(({ isBackup }) => !isBackup);
  const first = active.length === 0 ? 0 : rotation % active.length;
  return [...active.slice(first), ...active.slice(0, first), ...members.filter(({ isBackup }) => isBackup)];
}

/**
 * Lists the listeners of an external load balancer, as network-notes.md specifies them to its owners; empty: there is
 * none.
 */
export function listExternalListeners(design: Design): BoundListener[] {
  const { endpoints, services, topology, nodes } = design;
  if (services.loadBalancer.kind !== 'external' || topology === 'single-node') return [];
  const control = nodesWithRole(design, 'bootstrap', 'control-plane');
  const compute = nodes.filter(({ role }) => role !== 'bootstrap' && role !== 'control-plane');
  const routers = compute.length > 0 ? compute : nodesWithRole(design, 'control-plane');
  const createListeners = (addresses: readonly string[], port: number, targets: Design['nodes']) =>
    addresses.map(
      (address): BoundListener => ({
        ...{
          name: `others-${port}`,
          address,
          port,
          mode: 'tcp',
          isStats: false,
          hasLegends: false,
          isHttpCheck: false,
          idleLimit: null,
        },
        members: targets.map(({ name, ip }) => {
          return { name, address: ip[0] ?? '', port, isBackup: false, isTlsCheck: false };
        }),
      }),
    );
  const api = [...new Set([...endpoints.api, ...endpoints.apiInt])];
  return [
    ...createListeners(api, 6443, control),
    ...createListeners(endpoints.apiInt, 22623, control),
    ...createListeners(endpoints.ingress, 443, routers),
    ...createListeners(endpoints.ingress, 80, routers),
  ];
}
