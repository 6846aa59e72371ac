import { spawn } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished } from 'vitest';
import { listAddressRecords, listPointerRecords } from '../../src/artifacts/dns/records.ts';
import { generateFiles } from '../../src/artifacts/generate.ts';
import type { Design, ServiceHost } from '../../src/design/model.ts';
import { eventually } from '../support/eventually.ts';
import { exampleCredentials, exampleImages, exampleSite } from '../support/example-design.ts';
import { findFreePort } from '../support/free-port.ts';
import { requireProgram, testWith } from '../support/programs.ts';

// named listens only on addresses of an interface, and loopback has this one: servers differ by port.
const ADDRESS = '127.0.0.1';

/** Creates a design with two families, a small and a large machine network, and a second name server. */
function createMixedSite(): Design {
  const { networks, nodes, services } = exampleSite();
  const machine = [
    { cidr: '172.16.0.0/24', gateway: '172.16.0.254' },
    { cidr: '10.20.4.0/22', gateway: '10.20.4.1' },
    { cidr: '2001:db8:0:10::/61', gateway: null },
  ];
  const extra = [
    { ...nodes[4]!, name: 'far', ip: ['10.20.7.9'], mac: '00:50:56:96:00:01' },
    { ...nodes[4]!, name: 'six', ip: ['172.16.0.77', '2001:db8:0:13::77'], mac: '00:50:56:96:00:02' },
  ];
  const servers: ServiceHost[] = [...services.dns.servers, { name: 'ns2', ip: ['172.16.0.103'], os: 'debian' }];
  return exampleSite({
    networks: { ...networks, machine },
    nodes: [...nodes, ...extra],
    services: { ...services, dns: { ...services.dns, servers } },
  });
}

/** Writes a host's files to a directory. In named.conf only the listen addresses and the paths change. */
function writeNamedFiles(design: Design, host: string, port: number, primaryPort = port) {
  const root = mkdtempSync(join(tmpdir(), 'named-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const input = { design, stage: 'install', credentials: exampleCredentials, images: exampleImages } as const;
  const files = generateFiles({ ...input, previous: null }).files.filter((file) => file.host === host);
  for (const { path, content, kind } of files) {
    if (kind === 'bind-zone') writeFileSync(join(root, basename(path)), content);
  }
  mkdirSync(join(root, 'slaves'));
  const conf = files.find(({ kind }) => kind === 'bind-conf')!;
  const localConf = conf.content
    .replace(/directory ".*";/, `directory "${root}";\n    pid-file "${root}/named.pid";\n    session-keyfile none;`)
    .replace(/listen-on port 53 .*/, `listen-on port ${port} { ${ADDRESS}; };`)
    .replace(/listen-on-v6 .*/, 'listen-on-v6 { none; };')
    .replace(/also-notify .*/, '')
    .replace(/primaries \{.*?\};/g, `primaries { ${ADDRESS} port ${primaryPort}; };`)
    .replace(/allow-transfer \{ 172.*?\};/g, 'allow-transfer { any; };');
  const file = join(root, basename(conf.path));
  writeFileSync(file, `controls { };\n${localConf}`);
  return { root, file };
}

/** Starts a name server and waits until it answers, over UDP and TCP alike. */
async function startNamed(createConf: (port: number) => string): Promise<{ resolver: Resolver; port: number }> {
  for (;;) {
    const port = await findFreePort();
    const namedResolver = await tryStartNamed(createConf(port), port);
    if (namedResolver !== null) return { resolver: namedResolver, port };
  }
}

/**
 * Starts named. Null: another program has taken the port meanwhile, and named would run on without TCP and transfer no
 * zone.
 */
async function tryStartNamed(file: string, port: number): Promise<Resolver | null> {
  let log = '';
  const named = spawn(requireProgram('named'), ['-g', '-c', file, '-n', '1'], { stdio: ['ignore', 'ignore', 'pipe'] });
  named.stderr.on('data', (text) => {
    log += text;
  });
  const ended = new Promise((resolve) => named.on('exit', resolve));
  onTestFinished(async () => {
    named.kill('SIGKILL');
    await ended;
  });
  const resolver = new Resolver({ timeout: 1000, tries: 1 });
  resolver.setServers([`${ADDRESS}:${port}`]);
  const isTaken = () => log.includes('address in use');
  await eventually(async () => {
    if (isTaken()) return;
    if (named.exitCode !== null) throw new Error(log);
    expect((await resolver.resolveSoa('example.localdomain')).nsname, log).toBe('ns1.example.localdomain');
  });
  if (!isTaken()) return resolver;
  named.kill('SIGKILL');
  return null;
}

async function expectAllAnswers(resolver: Resolver, design: Design) {
  const records = listAddressRecords(design).flatMap((group) => group.records);
  for (const { name, type, address } of records) {
    const queryName = name.replace('*', 'console-openshift-console');
    expect(await resolver.resolve(queryName, type), queryName).toEqual([address]);
  }
  const pointers = listPointerRecords(design);
  for (const { address } of pointers) {
    const names = pointers.filter((pointer) => pointer.address === address).map(({ name }) => name);
    expect(await resolver.reverse(address), address).toEqual(names);
  }
  return { records: records.length, pointers: pointers.length };
}

testWith('named-checkconf')('named-checkconf -z accepts every name server, of either family of systems', async () => {
  const { services } = exampleSite();
  const debian: ServiceHost = { name: 'ns1', ip: ['172.16.0.102'], os: 'debian' };
  const noForwarders = { kind: 'bind' as const, servers: [debian], forwarders: [] };
  for (const [design, host] of [
    [exampleSite(), 'ns1'],
    [createMixedSite(), 'ns1'],
    [createMixedSite(), 'ns2'],
    [exampleSite({ services: { ...services, dns: noForwarders } }), 'ns1'],
  ] as const) {
    const { file } = writeNamedFiles(design, host, 53);
    const { all, exitCode } = await execa(requireProgram('named-checkconf'), ['-z', file], {
      all: true,
      reject: false,
    });
    expect({ exitCode, all }).toMatchObject({ exitCode: 0 });
    expect(all).not.toMatch(/warning|obsolete|deprecated|not recommended/i);
  }
});

testWith('named')('named answers every record of the documented site, both ways', async () => {
  const design = exampleSite();
  const { resolver } = await startNamed((port) => writeNamedFiles(design, 'ns1', port).file);
  expect(await expectAllAnswers(resolver, design)).toEqual({ records: 16, pointers: 15 });
  await expect(resolver.resolve4('nobody.ocp45.example.localdomain')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  await expect(resolver.reverse('172.16.0.200')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

testWith('named')('several networks and families are answered, by the secondary too', async () => {
  const design = createMixedSite();
  const primary = await startNamed((port) => writeNamedFiles(design, 'ns1', port).file);
  const counts = await expectAllAnswers(primary.resolver, design);
  expect(counts.records).toBe(20);
  const { resolver: secondary } = await startNamed((port) => writeNamedFiles(design, 'ns2', port, primary.port).file);
  await eventually(async () => expect(await expectAllAnswers(secondary, design)).toEqual(counts));
});
