import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Cluster } from '../../src/kube/api.ts';
import { connectCluster } from '../../src/kube/connect-cluster.ts';
import { ClusterError } from '../../src/kube/errors.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createFrozenClock } from '../support/frozen-clock.ts';
import { createAuthority, type KubeServer, startKubeServer, writeKubeconfig } from '../support/kube-server.ts';

const DAY = 86_400_000;
/** Codes and names of Node.js and OpenSSL, which mean nothing to a user. */
const NODE_WORDS = /\b(?:E[A-Z]{4,}|(?:ERR|HPE|CERT|UNABLE|SELF|DEPTH)_\w+|[A-Z]\w+Error|getaddrinfo|SSL routines)\b/;
const JSON_TYPE = { 'content-type': 'application/json' };

let server: KubeServer;
const closers: (() => Promise<unknown> | unknown)[] = [];

beforeEach(async () => {
  server = await startKubeServer();
  closers.push(() => server.close());
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const open = (port = server.port, kubeconfig = server.kubeconfig): Promise<Cluster> =>
  connectCluster({ kubeconfig, resolveEndpoint: () => ({ host: '127.0.0.1', port }), clock: createFrozenClock() });

async function catchFault(cluster: Cluster): Promise<ClusterError> {
  const thrown = await cluster.list('Node').then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof ClusterError)) throw new Error(`no ClusterError: ${thrown}`);
  expect(thrown.userError.title && thrown.userError.cause && thrown.userError.remedy).toBeTruthy();
  expect(thrown.userError.cause).not.toMatch(NODE_WORDS);
  return thrown;
}

/** Starts a listener, with or without TLS, that passes each connection to `onSocket`. */
async function listen(protocol: 'tcp' | 'tls', onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const accept = (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
    onSocket(socket);
  };
  const own = await server.authority.issue('api.ocp45.example.localdomain');
  const listener = protocol === 'tcp' ? createTcpServer(accept) : createTlsServer(own, accept);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => listener.close(resolve));
  });
  return (listener.address() as AddressInfo).port;
}

describe('certificates', () => {
  test('a certificate that is not valid yet is a clock problem', async () => {
    const early = await startKubeServer({
      validity: { from: new Date(Date.now() + DAY / 24), to: new Date(Date.now() + DAY) },
    });
    closers.push(() => early.close());
    const fault = await catchFault(await open(early.port, early.kubeconfig));
    expect(fault).toMatchObject({ class: 'time', userError: { code: 'cluster-certificate-early' } });
    expect(fault.userError.remedy).toContain('clock');
  });

  test('another CA is named beside those that the kubeconfig trusts', async () => {
    const other = await createAuthority('web proxy CA');
    const own = await other.issue('api.ocp45.example.localdomain');
    const received: Buffer[] = [];
    const listener = createTlsServer(own, (socket) => socket.on('data', (data) => received.push(data)));
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise((resolve) => listener.close(resolve)));
    const fault = await catchFault(await open((listener.address() as AddressInfo).port));
    expect(fault).toMatchObject({ class: 'identity', userError: { code: 'cluster-wrong-ca' } });
    expect(fault.userError.cause).toMatch(
      /^it presents "api.ocp45.example.localdomain", issued by "web proxy CA" \(SHA-256 [0-9a-f]{16}…\); the kubeconfig trusts test CA\. /,
    );
    // Advice of Node.js to trust the CAs of this host is left out.
    expect(fault.userError.cause).not.toContain('Node');
    // No data is sent to a server whose identity is not verified.
    expect(received).toEqual([]);
  });

  test('a CA file without any certificate is reported as that', async () => {
    const path = writeKubeconfig(server.dir, server.authority.pem, await server.authority.issue('system:admin'), {
      cluster: { 'certificate-authority-data': '', 'certificate-authority': 'junk.crt' },
    });
    writeFileSync(join(dirname(path), 'junk.crt'), 'junk');
    const fault = await catchFault(await open(server.port, path));
    expect(fault).toMatchObject({ class: 'identity', userError: { code: 'cluster-wrong-ca' } });
    expect(fault.userError.cause).toContain('; the kubeconfig trusts no certificate. ');
  });

  test('a CA of the same name with another key is another run of the installer', async () => {
    const other = await startKubeServer({ authority: await createAuthority() });
    closers.push(() => other.close());
    const fault = await catchFault(await open(other.port));
    expect(fault).toMatchObject({ class: 'identity', userError: { code: 'cluster-other-install' } });
    expect(other.requests).toEqual([]);
  });

  test('a kubeconfig with an expired certificate is reported as that, not as refused credentials', async () => {
    const validity = { from: new Date(Date.now() - 3 * DAY), to: new Date(Date.now() - DAY) };
    const expired = writeKubeconfig(
      server.dir,
      server.authority.pem,
      await server.authority.issue('system:admin', validity),
    );
    server.intercept = (_request, response) => {
      response.writeHead(401, JSON_TYPE).end('{"kind":"Status","message":"Unauthorized"}');
      return true;
    };
    const fault = await catchFault(await open(server.port, expired));
    expect(fault).toMatchObject({ class: 'time', status: 401, userError: { code: 'cluster-kubeconfig-expired' } });
    expect(fault.userError.cause).toContain(validity.to.toISOString().slice(0, 10));
    expect(await catchFault(await open())).toMatchObject({ userError: { code: 'cluster-unauthorized' } });
  });

  // A TLS record: alert, TLS 1.2, two bytes, fatal, and the alert number.
  test.each([
    [42, 'cluster-unauthorized', 'credentials'],
    [48, 'cluster-unauthorized', 'credentials'],
    [40, 'cluster-no-common-tls', 'configuration'],
    [70, 'cluster-no-common-tls', 'configuration'],
    [80, 'cluster-busy', 'not-yet'],
    [112, 'cluster-wrong-name', 'identity'],
  ])('alert %i of the handshake', async (alert, code, cls) => {
    const port = await listen('tcp', (socket) =>
      socket.once('data', () => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, alert]))),
    );
    const fault = await catchFault(await open(port));
    expect(fault).toMatchObject({ class: cls, userError: { code } });
    // The line can be looked up: it has no positions in the source of OpenSSL.
    expect(fault.userError.cause).toMatch(/^[a-z0-9 /]+$/);
  });
});

