import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Cluster } from '../../src/kube/api.ts';
import { type ApiHealth, UNKNOWN_HEALTH } from '../../src/kube/api-health.ts';
import { connectCluster } from '../../src/kube/connect-cluster.ts';
import { type ClusterSnapshot, takeSnapshot } from '../../src/kube/snapshot.ts';
import { type Clock, MINUTE, SECOND } from '../../src/platform/clock.ts';
import { createFrozenClock, waitForAbort } from '../support/frozen-clock.ts';
import { createAuthority, type KubeServer, startKubeServer } from '../support/kube-server.ts';
import { relay } from '../support/relay.ts';

const DAY = 86_400_000;
const JSON_TYPE = { 'content-type': 'application/json' };

let server: KubeServer;
let foreign: KubeServer;
let expired: KubeServer;
let misnamed: KubeServer;
let balancer: Server;
let cluster: Cluster;
let now: number;
let health: ApiHealth;

/** Handles a connection to the balancer. `host` and `port` are the address that the name of the API resolves to. */
let onSocket: (socket: Socket) => void;
let host: string;
let port: number;
const pauses: number[] = [];

/** Whether a request that waits for an answer times out. */
let shouldTimeOut: boolean;

/** The test sets the time. A pause that the API asks for is over at once. */
const clock: Clock = {
  ...createFrozenClock(),
  now: () => now,
  sleep: (ms, signal) => {
    if (signal && !shouldTimeOut) return waitForAbort(signal);
    if (!signal) pauses.push(ms);
    return Promise.resolve();
  },
};

const relayTo =
  (target: () => number) =>
  (socket: Socket): void =>
    relay(socket, target());

beforeEach(async () => {
  [server, foreign, expired, misnamed] = await Promise.all([
    startKubeServer({ now: () => Date.now() }),
    startKubeServer({ authority: await createAuthority() }),
    startKubeServer({ validity: { from: new Date(Date.now() - 3 * DAY), to: new Date(Date.now() - DAY) } }),
    startKubeServer({ name: 'web.example.localdomain' }),
  ]);
  server.put('/api/v1/nodes/w1', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'w1' } });
  balancer = createTcpServer((socket) => onSocket(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
  now = Date.now();
  health = UNKNOWN_HEALTH;
  pauses.length = 0;
  removeFault();
  const resolveEndpoint = () => ({ host, port });
  cluster = await connectCluster({ kubeconfig: server.kubeconfig, resolveEndpoint, clock, timeoutMs: 50 });
});
afterEach(async () => {
  balancer.close();
  await Promise.all([server, foreign, expired, misnamed].map((one) => one.close()));
});

function removeFault(): void {
  [host, port] = ['127.0.0.1', (balancer.address() as AddressInfo).port];
  onSocket = relayTo(() => server.port);
  shouldTimeOut = false;
  server.intercept = null;
}

const answerAll = (status: number, headers: Record<string, string>, body: string) => () => {
  server.intercept = (_request, response) => {
    response.writeHead(status, headers).end(body);
    return true;
  };
};
const refuseAll = (code: number, headers: Record<string, string> = {}) =>
  answerAll(
    code,
    { ...JSON_TYPE, ...headers },
    JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason: 'R', message: 'M' }),
  );

async function probe(): Promise<ClusterSnapshot> {
  const snapshot = await takeSnapshot(cluster, ['nodes'], now, health);
  health = snapshot.api.health;
  // A pause ends the probe, and closes its connections.
  await setImmediate();
  return snapshot;
}

