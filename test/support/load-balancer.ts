import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import { createAuthority } from '../../src/rehearsal/pki.ts';

export const INGRESS = ['172.16.0.111', 443] as const;
export const API = ['172.16.0.111', 6443] as const;
export const API_INT = ['172.16.0.110', 6443] as const;
export const MACHINE_CONFIG = ['172.16.0.110', 22623] as const;
export type Endpoint = readonly [address: string, port: number];

/** Addresses of the design as loopback addresses of one test; ports below 1024 are shifted, to work for any user. */
export interface Loopback {
  readonly address: (ip: string) => string;
  readonly port: (port: number) => number;
}

/**
 * Maps addresses of the design to loopback addresses of one test.
 * @param secondOctet unique to each test, from 236 to 254: the sites of rehearsals take 16 to 235
 */
export function createLoopback(secondOctet: number): Loopback {
  return {
    address: (ip) => ip.replace(/^172\.16\.0\./, `127.${secondOctet}.0.`),
    port: (port) => (port < 1024 ? port + 20_000 : port),
  };
}

/**
 * Adapts a haproxy.cfg to loopback: addresses, low ports, user, stats socket, log target, and the times of the checks.
 */
export function adaptConfig(text: string, mapping: Loopback, dir: string): string {
  return (
    text
      .replace(/172\.16\.0\.\d+/g, mapping.address)
      .replace(/:(443|80)\b/g, (_, port) => `:${mapping.port(Number(port))}`)
      .replace(/^ +(?:user|group|chroot) .*\n/gm, '')
      .replace(/stats socket \S+/, `stats socket ${dir}/stats`)
      .replace('log stdout format raw local0', 'log stderr format raw local0')
      // A check that takes longer than `inter` fails: on a busy machine the members of a test answer late.
      .replace(/inter 5s fastinter 2s/g, 'inter 3s fastinter 300ms downinter 300ms')
      .replace(/slowstart 60s/g, 'slowstart 1s')
  );
}

export interface Member {
  /** Decides the answer of its /readyz. */
  isReady: boolean;
  readonly stop: () => Promise<void>;
}

let cachedKeys: Promise<{ key: string; cert: string }> | null = null;

async function createKeys(): Promise<{ key: string; cert: string }> {
  const now = Date.now();
  const { keyPem, certPem } = await createAuthority('test', { notBefore: now - 60_000, notAfter: now + 3_600_000 });
  return { key: keyPem, cert: certPem };
}

/**
 * Starts a node that listens on every port of a client. It sends each client its name, and repeats it on a connection
 * that stays open.
 */
export async function startMember(name: string, ip: string, mapping: Loopback): Promise<Member> {
  cachedKeys ??= createKeys();
  const member = { isReady: true, stop };
  const sockets = new Set<Socket>();
  const serve = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.on('data', (data) => {
      const request = data.toString();
      if (socket.writableEnded) return;
      if (request === 'hold') socket.write(name);
      else if (request.startsWith('GET /readyz'))
        socket.end(`HTTP/1.0 ${member.isReady ? '200 OK' : '500 Internal Server Error'}\r\n\r\n`);
      else socket.end(name);
    });
  };
  const servers: Server[] = [
    createTlsServer(await cachedKeys, serve),
    ...[22623, 443, 80].map(() => createServer(serve)),
  ];
  const ports = [6443, 22623, 443, 80];
  for (const [index, server] of servers.entries()) {
    server.listen(mapping.port(ports[index] ?? 0), mapping.address(ip));
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

function openSocket([ip, port]: Endpoint, mapping: Loopback, from: string): Socket {
  const options = { host: mapping.address(ip), port: mapping.port(port), localAddress: from };
  return port === 6443 ? connectTls({ ...options, rejectUnauthorized: false }) : connect(options);
}

/** Returns the name of the node that answers at an endpoint of the design; null without an answer. */
export function findResponder(where: Endpoint, mapping: Loopback, from = '127.0.0.1'): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = openSocket(where, mapping, from);
    let answer = '';
    socket.on('error', () => resolve(null));
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('close', () => resolve(answer === '' ? null : answer));
    socket.write('who');
  });
}

/** Lists all nodes that answer. It connects from many addresses because routes are sticky by client address. */
export async function listResponders(where: Endpoint, mapping: Loopback): Promise<string[]> {
  const sources = Array.from({ length: 40 }, (_, index) => `127.9.0.${index + 1}`);
  const answers = await Promise.all(sources.map((from) => findResponder(where, mapping, from)));
  return [...new Set(answers.map((name) => name ?? 'nobody'))].sort();
}

/** A connection that stays open through the load balancer. */
export interface OpenConnection {
  /** Name of the node at the other end. */
  readonly member: string;
  readonly isOpen: () => boolean;
  /** Requests the name over the connection again. */
  requestAgain(): Promise<string>;
}

/**
 * Opens a connection and keeps it open.
 * @throws when no node answers
 */
export async function openConnection(where: Endpoint, mapping: Loopback, from: string): Promise<OpenConnection> {
  const socket = openSocket(where, mapping, from);
  onTestFinished(() => {
    socket.destroy();
  });
  let isOpen = true;
  socket.on('close', () => {
    isOpen = false;
  });
  const requestAgain = async () => {
    const answer = once(socket, 'data');
    socket.write('hold');
    return String((await answer)[0]);
  };
  return { member: await requestAgain(), isOpen: () => isOpen, requestAgain };
}
