import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Finding } from '../../../src/checks/check.ts';
import { renderExampleDesign } from '../../../src/design/example.ts';
import { parseDesign } from '../../../src/design/parse.ts';
import { MINUTE } from '../../../src/platform/clock.ts';
import { bootStep, listInitialMachines } from '../../../src/steps/boot.ts';
import { listWorkerMachines, recordReboot } from '../../../src/steps/shared/machines/node-facts.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';
import { START } from '../../support/wizard-state.ts';

let fixture: StepFixture;
afterEach(() => fixture.remove());

const request = (client: string, path: string, status = 200) =>
  `${JSON.stringify({ at: START - MINUTE, client, method: 'GET', path, status, bytes: 10, complete: true })}\n`;

/** Endpoints stay as designed, so requests come from the planned addresses. */
const resolveEndpoint = (host: string, port: number) => ({ host, port });
const ALL_ON = { 'powered-on': { bs: START - 20 * MINUTE, m1: START - 12 * MINUTE, m2: START, m3: START } };

test('bootstrap and control plane boot first, the others later', () => {
  fixture = createStepFixture();
  const { design } = fixture.context;
  expect(listInitialMachines(design).map(({ name }) => name)).toEqual(['bs', 'm1', 'm2', 'm3']);
  expect(listWorkerMachines(design).map(({ name }) => name)).toEqual(['w1', 'w2', 'w3', 'i1', 'i2', 'i3']);
});

test.each<[string, readonly string[], string]>([
  ['nothing', [], 'off'],
  ['its script', [request('172.16.0.21', '/boot/00-50-56-96-37-c8.ipxe')], 'script'],
  ['the script for its console, of the ISO', [request('172.16.0.21', '/iso/m1.sh')], 'script'],
  ['kernel', [request('172.16.0.21', '/images/rhcos-live-kernel-x86_64')], 'kernel'],
  ['rootfs', [request('172.16.0.21', '/images/rhcos-live-rootfs.x86_64.img')], 'rootfs'],
  ['ignition', [request('172.16.0.21', '/ignition/master.ign')], 'ignition'],
  ['ignition, refused', [request('172.16.0.21', '/ignition/master.ign', 403)], 'off'],
  [
    'ignition, then its script again after a reboot',
    [request('172.16.0.21', '/ignition/master.ign'), request('172.16.0.21', '/boot/x.ipxe')],
    'ignition',
  ],
  ['a file that is not for booting', [request('172.16.0.21', '/favicon.ico')], 'off'],
  ["another machine's ignition", [request('172.16.0.99', '/ignition/master.ign')], 'off'],
  ['a line that is no request', ['nonsense\n', request('172.16.0.21', '/boot/x.ipxe')], 'script'],
])('a machine that requested %s', async (_name, lines, stage) => {
  fixture = createStepFixture({ resolveEndpoint, facts: { ...ALL_ON } });
  fixture.write('.upi-wizard/boot-requests.ndjson', lines.join(''));
  const { view } = await bootStep.probe(fixture.context);
  expect(view.nodes.find(({ name }) => name === 'm1')?.stage).toBe(stage);
});

test('a machine that installs itself again has the time line of that start', async () => {
  fixture = createStepFixture({ resolveEndpoint, facts: { ...ALL_ON } });
  const at = START - 10 * MINUTE;
  const paths = ['/boot.ipxe', '/images/rhcos-live-kernel-x86_64', '/ignition/master.ign'];
  const ask = (path: string, minute: number) =>
    `${JSON.stringify({ at: at + minute * MINUTE, client: '172.16.0.21', method: 'GET', path, status: 200, bytes: 10, complete: true })}\n`;
  const lines = [...paths.map(ask), ...paths.slice(0, 2).map((path, index) => ask(path, 5 + index))];
  fixture.hostFiles['ns1:/var/log/messages'] = 'dhcpd: DHCPACK on 172.16.0.21 to 00:50:56:96:37:c8 via eth0\n';
  const probeMachine = async (count: number) => {
    fixture.write('.upi-wizard/boot-requests.ndjson', lines.slice(0, count).join(''));
    const { view } = await bootStep.probe(fixture.context);
    return view.nodes.find(({ name }) => name === 'm1');
  };
  const format = ({ sign, at: time }: { readonly sign: string; readonly at: number | null }) =>
    `${sign} ${time === null ? '-' : (time - at) / MINUTE}`;
  const installed = await probeMachine(4);
  expect(installed?.stage).toBe('ignition');
  expect(installed?.timeline.signs.map(format)).toEqual([
    'power -2',
    'lease -',
    'script 0',
    'kernel 1',
    'ignition 2',
    'restart 5',
  ]);
  const installing = await probeMachine(5);
  expect(installing?.stage).toBe('kernel');
  expect(installing?.timeline.signs.map(format)).toEqual(['script 5', 'kernel 6']);
});

