import { execFile } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BootServerConfig } from '../../../src/host/boot-server/boot-config.ts';
import { readRequests } from '../../../src/host/boot-server/boot-log.ts';
import { type BootServer, startBootServer } from '../../../src/host/boot-server/boot-server.ts';
import { readBootStatus } from '../../../src/host/boot-server/boot-status.ts';
import type { MachinePlan } from '../../../src/host/boot-server/machine-report.ts';
import { eventually } from '../../support/eventually.ts';

const MAIN = join(import.meta.dirname, '../../../src/host/boot-server/boot-server-main.ts');
const GIB = 1024 ** 3;

let dir: string;
let config: BootServerConfig;
let server: BootServer | null;

const configFile = () => join(dir, 'config.json');
const writeConfig = (changes: Partial<BootServerConfig> = {}) => {
  config = { ...config, ...changes };
  writeFileSync(configFile(), JSON.stringify(config));
};

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'boot-'));
  mkdirSync(join(dir, 'web/ipxe'), { recursive: true });
  mkdirSync(join(dir, 'images/hidden'), { recursive: true });
  writeFileSync(join(dir, 'web/boot.ipxe'), '#!ipxe\nchain ipxe/x.ipxe\n');
  writeFileSync(join(dir, 'web/ipxe/x y.ipxe'), '#!ipxe\n');
  writeFileSync(join(dir, 'web/secret.txt'), 'secret');
  writeFileSync(join(dir, 'secret.txt'), 'secret');
  mkdirSync(join(dir, 'web/iso'));
  writeFileSync(join(dir, 'web/iso/m1.sh'), '#!/bin/bash\n');
  mkdirSync(join(dir, 'programs'));
  writeFileSync(join(dir, 'programs/ipxe.efi'), 'program');
  writeFileSync(join(dir, 'images/kernel'), '0123456789');
  writeFileSync(join(dir, 'images/empty'), '');
  writeFileSync(join(dir, 'images/.dot'), 'secret');
  symlinkSync('../secret.txt', join(dir, 'images/link'));
  symlinkSync('kernel', join(dir, 'images/inner'));
  writeFileSync(join(dir, 'bootstrap.ign'), '{"ignition":{}}');
  server = null;
  writeConfig({
    listen: { host: '127.0.0.1', port: 0 },
    webRoot: join(dir, 'web'),
    programsDir: join(dir, 'programs'),
    imagesDir: join(dir, 'images'),
    ignition: { bootstrap: { file: join(dir, 'bootstrap.ign'), allow: ['127.77.0.11'] } },
    logFile: join(dir, 'requests.ndjson'),
    statusFile: join(dir, 'status.json'),
    clockAnchorFile: null,
  });
});

afterEach(async () => {
  await server?.close();
  rmSync(dir, { recursive: true, force: true });
});

interface TestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request with its target unchanged: no client normalizes it. */
function get(path: string, { method = 'GET', headers = {}, from = '127.0.0.1' } = {}): Promise<TestResponse> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port: server!.port, path, method, headers, localAddress: from, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      },
    );
    request.on('error', reject);
    request.end();
  });
}

test('boot scripts and images are served, HEAD without the body, and each request is logged', async () => {
  server = await startBootServer(configFile());
  expect((await get('/boot.ipxe')).text).toMatch(/^#!ipxe\n/);
  expect((await get('/ipxe/x%20y.ipxe?mac=1')).status).toBe(200);
  expect((await get('/images/inner')).text).toBe('0123456789');
  expect(await get('/images/kernel', { method: 'HEAD' })).toMatchObject({
    status: 200,
    text: '',
    headers: { 'content-length': '10', 'accept-ranges': 'bytes' },
  });
  expect(await get('/images/empty')).toMatchObject({ status: 200, text: '' });
  expect((await get('/iso/m1.sh')).status).toBe(200);
  expect((await get('/boot/ipxe.efi')).text).toBe('program');
  await eventually(async () => expect((await readRequests(config.logFile)).requests).toHaveLength(7));
  const { requests, offset } = await readRequests(config.logFile);
  expect(requests[2]).toMatchObject({
    client: '127.0.0.1',
    method: 'GET',
    path: '/images/inner',
    status: 200,
    bytes: 10,
    complete: true,
  });
  expect(requests[3]).toMatchObject({ method: 'HEAD', bytes: 0, complete: true });
  expect(await readRequests(config.logFile, offset)).toEqual({ requests: [], offset });
  expect(statSync(config.logFile).mode & 0o777).toBe(0o600);
});

test.each([
  ['/', 404],
  ['/ipxe', 404],
  ['/ipxe/', 400],
  ['/images', 404],
  ['/images/hidden', 404],
  ['/images/missing', 404],
  ['/images/.dot', 400],
  ['/images/link', 404],
  ['/images/../secret.txt', 400],
  ['/images/%2e%2e/secret.txt', 400],
  ['/images/..%2fsecret.txt', 400],
  ['/images/%00', 400],
  ['/images/%zz', 400],
  ['//images/kernel', 400],
  ['/secret.txt', 404],
  ['/bootstrap.ign', 404],
  ['http://elsewhere/images/../secret.txt', 400],
])('%s is refused with %i', async (path, status) => {
  server = await startBootServer(configFile());
  const answer = await get(path);
  expect(answer.status).toBe(status);
  expect(answer.text).toBe('');
});

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is not allowed', async (method) => {
  server = await startBootServer(configFile());
  expect(await get('/images/kernel', { method })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
});

