import { createServer as createPage, type ServerResponse } from 'node:http';
import { connect, createServer, isIPv6, type Server, type Socket } from 'node:net';
import { type Clock, MINUTE } from '../../ports/clock.ts';
import type { Addresses } from '../site/addresses.ts';
import type { Listener, Member } from './haproxy-config.ts';

/** A TCP load balancer on the loopback addresses that stand for those of the site. */
export interface Balancer {
  /** Takes a new configuration; connections that are open go on, as with `systemctl reload`. */
  apply(listeners: readonly BoundListener[]): Promise<void>;
  stop(): Promise<void>;
}

/** A listener with its address settled. */
export type BoundListener = Omit<Listener, 'address'> & { readonly address: string };

/** What answers there speaks TLS. */
const TLS_PORTS = [443, 6443, 22623];

interface Port {
  readonly server: Server;
  listener: BoundListener;
  turn: number;
}

/**
 * The API server sends a bookmark on every watch within a minute, so that only shorter limits end connections that are in use.
 */
const LONGEST_SILENCE = MINUTE;

/**
 * @param clock of the site, for the limits of silent connections
 * @param report gets what haproxy would log
 * @param resolve the address of a member that is given by name; null where it does not resolve
 */
export function createBalancer(
  addresses: Addresses,
  clock: Clock,
  report: (line: string) => void,
  resolve: (name: string) => Promise<string | null>,
): Balancer {
  const ports = new Map<string, Port>();
  const downs = new Map<string, boolean>();

  /** Tries the members in turn until one accepts: what health checks by connecting come to. */
  async function serve(client: Socket, port: Port): Promise<void> {
    client.pause();
    client.on('error', () => client.destroy());
    const { listener } = port;
    port.turn += 1;
    for (const member of inTurn(listener.members, port.turn)) {
      const upstream = await dial(member);
      const isUp = noteHealth(listener, member, upstream);
      if (upstream === null) continue;
      if (isUp) return join(client, upstream, port);
      upstream.destroy();
    }
    report(`proxy ${listener.name} has no server available!`);
    client.destroy();
  }

  async function dial(member: Member): Promise<Socket | null> {
    const address = await resolve(member.address);
    if (address === null) return null;
    return new Promise((done) => {
      const socket = connect({ host: addresses.loopback(address), port: addresses.port(member.port) });
      socket.once('error', () => done(null));
      socket.once('connect', () => done(socket));
    });
  }

  function join(client: Socket, upstream: Socket, { listener }: Port): void {
    const { idleLimit } = listener;
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const side of [client, upstream]) side.on('error', end).on('close', end);
    client.pipe(upstream).pipe(client);
    if (idleLimit === null || idleLimit >= LONGEST_SILENCE) return;
    let lastAt = clock.now();
    const note = () => {
      lastAt = clock.now();
    };
    for (const side of [client, upstream]) side.on('data', note);
    const silence = new AbortController();
    // A reason of ours: Node's own is an error with a stack, made at each connection that ends.
    for (const side of [client, upstream]) side.once('close', () => silence.abort('closed'));
    const watch = async () => {
      while (!silence.signal.aborted) {
        await clock.sleep(Math.max(1, lastAt + idleLimit - clock.now()), silence.signal);
        if (clock.now() < lastAt + idleLimit) continue;
        // The client was silent for too long (haproxy configuration manual, 8.5).
        report(`${client.remoteAddress}:${client.remotePort} ${listener.name} ${listener.name} cD`);
        return end();
      }
    };
    watch().catch(() => undefined);
  }

  /** What the health check of a member that was dialled comes to: null refused, and a TLS port takes no plain HTTP request. */
  function noteHealth({ name, isHttpCheck }: BoundListener, member: Member, upstream: Socket | null): boolean {
    const isUnderstood = !isHttpCheck || member.isTlsCheck || !TLS_PORTS.includes(member.port);
    const isUp = upstream !== null && isUnderstood;
    const key = `${name}/${member.name}`;
    if (downs.get(key) === !isUp) return isUp;
    downs.set(key, !isUp);
    const layer = isHttpCheck ? 'Layer7' : 'Layer4';
    if (isUp) report(`Server ${key} is UP, reason: ${layer} check passed${isHttpCheck ? ', code: 200' : ''}.`);
    else if (upstream === null)
      report(`Server ${key} is DOWN, reason: Layer4 connection problem, info: "Connection refused".`);
    else report(`Server ${key} is DOWN, reason: Layer7 wrong status, code: 400, info: "Bad Request".`);
    return isUp;
  }

  /** The status page, as comma-separated values only. Each request checks the members. */
  async function showStats(hasLegends: boolean, path: string, response: ServerResponse): Promise<void> {
    if (path !== '/;csv') return void response.writeHead(200, { 'Content-Type': 'text/plain' }).end('See /;csv\n');
    const pools = new Map([...ports.values()].map(({ listener }) => [listener.name, listener]));
    const rows = [...pools.values()].flatMap((listener) =>
      listener.members.map(async (member) => {
        const socket = await dial(member);
        socket?.destroy();
        const isUp = noteHealth(listener, member, socket);
        const layer = listener.isHttpCheck ? 'L7' : 'L4';
        const check = isUp ? (layer === 'L7' ? 'L7OK,200' : 'L4OK,') : socket === null ? 'L4CON,' : 'L7STS,400';
        const place = `${isIPv6(member.address) ? `[${member.address}]` : member.address}:${member.port}`;
        const cells = [listener.name, member.name, isUp ? 'UP' : 'DOWN', check, hasLegends ? place : '', listener.mode];
        return `${cells.join(',')},\n`;
      }),
    );
    const text = `# pxname,svname,status,check_status,check_code,addr,mode,\n${(await Promise.all(rows)).join('')}`;
    response.writeHead(200, { 'Content-Type': 'text/plain' }).end(text);
  }

  async function open(key: string, listener: BoundListener): Promise<void> {
    const known = ports.get(key);
    if (known) {
      known.listener = listener;
      return;
    }
    const server = listener.isStats
      ? createPage((request, response) => void showStats(port.listener.hasLegends, request.url ?? '', response))
      : createServer((socket) => void serve(socket, port));
    const port: Port = { server, listener, turn: -1 };
    await new Promise<void>((done, fail) => {
      server.once('error', fail);
      server.listen(addresses.port(listener.port), addresses.loopback(listener.address), done);
    }).catch((error: NodeJS.ErrnoException) => {
      throw new Error(`Starting proxy ${listener.name}: cannot bind socket (${error.code ?? error.message}) [${key}]`);
    });
    ports.set(key, port);
  }

  function close(key: string): void {
    ports.get(key)?.server.close();
    ports.delete(key);
  }

  return {
    async apply(listeners) {
      const wanted = new Map(listeners.map((listener) => [`${listener.address}:${listener.port}`, listener]));
      for (const key of ports.keys()) if (!wanted.has(key)) close(key);
      for (const [key, listener] of wanted) await open(key, listener);
    },
    async stop() {
      for (const key of [...ports.keys()]) close(key);
    },
  };
}

/** Round robin; backup members only after all others. */
function inTurn(members: readonly Member[], turn: number): Member[] {
  const active = members.filter(({ isBackup }) => !isBackup);
  const first = active.length === 0 ? 0 : turn % active.length;
  return [...active.slice(first), ...active.slice(0, first), ...members.filter(({ isBackup }) => isBackup)];
}