test('after a simulated reboot, earlier signs do not show where a machine is now', async () => {
  fixture = createStepFixture({ resolveEndpoint, facts: { ...ALL_ON, 'seen-ready': ['m3'] } });
  const clients = ['172.16.0.11', '172.16.0.21', '172.16.0.22', '172.16.0.23'];
  const fetched = clients.map((client, index) =>
    request(client, `/ignition/${index === 0 ? 'bootstrap' : 'master'}.ign`),
  );
  fixture.write('.upi-wizard/boot-requests.ndjson', fetched.join(''));
  expect((await bootStep.probe(fixture.context)).state).toBe('done');
  // The bootstrap node serves, and m3 has joined: neither is rebooted.
  const serving = { ports: [{ port: 22623 as const, since: START }], nextAt: START + MINUTE };
  fixture.context.probeCache.nodePorts.set('bs', serving);
  recordReboot(fixture.context, START);
  await fixture.startBootServer();
  const rebooted = await bootStep.probe(fixture.context);
  expect([rebooted.state, rebooted.summary]).toEqual(['waiting', '2 of 4 machines fetched their ignition files']);
  expect(rebooted.view.nodes.map(({ name, stage, lastSeenAt }) => [name, stage, lastSeenAt])).toEqual([
    ['bs', 'ignition', START - MINUTE],
    ['m1', 'off', null],
    ['m2', 'off', null],
    ['m3', 'ignition', START - MINUTE],
  ]);
  expect(rebooted.view.nodes[1]?.timeline.signs).toEqual([{ sign: 'power', at: START }]);
  const script = JSON.stringify({ ...JSON.parse(request('172.16.0.21', '/boot.ipxe')), at: START + MINUTE });
  fixture.write('.upi-wizard/boot-requests.ndjson', `${fetched.join('')}${script}\n`);
  expect((await bootStep.probe(fixture.context)).view.nodes[1]?.stage).toBe('script');
});

test('an unplanned address that is refused the ignition file belongs to the machine whose next request is missing', async () => {
  fixture = createStepFixture({ resolveEndpoint, facts: { ...ALL_ON } });
  // A rehearsal names addresses of the site, not its own.
  const getSiteAddress = (client: string) => client.replace(/^127\.1\./, '172.16.');
  const context = { ...fixture.context, manualActions: { ...fixture.context.manualActions, getSiteAddress } };
  await fixture.startBootServer();
  const lines = [
    ...['172.16.0.21', '172.16.0.22', '172.16.0.23'].map((client) =>
      request(client, '/images/rhcos-live-kernel-x86_64'),
    ),
    ...['172.16.0.21', '172.16.0.23'].map((client) => request(client, '/ignition/master.ign')),
    request('127.1.0.200', '/ignition/master.ign', 403),
    // The wizard checks the file from here.
    request('127.0.0.1', '/ignition/bootstrap.ign', 403),
  ];
  fixture.write('.upi-wizard/boot-requests.ndjson', lines.join(''));
  const { view, findings } = await bootStep.probe(context);
  // The bootstrap machine sent no request at all.
  expect(findings.filter(({ subject }) => subject !== 'bs')).toMatchObject([
    { code: 'boot-stuck', subject: 'm2', cause: expect.stringContaining('172.16.0.200') },
  ]);
  expect(view.nodes.slice(1).map(({ likelyCause }) => likelyCause)).toEqual([null, 'foreign-dhcp', null]);
});

test('a lease is read from the log of the DHCP server', async () => {
  fixture = createStepFixture({ resolveEndpoint, facts: { ...ALL_ON } });
  fixture.hostFiles['ns1:/var/log/messages'] = 'dhcpd: DHCPACK on 172.16.0.21 to 00:50:56:96:37:c8 via eth0\n';
  const { view } = await bootStep.probe(fixture.context);
  expect(view.nodes.map(({ stage }) => stage)).toEqual(['off', 'lease', 'off', 'off']);
});

