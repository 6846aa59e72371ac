import { createServer as createPage, type ServerResponse } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
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

interface Port {
  readonly server: Server;
  listener: BoundListener;
  turn: number;
}

/**
 * @param report gets what haproxy would log
 * @param resolve the address of a member that is given by name; null where it does not resolve
 */
export function createBalancer(
  addresses: Addresses,
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
      noteHealth(listener, member, upstream !== null);
      if (upstream === null) continue;
      join(client, upstream);
      return;
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

  function noteHealth({ name }: BoundListener, member: Member, isUp: boolean): void {
    const key = `${name}/${member.name}`;
    if (downs.get(key) === !isUp) return;
    downs.set(key, !isUp);
    report(
      isUp
        ? `Server ${key} is UP, reason: Layer4 check passed.`
        : `Server ${key} is DOWN, reason: Layer4 connection problem, info: "Connection refused".`,
    );
  }

  /** The status page, as comma-separated values only. Each request checks the members. */
  async function showStats(path: string, response: ServerResponse): Promise<void> {
    if (path !== '/;csv') return void response.writeHead(200, { 'Content-Type': 'text/plain' }).end('See /;csv\n');
    const pools = new Map([...ports.values()].map(({ listener }) => [listener.name, listener]));
    const rows = [...pools.values()].flatMap(({ name, members }) =>
      members.map(async (member) => {
        const socket = await dial(member);
        socket?.destroy();
        return `${name},${member.name},${socket === null ? 'DOWN' : 'UP'},\n`;
      }),
    );
    const text = `# pxname,svname,status,\n${(await Promise.all(rows)).join('')}`;
    response.writeHead(200, { 'Content-Type': 'text/plain' }).end(text);
  }

  async function open(key: string, listener: BoundListener): Promise<void> {
    const known = ports.get(key);
    if (known) {
      known.listener = listener;
      return;
    }
    const server = listener.isStats
      ? createPage((request, response) => void showStats(request.url ?? '', response))
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

function join(client: Socket, upstream: Socket): void {
  const end = () => {
    client.destroy();
    upstream.destroy();
  };
  upstream.on('error', end);
  client.on('error', end);
  upstream.on('close', end);
  client.on('close', end);
  client.pipe(upstream).pipe(client);
}
