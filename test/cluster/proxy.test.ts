import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connect } from '../../src/cluster/client.ts';
import { ClusterError } from '../../src/cluster/errors.ts';
import { type KubeServer, startKubeServer, writeKubeconfig } from '../support/kube-server.ts';
import { relay } from '../support/relay.ts';
import { standingClock } from '../support/standing-clock.ts';

let server: KubeServer;
const asked: string[] = [];
const closers: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  asked.length = 0;
  server = await startKubeServer();
  closers.push(() => server.close());
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function start(proxy: Server): Promise<number> {
  const sockets = new Set<Socket>();
  proxy.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => proxy.close(resolve));
  });
  return (proxy.address() as AddressInfo).port;
}

/** A proxy of HTTP: answers CONNECT with a status line, and joins the two ends when it is 200. */
const httpProxy = (status: string) =>
  start(
    createHttpServer().on('connect', (request, socket: Socket) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
      socket.write(`HTTP/1.1 ${status}\r\n\r\n`);
      if (status.startsWith('200')) relay(socket, server.port);
      else socket.end();
    }),
  );

/** A proxy of SOCKS 5 (RFC 1928) that asks for a login when `login` is given; `reply` 0 joins the two ends. */
const socksProxy = (reply: number, login: string | null = null) =>
  start(
    createTcpServer((socket) => {
      const steps: ((bytes: Buffer) => void)[] = [
        (bytes) => socket.write(Buffer.from([5, login === null ? 0 : bytes.subarray(2).includes(2) ? 2 : 255])),
        ...(login === null
          ? []
          : [(bytes: Buffer) => void socket.write(Buffer.from([1, bytes.toString('latin1') === login ? 0 : 1]))]),
        (bytes) => {
          asked.push(`${bytes.subarray(5, -2)}:${bytes.readUInt16BE(bytes.length - 2)}`);
          socket.write(Buffer.from([5, reply, 0, 1, 10, 0, 0, 1, 200, 1]));
          if (reply === 0) {
            socket.removeListener('data', next);
            relay(socket, server.port);
          }
        },
      ];
      const next = (bytes: Buffer) => steps.shift()?.(bytes);
      socket.on('data', next);
    }),
  );

async function look(proxyUrl: string): Promise<string> {
  const kubeconfig = writeKubeconfig(server.dir, server.authority.pem, await server.authority.issue('system:admin'), {
    cluster: { 'proxy-url': proxyUrl },
  });
  const cluster = await connect({ kubeconfig, reach: (host, port) => ({ host, port }), clock: standingClock() });
  return cluster.version().then(
    ({ gitVersion }) => gitVersion,
    (error: unknown) => {
      if (!(error instanceof ClusterError)) throw error;
      expect(error.trouble.cause).not.toContain('secret');
      return `${error.trouble.code} ${error.class}`;
    },
  );
}

const API = 'api.ocp45.example.localdomain:6443';

test('HTTP: the proxy is asked for the name of the API, and TLS is ours to the API itself', async () => {
  const port = await httpProxy('200 Connection established');
  expect(await look(`http://127.0.0.1:${port}`)).toBe('v1.31.8');
  expect(await look(`http://me:secret@127.0.0.1:${port}`)).toBe('v1.31.8');
  expect(asked).toEqual([API, `${API} Basic ${Buffer.from('me:secret').toString('base64')}`]);
});

test.each([
  ['407 Proxy Authentication Required', 'cluster-proxy configuration'],
  ['403 Forbidden', 'cluster-proxy configuration'],
  ['503 Service Unavailable', 'cluster-closed not-yet'],
])('HTTP: the proxy answers %s', async (status, told) => {
  expect(await look(`http://me:secret@127.0.0.1:${await httpProxy(status)}`)).toBe(told);
});

test('SOCKS: the proxy looks the name up; with a login where the proxy-url has one', async () => {
  expect(await look(`socks5://127.0.0.1:${await socksProxy(0)}`)).toBe('v1.31.8');
  const withLogin = await socksProxy(0, '\x01\x02me\x06secret');
  expect(await look(`socks5://me:secret@127.0.0.1:${withLogin}`)).toBe('v1.31.8');
  expect(asked).toEqual([API, API]);
  expect(await look(`socks5://me:secret2@127.0.0.1:${withLogin}`)).toBe('cluster-proxy configuration');
  expect(await look(`socks5://127.0.0.1:${await socksProxy(0, 'x')}`)).toBe('cluster-proxy configuration');
});

test.each([
  [1, 'cluster-proxy configuration'],
  [2, 'cluster-proxy configuration'],
  [3, 'cluster-unreachable unreachable'],
  [4, 'cluster-name configuration'],
  [5, 'cluster-refused not-yet'],
])('SOCKS: reply %i', async (reply, told) => {
  expect(await look(`socks5://127.0.0.1:${await socksProxy(reply)}`)).toBe(told);
});

test('nothing listens where the proxy should be, or it hangs up: the proxy is told, not the API', async () => {
  const port = await start(createTcpServer((socket) => socket.destroy()));
  expect(await look(`http://127.0.0.1:${port}`)).toBe('cluster-proxy configuration');
  expect(await look(`socks5://127.0.0.1:${port}`)).toBe('cluster-proxy configuration');
  await closers.pop()?.();
  expect(await look(`http://127.0.0.1:${port}`)).toBe('cluster-proxy configuration');
  expect(await look(`socks5://127.0.0.1:${port}`)).toBe('cluster-proxy configuration');
});