test('the wait is stuck once every machine without its ignition file has a finding', async () => {
  const poweredOn = { bs: START, m1: START - 9 * MINUTE, m2: START - 9 * MINUTE, m3: START - 9 * MINUTE };
  const clock = manualClock(START);
  fixture = createStepFixture({ resolveEndpoint, clock, facts: { 'powered-on': poweredOn } });
  await fixture.startBootServer();
  const getResult = async () => {
    const { state, isStuck, findings } = await bootStep.probe(fixture.context);
    return { state, isStuck, subjects: findings.map(({ subject }) => subject) };
  };
  expect(await getResult()).toEqual({ state: 'waiting', isStuck: false, subjects: [] });
  await clock.advance(2 * MINUTE);
  expect(await getResult()).toEqual({ state: 'waiting', isStuck: false, subjects: ['m1', 'm2', 'm3'] });
  await clock.advance(9 * MINUTE);
  expect(await getResult()).toEqual({ state: 'waiting', isStuck: true, subjects: ['bs', 'm1', 'm2', 'm3'] });
});

test('on a real site the grid shows the signs from service hosts, the next one with its likely cause, and hosts that cannot be read', async () => {
  fixture = createStepFixture({ resolveEndpoint, isManual: true, facts: { ...ALL_ON } });
  const { probeCache, clock } = fixture.context;
  const [m1, m2] = fixture.context.design.nodes.filter(({ role }) => role === 'control-plane');
  const lease = (mac = '', ago = 11) => ({ mac, address: '172.16.0.21', at: START - ago * MINUTE });
  const activity = {
    // The lease of m2 is from an earlier installation.
    leases: [lease(m1?.mac), lease(m2?.mac, 600)],
    tftpRequests: [{ address: '172.16.0.21', path: 'ipxe.efi', at: START - 11 * MINUTE }],
    refusedMacs: ['00:50:56:aa:00:01', m1?.mac ?? ''],
    neighbours: [],
  };
  const nextAt = clock.now() + 60 * MINUTE;
  probeCache.serviceProbes.set('ns1', { activity, reason: null, nextAt, isRunning: false });
  probeCache.serviceProbes.set('bastion', { activity: null, reason: 'Permission denied', nextAt, isRunning: false });
  const { view, isLate } = await bootStep.probe(fixture.context);
  // m1 is late: no time can be estimated.
  expect(isLate).toBe(true);
  expect(view.unavailableHostLines).toEqual([
    'Leases, TFTP and neighbours of bastion are not visible: Permission denied',
  ]);
  expect(view.unknownMacs).toEqual(['00:50:56:aa:00:01']);
  const findNode = (name: string) => view.nodes.find((node) => node.name === name);
  expect(findNode('m1')).toMatchObject({
    stage: 'lease',
    timeline: { next: { sign: 'script', since: START - 11 * MINUTE, isLate: true } },
    likelyCause: 'boot-program-missing',
  });
  expect(findNode('m1')?.timeline.signs.map(({ sign }) => sign)).toEqual(['power', 'lease', 'tftp']);
  expect(findNode('m2')).toMatchObject({
    stage: 'off',
    timeline: { next: { sign: 'lease', isLate: false } },
    likelyCause: null,
  });
  expect(findNode('bs')?.likelyCause).toBe('wrong-mac');
});

test('nothing is estimated from the time on when a machine waits longer than usual', async () => {
  const poweredOn = { bs: START, m1: START - 5 * MINUTE, m2: START, m3: START };
  const clock = manualClock(START);
  fixture = createStepFixture({ clock, facts: { 'powered-on': poweredOn } });
  expect((await bootStep.probe(fixture.context)).isLate).toBe(false);
  await clock.advance(MINUTE);
  expect((await bootStep.probe(fixture.context)).isLate).toBe(true);
});

