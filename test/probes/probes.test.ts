import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Worker } from 'node:worker_threads';
import { decode, encode, type Packet } from 'dns-packet';
import { afterEach, expect, test } from 'vitest';
import { probeCertificate } from '../../src/probes/certificate-probe.ts';
import { probeDns } from '../../src/probes/dns-probe.ts';
import { probeHttp, probeText } from '../../src/probes/http-probe.ts';
import { probePackets } from '../../src/probes/neighbour-probe.ts';
import { probeTcp } from '../../src/probes/tcp-probe.ts';
import { createMappedEndpoints } from '../../src/rehearsal/site/dial-map.ts';
import { createFrozenClock } from '../support/frozen-clock.ts';
import { manualClock } from '../support/manual-clock.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const close of cleanups.splice(0)) close();
});

const clock = createFrozenClock();
/** Every timeout expires at once. */
const expiredClock = { ...clock, sleep: () => Promise.resolve() };
const endpointAt = (host: string, port: number) => () => ({ host, port });

function listen<S extends Server>(server: S): Promise<number> {
  cleanups.push(() => server.close());
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}

test('a server that waits for data is open; the probe connects to the resolved endpoint', async () => {
  const port = await listen(createServer((socket) => cleanups.push(() => socket.destroy())));
  const dialMap = { hosts: { '172.16.0.111': '127.0.0.1' }, lowPortShift: port - 443 };
  const resolveEndpoint = createMappedEndpoints(() => dialMap, expiredClock);
  expect(await probeTcp(resolveEndpoint, clock, '172.16.0.111', 443, 2000)).toMatchObject({
    state: 'open',
    detail: expect.stringContaining('172.16.0.111 port 443'),
  });
});

test('an address that no machine of a rehearsal holds is unreachable and never refuses; it is held later', async () => {
  let unassigned = ['127.0.0.1'];
  const port = await listen(createServer((socket) => cleanups.push(() => socket.destroy())));
  const resolveEndpoint = createMappedEndpoints(
    () => ({ hosts: { 'm2.ocp45.example': '127.0.0.1' }, lowPortShift: 0, unassigned }),
    expiredClock,
  );
  const query = { host: 'm2.ocp45.example', port, name: 'm2', authority: 'api' } as const;
  expect((await probeTcp(resolveEndpoint, clock, query.host, port, 20_000)).state).toBe('unreachable');
  expect((await probeCertificate(resolveEndpoint, clock, query, null, 20_000)).state).toBe('closed');
  expect(await probePackets(resolveEndpoint, clock, { host: query.host, page: null })).toEqual({ state: 'silent' });
  expect(resolveEndpoint(query.host, 0), 'its address stays the same').toEqual({ host: '127.0.0.1', port: 0 });
  unassigned = [];
  expect((await probeTcp(resolveEndpoint, clock, query.host, port, 20_000)).state).toBe('open');
});

test.each([
  ['at the end of the stream', (socket: import('node:net').Socket) => socket.end()],
  ['by a reset', (socket: import('node:net').Socket) => socket.resetAndDestroy()],
])('a balancer without servers closes at once: %s', async (_, close) => {
  const port = await listen(createServer(close));
  expect((await probeTcp(endpointAt('127.0.0.1', port), clock, 'lb1', 6443, 2000)).state).toBe('closed-at-once');
});

test('nothing listens: refused. An unknown name: unreachable. No route: unsent', async () => {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  expect((await probeTcp(endpointAt('127.0.0.1', port), clock, 'lb1', 6443, 2000)).state).toBe('refused');
  expect((await probeTcp(endpointAt('does-not-exist.invalid', 1), clock, 'lb1', 1, 20_000)).state).toBe('unreachable');
  // The kernel has no route for this address.
  expect((await probeTcp(endpointAt('255.255.255.255', 1), clock, 'lb1', 1, 2000)).state).toBe('unsent');
});

test('no reply is a timeout of the clock, but never earlier than in real time', async () => {
  const [time, resolveEndpoint] = [manualClock(), await startSilentUdp()];
  const started = performance.now();
  const answer = probeDns({
    resolveEndpoint: resolveEndpoint,
    clock: time,
    server: '172.16.0.102',
    name: 'a.example',
    type: 'A',
    timeoutMs: 400,
  });
  await expect.poll(() => time.countSleepers()).toBe(1);
  await time.advance(400);
  expect(await answer).toMatchObject({ state: 'timeout', answers: [] });
  expect(performance.now() - started).toBeGreaterThanOrEqual(390);
});

async function startSilentUdp() {
  const socket = createSocket('udp4');
  cleanups.push(() => socket.close());
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return endpointAt('127.0.0.1', socket.address().port);
}