test.each([
  ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
  ['bytes=7-', 206, '789', 'bytes 7-9/10'],
  ['bytes=-3', 206, '789', 'bytes 7-9/10'],
  ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
  ['bytes=10-', 416, '', 'bytes */10'],
  ['bytes=-0', 416, '', 'bytes */10'],
  ['bytes=4-2', 200, '0123456789', undefined],
  ['bytes=0-1,4-5', 200, '0123456789', undefined],
  ['lines=1-2', 200, '0123456789', undefined],
])('range %s', async (range, status, text, contentRange) => {
  server = await startBootServer(configFile());
  const answer = await get('/images/kernel', { headers: { range } });
  expect([answer.status, answer.text, answer.headers['content-range']]).toEqual([status, text, contentRange]);
});

test('a range of a file that changed since is answered with the whole file', async () => {
  server = await startBootServer(configFile());
  const stale = { range: 'bytes=0-1', 'if-range': 'Sat, 01 Jan 2000 00:00:00 GMT' };
  expect((await get('/images/kernel', { headers: stale })).status).toBe(200);
});

test('ignition files go to the addresses on their list only, and the list changes while we serve', async () => {
  server = await startBootServer(configFile());
  expect((await get('/ignition/bootstrap.ign')).status).toBe(403);
  expect((await get('/ignition/master.ign')).status).toBe(403);
  expect((await get('/ignition/constructor.ign', { from: '127.77.0.11' })).status).toBe(403);
  expect(await get('/ignition/bootstrap.ign', { from: '127.77.0.11' })).toMatchObject({
    status: 200,
    text: '{"ignition":{}}',
  });
  writeConfig({ ignition: { bootstrap: { file: join(dir, 'bootstrap.ign'), allow: [] } } });
  expect((await get('/ignition/bootstrap.ign', { from: '127.77.0.11' })).status).toBe(403);
  writeFileSync(configFile(), '{ half');
  expect((await get('/ignition/bootstrap.ign', { from: '127.77.0.11' })).status).toBe(403);
  expect((await get('/images/kernel')).status).toBe(200);
});

test('a machine that has fetched its ignition file boots from disk until a new installation begins', async () => {
  writeFileSync(join(dir, 'web/installed.ipxe'), 'installed');
  writeFileSync(join(dir, 'web/closed.ipxe'), 'closed');
  writeFileSync(join(dir, 'web/ipxe/m.ipxe'), 'own');
  const from = '127.77.0.11';
  const script = async (path = '/ipxe/m.ipxe') => (await get(path, { from })).text;
  const waitForRequests = (count: number) =>
    eventually(async () => expect((await readRequests(config.logFile)).requests).toHaveLength(count));
  server = await startBootServer(configFile());
  expect(await script()).toBe('own');
  await get('/ignition/bootstrap.ign', { from, method: 'HEAD' });
  await get('/ignition/bootstrap.ign');
  expect(await script()).toBe('own');
  expect((await get('/ignition/bootstrap.ign', { from })).status).toBe(200);
  await waitForRequests(5);
  expect(await script()).toBe('installed');
  expect((await get('/ipxe/m.ipxe')).text).toBe('own');
  // The user chose to install in the boot menu of that machine.
  expect(await script('/ipxe/m.ipxe?again')).toBe('own');
  // The state survives a restart of the server.
  await server.close();
  server = await startBootServer(configFile());
  expect(await script()).toBe('installed');

  const { ignition } = config;
  writeConfig({ ignition: {} });
  expect(await script()).toBe('closed');
  writeConfig({ ignition, anew: { [from]: Date.now() + 1 } });
  expect(await script()).toBe('own');
  writeConfig({ anew: {} });
  expect(await script()).toBe('installed');
  const later = new Date(Date.now() + 60_000);
  utimesSync(join(dir, 'bootstrap.ign'), later, later);
  expect(await script()).toBe('own');
});