test('a file that the server refuses is the likely cause while the machine boots again and again', async () => {
  const clock = manualClock(START + 11 * MINUTE);
  fixture = createStepFixture({ resolveEndpoint, clock, facts: { ...ALL_ON } });
  const [script, kernel] = ['/boot/00-50-56-96-37-c8.ipxe', '/images/rhcos-live-kernel-x86_64'];
  const initramfs = '/images/rhcos-live-initramfs.x86_64.img';
  const getLikelyCause = async (...lines: readonly string[]) => {
    fixture.write('.upi-wizard/boot-requests.ndjson', lines.join(''));
    const { view } = await bootStep.probe(fixture.context);
    return view.nodes.find(({ name }) => name === 'm1')?.likelyCause;
  };
  const ask = (path: string, status?: number) => request('172.16.0.21', path, status);
  expect(await getLikelyCause(ask(script), ask(kernel), ask(initramfs, 404), ask(script), ask(kernel))).toBe(
    'boot-file-missing',
  );
  expect(
    await getLikelyCause(ask(script), ask(kernel), ask(initramfs, 404), ask(script), ask(kernel), ask(initramfs)),
  ).toBe('gateway-wrong');
});

test('machines are powered on in order and only once; the time is recorded', async () => {
  fixture = createStepFixture({ resolveEndpoint, facts: { 'powered-on': { m1: 5 } } });
  await fixture.startBootServer();
  expect(await bootStep.probe(fixture.context)).toMatchObject({ state: 'needed', summary: '3 machines to power on' });
  const lines: string[] = [];
  await bootStep.apply(fixture.context, (line) => lines.push(line));
  await bootStep.apply(fixture.context, (line) => lines.push(line));
  expect(fixture.calls).toEqual(['on bs', 'on m2', 'on m3']);
  expect(lines).toEqual(['power on bs', 'power on m2', 'power on m3']);
  expect(fixture.facts['powered-on']).toEqual({ bs: START, m1: 5, m2: START, m3: START });
  expect(await bootStep.probe(fixture.context)).toMatchObject({ state: 'waiting' });
});

test('a machine that was marked as reinstalled may still run with an old ignition file: it is powered off first', async () => {
  fixture = createStepFixture({ resolveEndpoint, facts: { 'installed-anew': { m1: 5 } } });
  await fixture.startBootServer();
  await bootStep.apply(fixture.context, () => undefined);
  expect(fixture.calls).toEqual(['on bs', 'off m1', 'on m1', 'on m2', 'on m3']);
});

test('the instructions for manual power-on name the machines and how to set their boot order', async () => {
  fixture = createStepFixture({ resolveEndpoint, isManual: true });
  const plan = await bootStep.plan(fixture.context, await bootStep.probe(fixture.context));
  expect(plan.changes.map(({ object }) => object)).toEqual(['bs', 'm1', 'm2', 'm3']);
  expect(plan.instructions).toEqual([expect.stringContaining('Power on bs, m1, m2, m3')]);
});

test('failed checks of DHCP and TFTP that Hosts observed are shown before the machines are powered on', async () => {
  fixture = createStepFixture({ resolveEndpoint });
  const { context } = fixture;
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
  expect(await bootStep.probe(context)).toMatchObject({ state: 'needed', findings: [finding] });
});

test('Enter says that it starts the boot server if none runs', async () => {
  for (const [isManual, poweredOn, sentence] of [
    [false, {}, 'Enter starts the boot server, then powers the machines on, in this order.'],
    [true, {}, 'Enter starts the boot server and watches for requests; then power on the machines.'],
    [false, ALL_ON['powered-on'], 'Enter starts the boot server again.'],
  ] as const) {
    await fixture?.remove();
    fixture = createStepFixture({ resolveEndpoint, isManual, facts: { 'powered-on': poweredOn } });
    const readPlan = async () => bootStep.plan(fixture.context, await bootStep.probe(fixture.context));
    expect((await readPlan()).enter?.sentence).toBe(sentence);
    await fixture.startBootServer();
    expect((await readPlan()).enter).toBeUndefined();
  }
});

test('with manual power-on the silence of a machine counts from the last sign of the one before', async () => {
  const facts = {
    'powered-on': Object.fromEntries(['bs', 'm1', 'm2', 'm3'].map((name) => [name, START - 60 * MINUTE])),
  };
  const clock = manualClock(START);
  fixture = createStepFixture({ resolveEndpoint, isManual: true, facts, clock });
  await fixture.startBootServer();
  const listSilent = async () => {
    const { findings } = await bootStep.probe(fixture.context);
    return findings.filter(({ code }) => code === 'boot-silent').map(({ subject }) => subject);
  };
  expect(await listSilent()).toEqual(['bs']);
  const requestFrom = (host: number, minutes: number) =>
    request(`172.16.0.${host}`, '/boot/x.ipxe').replace(String(START - MINUTE), String(START - minutes * MINUTE));
  fixture.write('.upi-wizard/boot-requests.ndjson', requestFrom(11, 50) + requestFrom(21, 9));
  expect(await listSilent()).toEqual([]);
  await clock.advance(2 * MINUTE);
  expect(await listSilent()).toEqual(['m2']);
});

