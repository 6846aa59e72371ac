import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Cluster } from '../../src/cluster/api.ts';
import { connect } from '../../src/cluster/client.ts';
import { ClusterError } from '../../src/cluster/errors.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { createAuthority, type KubeServer, startKubeServer, writeKubeconfig } from '../support/kube-server.ts';
import { standingClock } from '../support/standing-clock.ts';

const DAY = 86_400_000;
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
  connect({ kubeconfig, reach: () => ({ host: '127.0.0.1', port }), clock: standingClock() });

async function faultOf(cluster: Cluster): Promise<ClusterError> {
  const thrown = await cluster.list('Node').then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof ClusterError)) throw new Error(`no ClusterError: ${thrown}`);
  expect(thrown.trouble.title && thrown.trouble.cause && thrown.trouble.whatToDo).toBeTruthy();
  return thrown;
}

/** What listens with TLS or without and does with each connection what the test says. */
async function listen(make: 'tcp' | 'tls', onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const take = (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
    onSocket(socket);
  };
  const own = await server.authority.issue('api.ocp45.example.localdomain');
  const listener = make === 'tcp' ? createTcpServer(take) : createTlsServer(own, take);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => listener.close(resolve));
  });
  return (listener.address() as AddressInfo).port;
}

describe('certificates', () => {
  test('one that is not valid yet is a matter of clocks', async () => {
    const early = await startKubeServer({
      validity: { from: new Date(Date.now() + DAY / 24), to: new Date(Date.now() + DAY) },
    });
    closers.push(() => early.close());
    const fault = await faultOf(await open(early.port, early.kubeconfig));
    expect(fault).toMatchObject({ class: 'time', trouble: { code: 'cluster-certificate-early' } });
    expect(fault.trouble.whatToDo).toContain('clock');
  });

  test('another authority is named beside those that the kubeconfig trusts', async () => {
    const other = await createAuthority('web proxy CA');
    const own = await other.issue('api.ocp45.example.localdomain');
    const seen: Buffer[] = [];
    const listener = createTlsServer(own, (socket) => socket.on('data', (data) => seen.push(data)));
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise((resolve) => listener.close(resolve)));
    const fault = await faultOf(await open((listener.address() as AddressInfo).port));
    expect(fault).toMatchObject({ class: 'identity', trouble: { code: 'cluster-wrong-ca' } });
    expect(fault.trouble.cause).toMatch(
      /^it shows "api.ocp45.example.localdomain" of "web proxy CA" \(SHA-256 [0-9a-f]{16}…\); the kubeconfig trusts test CA\. /,
    );
    // Node's own advice, to trust what this host trusts, is not ours.
    expect(fault.trouble.cause).not.toContain('Node');
    // Nothing is ever said to somebody who is not who he has to be.
    expect(seen).toEqual([]);
  });

  test('a file of authorities that holds none is told as that', async () => {
    const path = writeKubeconfig(server.dir, server.authority.pem, await server.authority.issue('system:admin'), {
      cluster: { 'certificate-authority-data': '', 'certificate-authority': 'junk.crt' },
    });
    writeFileSync(join(dirname(path), 'junk.crt'), 'junk');
    const fault = await faultOf(await open(server.port, path));
    expect(fault).toMatchObject({ class: 'identity', trouble: { code: 'cluster-wrong-ca' } });
    expect(fault.trouble.cause).toContain('; the kubeconfig trusts nothing that is a certificate. ');
  });

  test('an authority of the same name with another key is another run of the installer', async () => {
    const other = await startKubeServer({ authority: await createAuthority() });
    closers.push(() => other.close());
    const fault = await faultOf(await open(other.port));
    expect(fault).toMatchObject({ class: 'identity', trouble: { code: 'cluster-other-install' } });
    expect(other.requests).toEqual([]);
  });

  test('a kubeconfig whose certificate is over is told as that, not as refused credentials', async () => {
    const past = { from: new Date(Date.now() - 3 * DAY), to: new Date(Date.now() - DAY) };
    const over = writeKubeconfig(server.dir, server.authority.pem, await server.authority.issue('system:admin', past));
    server.intercept = (_request, response) => {
      response.writeHead(401, JSON_TYPE).end('{"kind":"Status","message":"Unauthorized"}');
      return true;
    };
    const fault = await faultOf(await open(server.port, over));
    expect(fault).toMatchObject({ class: 'time', status: 401, trouble: { code: 'cluster-kubeconfig-expired' } });
    expect(fault.trouble.cause).toContain(past.to.toISOString().slice(0, 10));
    expect(await faultOf(await open())).toMatchObject({ trouble: { code: 'cluster-unauthorized' } });
  });

  // A TLS record: alert, TLS 1.2, two bytes, fatal, and which.
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
    const fault = await faultOf(await open(port));
    expect(fault).toMatchObject({ class: cls, trouble: { code } });
    // The line is one that a person can look up, without the places in the source of OpenSSL.
    expect(fault.trouble.cause).toMatch(/^ERR_SSL_[A-Z0-9_/]+: [a-z0-9 /]+$/);
  });
});

