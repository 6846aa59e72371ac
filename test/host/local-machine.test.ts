import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { listPortsInUse, readClockStatus, readFreeBytes, readSystemFacts } from '../../src/host/local-machine.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'upi-machine-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function writeRootFile(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

test('the owner of a port is found in the socket tables of the kernel; loopback and connections do not count', async () => {
  const open = createServer().listen(0, '0.0.0.0');
  const local = createServer().listen(0, '127.0.0.1');
  const datagrams = createSocket('udp6').bind(0, '::');
  await Promise.all([once(open, 'listening'), once(local, 'listening'), once(datagrams, 'listening')]);
  const getPort = (server: typeof open) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  try {
    const ports = [
      { protocol: 'tcp', port: getPort(open) },
      { protocol: 'tcp', port: getPort(local) },
      { protocol: 'udp', port: datagrams.address().port },
    ] as const;
    const found = await listPortsInUse(ports);
    const own = expect.objectContaining({ pid: process.pid });
    expect(found).toEqual([
      { ...ports[0], owner: own },
      { ...ports[2], owner: own },
    ]);
  } finally {
    open.close();
    local.close();
    datagrams.close();
  }
});

test('system facts are read from the files of the system', async () => {
  writeRootFile('proc/meminfo', 'MemTotal:  8000000 kB\nMemAvailable:    4096 kB\n');
  writeRootFile(`proc/${process.ppid}/status`, 'Name:\tsh\nUmask:\t0027\n');
  writeRootFile('proc/12/comm', 'firewalld\n');
  writeRootFile('etc/resolv.conf', 'search a.b\nnameserver 10.0.0.1\nnameserver fe80::1%eth0\n#nameserver 9.9.9.9\n');
  writeRootFile('sys/fs/selinux/enforce', '0');
  expect(await readSystemFacts(root)).toMatchObject({
    memory: { available: 4096 * 1024 },
    nameServers: ['10.0.0.1', 'fe80::1%eth0'],
    selinux: 'permissive',
    firewall: 'firewalld',
    umask: 0o027,
  });
});

test('facts that the system does not show are unknown', async () => {
  expect(await readSystemFacts(root)).toMatchObject({
    memory: { available: null },
    nameServers: [],
    selinux: 'none',
    firewall: null,
    umask: null,
  });
});

test('the time zone is that of TZ, without it that of the machine', async () => {
  vi.stubEnv('TZ', ':Asia/Tokyo');
  expect((await readClockStatus()).timeZone).toBe('Asia/Tokyo');
  vi.stubEnv('TZ', '');
  const { timeZone } = await readClockStatus();
  vi.unstubAllEnvs();
  const options = { timeZone, dateStyle: 'short', timeStyle: 'long' } as const;
  expect(new Intl.DateTimeFormat('en', options).format(0)).toBe(
    new Intl.DateTimeFormat('en', { ...options, timeZone: undefined }).format(0),
  );
});

test('the space of a directory that does not exist yet is that of the one above it', async () => {
  const rootBytes = await readFreeBytes(root);
  expect(rootBytes).toBeGreaterThan(0);
  expect(await readFreeBytes(join(root, 'a/b'))).toBeGreaterThan(0);
});