test('ISO boot: the instructions name the ISO, and a silent machine is only a warning', async () => {
  const { design } = parseDesign(renderExampleDesign());
  if (!design) throw new Error('the example is wrong');
  const services = { ...design.services, boot: { ...design.services.boot, kind: 'iso' as const } };
  fixture = createStepFixture({ design: { ...design, services }, resolveEndpoint, isManual: true });
  const plan = await bootStep.plan(fixture.context, await bootStep.probe(fixture.context));
  expect(plan.instructions).toEqual([expect.stringContaining('Attach the ISO to bs, m1, m2, m3')]);
  expect(plan.changes[0]?.what).toBe('powered on; it boots from its ISO');
  fixture.facts['powered-on'] = ALL_ON['powered-on'];
  await fixture.startBootServer();
  const { findings } = await bootStep.probe(fixture.context);
  expect(findings.map(({ code, severity, subject }) => `${code} ${severity} ${subject}`)).toEqual([
    'boot-silent warning bs',
  ]);
});

test('machines that boot from an ISO are not stuck because they send no request', async () => {
  const { design } = parseDesign(renderExampleDesign());
  if (!design) throw new Error('the example is wrong');
  const services = { ...design.services, boot: { ...design.services.boot, kind: 'iso' as const } };
  const poweredOn = { bs: START, m1: START, m2: START, m3: START };
  const clock = manualClock(START + 120 * MINUTE);
  const facts = { 'powered-on': poweredOn };
  fixture = createStepFixture({ design: { ...design, services }, resolveEndpoint, clock, facts });
  await fixture.startBootServer();
  fixture.write('.upi-wizard/boot-requests.ndjson', request('172.16.0.11', '/ignition/bootstrap.ign'));
  const { state, isStuck, findings } = await bootStep.probe(fixture.context);
  expect([state, ...findings.map(({ subject }) => subject)]).toEqual(['waiting', 'm1', 'm2', 'm3']);
  expect(isStuck).toBe(false);
});

test('ISOs with their ignition files: the step is done when every machine runs its installed system', async () => {
  const { design } = parseDesign(renderExampleDesign());
  if (!design) throw new Error('the example is wrong');
  const services = { ...design.services, boot: { ...design.services.boot, kind: 'iso' as const } };
  const server = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: openPort } = server.address() as AddressInfo;
  const clock = manualClock(START);
  let isInstalled = false;
  fixture = createStepFixture({
    clock,
    design: { ...design, services },
    // A live system runs sshd only; an installed one also the Machine Config Server or the kubelet.
    resolveEndpoint: (_host, port) => ({ host: '127.0.0.1', port: port === 22 || isInstalled ? openPort : 1 }),
    facts: { ...ALL_ON },
  });
  await fixture.startBootServer();
  const listStages = async () => (await bootStep.probe(fixture.context)).view.nodes.map(({ stage }) => stage);
  const probePorts = async () => {
    await clock.advance(MINUTE);
    await listStages();
    const { nodePorts } = fixture.context.probeCache;
    while (![...nodePorts.values()].every(({ ports }) => ports.length === (isInstalled ? 2 : 1)))
      await new Promise((resolve) => setImmediate(resolve));
  };
  await probePorts();
  expect(await listStages()).toEqual(['off', 'off', 'off', 'off']);
  isInstalled = true;
  await probePorts();
  expect(await bootStep.probe(fixture.context)).toMatchObject({
    state: 'done',
    summary: 'all 4 machines run their installed systems',
  });
  server.close();
});

