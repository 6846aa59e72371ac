import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freeBytes, systemFacts } from '../../src/bastion/machine/facts.ts';
import { listeners } from '../../src/bastion/machine/listeners.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'upi-machine-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

test('who has a port is found by the sockets of the kernel; loopback and connections do not count', async () => {
  const open = createServer().listen(0, '0.0.0.0');
  const local = createServer().listen(0, '127.0.0.1');
  const datagrams = createSocket('udp6').bind(0, '::');
  await Promise.all([once(open, 'listening'), once(local, 'listening'), once(datagrams, 'listening')]);
  const portOf = (server: typeof open) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  try {
    const wanted = [
      { protocol: 'tcp', port: portOf(open) },
      { protocol: 'tcp', port: portOf(local) },
      { protocol: 'udp', port: datagrams.address().port },
    ] as const;
    const found = await listeners(wanted);
    const own = expect.objectContaining({ pid: process.pid });
    expect(found).toEqual([
      { ...wanted[0], owner: own },
      { ...wanted[2], owner: own },
    ]);
  } finally {
    open.close();
    local.close();
    datagrams.close();
  }
});

test('the files of the system say what it has', async () => {
  put('proc/meminfo', 'MemTotal:  8000000 kB\nMemAvailable:    4096 kB\n');
  put(`proc/${process.ppid}/status`, 'Name:\tsh\nUmask:\t0027\n');
  put('proc/12/comm', 'firewalld\n');
  put('etc/resolv.conf', 'search a.b\nnameserver 10.0.0.1\nnameserver fe80::1%eth0\n#nameserver 9.9.9.9\n');
  put('sys/fs/selinux/enforce', '0');
  expect(await systemFacts(root)).toMatchObject({
    memory: { available: 4096 * 1024 },
    nameServers: ['10.0.0.1', 'fe80::1%eth0'],
    selinux: 'permissive',
    firewall: 'firewalld',
    umask: 0o027,
  });
});

test('a machine that shows nothing is not judged by it', async () => {
  expect(await systemFacts(root)).toMatchObject({
    memory: { available: null },
    nameServers: [],
    selinux: 'none',
    firewall: null,
    umask: null,
  });
});

test('the space of a directory that does not exist yet is that of the one above it', async () => {
  const there = await freeBytes(root);
  expect(there).toBeGreaterThan(0);
  expect(await freeBytes(join(root, 'a/b'))).toBeGreaterThan(0);
});
