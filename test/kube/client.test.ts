import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { UserErrorException } from '../../src/i18n/user-error.ts';
import type { Cluster } from '../../src/kube/api.ts';
import { connectCluster } from '../../src/kube/connect-cluster.ts';
import { ClusterError, type ClusterErrorClass, toStatusError } from '../../src/kube/errors.ts';
import { createScaledClock } from '../../src/platform/clock.ts';
import type { ResolveEndpoint } from '../../src/platform/manual-actions.ts';
import { createFrozenClock } from '../support/frozen-clock.ts';
import { createAuthority, type KubeServer, startKubeServer, writeKubeconfig } from '../support/kube-server.ts';

const sharedClock = createFrozenClock();
let server: KubeServer;
let cluster: Cluster;
const endpoints: string[] = [];

const resolveToPort =
  (port: number): ResolveEndpoint =>
  (host, requestedPort) => {
    endpoints.push(`${host}:${requestedPort}`);
    return { host: '127.0.0.1', port };
  };

beforeEach(async () => {
  endpoints.length = 0;
  server = await startKubeServer();
  cluster = await connectCluster({
    kubeconfig: server.kubeconfig,
    resolveEndpoint: resolveToPort(server.port),
    clock: sharedClock,
  });
});
afterEach(() => server.close());

const node = (name: string, extra: object = {}) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name, ...extra } });

async function catchUserError(
  promise: Promise<unknown>,
): Promise<{ code: string; class: ClusterErrorClass | null; cause: string }> {
  const thrown = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(UserErrorException);
  const { userError } = thrown as UserErrorException;
  expect(userError.title && userError.remedy && userError.cause).toBeTruthy();
  return { code: userError.code, class: thrown instanceof ClusterError ? thrown.class : null, cause: userError.cause };
}

describe('the connection to the API', () => {
  test('dials what resolveEndpoint returns, with the name in the kubeconfig, on a new connection after each pause', async () => {
    expect(await cluster.getVersion()).toEqual({ gitVersion: 'v1.31.8' });
    await setImmediate();
    await cluster.getVersion();
    expect(endpoints).toEqual(['api.ocp45.example.localdomain:6443', 'api.ocp45.example.localdomain:6443']);
    expect(server.connections()).toBe(2);
  });

  test('requests that follow each other take two connections at most, and a write has its own', async () => {
    server.put('/api/v1/nodes/w1', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'w1' } });
    await cluster.getVersion();
    await cluster.list('Node');
    expect(server.connections()).toBe(1);
    await Promise.all(Array.from({ length: 8 }, () => cluster.list('Node')));
    expect(server.connections()).toBe(2);
    await cluster.create('Node', { metadata: { name: 'w9' } });
    await cluster.create('Node', { metadata: { name: 'w8' } });
    expect(server.connections()).toBe(4);
  });

  test('a connection that the balancer closes between two requests is no error', async () => {
    server.put('/api/v1/nodes/w1', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'w1' } });
    await cluster.getVersion();
    let closed = 0;
    server.intercept = (request) => {
      if (closed > 0) return false;
      closed += 1;
      request.socket.destroy();
      return true;
    };
    await cluster.list('Node');
    expect([closed, server.connections()]).toEqual([1, 2]);
  });

  test('does not follow a redirect to another host', async () => {
    server.intercept = (_request, response) => {
      response.writeHead(302, { location: 'https://elsewhere.example:6443/version' }).end();
      return true;
    };
    expect(await catchUserError(cluster.getVersion())).toMatchObject({
      code: 'cluster-not-kubernetes',
      cause: '302 a redirect to another address',
    });
    expect(endpoints).toHaveLength(1);
  });

  test('a web page instead of an answer is reported by its visible text', () => {
    const haproxy =
      '<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>';
    const getCause = (status: number, text: string) =>
      toStatusError({ status, text, retryAfter: null }).userError.cause;
    expect(getCause(503, haproxy)).toBe('503 Service Unavailable No server is available to handle this request.');
    expect(getCause(502, '<html>\r\n<head><title>502 Bad Gateway</title></head></html>')).toBe('502 Bad Gateway');
    expect(getCause(500, 'etcdserver: leader changed\n')).toBe('500 etcdserver: leader changed');
  });
});