/** Starts a name server on loopback that answers from a table. */
async function startNameServer(answer: (name: string, type: string) => Partial<Packet> | null) {
  const socket: UdpSocket = createSocket('udp4');
  cleanups.push(() => socket.close());
  socket.on('message', (message, { port, address }) => {
    const query = decode(message);
    const question = query.questions?.[0];
    const reply = question ? answer(question.name, question.type) : null;
    if (!reply) return;
    const { id, questions } = query;
    socket.send(
      encode({
        type: 'response',
        ...(id === undefined ? {} : { id }),
        ...(questions ? { questions } : {}),
        ...reply,
      } as Packet),
      port,
      address,
    );
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return endpointAt('127.0.0.1', socket.address().port);
}

test('records are queried from the given server: addresses, reverse names, NXDOMAIN, no data, refusal', async () => {
  const resolveEndpoint = await startNameServer((name, type) => {
    if (name === 'none.example') return { flags: 3 };
    if (name === 'refused.example') return { flags: 5 };
    if (type === 'A' && name === 'api.example')
      return {
        answers: [
          { type: 'A', name, data: '172.16.0.112' },
          { type: 'A', name, data: '172.16.0.111' },
        ],
      };
    if (type === 'PTR' && name === '11.0.16.172.in-addr.arpa')
      return { answers: [{ type: 'PTR', name, data: 'bs.example' }] };
    if (type === 'PTR' && name.endsWith('8.b.d.0.1.0.0.2.ip6.arpa'))
      return { answers: [{ type: 'PTR', name, data: 'six.example' }] };
    return { answers: [] };
  });
  const query = (name: string, type: 'A' | 'AAAA' | 'PTR') =>
    probeDns({ resolveEndpoint: resolveEndpoint, clock, server: '172.16.0.102', name, type, timeoutMs: 5000 });
  expect(await query('api.example', 'A')).toMatchObject({
    state: 'answered',
    answers: ['172.16.0.111', '172.16.0.112'],
  });
  expect(await query('api.example', 'AAAA')).toMatchObject({ state: 'no-data', answers: [] });
  expect(await query('none.example', 'A')).toMatchObject({ state: 'no-name' });
  expect(await query('refused.example', 'A')).toMatchObject({ state: 'refused' });
  expect(await query('172.16.0.11', 'PTR')).toMatchObject({ answers: ['bs.example'] });
  expect(await query('2001:db8::1', 'PTR')).toMatchObject({ answers: ['six.example'] });
});

test('an answer that came while this process was busy is read before the probe times out', async () => {
  const server = new Worker(
    `
    require('node:http').createServer((_, response) => response.end()).listen(0, '127.0.0.1', function () {
      require('node:worker_threads').parentPort.postMessage(this.address().port);
    })`,
    { eval: true },
  );
  cleanups.push(() => void server.terminate());
  const [port] = await once(server, 'message');
  const answer = probeHttp(endpointAt('127.0.0.1', port), expiredClock, 'http://172.16.0.101/', 300);
  const deadline = performance.now() + 400;
  while (performance.now() < deadline);
  expect(await answer).toMatchObject({ state: 'answered' });
});

test('a HEAD request has the host of the design; a reply that is not HTTP is reported', async () => {
  const requests: string[] = [];
  const web = createHttpServer((request, response) => {
    requests.push(`${request.method} ${request.headers.host}${request.url}`);
    response.writeHead(request.url === '/a?b' ? 200 : 404, { 'Content-Length': 1_000_000_000 }).end();
  });
  const resolveEndpoint = endpointAt('127.0.0.1', await listen(web));
  expect(await probeHttp(resolveEndpoint, clock, 'http://172.16.0.101:8080/a?b', 5000)).toMatchObject({
    state: 'answered',
    status: 200,
    length: 1_000_000_000,
  });
  expect(await probeHttp(resolveEndpoint, clock, 'http://172.16.0.101:8080/no', 5000)).toMatchObject({
    state: 'answered',
    status: 404,
  });
  expect(requests).toEqual(['HEAD 172.16.0.101:8080/a?b', 'HEAD 172.16.0.101:8080/no']);
  const noise = await listen(createServer((socket) => socket.end('SSH-2.0-x\r\n')));
  expect(await probeHttp(endpointAt('127.0.0.1', noise), clock, 'http://172.16.0.101/', 5000)).toMatchObject({
    state: 'not-http',
    status: null,
  });
  const silent = await listen(createServer((socket) => cleanups.push(() => socket.destroy())));
  expect(await probeHttp(endpointAt('127.0.0.1', silent), expiredClock, 'http://172.16.0.101/', 400)).toMatchObject({
    state: 'timeout',
  });
});

test('the limit of a text counts bytes, and a character may be split between two packets', async () => {
  const body = Buffer.from('ä'.repeat(10));
  const serve = createServer((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.write(body.subarray(0, 5), () => setImmediate(() => socket.end(body.subarray(5))));
  });
  const resolveEndpoint = endpointAt('127.0.0.1', await listen(serve));
  const probe = (maxBytes: number) =>
    probeText(resolveEndpoint, clock, 'http://172.16.0.101/boot.ipxe', 5000, maxBytes);
  expect(await probe(20)).toMatchObject({ status: 200, text: 'ä'.repeat(10) });
  expect(await probe(19)).toMatchObject({ status: 200, text: null });
});

test('a text that breaks off midway is not taken for the whole text', async () => {
  const whole = await listen(createServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc')));
  expect(await probeText(endpointAt('127.0.0.1', whole), clock, 'http://172.16.0.101/a', 5000)).toMatchObject({
    text: 'abc',
  });
  const broken = await listen(createServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\nabc')));
  const answer = await probeText(endpointAt('127.0.0.1', broken), clock, 'http://172.16.0.101/a', 5000);
  expect(answer).toMatchObject({ status: null, text: null });
  expect(answer.detail).not.toBe('');
});
