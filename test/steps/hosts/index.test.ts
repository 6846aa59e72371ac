// The services are queried over the network: a small name server and small load balancers on loopback.

import { createSocket } from 'node:dgram';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { decode, encode } from 'dns-packet';
import { afterEach, expect, test } from 'vitest';
import type { Finding } from '../../../src/checks/check.ts';
import { getApiIntName, getApiName, getNodeFqdn } from '../../../src/design/derived-facts.ts';
import { HOUR } from '../../../src/platform/clock.ts';
import type { StepContext } from '../../../src/steps/contract.ts';
import { generateStep } from '../../../src/steps/generate.ts';
import { type HostsView, hostsStep, probeLocalFiles } from '../../../src/steps/hosts/index.ts';
import { applyStage } from '../../../src/steps/shared/hosts/load-balancer.ts';
import { exampleSite } from '../../support/example-design.ts';
import { createFrozenClock } from '../../support/frozen-clock.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

const closeFunctions: (() => void)[] = [];
let fixture: StepFixture;
afterEach(async () => {
  for (const close of closeFunctions.splice(0)) close();
  await fixture.remove();
});

const design = exampleSite();

/** Returns every record of the design, as `type name` -> data. */
function designRecords(): Map<string, string> {
  const records = new Map<string, string>([
    [`A ${getApiName(design)}`, '172.16.0.111'],
    [`A ${getApiIntName(design)}`, '172.16.0.110'],
    ['A test.apps.ocp45.example.localdomain', '172.16.0.111'],
  ]);
  for (const node of design.nodes) {
    const [address = ''] = node.ip;
    records.set(`A ${getNodeFqdn(design, node)}`, address);
    records.set(`PTR ${address.split('.').reverse().join('.')}.in-addr.arpa`, getNodeFqdn(design, node));
  }
  return records;
}

