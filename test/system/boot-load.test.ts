import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BootServerConfig } from '../../src/host/boot-server/boot-config.ts';
import { readRequests } from '../../src/host/boot-server/boot-log.ts';
import { type BootServer, startBootServer } from '../../src/host/boot-server/boot-server.ts';
import { eventually } from '../support/eventually.ts';
import { testInNamespace } from '../support/namespace.ts';

let dir: string;
let config: BootServerConfig;
let server: BootServer | null;
let sockets: Socket[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'crowd-'));
  mkdirSync(join(dir, 'web'));
  mkdirSync(join(dir, 'images'));
  writeFileSync(join(dir, 'web/boot.ipxe'), '#!ipxe\n');
  writeFileSync(join(dir, 'images/rootfs'), Buffer.alloc(16 * 1024 * 1024, 1));
  sockets = [];
  server = null;
  config = {
    listen: { host: '127.0.0.1', port: 0 },
    webRoot: join(dir, 'web'),
    imagesDir: join(dir, 'images'),
    ignition: {},
    logFile: join(dir, 'requests.ndjson'),
    statusFile: join(dir, 'status.json'),
    clockAnchorFile: null,
  };
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await server?.close();
  rmSync(dir, { recursive: true, force: true });
});

async function start(changes: Partial<BootServerConfig> = {}): Promise<BootServer> {
  config = { ...config, ...changes };
  writeFileSync(join(dir, 'config.json'), JSON.stringify(config));
  server = await startBootServer(join(dir, 'config.json'));
  return server;
}

/** Requests a path, reads the answer to its end and returns its status. */
function fetchStatus(path: string, from = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port: server?.port, path, localAddress: from, agent: false },
      (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)),
    );
    request.on('error', reject);
    request.end();
  });
}

/** Opens a connection that sends `text` and then nothing more. Resolves when it is open. */
function openHalfSent(from: string, text: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: server?.port ?? 0, localAddress: from }, () => {
      socket.write(text);
      resolve(socket);
    });
    socket.on('error', reject);
    socket.on('connect', () => socket.off('error', reject).on('error', () => undefined));
    sockets.push(socket);
  });
}

test('a request that cannot be logged is still answered, and is logged as soon as possible', async () => {
  await start();
  expect(await fetchStatus('/boot.ipxe')).toBe(200);
  await eventually(async () => expect((await readRequests(config.logFile)).requests).toHaveLength(1));
  renameSync(config.logFile, `${config.logFile}.old`);
  mkdirSync(config.logFile);
  for (let round = 0; round < 10; round += 1) expect(await fetchStatus('/boot.ipxe')).toBe(200);
  rmSync(config.logFile, { recursive: true });
  await eventually(async () => expect((await readRequests(config.logFile)).requests).toHaveLength(10));
  expect(await fetchStatus('/boot.ipxe')).toBe(200);
  await eventually(async () => expect((await readRequests(config.logFile)).requests).toHaveLength(11));
});

test('a server starts and serves where neither its log nor its status can be written', async () => {
  mkdirSync(join(dir, 'taken'));
  await start({ logFile: join(dir, 'taken'), statusFile: join(dir, 'nowhere/status.json') });
  expect(await fetchStatus('/boot.ipxe')).toBe(200);
});

test('1,500 half-sent requests of one machine delay no other machine, and that machine is still served', async () => {
  await start();
  for (let round = 0; round < 15; round += 1) {
    await Promise.all(
      Array.from({ length: 100 }, () => openHalfSent('127.77.0.66', 'GET /boot.ipxe HTTP/1.1\r\nHost: b')),
    );
  }
  const nodes = Array.from({ length: 20 }, (_, index) => `127.77.0.${100 + index}`);
  expect(await Promise.all(nodes.map((node) => fetchStatus('/boot.ipxe', node)))).toEqual(nodes.map(() => 200));
  expect(await fetchStatus('/boot.ipxe', '127.77.0.66')).toBe(200);
});

test('half-sent requests of as many machines as there are addresses delay no other machine', async () => {
  await start();
  for (let round = 0; round < 15; round += 1) {
    await Promise.all(Array.from({ length: 100 }, (_, index) => openHalfSent(`127.78.${round}.${index + 1}`, 'GET /')));
  }
  expect(await fetchStatus('/images/rootfs', '127.77.0.100')).toBe(200);
});

test('200 stalled downloads delay no other machine', async () => {
  await start();
  const nodes = Array.from({ length: 200 }, (_, index) => `127.79.0.${index + 1}`);
  const stalled = await Promise.all(
    nodes.map((node) => openHalfSent(node, 'GET /images/rootfs HTTP/1.1\r\nHost: b\r\n\r\n')),
  );
  await Promise.all(stalled.map((socket) => new Promise<void>((resolve) => socket.once('readable', () => resolve()))));
  expect(await fetchStatus('/images/rootfs', '127.77.0.100')).toBe(200);
});

testInNamespace()(
  'a full disk takes a part of a line; the rest follows, and no request is logged twice or torn',
  async () => {
    const full = join(dir, 'full');
    // The disk has one page, and its log is one line short of it.
    const script = `mount -t tmpfs -o size=4k small "$1" && head -c 4050 /dev/zero | tr '\\0' '\\n' >"$1/log" && exec "$2" "$3" "$1"`;
    const source = join(import.meta.dirname, '../../src');
    const program = join(dir, 'log.ts');
    writeFileSync(
      program,
      `import { readFileSync, truncateSync } from 'node:fs';
     import { openRequestLog } from ${JSON.stringify(`${source}/host/boot-server/boot-log.ts`)};
     import { systemClock } from ${JSON.stringify(`${source}/platform/clock.ts`)};
     const file = process.argv[2] + '/log';
     const log = openRequestLog(file, systemClock);
     const add = (at) => log.add({ at, client: '127.0.0.1', method: 'GET', path: '/', status: 200, bytes: 1, complete: true });
     for (const at of [1, 2, 3]) add(at);
     const torn = readFileSync(file, 'utf8');
     truncateSync(file, 0);
     add(4);
     log.close();
     console.log(JSON.stringify([torn.length, (torn.trimStart() + readFileSync(file, 'utf8')).trimEnd().split('\\n').map((line) => JSON.parse(line).at)]));`,
    );
    mkdirSync(full);
    const flag = process.getuid?.() === 0 ? '-m' : '-rm';
    const { stdout } = await execa('unshare', [flag, 'sh', '-c', script, 'sh', full, process.execPath, program]);
    expect(JSON.parse(stdout)).toEqual([4096, [1, 2, 3, 4]]);
  },
);