describe('objects', () => {
  test('lists fill in what the items do not repeat, and select by label', async () => {
    server.put('/api/v1/nodes/w1', node('w1', { labels: { a: 'b' } }));
    server.put('/api/v1/nodes/w2', node('w2'));
    server.intercept = (request, response) => {
      if (!request.url?.includes('bare')) return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ kind: 'NodeList', apiVersion: 'v1', items: [{ metadata: { name: 'x' } }] }));
      return true;
    };
    expect((await cluster.list('Node')).map(({ metadata }) => metadata.name)).toEqual(['w1', 'w2']);
    expect(await cluster.list('Node', { labelSelector: 'a=b' })).toHaveLength(1);
    expect(await cluster.list('Node', { labelSelector: 'bare' })).toMatchObject([{ kind: 'Node', apiVersion: 'v1' }]);
  });

  test('get returns null for a missing object', async () => {
    expect(await cluster.get('ClusterVersion', 'version')).toBeNull();
    server.put('/api/v1/nodes/w1', node('w1'));
    expect((await cluster.get('Node', 'w1'))?.metadata.name).toBe('w1');
  });

  test('patch is a strict merge patch with our field manager, and a dry run stores nothing', async () => {
    server.put('/api/v1/nodes/w1', node('w1'));
    await cluster.patch('Node', 'w1', null, { spec: { unschedulable: true } }, { dryRun: true });
    expect(server.writes()).toHaveLength(0);
    const after = await cluster.patch('Node', 'w1', null, { spec: { unschedulable: true } });
    expect(after.spec).toEqual({ unschedulable: true });
    expect(server.writes()[0]?.type).toBe('application/merge-patch+json');
    expect(Object.fromEntries(server.writes()[0]!.query)).toEqual({
      fieldManager: 'upi-wizard',
      fieldValidation: 'Strict',
    });
  });

  test('create, replace with a stale version, remove', async () => {
    const created = await cluster.create('ConfigMap', { metadata: { name: 'c', namespace: 'n' }, data: { a: '1' } });
    expect(created).toMatchObject({ kind: 'ConfigMap', data: { a: '1' } });
    await cluster.replace('ConfigMap', { ...created, data: { a: '2' } });
    expect(await catchUserError(cluster.replace('ConfigMap', created))).toMatchObject({
      code: 'cluster-conflict',
      class: 'conflict',
    });
    await cluster.remove('ConfigMap', 'c', 'n');
    expect(server.requests.at(-1)?.body.preconditions).toEqual({});
    const { uid, resourceVersion } = created.metadata;
    await cluster.create('ConfigMap', { metadata: { name: 'd', namespace: 'n' } });
    await cluster.remove('ConfigMap', 'd', 'n', created);
    expect(server.requests.at(-1)?.body.preconditions).toEqual({ uid, resourceVersion });
    expect(await cluster.get('ConfigMap', 'c', 'n')).toBeNull();
  });

  test('what comes from the cluster is safe to show, and a lone CR does not vanish', async () => {
    server.put(
      '/api/v1/nodes/w1',
      node('w1', { annotations: { 'a\u001b[2J': 'x\u001b]52;c;AAAA\u0007y', b: 'one\rtwo' } }),
    );
    const annotations = (await cluster.get('Node', 'w1'))?.metadata.annotations;
    expect(annotations).toEqual({ 'a\ufffd': 'x\ufffdy', b: 'one\ufffdtwo' });
  });

  test('an object name cannot change the path of a request', async () => {
    for (const name of ['..', 'a/b', '', 'a%2fb']) await expect(cluster.get('Node', name)).rejects.toThrow(RangeError);
    expect(server.requests).toHaveLength(0);
  });
});