describe('answers that are none', () => {
  test('the balancer restarts in the middle of a body without a length', async () => {
    server.intercept = (_request, response) => {
      response.writeHead(200, JSON_TYPE);
      response.write('{"kind":"NodeList",', () => response.destroy());
      return true;
    };
    expect(await faultOf(await open())).toMatchObject({ class: 'not-yet', trouble: { code: 'cluster-truncated' } });
  });

  test('it restarts in the middle of the headers', async () => {
    const port = await listen('tls', (socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Ty')),
    );
    expect(await faultOf(await open(port))).toMatchObject({ class: 'not-yet', trouble: { code: 'cluster-closed' } });
  });

  test('it ends in an orderly way, but too early', async () => {
    const port = await listen('tls', (socket) =>
      socket.once('data', () =>
        socket.end('HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{"kind":"NodeList","items":[{"meta'),
      ),
    );
    const fault = await faultOf(await open(port));
    expect(fault).toMatchObject({ class: 'not-yet', trouble: { code: 'cluster-truncated' } });
    expect(fault.trouble.cause).toContain('34 bytes');
  });

  test('it stops in the middle and stays silent', async () => {
    server.intercept = (_request, response) => {
      response.writeHead(200, JSON_TYPE);
      response.write('{"kind":');
      return true;
    };
    const reach = () => ({ host: '127.0.0.1', port: server.port });
    const patience = { clock: systemClock, timeoutMs: 200 };
    expect(await faultOf(await connect({ kubeconfig: server.kubeconfig, reach, ...patience }))).toMatchObject({
      class: 'unreachable',
      trouble: { code: 'cluster-timeout' },
    });
  });

  test('something in TLS that is not HTTP', async () => {
    const port = await listen('tls', (socket) => socket.end('SSH-2.0-OpenSSH_8.7\r\n'));
    expect(await faultOf(await open(port))).toMatchObject({ trouble: { code: 'cluster-not-kubernetes' } });
  });

  test('one that does not end is cut off at its limit', async () => {
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
    const fault = await faultOf(await open());
    expect(fault).toMatchObject({ class: 'configuration', trouble: { code: 'cluster-not-kubernetes' } });
    expect(fault.trouble.cause).toContain('64 MiB');
    expect(sent).toBeLessThan(128 * 1024 * 1024);
  });

  test('a compressed one is not unpacked', async () => {
    server.intercept = (_request, response) => {
      response
        .writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(10_000_000, 0x20)));
      return true;
    };
    const fault = await faultOf(await open());
    expect(fault.trouble).toMatchObject({ code: 'cluster-not-kubernetes', cause: expect.stringContaining('gzip') });
  });

  test('a redirect on the same host is not followed either', async () => {
    server.intercept = (request, response) => {
      if (request.url === '/login') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      else response.writeHead(307, { location: '/login' }).end();
      return true;
    };
    const fault = await faultOf(await open());
    expect(fault).toMatchObject({ status: 307, class: 'configuration' });
    expect(server.connections()).toBe(1);
  });
});
