import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { execa } from 'execa';
import { beforeAll, describe, expect, onTestFinished, vi } from 'vitest';
import { type Design, STAGES, type Stage } from '../../src/design/model.ts';
import { createAuthority } from '../../src/rehearsal/pki.ts';
import { exampleSite, generated } from '../support/example-design.ts';
import { requireProgram, testWith } from '../support/programs.ts';

const FILE = 'lb1/etc/haproxy/haproxy.cfg';
const INGRESS = ['172.16.0.111', 443] as const;
const API = ['172.16.0.111', 6443] as const;
const API_INT = ['172.16.0.110', 6443] as const;
const MACHINE_CONFIG = ['172.16.0.110', 22623] as const;

/** Addresses of the design as loopback addresses of one test; ports below 1024 are shifted, to work for any user. */
interface Loopback {
  readonly address: (ip: string) => string;
  readonly port: (port: number) => number;
}

function loopback(second: number): Loopback {
  return {
    address: (ip) => ip.replace(/^172\.16\.0\./, `127.${second}.0.`),
    port: (port) => (port < 1024 ? port + 20_000 : port),
  };
}

interface Member {
  /** What its /readyz answers. */
  isReady: boolean;
  readonly stop: () => Promise<void>;
}

let tls: { key: string; cert: string };

beforeAll(async () => {
  const now = Date.now();
  const { keyPem, certPem } = await createAuthority('test', { notBefore: now - 60_000, notAfter: now + 3_600_000 });
  tls = { key: keyPem, cert: certPem };
});

/** A node that listens on every port that it may be asked on, and says its name to whoever connects. */
async function startMember(name: string, ip: string, at: Loopback): Promise<Member> {
  const member = { isReady: true, stop };
  const api = createTlsServer(tls, (socket) => {
    socket.on('error', () => {});
    socket.once('data', (data) => {
      if (!data.toString().startsWith('GET /readyz')) return socket.end(name);
      return socket.end(`HTTP/1.0 ${member.isReady ? '200 OK' : '500 Internal Server Error'}\r\n\r\n`);
    });
  });
  const plain = [22623, 443, 80].map(() => createServer((socket) => socket.on('error', () => {}).end(name)));
  const servers: Server[] = [api, ...plain];
  for (const [index, port] of [6443, 22623, 443, 80].entries()) {
    servers[index]!.listen(at.port(port), at.address(ip));
    await once(servers[index]!, 'listening');
  }
  onTestFinished(stop);
  return member;

  async function stop() {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

/** Changes nothing but addresses, low ports, who runs it, and how long ten seconds are. */
function local(text: string, at: Loopback, dir: string): string {
  return text
    .replace(/172\.16\.0\.\d+/g, at.address)
    .replace(/:(443|80)\b/g, (_, port) => `:${at.port(Number(port))}`)
    .replace(/^ +(?:user|group|chroot) .*\n/gm, '')
    .replace(/stats socket \S+/, `stats socket ${dir}/stats`)
    .replace('log stdout format raw local0', 'log stderr format raw local0')
    .replace(/inter 10s/g, 'inter 100ms');
}

async function startBalancer(design: Design, stage: Stage, at: Loopback): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'haproxy-'));
  const file = join(dir, 'haproxy.cfg');
  writeFileSync(file, local(generated(design, FILE, stage), at, dir));
  const haproxy = spawn(requireProgram('haproxy'), ['-db', '-f', file], { stdio: 'ignore' });
  const ended = once(haproxy, 'exit');
  onTestFinished(async () => {
    haproxy.kill('SIGKILL');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  });
}

/** Who answers on an address and port of the design; null when nobody does. */
function ask([ip, port]: readonly [string, number], at: Loopback, from = '127.0.0.1'): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { host: at.address(ip), port: at.port(port), localAddress: from };
    const socket = port === 6443 ? connectTls({ ...options, rejectUnauthorized: false }) : connect(options);
    let said = '';
    socket.on('error', () => resolve(null));
    socket.on('data', (data) => {
      said += data;
    });
    socket.on('close', () => resolve(said === '' ? null : said));
    if (port === 6443) socket.write('who');
  });
}

/** Everybody who answers, asked from many addresses because routes stick to where they come from. */
async function everybody(where: readonly [string, number], at: Loopback): Promise<string[]> {
  const sources = Array.from({ length: 40 }, (_, index) => `127.9.0.${index + 1}`);
  const answers = await Promise.all(sources.map((from) => ask(where, at, from)));
  return [...new Set(answers.map((name) => name ?? 'nobody'))].sort();
}

async function site(second: number, stage: Stage): Promise<{ at: Loopback; members: Map<string, Member> }> {
  const at = loopback(second);
  const design = exampleSite();
  const members = new Map<string, Member>();
  for (const { name, ip } of design.nodes) members.set(name, await startMember(name, ip[0]!, at));
  await startBalancer(design, stage, at);
  await vi.waitFor(async () => expect(await ask(API, at)).not.toBeNull(), { timeout: 10_000, interval: 50 });
  return { at, members };
}