const FAULTS: Readonly<Record<string, readonly [spoil: () => void, code: string]>> = {
  'nothing listens': [() => (port = 1), 'cluster-refused'],
  'the balancer has no server (EOF)': [() => (onSocket = (socket) => socket.end()), 'cluster-closed'],
  reset: [() => (onSocket = (socket) => socket.resetAndDestroy()), 'cluster-closed'],
  'black hole': [
    () => {
      onSocket = () => undefined;
      shouldTimeOut = true;
    },
    'cluster-timeout',
  ],
  'DNS gone': [() => (host = 'no-such-host.invalid'), 'cluster-name'],
  'HTTP on the port': [
    () => (onSocket = (socket) => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')),
    'cluster-not-tls',
  ],
  'another CA': [() => (onSocket = relayTo(() => foreign.port)), 'cluster-other-install'],
  401: [refuseAll(401), 'cluster-unauthorized'],
  403: [refuseAll(403), 'cluster-forbidden'],
  410: [refuseAll(410), 'cluster-expired'],
  429: [refuseAll(429), 'cluster-busy'],
  500: [refuseAll(500), 'cluster-busy'],
  503: [answerAll(503, { 'content-type': 'text/html' }, '<html>503</html>'), 'cluster-busy'],
  'a page of HTML': [answerAll(200, { 'content-type': 'text/html' }, '<html>Log in</html>'), 'cluster-not-kubernetes'],
  'an empty object': [answerAll(200, JSON_TYPE, '{}'), 'cluster-not-kubernetes'],
  'half of the JSON': [answerAll(200, JSON_TYPE, '{"gitVersion":"v1.3'), 'cluster-truncated'],
  'the balancer restarts mid-body': [
    () => {
      server.intercept = (_request, response) => {
        response.writeHead(200, { ...JSON_TYPE, 'content-length': '500' });
        response.write('{"gitVersion":', () => response.destroy());
        return true;
      };
    },
    'cluster-truncated',
  ],
};

test('the same client survives every fault, reports it with its start, and recovers at once', async () => {
  expect((await probe()).api).toMatchObject({ state: 'up', line: null });
  for (const [name, [spoil, code]] of Object.entries(FAULTS)) {
    spoil();
    const began = now;
    const first = await probe();
    expect(first.api, name).toMatchObject({ state: 'away', userError: { code } });
    // A part that was not read is null: no fault may look like an empty cluster.
    expect(first.nodes, name).toBeNull();
    now += 42 * SECOND;
    const second = await probe();
    expect(second.api.line, name).toMatch(/^The |^What |^There /);
    expect(second.api.line, name).toContain('for 42 s');
    expect(second.api.health.outage, name).toMatchObject({ since: began });
    removeFault();
    now += 3 * SECOND;
    const recovered = await probe();
    expect(recovered.api, name).toMatchObject({ state: 'up', userError: null, line: null, urgency: 'normal' });
    expect(recovered.nodes, name).toHaveLength(1);
  }
});

test('a certificate for another name and an expired certificate are fatal at once', async () => {
  for (const [wrong, code] of [
    [misnamed, 'cluster-wrong-name'],
    [expired, 'cluster-certificate-expired'],
  ] as const) {
    const client = await connectCluster({
      kubeconfig: wrong.kubeconfig,
      resolveEndpoint: () => ({ host, port }),
      clock,
      timeoutMs: 50,
    });
    onSocket = relayTo(() => wrong.port);
    expect((await takeSnapshot(client, [], now)).api).toMatchObject({ urgency: 'fatal', userError: { code } });
  }
});

test('a single part that cannot be read is reported; a kind that is not served yet is not', async () => {
  server.intercept = (request, response) => {
    if (!request.url?.includes('/nodes')) return false;
    response.writeHead(403, JSON_TYPE).end('{"kind":"Status","message":"nodes is forbidden"}');
    return true;
  };
  const snapshot = await takeSnapshot(cluster, ['nodes', 'clusterVersion', 'operators'], now, health);
  expect(snapshot.api).toMatchObject({ state: 'up', urgency: 'normal' });
  expect(snapshot.api.line).toContain('403 nodes is forbidden');
  expect(Object.keys(snapshot.userErrors)).toEqual(['nodes']);
  const later = await takeSnapshot(cluster, ['nodes'], now + 3 * MINUTE, snapshot.api.health);
  expect(later.api.urgency).toBe('fatal');
});

test('Retry-After: the client waits for a short pause, and sends nothing during a long one', async () => {
  let busy = 2;
  server.intercept = (_request, response) => {
    if (busy === 0) return false;
    busy -= 1;
    response.writeHead(429, { ...JSON_TYPE, 'retry-after': '1' }).end('{"kind":"Status"}');
    return true;
  };
  expect((await probe()).api.state).toBe('up');
  expect(pauses).toEqual([1000, 1000]);

  refuseAll(503, { 'retry-after': '30' })();
  const before = await probe();
  const connections = server.connections();
  removeFault();
  now += 29 * SECOND;
  expect((await probe()).api).toMatchObject({ state: 'away', userError: before.api.userError });
  expect(server.connections()).toBe(connections);
  now += SECOND;
  expect((await probe()).api.state).toBe('up');
  expect(pauses).toHaveLength(2);
});

test('Retry-After: a write is repeated only if it was not carried out', async () => {
  for (const [code, tries] of [
    [429, 3],
    [503, 1],
  ] as const) {
    let attempts = 0;
    server.intercept = (_request, response) => {
      attempts += 1;
      response.writeHead(code, { ...JSON_TYPE, 'retry-after': '1' }).end('{"kind":"Status"}');
      return true;
    };
    await expect(cluster.patch('Node', 'w1', null, { spec: {} })).rejects.toMatchObject({ class: 'not-yet' });
    expect(attempts).toBe(tries);
  }
});

test('Retry-After as a date is relative to the clock of the API', async () => {
  const [date, until] = [new Date(5_000_000), new Date(5_020_000)].map((time) => time.toUTCString());
  refuseAll(503, { date: `${date}`, 'retry-after': `${until}` })();
  expect((await probe()).api.health.outage).toMatchObject({ pauseUntil: now + 20 * SECOND });
});

test('the clock of the API is measured from its answers, not from those of a web page', async () => {
  // The server uses the system time, which goes on while the time of the test is fixed.
  expect(Math.abs((await probe()).api.clockSkew ?? Number.NaN)).toBeLessThan(MINUTE);
  now -= 10 * MINUTE;
  const skew = (await probe()).api.clockSkew ?? 0;
  expect(Math.abs(skew - 10 * MINUTE)).toBeLessThan(MINUTE);
  const other = await connectCluster({ kubeconfig: server.kubeconfig, resolveEndpoint: () => ({ host, port }), clock });
  answerAll(200, { 'content-type': 'text/html' }, '<html>')();
  expect((await takeSnapshot(other, [], now)).api.clockSkew).toBeNull();
});