describe('invalid answers', () => {
  test('the balancer restarts in the middle of a body without a length', async () => {
    server.intercept = (_request, response) => {
      response.writeHead(200, JSON_TYPE);
      response.write('{"kind":"NodeList",', () => response.destroy());
      return true;
    };
    expect(await catchFault(await open())).toMatchObject({
      class: 'not-yet',
      userError: { code: 'cluster-truncated' },
    });
  });

  test('it restarts in the middle of the headers', async () => {
    const port = await listen('tls', (socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Ty')),
    );
    expect(await catchFault(await open(port))).toMatchObject({
      class: 'not-yet',
      userError: { code: 'cluster-closed' },
    });
  });

  test('it ends in an orderly way, but too early', async () => {
    const port = await listen('tls', (socket) =>
      socket.once('data', () =>
        socket.end('HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{"kind":"NodeList","items":[{"meta'),
      ),
    );
    const fault = await catchFault(await open(port));
    expect(fault).toMatchObject({ class: 'not-yet', userError: { code: 'cluster-truncated' } });
    expect(fault.userError.cause).toContain('34 bytes');
  });

  test('it stops in the middle and stays silent', async () => {
    server.intercept = (_request, response) => {
      response.writeHead(200, JSON_TYPE);
      response.write('{"kind":');
      return true;
    };
    const resolveEndpoint = () => ({ host: '127.0.0.1', port: server.port });
    const timeoutOptions = { clock: systemClock, timeoutMs: 200 };
    expect(
      await catchFault(await connectCluster({ kubeconfig: server.kubeconfig, resolveEndpoint, ...timeoutOptions })),
    ).toMatchObject({
      class: 'unreachable',
      userError: { code: 'cluster-timeout' },
    });
  });

  test('something in TLS that is not HTTP', async () => {
    const port = await listen('tls', (socket) => socket.end('SSH-2.0-OpenSSH_8.7\r\n'));
    expect(await catchFault(await open(port))).toMatchObject({ userError: { code: 'cluster-not-kubernetes' } });
  });

  test('an endless answer is cut off at its limit', async () => {
    let sent = 0;
    server.intercept = (_request, response) => {
      response.writeHead(200, JSON_TYPE);
      const chunk = Buffer.alloc(1024 * 1024, 0x20);
      const more = () => {
        while (!response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) break;
        }
      };
      response.on('drain', more);
      more();
      return true;
    };
    const fault = await catchFault(await open());
    expect(fault).toMatchObject({ class: 'configuration', userError: { code: 'cluster-not-kubernetes' } });
    expect(fault.userError.cause).toContain('64 MiB');
    expect(sent).toBeLessThan(128 * 1024 * 1024);
  });

  test('a compressed answer is not unpacked', async () => {
    server.intercept = (_request, response) => {
      response
        .writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(10_000_000, 0x20)));
      return true;
    };
    const fault = await catchFault(await open());
    expect(fault.userError).toMatchObject({ code: 'cluster-not-kubernetes', cause: expect.stringContaining('gzip') });
  });

  test('a redirect on the same host is not followed either', async () => {
    server.intercept = (request, response) => {
      if (request.url === '/login') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      else response.writeHead(307, { location: '/login' }).end();
      return true;
    };
    const fault = await catchFault(await open());
    expect(fault).toMatchObject({ status: 307, class: 'configuration' });
    expect(server.connections()).toBe(1);
  });
});