describe('user errors, one for each cause', () => {
  const refusal = (code: number, reason: string) =>
    [
      code,
      'application/json',
      JSON.stringify({ kind: 'Status', apiVersion: 'v1', code, reason, message: reason }),
    ] as const;
  test.each([
    [refusal(401, 'Unauthorized'), 'cluster-unauthorized', 'credentials'],
    [refusal(403, 'Forbidden'), 'cluster-forbidden', 'forbidden'],
    [refusal(404, 'NotFound'), 'cluster-absent', 'absent'],
    [[404, 'text/plain', '404 page not found\n'], 'cluster-absent', 'absent'],
    [[404, 'text/html', '<html>no</html>'], 'cluster-not-kubernetes', 'configuration'],
    [refusal(409, 'Conflict'), 'cluster-conflict', 'conflict'],
    [refusal(410, 'Gone'), 'cluster-expired', 'not-yet'],
    [refusal(422, 'Invalid'), 'cluster-invalid', 'bug'],
    [refusal(429, 'TooManyRequests'), 'cluster-busy', 'not-yet'],
    [[503, 'text/html', '<html>503 Service Unavailable</html>'], 'cluster-busy', 'not-yet'],
    [[200, 'text/html', '<html>Please log in</html>'], 'cluster-not-kubernetes', 'configuration'],
    [[200, 'application/json', '{}'], 'cluster-not-kubernetes', 'configuration'],
    [[200, 'application/json', '<html>Please log in</html>'], 'cluster-not-kubernetes', 'configuration'],
    [[200, 'application/json', '{"kind":"NodeList"'], 'cluster-truncated', 'not-yet'],
    [[200, 'application/json', ''], 'cluster-truncated', 'not-yet'],
    [
      [200, 'application/json', '{"kind":"NodeList","apiVersion":"v1","metadata":{}}'],
      'cluster-not-kubernetes',
      'configuration',
    ],
    [
      [
        200,
        'application/json',
        '{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"a"}},{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b"}}]}',
      ],
      'cluster-not-kubernetes',
      'configuration',
    ],
    [[401, 'text/html', '<html>Who are you?</html>'], 'cluster-not-kubernetes', 'configuration'],
    [[403, 'text/plain', 'Access denied by policy'], 'cluster-not-kubernetes', 'configuration'],
    [[407, 'text/html', '<html>Log in to the proxy</html>'], 'cluster-proxy', 'configuration'],
    [[511, 'text/html', '<html>Accept our terms</html>'], 'cluster-not-kubernetes', 'configuration'],
    [refusal(500, 'InternalError'), 'cluster-busy', 'not-yet'],
    [[502, 'text/plain', 'Bad Gateway'], 'cluster-busy', 'not-yet'],
    [[504, 'text/html', '<html>504 Gateway Time-out</html>'], 'cluster-busy', 'not-yet'],
    [
      [200, 'application/json', '{"kind":"PodList","apiVersion":"v1","items":[]}'],
      'cluster-not-kubernetes',
      'configuration',
    ],
    [
      [200, 'application/json', '{"kind":"NodeList","apiVersion":"v1","items":{}}'],
      'cluster-not-kubernetes',
      'configuration',
    ],
  ] as const)('answer %j', async ([status, type, body], code, cls) => {
    server.intercept = (_request, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
      return true;
    };
    expect(await catchUserError(cluster.list('Node'))).toMatchObject({ code, class: cls });
  });

  test('a body that breaks off', async () => {
    server.intercept = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
      response.write('{"kind":', () => response.destroy());
      return true;
    };
    expect(await catchUserError(cluster.list('Node'))).toMatchObject({ code: 'cluster-truncated', class: 'not-yet' });
  });

  test('no answer in time, also before TLS and in a fast rehearsal', async () => {
    server.intercept = () => true;
    const clock = createScaledClock({ real: Date.now(), simulated: 0, speed: 60 });
    const options = { kubeconfig: server.kubeconfig, clock, timeoutMs: 300 };
    const hung = await connectCluster({ ...options, resolveEndpoint: resolveToPort(server.port) });
    expect(await catchUserError(hung.getVersion())).toMatchObject({ code: 'cluster-timeout', class: 'unreachable' });
    await withTcp(
      () => undefined,
      async (port) => {
        const silent = await connectCluster({ ...options, resolveEndpoint: resolveToPort(port) });
        expect(await catchUserError(silent.getVersion())).toMatchObject({ code: 'cluster-timeout' });
      },
    );
  });

  test('nothing listens; the balancer closes; it resets; HTTP on the port of TLS', async () => {
    const connectTo = (port: number) =>
      connectCluster({ kubeconfig: server.kubeconfig, resolveEndpoint: resolveToPort(port), clock: sharedClock });
    const closed = await withTcp(
      () => undefined,
      async (port) => port,
    );
    expect(await catchUserError((await connectTo(closed)).getVersion())).toMatchObject({
      code: 'cluster-refused',
      class: 'not-yet',
    });
    await withTcp(
      (socket) => socket.end(),
      async (port) => {
        expect(await catchUserError((await connectTo(port)).getVersion())).toMatchObject({
          code: 'cluster-closed',
          class: 'not-yet',
        });
      },
    );
    await withTcp(
      (socket) => socket.resetAndDestroy(),
      async (port) => {
        expect(await catchUserError((await connectTo(port)).getVersion())).toMatchObject({
          code: 'cluster-closed',
          class: 'not-yet',
        });
      },
    );
    const http = createHttpServer((_request, response) => response.end('hello'));
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const port = (http.address() as AddressInfo).port;
    expect(await catchUserError((await connectTo(port)).getVersion())).toMatchObject({
      code: 'cluster-not-tls',
      class: 'configuration',
    });
    http.close();
  });

  test('another CA, another name, an expired certificate: never trusted', async () => {
    const other = await createAuthority('another cluster');
    const foreign = writeKubeconfig(server.dir, other.pem, await other.issue('system:admin'));
    const otherCa = await connectCluster({
      kubeconfig: foreign,
      resolveEndpoint: resolveToPort(server.port),
      clock: sharedClock,
    });
    expect(await catchUserError(otherCa.getVersion())).toMatchObject({ code: 'cluster-wrong-ca', class: 'identity' });

    const misnamed = await startKubeServer({ name: 'web.example.localdomain' });
    const wrongName = await connectCluster({
      kubeconfig: misnamed.kubeconfig,
      resolveEndpoint: resolveToPort(misnamed.port),
      clock: sharedClock,
    });
    expect(await catchUserError(wrongName.getVersion())).toMatchObject({
      code: 'cluster-wrong-name',
      class: 'identity',
    });
    await misnamed.close();

    const day = 86_400_000;
    const old = await startKubeServer({
      validity: { from: new Date(Date.now() - 3 * day), to: new Date(Date.now() - day) },
    });
    const expired = await connectCluster({
      kubeconfig: old.kubeconfig,
      resolveEndpoint: resolveToPort(old.port),
      clock: sharedClock,
    });
    expect(await catchUserError(expired.getVersion())).toMatchObject({
      code: 'cluster-certificate-expired',
      class: 'time',
    });
    await old.close();
  });

  test('a name that does not resolve', async () => {
    const resolveEndpoint: ResolveEndpoint = () => ({ host: 'no-such-host.invalid', port: 6443 });
    const lost = await connectCluster({ kubeconfig: server.kubeconfig, resolveEndpoint, clock: sharedClock });
    expect(await catchUserError(lost.getVersion())).toMatchObject({ code: 'cluster-name', class: 'configuration' });
  });
});