test('a file is no longer served once its job has succeeded, even if no wizard runs', async () => {
  const bootstrap = {
    file: join(dir, 'bootstrap.ign'),
    allow: ['127.77.0.11'],
    until: { jobs: dir, job: 'bootstrap-complete' },
  };
  writeConfig({ ignition: { bootstrap } });
  server = await startBootServer(configFile());
  const fetchStatus = async () => (await get('/ignition/bootstrap.ign', { from: '127.77.0.11' })).status;
  const endJob = (code: string, hours: number) => {
    writeFileSync(join(dir, 'bootstrap-complete.exit'), code);
    const time = new Date(Date.now() + hours * 3_600_000);
    utimesSync(join(dir, 'bootstrap-complete.exit'), time, time);
  };
  expect(await fetchStatus()).toBe(200);
  endJob('0\n', -1);
  expect(await fetchStatus(), 'of an earlier installation').toBe(200);
  endJob('5\n', 1);
  expect(await fetchStatus(), 'it gave up').toBe(200);
  endJob('   ', 1);
  expect(await fetchStatus(), 'it runs').toBe(200);
  endJob('0\n', 1);
  expect(await fetchStatus()).toBe(403);
  expect((await get('/boot.ipxe')).status).toBe(200);
});

test('a client that disconnects during a download is logged as incomplete', async () => {
  truncateSync(join(dir, 'images/kernel'), GIB);
  server = await startBootServer(configFile());
  await new Promise<void>((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port: server!.port, path: '/images/kernel' }, (response) => {
      response.once('data', () => {
        response.destroy();
        resolve();
      });
    });
    request.on('error', reject);
    request.end();
  });
  await eventually(async () => {
    const [request] = (await readRequests(config.logFile)).requests;
    expect(request).toMatchObject({ status: 200, complete: false });
    expect(request!.bytes).toBeLessThan(GIB);
  });
});

test('a taken port is reported in the status file and on standard error', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  writeConfig({ listen: { host: '127.0.0.1', port } });
  try {
    const failed = await promisify(execFile)(process.execPath, [MAIN, configFile()]).catch((error) => error);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining(`port ${port}`) });
    expect(readBootStatus(config.statusFile)).toMatchObject({
      state: 'failed',
      userError: { code: 'boot-server-port-taken' },
    });
  } finally {
    other.close();
  }
});

test('a foreign address and an invalid configuration have different errors', async () => {
  writeConfig({ listen: { host: '192.0.2.1', port: 0 } });
  await expect(startBootServer(configFile())).rejects.toMatchObject({ userError: { code: 'boot-server-address' } });
  writeFileSync(configFile(), '[]');
  await expect(startBootServer(configFile())).rejects.toMatchObject({ userError: { code: 'boot-server-config' } });
});

test('the log reader keeps a partial line for later, skips foreign lines, makes text safe and follows a shortened file', async () => {
  const file = join(dir, 'log');
  const line = (path: string) =>
    JSON.stringify({ at: 1, client: 'c', method: 'GET', path, status: 200, bytes: 1, complete: true });
  writeFileSync(file, `${line('/\u001b]52;c;x\u0007a')}\nnot ours\n${line('/b').slice(0, 20)}`);
  const first = await readRequests(file);
  expect(first.requests.map(({ path }) => path)).toEqual(['/\ufffda']);
  writeFileSync(file, `${line('/b').slice(20)}\n`, { flag: 'a' });
  expect((await readRequests(file, first.offset)).requests.map(({ path }) => path)).toEqual(['/b']);
  writeFileSync(file, `${line('/c')}\n`);
  expect((await readRequests(file, 10_000)).requests.map(({ path }) => path)).toEqual(['/c']);
  expect(await readRequests(join(dir, 'none'))).toEqual({ requests: [], offset: 0 });
});

test('a log that others could read is made private', async () => {
  closeSync(openSync(config.logFile, 'w', 0o644));
  chmodSync(config.logFile, 0o644);
  server = await startBootServer(configFile());
  expect(statSync(config.logFile).mode & 0o777).toBe(0o600);
});

const MACHINE = '00:50:56:96:6b:da';
const reportPath = (query: string) => `/machine?mac=${MACHINE.replaceAll(':', '-')}&${query}`;
const machines: MachinePlan[] = [
  {
    name: 'w1',
    mac: MACHINE,
    cpu: 'v2',
    memoryMiB: 8192,
    firmware: 'uefi',
    addresses: ['127.77.0.11'],
    clients: ['127.77.0.11'],
    questions: [],
  },
];