test('done when every machine has its ignition; a silent machine is a finding', async () => {
  fixture = createStepFixture({ resolveEndpoint, facts: { ...ALL_ON } });
  await fixture.startBootServer();
  const ignitionRequests = (...hosts: number[]) =>
    hosts.map((host) => request(`172.16.0.${host}`, '/ignition/x.ign')).join('');
  fixture.write('.upi-wizard/boot-requests.ndjson', ignitionRequests(11, 22, 23));
  const probe = await bootStep.probe(fixture.context);
  expect(probe.state).toBe('waiting');
  expect(probe.findings.map(({ code, subject }) => `${code} ${subject}`)).toEqual(['boot-silent m1']);
  fixture.write('.upi-wizard/boot-requests.ndjson', ignitionRequests(11, 22, 23, 21));
  expect(await bootStep.probe(fixture.context)).toMatchObject({ state: 'done', findings: [] });
});

test('after a MAC address was corrected, the finding names what is left to do, until the files are generated', async () => {
  fixture = createStepFixture({ resolveEndpoint, facts: { ...ALL_ON } });
  await fixture.startBootServer();
  fixture.facts['planned-nodes'] = { m1: '00:50:56:96:00:01 172.16.0.21' };
  const { findings } = await bootStep.probe(fixture.context);
  expect(findings.find(({ subject }) => subject === 'm1')?.title).toBe(
    'The files still have the earlier address of m1',
  );
  const { mac, ip } = fixture.context.design.nodes.find(({ name }) => name === 'm1') ?? { mac: '', ip: [] };
  fixture.facts['planned-nodes'] = { m1: `${mac} ${ip.join(' ')}` };
  const after = await bootStep.probe(fixture.context);
  expect(after.findings.find(({ subject }) => subject === 'm1')?.title).toBe('m1 never sent a request');
});

test('machines that are on and wait for a stopped boot server need it again', async () => {
  fixture = createStepFixture({ resolveEndpoint, facts: { ...ALL_ON } });
  expect(await bootStep.probe(fixture.context)).toMatchObject({
    state: 'needed',
    summary: 'the boot server no longer runs, and machines still need it',
  });
});

test('an unknown MAC in the DHCP log is matched with the silent machine; planned machines are not unknown', async () => {
  fixture = createStepFixture({ resolveEndpoint, facts: { ...ALL_ON } });
  await fixture.startBootServer();
  fixture.hostFiles['ns1:/var/log/messages'] = [
    'dhcpd: DHCPDISCOVER from 00:50:56:96:37:8c via eth0: network 172.16.0.0/24: no free leases',
    'dhcpd: DHCPDISCOVER from 00:50:56:96:6b:da via eth0: network 172.16.0.0/24: no free leases',
  ].join('\n');
  const { view, findings } = await bootStep.probe(fixture.context);
  expect(view.unknownMacs).toEqual(['00:50:56:96:37:8c']);
  expect(findings.find(({ code }) => code === 'boot-unknown-mac')).toMatchObject({ subject: 'm1', severity: 'fatal' });
});

test('a long log is read to its end, later only its new lines; a replaced log is read from the start', async () => {
  fixture = createStepFixture({ resolveEndpoint, facts: { ...ALL_ON } });
  const file = '.upi-wizard/boot-requests.ndjson';
  const readStage = async (name: string) =>
    (await bootStep.probe(fixture.context)).view.nodes.find((node) => node.name === name)?.stage;
  const noise = request('172.16.0.99', `/images/${'x'.repeat(1000)}`).repeat(8000);
  fixture.write(file, `${noise}${request('172.16.0.21', '/boot/x.ipxe')}`);
  expect(await readStage('m1')).toBe('script');
  fixture.write(
    file,
    `${noise}${request('172.16.0.21', '/boot/x.ipxe')}${request('172.16.0.21', '/ignition/master.ign')}`,
  );
  expect(await readStage('m1')).toBe('ignition');
  fixture.write(file, request('172.16.0.22', '/boot/x.ipxe'));
  expect([await readStage('m1'), await readStage('m2')]).toEqual(['off', 'script']);
});

test('a running boot server gets the new ignition access lists when nodes change', async () => {
  fixture = createStepFixture({ resolveEndpoint, facts: { 'powered-on': { bs: 1, m1: 1, m2: 1, m3: 1 } } });
  await fixture.startBootServer();
  const readAllowed = () => {
    const { ignition } = JSON.parse(readFileSync(join(fixture.dir, '.upi-wizard/boot-server.json'), 'utf8'));
    return ignition.master.allow as string[];
  };
  await bootStep.apply(fixture.context, () => undefined);
  expect(readAllowed()).toContain('172.16.0.21');
  const { design } = fixture.context;
  const nodes = design.nodes.map((node) => (node.name === 'm1' ? { ...node, ip: ['172.16.0.25'] } : node));
  await bootStep.apply({ ...fixture.context, design: { ...design, nodes } }, () => undefined);
  expect(readAllowed()).toEqual(['172.16.0.25', '172.16.0.22', '172.16.0.23']);
  expect(statSync(join(fixture.dir, '.upi-wizard/boot-server.json')).mode & 0o777).toBe(0o600);
});

