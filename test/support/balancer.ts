import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import { createAuthority } from '../../src/rehearsal/pki.ts';

export const INGRESS = ['172.16.0.111', 443] as const;
export const API = ['172.16.0.111', 6443] as const;
export const API_INT = ['172.16.0.110', 6443] as const;
export const MACHINE_CONFIG = ['172.16.0.110', 22623] as const;
export type Where = readonly [address: string, port: number];

/** Addresses of the design as loopback addresses of one test; ports below 1024 are shifted, to work for any user. */
export interface Loopback {
  readonly address: (ip: string) => string;
  readonly port: (port: number) => number;
}

/** @param second a number of its own for each test, from 236 to 254: the sites of rehearsals take 16 to 235 */
export function loopback(second: number): Loopback {
  return {
    address: (ip) => ip.replace(/^172\.16\.0\./, `127.${second}.0.`),
    port: (port) => (port < 1024 ? port + 20_000 : port),
  };
}

/** Changes only the addresses of a haproxy.cfg, its low ports, the user that runs it, and how long ten seconds are. */
export function local(text: string, at: Loopback, dir: string): string {
  return text
    .replace(/172\.16\.0\.\d+/g, at.address)
    .replace(/:(443|80)\b/g, (_, port) => `:${at.port(Number(port))}`)
    .replace(/^ +(?:user|group|chroot) .*\n/gm, '')
    .replace(/stats socket \S+/, `stats socket ${dir}/stats`)
    .replace('log stdout format raw local0', 'log stderr format raw local0')
    .replace(/inter 10s/g, 'inter 300ms');
}

export interface Member {
  /** The answer of its /readyz. */
  isReady: boolean;
  readonly stop: () => Promise<void>;
}

let keys: Promise<{ key: string; cert: string }> | null = null;

async function makeKeys(): Promise<{ key: string; cert: string }> {
  const now = Date.now();
  const { keyPem, certPem } = await createAuthority('test', { notBefore: now - 60_000, notAfter: now + 3_600_000 });
  return { key: keyPem, cert: certPem };
}

/**
 * A node that listens on every port that a client may use. It tells each client its name, and repeats it on a
 * connection that stays open.
 */
export async function startMember(name: string, ip: string, at: Loopback): Promise<Member> {
  keys ??= makeKeys();
  const member = { isReady: true, stop };
  const sockets = new Set<Socket>();
  const serve = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.on('data', (data) => {
      const said = data.toString();
      if (socket.writableEnded) return;
      if (said === 'hold') socket.write(name);
      else if (said.startsWith('GET /readyz'))
        socket.end(`HTTP/1.0 ${member.isReady ? '200 OK' : '500 Internal Server Error'}\r\n\r\n`);
      else socket.end(name);
    });
  };
  const servers: Server[] = [createTlsServer(await keys, serve), ...[22623, 443, 80].map(() => createServer(serve))];
  const ports = [6443, 22623, 443, 80];
  for (const [index, server] of servers.entries()) {
    server.listen(at.port(ports[index] ?? 0), at.address(ip));
    await once(server, 'listening');
  }
  onTestFinished(stop);
  return member;

  async function stop() {
    const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)));
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
  }
}

function open([ip, port]: Where, at: Loopback, from: string): Socket {
  const options = { host: at.address(ip), port: at.port(port), localAddress: from };
  return port === 6443 ? connectTls({ ...options, rejectUnauthorized: false }) : connect(options);
}

/** Who answers on an address and port of the design; null: nobody. */
export function ask(where: Where, at: Loopback, from = '127.0.0.1'): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = open(where, at, from);
    let said = '';
    socket.on('error', () => resolve(null));
    socket.on('data', (data) => {
      said += data;
    });
    socket.on('close', () => resolve(said === '' ? null : said));
    socket.write('who');
  });
}

/** Everybody who answers; asks from many addresses because routes stick to where clients come from. */
export async function everybody(where: Where, at: Loopback): Promise<string[]> {
  const sources = Array.from({ length: 40 }, (_, index) => `127.9.0.${index + 1}`);
  const answers = await Promise.all(sources.map((from) => ask(where, at, from)));
  return [...new Set(answers.map((name) => name ?? 'nobody'))].sort();
}

/** A connection that stays open through the load balancer. */
export interface Held {
  /** Who is at the other end. */
  readonly member: string;
  readonly isOpen: () => boolean;
  /** Asks over the connection again. */
  again(): Promise<string>;
}

/** Opens a connection and keeps it. @throws when nobody answers */
export async function hold(where: Where, at: Loopback, from: string): Promise<Held> {
  const socket = open(where, at, from);
  onTestFinished(() => {
    socket.destroy();
  });
  let isOpen = true;
  socket.on('close', () => {
    isOpen = false;
  });
  const again = async () => {
    const answer = once(socket, 'data');
    socket.write('hold');
    return String((await answer)[0]);
  };
  return { member: await again(), isOpen: () => isOpen, again };
}
