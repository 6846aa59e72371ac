// The services are asked over the wire: a small name server and small load balancers on loopback.

import { createSocket } from 'node:dgram';
import { cpSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { decode, encode } from 'dns-packet';
import { afterEach, expect, test } from 'vitest';
import { apiIntName, apiName, nodeFqdn } from '../../../src/design/names.ts';
import type { StepContext } from '../../../src/steps/contract.ts';
import { generateStep } from '../../../src/steps/generate/index.ts';
import { seenHere } from '../../../src/steps/hosts/here.ts';
import { type HostsView, hostsStep } from '../../../src/steps/hosts/index.ts';
import { applyStage } from '../../../src/steps/shared/hosts/load-balancer.ts';
import { exampleSite } from '../../support/example-design.ts';
import { standingClock } from '../../support/standing-clock.ts';
import { type StepWorld, stepWorld } from '../../support/step-world.ts';

const closing: (() => void)[] = [];
let world: StepWorld;
afterEach(async () => {
  for (const close of closing.splice(0)) close();
  await world.remove();
});

const design = exampleSite();

/** Every record of the design, as `type name` -> data. */
function designRecords(): Map<string, string> {
  const records = new Map<string, string>([
    [`A ${apiName(design)}`, '172.16.0.111'],
    [`A ${apiIntName(design)}`, '172.16.0.110'],
    ['A test.apps.ocp45.example.localdomain', '172.16.0.111'],
  ]);
  for (const node of design.nodes) {
    const [address = ''] = node.ip;
    records.set(`A ${nodeFqdn(design, node)}`, address);
    records.set(`PTR ${address.split('.').reverse().join('.')}.in-addr.arpa`, nodeFqdn(design, node));
  }
  return records;
}

async function nameServer(records: ReadonlyMap<string, string>): Promise<number> {
  const socket = createSocket('udp4');
  closing.push(() => socket.close());
  socket.on('message', (message, peer) => {
    const { id, questions = [] } = decode(message);
    const [question] = questions;
    const data = question && records.get(`${question.type} ${question.name}`);
    const answers =
      question && data !== undefined ? [{ type: question.type as 'A', name: question.name, ttl: 1, data }] : [];
    const flags = data === undefined ? 3 : 0;
    socket.send(
      encode({ type: 'response', ...(id === undefined ? {} : { id }), flags: flags | 0x0400, questions, answers }),
      peer.port,
      peer.address,
    );
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return socket.address().port;
}

/** A load balancer without members: it accepts and closes. */
async function balancer(): Promise<number> {
  const server: Server = createServer((socket) => socket.end());
  closing.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const askedOf = ({ hosts, others }: HostsView) => [...hosts.flatMap(({ checks }) => checks), ...others];

async function setUp(
  records: ReadonlyMap<string, string>,
  closed: readonly string[] = [],
  options: { readonly isPerson?: boolean; readonly design?: typeof design } = {},
) {
  const [dns, open] = [await nameServer(records), await balancer()];
  world = stepWorld({
    design,
    clock: standingClock(),
    ...options,
    // Port 1 of loopback: nothing listens there.
    reach: (host, port) => ({
      host: '127.0.0.1',
      port: port === 53 ? dns : closed.includes(`${host}:${port}`) ? 1 : open,
    }),
  });
  return world.context;
}

test('names, reverse names and ports as designed: done, whoever put the files in place', async () => {
  const probe = await hostsStep.probe(await setUp(designRecords()));
  expect(probe).toMatchObject({ state: 'done', findings: [] });
  const checks = askedOf(probe.view);
  expect(checks.filter(({ kind }) => kind === 'dns')).toHaveLength(13);
  expect(checks.filter(({ kind }) => kind === 'reverse')).toHaveLength(10);
  expect(checks.filter(({ kind }) => kind === 'port').map(({ what }) => what)).toEqual([
    ...['172.16.0.111:6443', '172.16.0.110:6443', '172.16.0.110:22623', '172.16.0.111:443', '172.16.0.111:80'],
  ]);
});

test('a name with addresses of both families is asked for both', async () => {
  const [m1, ...others] = design.nodes;
  if (!m1) throw new Error('no node');
  const dual = { ...design, nodes: [{ ...m1, ip: [...m1.ip, 'fd00::21'] }, ...others] };
  const name = nodeFqdn(design, m1);
  const records = designRecords();
  const asked = async () =>
    askedOf((await hostsStep.probe(await setUp(records, [], { design: dual }))).view)
      .filter(({ what }) => what === name || what === 'fd00::21')
      .map(({ kind, isOk }) => `${kind} ${isOk}`);
  expect(await asked()).toEqual(['dns true', 'dns false', 'reverse false']);
  await world.remove();
  records.set(`AAAA ${name}`, 'fd00::21');
  records.set(`PTR ${'1.2.0.0'}${'.0'.repeat(24)}.0.0.d.f.ip6.arpa`, name);
  expect(await asked()).toEqual(['dns true', 'dns true', 'reverse true']);
});

test('a load balancer of others that refuses may have no member yet; ours accepts, so it is not there', async () => {
  const { services } = design;
  const external = { ...design, services: { ...services, loadBalancer: { kind: 'external', servers: [] } as const } };
  const refused = ['172.16.0.110:22623', '172.16.0.111:443'];
  const ofPorts = async (of: typeof design) => {
    const { view } = await hostsStep.probe(await setUp(designRecords(), refused, { design: of }));
    await world.remove();
    return askedOf(view).filter(({ kind, what }) => kind === 'port' && refused.includes(what));
  };
  expect((await ofPorts(design)).map(({ isOk }) => isOk)).toEqual([false, false]);
  const detail = 'refused, as some load balancers do until they have a member';
  expect(await ofPorts(external)).toEqual([
    expect.objectContaining({ isOk: true, detail }),
    expect.objectContaining({ isOk: true, detail }),
  ]);
});

test('before anything was put in place it is needed, without blame', async () => {
  const probe = await hostsStep.probe(await setUp(new Map()));
  expect(probe).toMatchObject({ state: 'needed', summary: 'to be set up: ns1, lb1, bastion', findings: [] });
});

test('a wrong address, a missing reverse name and a closed port are each said with what was expected', async () => {
  const records = designRecords();
  records.set('A m1.ocp45.example.localdomain', '172.16.0.99');
  records.delete('PTR 31.0.16.172.in-addr.arpa');
  const context = await setUp(records, ['172.16.0.110:22623']);
  await hostsStep.apply(context, () => undefined);
  const probe = await hostsStep.probe(context);
  expect(probe.state).toBe('waiting');
  expect(
    askedOf(probe.view)
      .filter(({ isOk }) => !isOk)
      .map(({ what }) => what),
  ).toEqual(['m1.ocp45.example.localdomain', '172.16.0.31', '172.16.0.110:22623']);
  const [name, reverse, port] = probe.findings;
  expect(name?.cause).toBe('172.16.0.99 (expected 172.16.0.21)');
  expect(reverse?.cause).toMatch(/^\S.* \(expected w1\.ocp45\.example\.localdomain\)$/);
  expect(port?.code).toBe('service-port');
  expect(port?.whatToDo).toContain('journalctl -u haproxy');
});

test('files go to the name server first, then the load balancer, then the bastion', async () => {
  const context = await setUp(designRecords());
  await hostsStep.apply(context, () => undefined);
  expect(world.done).toEqual(['put ns1', 'put lb1', 'put bastion']);
  await hostsStep.apply(context, () => undefined);
  expect(world.done).toHaveLength(3);
});

/** Generates the files of the design, as the generate step writes them. */
async function generateFiles(context: StepContext): Promise<void> {
  await generateStep.apply(context, () => undefined);
}

test('files that are generated anew are put in place again, on the hosts they are for and nowhere else', async () => {
  const context = await setUp(designRecords());
  await generateFiles(context);
  await hostsStep.apply(context, () => undefined);
  expect(await hostsStep.probe(context)).toMatchObject({ state: 'done' });
  const nodes = design.nodes.map((node) => (node.name === 'w3' ? { ...node, mac: '00:50:56:96:e3:46' } : node));
  const corrected = { ...context, design: { ...design, nodes } };
  await generateFiles(corrected);
  const probe = await hostsStep.probe(corrected);
  expect(probe).toMatchObject({
    state: 'needed',
    summary: 'generated again since they were put in place: ns1, bastion',
    findings: [],
  });
  expect((await hostsStep.plan(corrected, probe)).changes.map(({ object }) => object)).toEqual(['ns1', 'bastion']);
  await hostsStep.apply(corrected, () => undefined);
  expect(world.done.slice(3)).toEqual(['put ns1', 'put bastion']);
  expect(await hostsStep.probe(corrected)).toMatchObject({ state: 'done' });
});

test('files that a person put in place before the wizard asked count as put, until they are generated anew', async () => {
  const context = await setUp(designRecords());
  await generateFiles(context);
  expect(await hostsStep.probe(context)).toMatchObject({ state: 'done' });
  const nodes = design.nodes.map((node) => (node.name === 'w3' ? { ...node, mac: '00:50:56:96:e3:46' } : node));
  await generateFiles({ ...context, design: { ...design, nodes } });
  expect(await hostsStep.probe(context)).toMatchObject({ state: 'needed' });
});

test('a balancer that was put in place with a later stage is up to date', async () => {
  const context = await setUp(designRecords());
  await generateFiles(context);
  await hostsStep.apply(context, () => undefined);
  await applyStage(context, 'bootstrap-removed', () => undefined);
  expect(await hostsStep.probe(context)).toMatchObject({ state: 'done' });
});

test('with an external name server and load balancer only the bastion gets files', async () => {
  const { services } = design;
  world = stepWorld({
    isPerson: true,
    design: {
      ...design,
      services: {
        ...services,
        dns: { ...services.dns, kind: 'external', servers: [] },
        dhcp: { ...services.dhcp, kind: 'none', server: null },
        loadBalancer: { ...services.loadBalancer, kind: 'external', servers: [] },
      },
    },
  });
  const probe = { state: 'needed' as const, summary: '', view: { hosts: [], others: [] }, findings: [] };
  const plan = await hostsStep.plan(world.context, probe);
  expect(plan.changes.map(({ object }) => object)).toEqual(['bastion']);
  expect(plan.instructions).toEqual([
    expect.stringMatching(/^bastion /),
    expect.stringMatching(/^ {2}sudo bash .*install\.sh$/),
  ]);
});

const states = ({ hosts }: HostsView) => hosts.map(({ name, state }) => `${name} ${state}`);

test('a person sees for each host whether it answers, and what to type for it', async () => {
  const context = await setUp(new Map(), ['172.16.0.110:22623'], { isPerson: true });
  await generateFiles(context);
  const before = await hostsStep.probe(context);
  expect(before).toMatchObject({ state: 'needed', summary: 'to be set up: ns1, lb1, bastion' });
  expect(states(before.view)).toEqual(['ns1 open', 'lb1 open', 'bastion open']);
  expect(before.view.hosts.map(({ canCopy }) => canCopy)).toEqual([true, true, false]);
  const files = join(world.dir, 'files');
  expect(before.view.hosts.map(({ commands }) => commands)).toEqual([
    [`scp -r ${join(files, 'ns1')} root@172.16.0.102:`, 'ssh root@172.16.0.102 bash ns1/root/upi-wizard/install.sh'],
    [`scp -r ${join(files, 'lb1')} root@172.16.0.112:`, 'ssh root@172.16.0.112 bash lb1/root/upi-wizard/install.sh'],
    [`sudo bash ${join(files, 'bastion')}/root/upi-wizard/install.sh`],
  ]);
  await hostsStep.apply(context, () => undefined);
  const after = await hostsStep.probe(context);
  expect(after.state).toBe('waiting');
  // Whether this machine lets us see its files or not: nobody put any there.
  expect(states(after.view)).toEqual(['ns1 wrong', 'lb1 wrong', expect.stringMatching(/^bastion (?:said|unfound)$/)]);
});

test('hosts that nothing leaves this machine for are told as that, and not as services that are down', async () => {
  world = stepWorld({
    design,
    clock: standingClock(),
    isPerson: true,
    // The kernel has no route for such an address.
    reach: (_, port) => ({ host: '255.255.255.255', port }),
  });
  const { context } = world;
  await generateFiles(context);
  await hostsStep.apply(context, () => undefined);
  const { state, summary, view, findings, overridable = [] } = await hostsStep.probe(context);
  expect([state, summary]).toEqual(['waiting', 'this machine has no way to ns1']);
  expect(states(view)).toEqual(['ns1 unreached', 'lb1 unreached', expect.stringMatching(/^bastion /)]);
  expect(findings.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
    'service-unsent 172.16.0.102',
    'service-unsent 172.16.0.111',
    'service-unsent 172.16.0.110',
  ]);
  // Whoever knows that they are set up goes past it.
  expect(overridable).toHaveLength(3);
});

test('a host that cannot be asked is done when the person says so, and not before', async () => {
  const context = await setUp(designRecords(), [], { isPerson: true });
  await generateFiles(context);
  const probe = await hostsStep.probe(context);
  expect(probe).toMatchObject({ state: 'needed', summary: 'to be set up: bastion' });
  expect(states(probe.view)).toEqual(['ns1 answers', 'lb1 answers', 'bastion open']);
  await hostsStep.apply(context, () => undefined);
  expect(await hostsStep.probe(context)).toMatchObject({ state: 'done' });
});

test('the files of the bastion are looked at where they belong', async () => {
  const context = await setUp(new Map(), [], { isPerson: true });
  const root = join(world.dir, 'root');
  expect(await seenHere(context, root)).toBe('unknown');
  await generateFiles(context);
  expect(await seenHere(context, root)).toBe('absent');
  cpSync(join(world.dir, 'files', 'bastion'), root, { recursive: true });
  expect(await seenHere(context, root)).toBe('there');
  writeFileSync(join(root, 'root/upi-wizard/install.sh'), 'changed');
  expect(await seenHere(context, root)).toBe('unknown');
});

test('an install directory with a blank in its name is quoted', async () => {
  const context = await setUp(new Map(), [], { isPerson: true });
  const { view } = await hostsStep.probe({ ...context, dir: "/home/a b/it's" });
  expect(view.hosts[0]?.commands[0]).toBe("scp -r '/home/a b/it'\\''s/files/ns1' root@172.16.0.102:");
});

test('what an external load balancer answers is shown under the name of no host', async () => {
  const context = await setUp(designRecords());
  const { services } = design;
  const loadBalancer = { ...services.loadBalancer, kind: 'external' as const, servers: [] };
  const { view } = await hostsStep.probe({
    ...context,
    design: { ...design, services: { ...services, loadBalancer } },
  });
  expect(view.others.map(({ what }) => what)).toContain('172.16.0.111:6443');
});