test('a single node may have the one ignition file that its boot script asks for', async () => {
  const { design } = parseDesign(renderExampleDesign({ topology: 'single-node' }));
  if (!design) throw new Error('the example is wrong');
  fixture = createStepFixture({ design, resolveEndpoint, facts: { 'powered-on': { m1: 1 } } });
  await fixture.startBootServer();
  await bootStep.apply(fixture.context, () => undefined);
  const { ignition } = JSON.parse(readFileSync(join(fixture.dir, '.upi-wizard/boot-server.json'), 'utf8'));
  expect(ignition).toEqual({
    'bootstrap-in-place-for-live-iso': {
      file: join(fixture.dir, 'bootstrap-in-place-for-live-iso.ign'),
      allow: design.nodes.flatMap(({ ip }) => ip),
    },
  });
});

test('before any machine is installed, all may only ask; their answers are shown, and applying the step serves the files', async () => {
  fixture = createStepFixture({ resolveEndpoint, facts: { 'powered-on': {} } });
  await fixture.startBootServer();
  const readAllowed = () => {
    const { ignition } = JSON.parse(readFileSync(join(fixture.dir, '.upi-wizard/boot-server.json'), 'utf8'));
    return ignition.master.allow as string[];
  };
  await bootStep.applyOne?.(fixture.context, { kind: 'network-test' }, () => undefined);
  expect(readAllowed()).toEqual([]);
  const [, m1, m2] = fixture.context.design.nodes;
  const mac = (node = m1) => node?.mac.replaceAll(':', '-');
  fixture.write(
    '.upi-wizard/boot-requests.ndjson',
    [
      '/boot.ipxe',
      `/machine?mac=${mac()}&cpu=v2&memory=0040.&platform=efi`,
      `/questions?mac=${mac()}`,
      `/questions?mac=${mac()}&id=kernel&answer=ok`,
      `/questions?mac=${mac()}&id=api-int&answer=0x3e11613b`,
    ]
      .map((path) => request('172.16.0.21', path))
      .join('') + request('172.16.0.22', `/machine?mac=${mac(m2)}&cpu=v1`),
  );
  const probe = await bootStep.probe(fixture.context);
  const { state, view, findings } = probe;
  expect(state).toBe('needed');
  expect(view.nodes.find(({ name }) => name === 'm1')?.report).toEqual([
    'Its iPXE reports: CPU level x86-64-v2, 16 GiB of memory, UEFI',
    'Reached from the machine: kernel 0.0 s',
    'Not reached from the machine: api-int port 22623: the name server of its lease does not resolve it',
  ]);
  expect(findings.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
    'boot-machine-unfit m2',
    'boot-unreached m1',
  ]);
  const plan = await bootStep.plan(fixture.context, probe);
  expect(plan.changes.map(({ object }) => object)).toContain('m1');
  await bootStep.apply(fixture.context, () => undefined);
  expect(readAllowed()).toContain('172.16.0.21');
});

test('a changed design reaches the boot server while a machine is stopped', async () => {
  fixture = createStepFixture({ resolveEndpoint, facts: { ...ALL_ON } });
  await fixture.startBootServer();
  await bootStep.apply(fixture.context, () => undefined);
  const { design } = fixture.context;
  const nodes = design.nodes.map((node) => (node.name === 'm1' ? { ...node, firmware: 'bios' as const } : node));
  await bootStep.probe({ ...fixture.context, design: { ...design, nodes } });
  const { machines } = JSON.parse(readFileSync(join(fixture.dir, '.upi-wizard/boot-server.json'), 'utf8'));
  expect(machines.map(({ firmware }: { firmware: string }) => firmware).slice(0, 3)).toEqual(['uefi', 'bios', 'uefi']);
  expect(machines[1].questions).not.toEqual([]);
});
