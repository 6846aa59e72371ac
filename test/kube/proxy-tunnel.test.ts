import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectCluster } from '../../src/kube/connect-cluster.ts';
import { ClusterError } from '../../src/kube/errors.ts';
import { createFrozenClock } from '../support/frozen-clock.ts';
import { type KubeServer, startKubeServer, writeKubeconfig } from '../support/kube-server.ts';
import { relay } from '../support/relay.ts';

let server: KubeServer;
const targets: string[] = [];
const closers: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  targets.length = 0;
  server = await startKubeServer();
  closers.push(() => server.close());
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function startProxy(proxy: Server): Promise<number> {
  const sockets = new Set<Socket>();
  proxy.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => proxy.close(resolve));
  });
  return (proxy.address() as AddressInfo).port;
}

/** Starts an HTTP proxy that answers CONNECT with a status line, and relays if it is 200. */
const startHttpProxy = (status: string) =>
  startProxy(
    createHttpServer().on('connect', (request, socket: Socket) => {
      targets.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
      socket.write(`HTTP/1.1 ${status}\r\n\r\n`);
      if (status.startsWith('200')) relay(socket, server.port);
      else socket.end();
    }),
  );

/** Starts a SOCKS 5 proxy (RFC 1928) that asks for a login when `login` is given, and relays if `reply` is 0. */
const startSocksProxy = (reply: number, login: string | null = null) =>
  startProxy(
    createTcpServer((socket) => {
      const steps: ((bytes: Buffer) => void)[] = [
        (bytes) => socket.write(Buffer.from([5, login === null ? 0 : bytes.subarray(2).includes(2) ? 2 : 255])),
        ...(login === null
          ? []
          : [(bytes: Buffer) => void socket.write(Buffer.from([1, bytes.toString('latin1') === login ? 0 : 1]))]),
        (bytes) => {
          targets.push(`${bytes.subarray(5, -2)}:${bytes.readUInt16BE(bytes.length - 2)}`);
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

async function probe(proxyUrl: string): Promise<string> {
  const kubeconfig = writeKubeconfig(server.dir, server.authority.pem, await server.authority.issue('system:admin'), {
    cluster: { 'proxy-url': proxyUrl },
  });
  const cluster = await connectCluster({
    kubeconfig,
    resolveEndpoint: (host, port) => ({ host, port }),
    clock: createFrozenClock(),
  });
  return cluster.getVersion().then(
    ({ gitVersion }) => gitVersion,
    (error: unknown) => {
      if (!(error instanceof ClusterError)) throw error;
      expect(error.userError.cause).not.toContain('secret');
      return `${error.userError.code} ${error.class}`;
    },
  );
}

const API = 'api.ocp45.example.localdomain:6443';

test('HTTP: CONNECT has the name of the API, and TLS runs end to end with the API', async () => {
  const port = await startHttpProxy('200 Connection established');
  expect(await probe(`http://127.0.0.1:${port}`)).toBe('v1.31.8');
  expect(await probe(`http://me:secret@127.0.0.1:${port}`)).toBe('v1.31.8');
  expect(targets).toEqual([API, `${API} Basic ${Buffer.from('me:secret').toString('base64')}`]);
});

test.each([
  ['407 Proxy Authentication Required', 'cluster-proxy configuration'],
  ['403 Forbidden', 'cluster-proxy configuration'],
  ['503 Service Unavailable', 'cluster-closed not-yet'],
])('HTTP: the proxy answers %s', async (status, expected) => {
  expect(await probe(`http://me:secret@127.0.0.1:${await startHttpProxy(status)}`)).toBe(expected);
});

test('SOCKS: the proxy looks the name up; with a login where the proxy-url has one', async () => {
  expect(await probe(`socks5://127.0.0.1:${await startSocksProxy(0)}`)).toBe('v1.31.8');
  const withLogin = await startSocksProxy(0, '\x01\x02me\x06secret');
  expect(await probe(`socks5://me:secret@127.0.0.1:${withLogin}`)).toBe('v1.31.8');
  expect(targets).toEqual([API, API]);
  expect(await probe(`socks5://me:secret2@127.0.0.1:${withLogin}`)).toBe('cluster-proxy configuration');
  expect(await probe(`socks5://127.0.0.1:${await startSocksProxy(0, 'x')}`)).toBe('cluster-proxy configuration');
});

test.each([
  [1, 'cluster-proxy configuration'],
  [2, 'cluster-proxy configuration'],
  [3, 'cluster-unreachable unreachable'],
  [4, 'cluster-name configuration'],
  [5, 'cluster-refused not-yet'],
])('SOCKS: reply %i', async (reply, expected) => {
  expect(await probe(`socks5://127.0.0.1:${await startSocksProxy(reply)}`)).toBe(expected);
});

test('a proxy that does not listen or hangs up is reported, not the API', async () => {
  const port = await startProxy(createTcpServer((socket) => socket.destroy()));
  expect(await probe(`http://127.0.0.1:${port}`)).toBe('cluster-proxy configuration');
  expect(await probe(`socks5://127.0.0.1:${port}`)).toBe('cluster-proxy configuration');
  await closers.pop()?.();
  expect(await probe(`http://127.0.0.1:${port}`)).toBe('cluster-proxy configuration');
  expect(await probe(`socks5://127.0.0.1:${port}`)).toBe('cluster-proxy configuration');
});
