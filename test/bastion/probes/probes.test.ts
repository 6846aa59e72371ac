import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Worker } from 'node:worker_threads';
import { decode, encode, type Packet } from 'dns-packet';
import { afterEach, expect, test } from 'vitest';
import { textProbe } from '../../../src/bastion/probes/http-probe.ts';
import { dnsProbe, httpProbe, tcpProbe } from '../../../src/bastion/probes/probes.ts';
import { mappedReach } from '../../../src/ports/reach.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { standingClock } from '../../support/standing-clock.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const clock = standingClock();
/** Whatever has a time is late. */
const atOnce = { ...clock, sleep: () => Promise.resolve() };
const to = (host: string, port: number) => () => ({ host, port });

function listen<S extends Server>(server: S): Promise<number> {
  closing.push(() => server.close());
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}

test('a server that waits for us is open; the probe goes where reach says', async () => {
  const port = await listen(createServer((socket) => closing.push(() => socket.destroy())));
  const reach = mappedReach(() => ({ hosts: { '172.16.0.111': '127.0.0.1' }, lowPortShift: port - 443 }));
  expect(await tcpProbe(reach, clock, '172.16.0.111', 443, 2000)).toMatchObject({
    state: 'open',
    detail: expect.stringContaining('172.16.0.111 port 443'),
  });
});

test.each([
  ['at the end of the stream', (socket: import('node:net').Socket) => socket.end()],
  ['by a reset', (socket: import('node:net').Socket) => socket.resetAndDestroy()],
])('a balancer without servers closes at once: %s', async (_, close) => {
  const port = await listen(createServer(close));
  expect((await tcpProbe(to('127.0.0.1', port), clock, 'lb1', 6443, 2000)).state).toBe('closed-at-once');
});

test('nothing listens: refused. A name that is none: unreachable. No route: unsent', async () => {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  expect((await tcpProbe(to('127.0.0.1', port), clock, 'lb1', 6443, 2000)).state).toBe('refused');
  expect((await tcpProbe(to('does-not-exist.invalid', 1), clock, 'lb1', 1, 20_000)).state).toBe('unreachable');
  // Nothing leaves a machine for such an address: the kernel has no route for it.
  expect((await tcpProbe(to('255.255.255.255', 1), clock, 'lb1', 1, 2000)).state).toBe('unsent');
});

test('silence is a time-out of the clock, but never sooner than on a real site', async () => {
  const [time, reach] = [manualClock(), await silentUdp()];
  const started = performance.now();
  const asked = dnsProbe({ reach, clock: time, server: '172.16.0.102', name: 'a.example', type: 'A', timeoutMs: 400 });
  await expect.poll(() => time.sleeping()).toBe(1);
  await time.advance(400);
  expect(await asked).toMatchObject({ state: 'timeout', answers: [] });
  expect(performance.now() - started).toBeGreaterThanOrEqual(390);
});

async function silentUdp() {
  const socket = createSocket('udp4');
  closing.push(() => socket.close());
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return to('127.0.0.1', socket.address().port);
}

/** A name server on loopback that answers from a table. */
async function nameServer(answer: (name: string, type: string) => Partial<Packet> | null) {
  const socket: UdpSocket = createSocket('udp4');
  closing.push(() => socket.close());
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
  return to('127.0.0.1', socket.address().port);
}

test('records are asked of the given server: addresses, reverse names, NXDOMAIN, no data, refusal', async () => {
  const reach = await nameServer((name, type) => {
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
  const ask = (name: string, type: 'A' | 'AAAA' | 'PTR') =>
    dnsProbe({ reach, clock, server: '172.16.0.102', name, type, timeoutMs: 5000 });
  expect(await ask('api.example', 'A')).toMatchObject({ state: 'answered', answers: ['172.16.0.111', '172.16.0.112'] });
  expect(await ask('api.example', 'AAAA')).toMatchObject({ state: 'no-data', answers: [] });
  expect(await ask('none.example', 'A')).toMatchObject({ state: 'no-name' });
  expect(await ask('refused.example', 'A')).toMatchObject({ state: 'refused' });
  expect(await ask('172.16.0.11', 'PTR')).toMatchObject({ answers: ['bs.example'] });
  expect(await ask('2001:db8::1', 'PTR')).toMatchObject({ answers: ['six.example'] });
});

test('an answer that came while this process was busy is read before anybody gives up', async () => {
  const server = new Worker(
    `
    require('node:http').createServer((_, response) => response.end()).listen(0, '127.0.0.1', function () {
      require('node:worker_threads').parentPort.postMessage(this.address().port);
    })`,
    { eval: true },
  );
  closing.push(() => void server.terminate());
  const [port] = await once(server, 'message');
  const asked = httpProbe(to('127.0.0.1', port), atOnce, 'http://172.16.0.101/', 300);
  const until = performance.now() + 400;
  while (performance.now() < until);
  expect(await asked).toMatchObject({ state: 'answered' });
});

test('the head of a file is asked for, with the host of the design; what is no HTTP is told', async () => {
  const seen: string[] = [];
  const web = createHttpServer((request, response) => {
    seen.push(`${request.method} ${request.headers.host}${request.url}`);
    response.writeHead(request.url === '/a?b' ? 200 : 404, { 'Content-Length': 1_000_000_000 }).end();
  });
  const reach = to('127.0.0.1', await listen(web));
  expect(await httpProbe(reach, clock, 'http://172.16.0.101:8080/a?b', 5000)).toMatchObject({
    state: 'answered',
    status: 200,
    length: 1_000_000_000,
  });
  expect(await httpProbe(reach, clock, 'http://172.16.0.101:8080/no', 5000)).toMatchObject({
    state: 'answered',
    status: 404,
  });
  expect(seen).toEqual(['HEAD 172.16.0.101:8080/a?b', 'HEAD 172.16.0.101:8080/no']);
  const noise = await listen(createServer((socket) => socket.end('SSH-2.0-x\r\n')));
  expect(await httpProbe(to('127.0.0.1', noise), clock, 'http://172.16.0.101/', 5000)).toMatchObject({
    state: 'not-http',
    status: null,
  });
  const mute = await listen(createServer((socket) => closing.push(() => socket.destroy())));
  expect(await httpProbe(to('127.0.0.1', mute), atOnce, 'http://172.16.0.101/', 400)).toMatchObject({
    state: 'timeout',
  });
});

test('a text that breaks off midway is not taken for the whole text', async () => {
  const whole = await listen(createServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc')));
  expect(await textProbe(to('127.0.0.1', whole), clock, 'http://172.16.0.101/a', 5000)).toMatchObject({ text: 'abc' });
  const broken = await listen(createServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\nabc')));
  const answer = await textProbe(to('127.0.0.1', broken), clock, 'http://172.16.0.101/a', 5000);
  expect(answer).toMatchObject({ status: null, text: null });
  expect(answer.detail).not.toBe('');
});