test('a machine that cannot work as planned is stopped, until the design changes or its user gives a reason', async () => {
  writeConfig({ machines });
  server = await startBootServer(configFile());
  const go = '#!ipxe\nset verdict go\nset problem1 \nset problem2 \nset problem3 \n';
  expect((await get(reportPath('cpu=v2&memory=0020.'))).text).toBe(go);
  const stop =
    '#!ipxe\nset verdict stop\nset problem1 CPU level x86-64-v1, needs x86-64-v2\nset problem2 Memory 4 GiB, needs 8 GiB\nset problem3 \n';
  const old = reportPath('cpu=v1&memory=0010.');
  expect((await get(old)).text).toBe(stop);
  writeConfig({ machines: machines.map((machine) => ({ ...machine, cpu: 'v1', memoryMiB: 4096 })) });
  await eventually(async () => expect((await get(old)).text).toBe(go));
  writeConfig({ machines });
  await eventually(async () => expect((await get(old)).text).toBe(stop));
  expect((await get(`${old}&why=a%20test`)).text).toBe(go);
  expect((await get(old)).text).toBe(go);
  // The reason is in the log, and counts after a restart of the server, until the machine is reinstalled.
  await server.close();
  server = await startBootServer(configFile());
  expect((await get(old)).text).toBe(go);
  writeConfig({ anew: { '127.0.0.1': Date.now() + 1000 } });
  await eventually(async () => expect((await get(old)).text).toBe(stop));
});

test('a machine that has its ignition file is not stopped', async () => {
  writeConfig({ machines });
  server = await startBootServer(configFile());
  const old = reportPath('cpu=v1');
  const from = '127.77.0.11';
  expect((await get(old, { from })).text).toContain('set verdict stop');
  await get('/ignition/bootstrap.ign', { from });
  await eventually(async () => expect((await get(old, { from })).text).toContain('set verdict go'));
});

test('without machines, and for a request that is no report, there is no answer', async () => {
  writeConfig({ machines: undefined });
  server = await startBootServer(configFile());
  expect((await get(reportPath('cpu=v1'))).status).toBe(404);
  writeConfig({ machines });
  await eventually(async () => expect((await get(reportPath('cpu=v1'))).status).toBe(200));
  expect((await get('/machine?mac=x')).status).toBe(404);
  expect((await get('/machine')).status).toBe(404);
});

test('a problem that quotes the machine cannot change the script, and fits a menu', async () => {
  writeConfig({ machines: machines.map((machine) => ({ ...machine, addresses: ['${x} || goto #', 'b'.repeat(90)] })) });
  server = await startBootServer(configFile());
  const [, , line = ''] = (await get(reportPath('ip=10.0.0.1'))).text.split('\n');
  expect(line).toMatch(/^set problem1 [A-Za-z0-9 .,:;()/_%+?-]{1,76}$/);
});

test('a machine whose ignition file is not served yet asks its questions, and nothing counts as fetched', async () => {
  const base = 'http://127.0.0.1:8080';
  const questions = [
    { id: 'kernel', url: `${base}/images/kernel?head` },
    { id: 'ignition', url: `${base}/ignition/bootstrap.ign?head` },
    { id: 'api-int', url: 'http://x.example:22623/ || shell' },
  ];
  const ignition = { bootstrap: { file: join(dir, 'bootstrap.ign'), allow: [] as string[] } };
  writeConfig({ machines: machines.map((machine) => ({ ...machine, questions })), ignition });
  truncateSync(join(dir, 'images/kernel'), 1024 ** 2);
  server = await startBootServer(configFile());
  const from = '127.77.0.11';
  const own = reportPath('cpu=v2');
  expect((await get(own, { from })).text).toContain('set verdict scout');
  const script = (await get(`/questions?mac=${MACHINE}`, { from })).text;
  expect(script.match(/^imgfetch .*/gm)).toEqual([
    `imgfetch --timeout 10000 --name answer ${base}/images/kernel?head && set answer ok || set answer \${errno}`,
    `imgfetch --name answer \${base}/questions?mac=00-50-56-96-6b-da&id=kernel&answer=\${answer} ||`,
    `imgfetch --timeout 10000 --name answer ${base}/ignition/bootstrap.ign?head && set answer ok || set answer \${errno}`,
    `imgfetch --name answer \${base}/questions?mac=00-50-56-96-6b-da&id=ignition&answer=\${answer} ||`,
  ]);
  expect((await get('/images/kernel?head', { from })).text).toHaveLength(64 * 1024);
  // The beginning of an ignition file holds nothing, and only its own machine may ask for it.
  expect((await get('/ignition/bootstrap.ign?head', { from })).text).toBe('{"ignition":');
  expect((await get('/ignition/bootstrap.ign?head')).status).toBe(403);
  expect((await get('/ignition/bootstrap.ign', { from })).status).toBe(403);
  expect((await get(`/questions?mac=${MACHINE}&id=kernel&answer=ok`, { from })).status).toBe(200);
  expect((await get('/questions?mac=02-00-00-00-00-01', { from })).status).toBe(404);
  // As soon as the file is served, the machine goes on.
  writeConfig({ ignition: { bootstrap: { ...ignition.bootstrap, allow: [from] } } });
  await eventually(async () => expect((await get(own, { from })).text).toContain('set verdict go'));
});