describe('haproxy', () => {
  testWith('haproxy')('accepts every stage, on every system and for both families', async () => {
    const { services, nodes, endpoints } = exampleSite();
    const six = {
      nodes: nodes.map((node, index) => ({ ...node, ip: [`2001:db8::${index + 1}`] })),
      endpoints: { ...endpoints, api: ['2001:db8::111'], apiInt: ['2001:db8::110'], ingress: ['2001:db8::111'] },
    };
    const dir = mkdtempSync(join(tmpdir(), 'haproxy-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    for (const os of ['rhel8', 'rhel9', 'rhel10', 'debian'] as const) {
      const servers = [{ name: 'lb1', ip: ['172.16.0.112'], os }];
      const changes = { services: { ...services, loadBalancer: { kind: 'haproxy' as const, servers } } };
      for (const stage of STAGES) {
        for (const design of [exampleSite(changes), exampleSite({ ...changes, ...six })]) {
          // Accounts and directories are those of the system it is made for, not of the one that tests it.
          const text = generated(design, FILE, stage).replace(/^ +(?:user|group|chroot) .*\n/gm, '');
          writeFileSync(join(dir, 'haproxy.cfg'), text);
          const { exitCode, all } = await execa(requireProgram('haproxy'), ['-c', '-f', join(dir, 'haproxy.cfg')], {
            all: true,
            reject: false,
          });
          expect({ exitCode, all }, `${os} ${stage}`).toEqual({ exitCode: 0, all: 'Configuration file is valid' });
        }
      }
    }
  });

  const control = ['m1', 'm2', 'm3'];
  const workers = ['w1', 'w2', 'w3'];
  const infra = ['i1', 'i2', 'i3'];
  const routers: Record<Stage, string[]> = {
    install: workers,
    'bootstrap-removed': workers,
    'infra-added': [...infra, ...workers],
    'infra-only': infra,
  };
  for (const [index, stage] of STAGES.entries()) {
    testWith('haproxy')(`carries traffic to the members of ${stage}, and to nobody else`, async () => {
      const { at } = await site(81 + index, stage);
      expect(await everybody(API, at)).toEqual(control);
      expect(await everybody(API_INT, at)).toEqual(control);
      expect(await everybody(MACHINE_CONFIG, at)).toEqual(control);
      expect(await everybody(INGRESS, at)).toEqual(routers[stage]);
      expect(await everybody([INGRESS[0], 80], at)).toEqual(routers[stage]);
      // Machine configurations are not handed out on the address that people use.
      expect(await ask([API[0], 22623], at)).toBeNull();
    });
  }

  testWith('haproxy')('the bootstrap node serves while no control plane node does, and again never after', async () => {
    const { at, members } = await site(86, 'install');
    for (const name of control) members.get(name)!.isReady = false;
    await vi.waitFor(async () => expect(await everybody(API, at)).toEqual(['bs']), { timeout: 10_000 });
    // Its machine config server still listens: only the API left.
    expect(await everybody(MACHINE_CONFIG, at)).toEqual(control);
    members.get('m2')!.isReady = true;
    await vi.waitFor(async () => expect(await everybody(API, at)).toEqual(['m2']), { timeout: 10_000 });
  });

  testWith('haproxy')('a member that stops is left out, on every port', async () => {
    const { at, members } = await site(87, 'bootstrap-removed');
    await members.get('m3')!.stop();
    await members.get('w1')!.stop();
    const still = async () => [
      await everybody(API, at),
      await everybody(MACHINE_CONFIG, at),
      await everybody(INGRESS, at),
    ];
    await vi.waitFor(
      async () =>
        expect(await still()).toEqual([
          ['m1', 'm2'],
          ['m1', 'm2'],
          ['w2', 'w3'],
        ]),
      { timeout: 20_000 },
    );
  });
});

testWith('keepalived')('keepalived accepts its configuration', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'keepalived-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const { services } = exampleSite();
  const servers = [...services.loadBalancer.servers, { name: 'lb2', ip: ['172.16.0.113'], os: 'debian' as const }];
  const two = exampleSite({ services: { ...services, loadBalancer: { kind: 'haproxy', servers } } });
  for (const [design, host] of [
    [exampleSite(), 'lb1'],
    [two, 'lb1'],
    [two, 'lb2'],
  ] as const) {
    writeFileSync(join(dir, 'keepalived.conf'), generated(design, `${host}/etc/keepalived/keepalived.conf`));
    const { exitCode, all } = await execa(requireProgram('keepalived'), ['-t', '-f', join(dir, 'keepalived.conf')], {
      all: true,
      reject: false,
    });
    expect({ exitCode, all }).toMatchObject({ exitCode: 0 });
    // The only thing amiss is the file that install.sh writes on the host.
    expect(all.split('\n').filter((line) => !line.includes('upi-wizard-interface.conf'))).toEqual([]);
  }
});