describe('kubeconfig', () => {
  const connectWith = (kubeconfig: string) =>
    connectCluster({
      kubeconfig,
      resolveEndpoint: resolveToPort(server.port),
      clock: createScaledClock({ real: 0, simulated: 0, speed: 100 }),
    });

  const fetchVersion = async (path: string) => (await connectWith(path)).getVersion();
  test.each([
    ['runs-programs', { user: { exec: { command: 'touch', args: ['/pwned'] } } }],
    ['runs-programs', { user: { 'auth-provider': { name: 'gcp' } } }],
    ['insecure', { cluster: { 'insecure-skip-tls-verify': true } }],
    ['not-https', { cluster: { server: 'http://api.ocp45.example.localdomain:6443' } }],
    ['proxy', { cluster: { 'proxy-url': 'socks4://proxy:1080' } }],
    ['proxy', { cluster: { 'proxy-url': 'proxy' } }],
    ['impersonates', { user: { as: 'somebody' } }],
    ['incomplete', { user: { 'client-key-data': '' } }],
    ['incomplete', { user: { 'client-key-data': '', 'client-certificate-data': '', username: 'a', password: 'b' } }],
    ['credentials', { cluster: { 'certificate-authority-data': '!!!' } }],
    ['credentials', { user: { token: 'two\nlines' } }],
    ['credentials', { user: { tokenFile: '/nowhere/token' } }],
    // A merge key is YAML 1.1: a parser that supports it finds the program, any other parser does not.
    ['runs-programs', { user: { '<<': { exec: { command: 'touch', args: ['/pwned'] } } } }],
    ['insecure', { cluster: { '<<': { 'insecure-skip-tls-verify': true } } }],
  ])('is refused when %s', async (code, extra) => {
    const path = writeKubeconfig(server.dir, server.authority.pem, await server.authority.issue('system:admin'), extra);
    expect(await catchUserError(connectWith(path))).toMatchObject({ code: `kubeconfig-${code}` });
  });

  test('the path of the server URL is preserved: the API may be behind a path of a proxy', async () => {
    const path = writeKubeconfig(server.dir, server.authority.pem, await server.authority.issue('system:admin'), {
      cluster: { server: 'https://api.ocp45.example.localdomain:6443/k8s/clusters/c-1/' },
    });
    server.put('/api/v1/nodes/w1', node('w1'));
    server.intercept = (request) => {
      const [, rest] = /^\/k8s\/clusters\/c-1(\/api\/v1\/nodes\/w1)$/.exec(request.url ?? '') ?? [];
      request.url = rest ?? '/nowhere';
      return false;
    };
    expect(await (await connectWith(path)).get('Node', 'w1')).toMatchObject(node('w1'));
  });

  test('an empty field counts as missing, and a token may be in a file', async () => {
    const issued = await server.authority.issue('system:admin');
    const path = writeKubeconfig(server.dir, server.authority.pem, issued, {
      user: { exec: null, 'auth-provider': null, as: '', tokenFile: 'token' },
    });
    writeFileSync(join(dirname(path), 'token'), 'good\n');
    const authorizations: (string | undefined)[] = [];
    server.intercept = (request) => {
      authorizations.push(request.headers.authorization);
      return false;
    };
    await fetchVersion(path);
    expect(authorizations).toEqual(['Bearer good']);
  });

  test('a complete file that lacks an entry is rejected at once, with the name of the entry', async () => {
    const clock = { ...createFrozenClock(), sleep: () => Promise.reject(new Error('waited')) };
    const open = (text: string) => {
      writeFileSync(server.kubeconfig, text);
      return catchUserError(
        connectCluster({ kubeconfig: server.kubeconfig, resolveEndpoint: resolveToPort(server.port), clock }),
      );
    };
    // An empty kubeconfig as kubectl writes it.
    const empty = 'apiVersion: v1\nclusters: null\ncontexts: null\ncurrent-context: ""\nkind: Config\nusers: null\n';
    const whole = parse(readFileSync(server.kubeconfig, 'utf8')) as Record<string, unknown>;
    const { 'current-context': _current, ...rest } = whole;
    expect(await open(empty)).toMatchObject({ code: 'kubeconfig-incomplete', cause: 'It has no clusters.' });
    expect(await open(JSON.stringify(rest))).toMatchObject({ cause: 'It has no current-context.' });
    expect(await open(JSON.stringify({ ...whole, 'current-context': 'other' }))).toMatchObject({
      cause: 'It has no cluster and user for its current-context "other".',
    });
  });

  test('a missing file, and one that stays broken', async () => {
    expect(await catchUserError(connectWith(`${server.kubeconfig}-none`))).toMatchObject({
      code: 'kubeconfig-missing',
    });
    writeFileSync(server.kubeconfig, 'apiVersion: v1\nclusters: [{');
    expect(await catchUserError(connectWith(server.kubeconfig))).toMatchObject({ code: 'kubeconfig-broken' });
  });

  test('a truncated key, and a missing certificate file', async () => {
    const issued = await server.authority.issue('system:admin');
    const truncated = writeKubeconfig(server.dir, server.authority.pem, { ...issued, key: issued.key.slice(0, 100) });
    const missingFile = writeKubeconfig(server.dir, server.authority.pem, issued, {
      user: { 'client-certificate': 'gone.crt' },
    });
    for (const path of [truncated, missingFile])
      expect(await catchUserError(fetchVersion(path)), path).toMatchObject({ code: 'kubeconfig-credentials' });
    expect((await catchUserError(fetchVersion(truncated))).cause).toMatch(/: one of them is not PEM, or is truncated$/);
    const other = writeKubeconfig(server.dir, server.authority.pem, {
      ...issued,
      key: (await server.authority.issue('x')).key,
    });
    expect((await catchUserError(fetchVersion(other))).cause).toMatch(/: the key does not belong to the certificate$/);
  });

  test('a pipe, a directory and a file that is too large are refused, and nothing waits for them', async () => {
    const dir = dirname(server.kubeconfig);
    execFileSync('/usr/bin/env', ['mkfifo', join(dir, 'pipe')]);
    writeFileSync(join(dir, 'large'), Buffer.alloc(1024 * 1024 + 1, '#'));
    for (const path of [join(dir, 'pipe'), dir, join(dir, 'large')])
      expect(await catchUserError(connectWith(path)), path).toMatchObject({ code: 'kubeconfig-unreadable' });
  });

  test('is read once while the file is unchanged, and again when it was rewritten', async () => {
    const path = writeKubeconfig(server.dir, server.authority.pem, await server.authority.issue('system:admin'));
    const open = (overrides = {}) =>
      connectCluster({
        kubeconfig: path,
        resolveEndpoint: resolveToPort(server.port),
        clock: sharedClock,
        ...overrides,
      });
    const resolveEndpoint = resolveToPort(server.port);
    const first = await open({ resolveEndpoint });
    expect(await open({ resolveEndpoint })).toBe(first);
    expect(await open()).not.toBe(first);
    const again = await open({ resolveEndpoint });
    // The installer rewrites the kubeconfig in place; this test does so with the same content.
    writeFileSync(path, readFileSync(path));
    const reopened = await open({ resolveEndpoint });
    expect(reopened).not.toBe(again);
    expect(await reopened.getVersion()).toEqual({ gitVersion: 'v1.31.8' });
  });

  test('one that is being rewritten is read again', async () => {
    const whole = readFileSync(server.kubeconfig, 'utf8');
    writeFileSync(server.kubeconfig, whole.slice(0, 300));
    let sleeps = 0;
    const clock = {
      ...createFrozenClock(),
      sleep: async () => {
        sleeps += 1;
        writeFileSync(server.kubeconfig, whole);
      },
    };
    const again = await connectCluster({
      kubeconfig: server.kubeconfig,
      resolveEndpoint: resolveToPort(server.port),
      clock,
    });
    expect(sleeps).toBe(1);
    expect(await again.list('Node').catch((error: ClusterError) => error.class)).toBe('absent');
  });
});