async function startNameServer(records: ReadonlyMap<string, string>): Promise<number> {
  const socket = createSocket('udp4');
  closeFunctions.push(() => socket.close());
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

/** Starts a load balancer without members: it accepts and closes. */
async function startBalancer(): Promise<number> {
  const server: Server = createServer((socket) => socket.end());
  closeFunctions.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Starts a node that serves a port: it keeps its connections. */
async function startNode(): Promise<number> {
  const server: Server = createServer(() => undefined);
  closeFunctions.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const listExternalChecks = ({ externalServices }: HostsView) => externalServices.flatMap(({ checks }) => checks);
const listChecks = (view: HostsView) => [...view.hosts.flatMap(({ checks }) => checks), ...listExternalChecks(view)];

async function setUp(
  records: ReadonlyMap<string, string>,
  closed: readonly string[] = [],
  options: { readonly isManual?: boolean; readonly design?: typeof design } = {},
) {
  const [dns, open] = [await startNameServer(records), await startBalancer()];
  fixture = createStepFixture({
    design,
    clock: createFrozenClock(),
    ...options,
    // Port 1 of loopback: nothing listens there.
    resolveEndpoint: (host, port) => ({
      host: '127.0.0.1',
      port: port === 53 ? dns : closed.includes(`${host}:${port}`) ? 1 : open,
    }),
  });
  return fixture.context;
}

test('names, reverse names and ports as designed: done, however the files were put in place', async () => {
  const probe = await hostsStep.probe(await setUp(designRecords()));
  expect(probe).toMatchObject({ state: 'done', findings: [] });
  const checks = listChecks(probe.view);
  expect(checks.filter(({ kind }) => kind === 'dns')).toHaveLength(13);
  expect(checks.filter(({ kind }) => kind === 'reverse')).toHaveLength(10);
  expect(checks.filter(({ kind }) => kind === 'port').map(({ queryText }) => queryText)).toEqual([
    ...['172.16.0.111:6443', '172.16.0.110:6443', '172.16.0.110:22623', '172.16.0.111:443', '172.16.0.111:80'],
  ]);
});

test('a name with addresses of both families is queried for both', async () => {
  const [m1, ...others] = design.nodes;
  if (!m1) throw new Error('no node');
  const dual = { ...design, nodes: [{ ...m1, ip: [...m1.ip, 'fd00::21'] }, ...others] };
  const name = getNodeFqdn(design, m1);
  const records = designRecords();
  const probeChecks = async () =>
    listChecks((await hostsStep.probe(await setUp(records, [], { design: dual }))).view)
      .filter(({ queryText }) => queryText === name || queryText === 'fd00::21')
      .map(({ kind, isOk }) => `${kind} ${isOk}`);
  expect(await probeChecks()).toEqual(['dns true', 'dns false', 'reverse false']);
  await fixture.remove();
  records.set(`AAAA ${name}`, 'fd00::21');
  records.set(`PTR ${'1.2.0.0'}${'.0'.repeat(24)}.0.0.d.f.ip6.arpa`, name);
  expect(await probeChecks()).toEqual(['dns true', 'dns true', 'reverse true']);
});

test('an external load balancer that refuses may have no member yet; ours always accepts, so a refusal is a failure', async () => {
  const { services } = design;
  const external = { ...design, services: { ...services, loadBalancer: { kind: 'external', servers: [] } as const } };
  const refused = ['172.16.0.110:22623', '172.16.0.111:443'];
  const probePorts = async (variant: typeof design) => {
    const { view } = await hostsStep.probe(await setUp(designRecords(), refused, { design: variant }));
    await fixture.remove();
    return listChecks(view).filter(({ kind, queryText }) => kind === 'port' && refused.includes(queryText));
  };
  expect((await probePorts(design)).map(({ isOk }) => isOk)).toEqual([false, false]);
  const detail = 'refused: some load balancers refuse until a member is up';
  expect(await probePorts(external)).toEqual([
    expect.objectContaining({ isOk: true, detail }),
    expect.objectContaining({ isOk: true, detail }),
  ]);
});

test('a port that a node serves and the load balancer closes is wrong, and no sign of changed files', async () => {
  const context = await setUp(designRecords());
  await hostsStep.apply(context, () => undefined);
  const [node, bootstrap] = [await startNode(), design.nodes.find(({ role }) => role === 'bootstrap')];
  const later = {
    ...context,
    clock: createFrozenClock(() => context.clock.now() + HOUR),
    resolveEndpoint: (host: string, port: number) =>
      host === bootstrap?.ip[0] && port === 22623
        ? { host: '127.0.0.1', port: node }
        : context.resolveEndpoint(host, port),
  };
  const { state, view, findings } = await hostsStep.probe(later);
  expect(state).toBe('waiting');
  expect(findings.map(({ subject, cause }) => [subject, cause])).toEqual([
    [
      '172.16.0.110:22623',
      `accepts connections and closes them at once, although ${bootstrap?.name} answers on this port`,
    ],
  ]);
  expect(listStates(view)).toContain('lb1 wrong');
});

test('before any file is put in place the step is needed, without findings', async () => {
  const probe = await hostsStep.probe(await setUp(new Map()));
  expect(probe).toMatchObject({ state: 'needed', summary: 'to be set up: ns1, lb1, bastion', findings: [] });
});

test('a wrong address, a missing reverse name and a closed port are each reported with the expected value', async () => {
  const records = designRecords();
  records.set('A m1.ocp45.example.localdomain', '172.16.0.99');
  records.delete('PTR 31.0.16.172.in-addr.arpa');
  const context = await setUp(records, ['172.16.0.110:22623']);
  await hostsStep.apply(context, () => undefined);
  const probe = await hostsStep.probe(context);
  expect(probe.state).toBe('waiting');
  expect(
    listChecks(probe.view)
      .filter(({ isOk }) => !isOk)
      .map(({ queryText }) => queryText),
  ).toEqual(['m1.ocp45.example.localdomain', '172.16.0.31', '172.16.0.110:22623']);
  const [name, reverse, port] = probe.findings;
  expect(name?.cause).toBe('172.16.0.99 (expected 172.16.0.21)');
  expect(reverse?.cause).toMatch(/^\S.* \(expected w1\.ocp45\.example\.localdomain\)$/);
  expect(port?.code).toBe('service-port');
  expect(name?.remedy).toMatch(/^Press H on Hosts, or run: `\S+ hosts apply --host ns1 --dir \S+`/);
  expect(probe.findings.map(({ remedy }) => remedy).join('\n')).not.toMatch(/install\.sh|ssh /);
  const real = { ...context, manualActions: { ...context.manualActions, canInstallHostFiles: false } };
  const [realName, , realPort] = (await hostsStep.probe(real)).findings;
  expect(realName?.remedy).toContain('`ssh -t 172.16.0.102 sudo journalctl -u named -n 20`');
  expect(realPort?.remedy).toContain('`ssh -t 172.16.0.112 sudo journalctl -u haproxy -n 20`');
});

test('files go to the name server first, then the load balancer, then the bastion', async () => {
  const context = await setUp(designRecords());
  await hostsStep.apply(context, () => undefined);
  expect(fixture.calls).toEqual(['put ns1', 'put lb1', 'put bastion']);
  await hostsStep.apply(context, () => undefined);
  expect(fixture.calls).toHaveLength(3);
});

/** Generates the files of the design, as the generate step writes them. */
async function generateFiles(context: StepContext): Promise<void> {
  await generateStep.apply(context, () => undefined);
}

test('regenerated files are put in place again, only on the hosts that they are for', async () => {
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
    summary: 'files generated again since they were put in place: ns1, bastion',
    findings: [],
  });
  expect((await hostsStep.plan(corrected, probe)).changes.map(({ object }) => object)).toEqual(['ns1', 'bastion']);
  await hostsStep.apply(corrected, () => undefined);
  expect(fixture.calls.slice(3)).toEqual(['put ns1', 'put bastion']);
  expect(await hostsStep.probe(corrected)).toMatchObject({ state: 'done' });
});

test('a host to set up again is named with the check that fails', async () => {
  const records = designRecords();
  let now = Date.now();
  const context = { ...(await setUp(records)), clock: createFrozenClock(() => now) };
  await generateFiles(context);
  await hostsStep.apply(context, () => undefined);
  records.delete(`A ${getApiIntName(design)}`);
  now += HOUR;
  expect(await hostsStep.probe(context)).toMatchObject({
    state: 'needed',
    summary:
      'set up before, and now to be set up again, since a check fails: ns1: 172.16.0.102 reports that api-int.ocp45.example.localdomain does not exist (expected 172.16.0.110)',
  });
});

test('files put in place by hand before the wizard asked count as put, until they are regenerated', async () => {
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

test('a host whose file is not the generated one does not count as it should, although its services answer', async () => {
  const context = await setUp(designRecords());
  await generateFiles(context);
  await hostsStep.apply(context, () => undefined);
  const path = '/etc/haproxy/haproxy.cfg';
  const generated = readFileSync(join(fixture.dir, 'files/lb1', path), 'utf8');
  fixture.hostFiles[`lb1:${path}`] = `# edited: ${generated}`;
  const same = await hostsStep.probe(context);
  expect(listStates(same.view), 'comments have no effect').toContain('lb1 answers');
  fixture.hostFiles[`lb1:${path}`] = generated.replace(/^ *server m1 .*\n/m, '');
  const probe = await hostsStep.probe(context);
  expect(listStates(probe.view)).toEqual(['ns1 answers', 'lb1 changed', 'bastion found']);
  expect(probe).toMatchObject({ state: 'done', summary: expect.stringContaining('lb1'), hasWarning: true });
  expect(probe.view.hosts.map(({ changedFiles }) => changedFiles)).toEqual([[], [path], []]);
  expect(same.findings).toEqual([]);
  expect(probe.findings).toMatchObject([
    {
      severity: 'note',
      title: `lb1 ${path}: its file is not as generated`,
      cause: expect.stringMatching(/^1 line differs, from line \d+; generated: "server m1 /),
    },
  ]);
});

test('a script that is not the generated one, and a failed check of DHCP or TFTP, take the tick', async () => {
  const context = await setUp(designRecords());
  await generateFiles(context);
  await hostsStep.apply(context, () => undefined);
  const finding = {
    code: 'tftp',
    state: 'failed',
    severity: 'warning',
    subject: null,
    title: 't',
    cause: '',
    remedy: '',
  };
  const results = new Map([['bastion', [finding as Finding]]]);
  context.probeCache.bootServiceChecks = { at: context.clock.now(), results };
  const failing = await hostsStep.probe(context);
  expect(listStates(failing.view)).toEqual(['ns1 answers', 'lb1 answers', 'bastion wrong']);
  expect(failing).toMatchObject({
    state: 'done',
    summary: 'names and load balancer answer as designed, but a check of DHCP or TFTP fails: bastion',
    hasWarning: true,
    findings: [finding],
  });
  context.probeCache.bootServiceChecks = null;
  expect((await hostsStep.probe(context)).summary).toMatch(/; DHCP and TFTP show no fault from here$/);
  const path = '/root/upi-wizard/firewall.sh';
  const generated = readFileSync(join(fixture.dir, 'files/bastion', path), 'utf8');
  fixture.hostFiles[`bastion:${path}`] = generated;
  expect((await hostsStep.probe(context)).findings).toEqual([]);
  fixture.hostFiles[`bastion:${path}`] = generated.replace(/^ *"udp 69 .*\n/m, '');
  const changed = await hostsStep.probe(context);
  expect(listStates(changed.view)).toEqual(['ns1 answers', 'lb1 answers', 'bastion changed']);
  expect(changed.findings).toMatchObject([
    { title: `bastion ${path}: its file is not as generated`, cause: 'it differs from the generated file' },
  ]);
});

test('a host with a service that does not run has no tick, although its services answer; what was not looked at is said', async () => {
  const context = await setUp(designRecords());
  await generateFiles(context);
  await hostsStep.apply(context, () => undefined);
  const unknown = await hostsStep.probe(context);
  expect(unknown.view.hosts.map(({ services }) => services)).toEqual([null, null, null]);
  expect(unknown.view.hosts[1]?.verifyCommand).toBe(`upi-wizard hosts verify --host lb1 --dir ${context.dir}`);
  const units = [
    { name: 'chronyd', isActive: false },
    { name: 'haproxy', isActive: true },
  ];
  context.probeCache.hostUnits.set('lb1', { at: 0, units });
  const probe = await hostsStep.probe(context);
  expect(listStates(probe.view)).toEqual(['ns1 answers', 'lb1 stopped', 'bastion found']);
  expect(probe).toMatchObject({ state: 'done', summary: expect.stringContaining('lb1'), hasWarning: true });
});

test('services that were looked at before the files were put in place are not looked at', async () => {
  const context = await setUp(designRecords());
  await generateFiles(context);
  context.probeCache.hostUnits.set('ns1', { at: 0, units: [{ name: 'named', isActive: false }] });
  await hostsStep.apply(context, () => undefined);
  const { view, hasWarning } = await hostsStep.probe(context);
  expect([view.hosts[0]?.services, view.hosts[0]?.state, hasWarning]).toEqual([null, 'answers', undefined]);
});

test('a file that this host had before it is set up is none of ours', async () => {
  const context = await setUp(new Map(), ['172.16.0.110:22623']);
  await generateFiles(context);
  fixture.hostFiles['lb1:/etc/haproxy/haproxy.cfg'] = 'defaults\n  mode http\n';
  const cached = { at: 0, text: Promise.resolve('defaults') };
  context.probeCache.hostOutputs.set('lb1 cat /etc/haproxy/haproxy.cfg', cached);
  const { view } = await hostsStep.probe(context);
  expect(listStates(view)).toContain('lb1 not-set-up');
  expect(view.hosts.map(({ isSetUp }) => isSetUp)).toEqual([false, false, false]);
  await hostsStep.apply(context, () => undefined);
  expect([...context.probeCache.hostOutputs.keys()], 'what was read before is out of date').toEqual([]);
  expect((await hostsStep.probe(context)).view.hosts.map(({ isSetUp }) => isSetUp)).toEqual([true, true, true]);
  // Its record is deleted when it answers wrongly for long: it was set up before.
  const later = { ...context, clock: createFrozenClock(() => context.clock.now() + HOUR) };
  const laterProbe = await hostsStep.probe(later);
  expect(listStates(laterProbe.view)).toContain('lb1 changed');
  expect(laterProbe.summary, 'it is no new host').toMatch(/set up again.*lb1/);
});

test('with an external name server and load balancer only the bastion gets files', async () => {
  const { services } = design;
  fixture = createStepFixture({
    isManual: true,
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
  const probe = { state: 'needed' as const, summary: '', view: { hosts: [], externalServices: [] }, findings: [] };
  const plan = await hostsStep.plan(fixture.context, probe);
  expect(plan.changes.map(({ object }) => object)).toEqual(['bastion']);
  expect(plan.instructions).toEqual([
    expect.stringMatching(/^bastion /),
    expect.stringMatching(/^ {2}sudo bash .*install\.sh$/),
  ]);
});

const listStates = ({ hosts }: HostsView) => hosts.map(({ name, state }) => `${name} ${state}`);

test('manual setup shows for each host whether it answers, and the commands to type', async () => {
  const context = await setUp(new Map(), ['172.16.0.110:22623'], { isManual: true });
  await generateFiles(context);
  const before = await hostsStep.probe(context);
  expect(before).toMatchObject({ state: 'needed', summary: 'to be set up: ns1, lb1, bastion' });
  expect(listStates(before.view)).toEqual(['ns1 not-set-up', 'lb1 not-set-up', 'bastion not-set-up']);
  expect(before.view.hosts.map(({ canCopy }) => canCopy)).toEqual([true, true, false]);
  const files = join(fixture.dir, 'files');
  expect(before.view.hosts.map(({ commands }) => commands)).toEqual([
    [`scp -r ${join(files, 'ns1')} root@172.16.0.102:`, 'ssh root@172.16.0.102 bash ns1/root/upi-wizard/install.sh'],
    [`scp -r ${join(files, 'lb1')} root@172.16.0.112:`, 'ssh root@172.16.0.112 bash lb1/root/upi-wizard/install.sh'],
    [`sudo bash ${join(files, 'bastion')}/root/upi-wizard/install.sh`],
  ]);
  await hostsStep.apply(context, () => undefined);
  const after = await hostsStep.probe(context);
  expect(after.state).toBe('waiting');
  // Whether the files of this machine are readable or not: none were put in place.
  expect(listStates(after.view)).toEqual([
    'ns1 wrong',
    'lb1 wrong',
    expect.stringMatching(/^bastion (?:confirmed|files-missing)$/),
  ]);
});

test('hosts without a route from this machine are reported as such, and not as services that are down', async () => {
  fixture = createStepFixture({
    design,
    clock: createFrozenClock(),
    isManual: true,
    // The kernel has no route for such an address.
    resolveEndpoint: (_, port) => ({ host: '255.255.255.255', port }),
  });
  const { context } = fixture;
  await generateFiles(context);
  await hostsStep.apply(context, () => undefined);
  const { state, summary, view, findings, overridableChecks = [] } = await hostsStep.probe(context);
  expect([state, summary]).toEqual(['waiting', 'this machine cannot send to ns1']);
  expect(listStates(view)).toEqual(['ns1 no-route', 'lb1 no-route', expect.stringMatching(/^bastion /)]);
  // UDP and TCP fail here for different reasons; the endpoints share one.
  expect(findings.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
    'service-unsent 172.16.0.102',
    'service-unsent 172.16.0.111, 172.16.0.110',
  ]);
  expect(view.hosts[0]?.checks.map(({ queryText, detail }) => [queryText, detail])).toEqual([
    ['ns1', expect.not.stringMatching(/cannot send|172/)],
  ]);
  // You can override it if you know that the hosts are set up.
  expect(overridableChecks).toHaveLength(3);
});

test('a host that cannot be probed is done when the user confirms it, and not before', async () => {
  const context = await setUp(designRecords(), [], { isManual: true });
  await generateFiles(context);
  const probe = await hostsStep.probe(context);
  expect(probe).toMatchObject({ state: 'needed', summary: 'to be set up: bastion' });
  expect(listStates(probe.view)).toEqual(['ns1 answers', 'lb1 answers', 'bastion not-set-up']);
  await hostsStep.apply(context, () => undefined);
  expect(await hostsStep.probe(context)).toMatchObject({ state: 'done' });
});

test('services that answer do not prove the files of a simulated bastion that has none yet', async () => {
  const context = { ...(await setUp(designRecords())), hostsDir: join(fixture.dir, 'hosts') };
  await generateFiles(context);
  for (const round of [1, 2]) {
    const probe = await hostsStep.probe(context);
    expect(probe, `probe ${round}`).toMatchObject({ state: 'needed', summary: 'to be set up: bastion' });
    expect(listStates(probe.view)).toEqual(['ns1 answers', 'lb1 answers', 'bastion not-set-up']);
  }
  cpSync(join(fixture.dir, 'files', 'bastion'), join(context.hostsDir, 'bastion'), { recursive: true });
  expect(await hostsStep.probe(context)).toMatchObject({ state: 'done' });
});

test('the files of the bastion are compared at their destination', async () => {
  const context = await setUp(new Map(), [], { isManual: true });
  const root = join(fixture.dir, 'root');
  expect(await probeLocalFiles(context, root)).toBe('unknown');
  await generateFiles(context);
  expect(await probeLocalFiles(context, root)).toBe('absent');
  cpSync(join(fixture.dir, 'files', 'bastion'), root, { recursive: true });
  expect(await probeLocalFiles(context, root)).toBe('present');
  writeFileSync(join(root, 'root/upi-wizard/install.sh'), 'changed');
  expect(await probeLocalFiles(context, root)).toBe('unknown');
});

test('an install directory with a blank in its name is quoted', async () => {
  const context = await setUp(new Map(), [], { isManual: true });
  const { view } = await hostsStep.probe({ ...context, dir: "/home/a b/it's" });
  expect(view.hosts[0]?.commands[0]).toBe("scp -r '/home/a b/it'\\''s/files/ns1' root@172.16.0.102:");
});

test('the checks of an external load balancer are shown under no host', async () => {
  const context = await setUp(designRecords());
  const { services } = design;
  const loadBalancer = { ...services.loadBalancer, kind: 'external' as const, servers: [] };
  const { view } = await hostsStep.probe({
    ...context,
    design: { ...design, services: { ...services, loadBalancer } },
  });
  expect(view.externalServices.map(({ role }) => role)).toEqual(['LB']);
  expect(listExternalChecks(view).map(({ queryText }) => queryText)).toContain('172.16.0.111:6443');
});

test('external name servers are queried for each record, and are shown under no host', async () => {
  const { services } = design;
  const dns = { ...services.dns, kind: 'external' as const, servers: [], forwarders: ['192.168.124.1'] };
  const external = { ...design, services: { ...services, dns } };
  const answered = await hostsStep.probe(await setUp(designRecords(), [], { design: external }));
  expect(answered.state).toBe('done');
  expect(answered.view.externalServices).toMatchObject([{ role: 'DNS', addresses: ['192.168.124.1'] }]);
  const queried = listExternalChecks(answered.view).filter(({ kind }) => kind === 'dns');
  expect(queried).toHaveLength(13);
  expect(new Set(queried.map(({ server }) => server))).toEqual(new Set(['192.168.124.1']));
  await fixture.remove();
  // The server has none of the records yet.
  const context = await setUp(new Map(), [], { design: external });
  await hostsStep.apply(context, () => undefined);
  const { state, findings } = await hostsStep.probe(context);
  expect(state).toBe('waiting');
  expect(findings[0]).toMatchObject({ code: 'service-dns', subject: 'api.ocp45.example.localdomain' });
  expect(findings[0]?.remedy).toContain('dns-records.csv');
});