test('a kind that is served only in an older version is read and written in that version', async () => {
  const path = '/apis/csi.ceph.io/v1alpha1/namespaces/openshift-storage/drivers/rbd';
  const metadata = { name: 'rbd', namespace: 'openshift-storage' };
  server.put(path, { apiVersion: 'csi.ceph.io/v1alpha1', kind: 'Driver', metadata, spec: {} });
  const read = () => cluster.get('CephDriver', 'rbd', 'openshift-storage');
  expect(await cluster.get('CephDriver', 'none', 'openshift-storage')).toBeNull();
  expect((await read())?.apiVersion).toBe('csi.ceph.io/v1alpha1');
  await cluster.patch('CephDriver', 'rbd', 'openshift-storage', { spec: { nodePlugin: {} } });
  expect((await read())?.spec).toEqual({ nodePlugin: {} });
  expect(server.writes().map((write) => write.path)).toEqual([path]);
});

/** Runs a TCP server for the duration of `use`. */
async function withTcp<T>(
  onSocket: (socket: import('node:net').Socket) => void,
  use: (port: number) => Promise<T>,
): Promise<T> {
  const sockets = new Set<import('node:net').Socket>();
  const tcp: Server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  try {
    return await use((tcp.address() as AddressInfo).port);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => tcp.close(() => resolve()));
  }
}
