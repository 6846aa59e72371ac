// Nodes that join a running cluster: which nodes these are, what they fetch, and what prevents them from being powered
// on.
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../../src/platform/clock.ts';
import { bootStep } from '../../../src/steps/boot.ts';
import { listCheckIds } from '../../../src/steps/check/index.ts';
import { runPrepareChecks } from '../../../src/steps/prepare/checks.ts';
import { prepareStep } from '../../../src/steps/prepare/index.ts';
import { startBootServerJob } from '../../../src/steps/shared/machines/boot-server-job.ts';
import { updateIgnitionAccess } from '../../../src/steps/shared/machines/ignition-access.ts';
import { markReinstalled, recordPlannedNodes } from '../../../src/steps/shared/machines/node-facts.ts';
import { DOMAIN, NOW } from '../../support/csr-forge.ts';
import { createAuthority, type KubeServer, startKubeServer } from '../../support/kube-server.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

const ADDRESSES = { m1: 21, m2: 22, m3: 23, w1: 31, w2: 32, w3: 33, i1: 41, i2: 42, i3: 43 } as const;
type Name = keyof typeof ADDRESSES;
const NAMES = Object.keys(ADDRESSES) as Name[];

let api: KubeServer;
let configServer: KubeServer;
let fixture: StepFixture;
beforeEach(async () => {
  const authority = await createAuthority();
  [api, configServer] = await Promise.all([
    startKubeServer(),
    startKubeServer({ name: `api-int.${DOMAIN}`, authority }),
  ]);
  const ports: Readonly<Record<number, number>> = { 6443: api.port, 22623: configServer.port };
  fixture = createStepFixture({
    clock: manualClock(NOW),
    // Every node has its own loopback address; only the API and the Machine Config Server answer.
    resolveEndpoint: (host, port) => ({
      host: ports[port] === undefined ? host.replace(/^172\.16/, '127.16') : '127.0.0.1',
      port: ports[port] ?? 1,
    }),
    facts: {
      stage: 'infra-only',
      'powered-on': Object.fromEntries(['bs', ...NAMES].map((name) => [name, NOW - HOUR])),
    },
  });
  mkdirSync(join(fixture.dir, 'auth'), { recursive: true });
  copyFileSync(api.kubeconfig, join(fixture.dir, 'auth', 'kubeconfig'));
  for (const name of NAMES) addNode(name);
});
afterEach(async () => {
  await Promise.all([api.close(), configServer.close()]);
  await fixture.remove();
});

function addNode(
  name: Name,
  options: { isReady?: boolean; createdAt?: number; since?: number; pressure?: string; isCordoned?: boolean } = {},
) {
  const { isReady = true, createdAt = NOW - HOUR, since, pressure, isCordoned = false } = options;
  const lastTransitionTime = since === undefined ? {} : { lastTransitionTime: new Date(since).toISOString() };
  api.put(`/api/v1/nodes/${name}.${DOMAIN}`, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `${name}.${DOMAIN}`, creationTimestamp: new Date(createdAt).toISOString(), labels: {} },
    spec: isCordoned ? { taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] } : {},
    status: {
      addresses: [{ type: 'InternalIP', address: `172.16.0.${ADDRESSES[name]}` }],
      conditions: [
        { type: 'Ready', status: isReady ? 'True' : 'False', ...lastTransitionTime },
        ...(pressure === undefined ? [] : [{ type: pressure, status: 'True' }]),
      ],
    },
  });
}

function pointerIgnition(authority: string, specification = '3.2.0', domain: string = DOMAIN): string {
  const source = `data:text/plain;charset=utf-8;base64,${Buffer.from(authority).toString('base64')}`;
  return JSON.stringify({
    ignition: {
      version: specification,
      config: { merge: [{ source: `https://api-int.${domain}:22623/config/worker` }] },
      security: { tls: { certificateAuthorities: [{ source }] } },
    },
  });
}

function addSecret(name: string, text: string) {
  api.put(`/api/v1/namespaces/openshift-machine-api/secrets/${name}`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'openshift-machine-api' },
    data: { userData: Buffer.from(text).toString('base64') },
  });
}

const removeNode = (name: Name) => api.objects.delete(`/api/v1/nodes/${name}.${DOMAIN}`);
function addImages() {
  for (const name of ['live-kernel-x86_64', 'live-initramfs.x86_64.img', 'live-rootfs.x86_64.img'])
    fixture.write(`images/rhcos-${name}`, 'image');
}
const readBootConfig = () => JSON.parse(readFileSync(join(fixture.dir, '.upi-wizard', 'boot-server.json'), 'utf8'));
const findItem = async (id: string) =>
  (await prepareStep.probe(fixture.context)).view.items.find((each) => each.id === id);

test('when every node is in the cluster nothing is left to boot, and the installation does not start again', async () => {
  const probe = await bootStep.probe(fixture.context);
  expect(probe).toMatchObject({
    state: 'done',
    summary: 'every node of the design is in the cluster (6 besides the control plane)',
  });
  expect(probe.view.nodes.map(({ name }) => name)).toEqual(NAMES);
  // The log of the first boot and the record of powered-on machines are lost: the bootstrap machine stays off anyway.
  fixture.facts['powered-on'] = {};
  expect((await bootStep.probe(fixture.context)).state).toBe('done');
});

test('nodes that are in the cluster but sick are named, in the words of the Operators page', async () => {
  fixture.facts['seen-ready'] = [...NAMES];
  addNode('m2', { pressure: 'DiskPressure' });
  // An update restarts it: it is not lost.
  addNode('w1', { isReady: false, since: NOW - MINUTE, isCordoned: true });
  const { summary, state, awaitsRepair } = await bootStep.probe(fixture.context);
  expect({ state, awaitsRepair }).toEqual({ state: 'done', awaitsRepair: false });
  expect(summary).toBe(
    'every node of the design is in the cluster (6 besides the control plane); nodes with problems: m2 (DiskPressure), w1 (not Ready)',
  );
  // A node that still joins is none of them.
  await fixture.startBootServer();
  removeNode('i3');
  expect((await bootStep.probe(fixture.context)).summary).toMatch(
    /; nodes with problems: m2 \(DiskPressure\), w1 \(not Ready\)$/,
  );
});

test('a compute node that was Ready and is not any more is listed, and the user can report its machine as reinstalled', async () => {
  await fixture.startBootServer();
  fixture.facts['seen-ready'] = [...NAMES];
  addNode('w1', { isReady: false, since: NOW - MINUTE });
  expect(await bootStep.probe(fixture.context)).toMatchObject({ awaitsRepair: true, findings: [] });
  removeNode('i3');
  const probe = await bootStep.probe(fixture.context);
  expect(probe.summary).toContain('w1 is lost: not Ready any more');
  expect(probe.view.nodes).toMatchObject([
    { name: 'w1', isLost: true, wasReady: true },
    { name: 'i3', isLost: false },
  ]);
  await bootStep.applyOne?.(fixture.context, { kind: 'machine', name: 'w1' }, () => undefined);
  expect((await bootStep.probe(fixture.context)).view.nodes).toMatchObject([
    { name: 'w1', isLost: false, isMarkedReinstalled: true },
    { name: 'i3' },
  ]);
});

test('a planned node that is not in the cluster is to be powered on; what prevents it from joining is found first', async () => {
  removeNode('i3');
  delete (fixture.facts['powered-on'] as Record<string, number>).i3;
  const probe = await bootStep.probe(fixture.context);
  expect(probe.state).toBe('blocked');
  expect(probe.view.nodes.map(({ name }) => name)).toEqual(['i3']);
  const codes = probe.findings.map(({ code }) => code);
  expect(codes).toEqual(
    expect.arrayContaining(['join-dns', 'join-images', 'join-ignition', 'join-script', 'join-door']),
  );
  expect(codes).not.toContain('join-name');
  await expect(bootStep.apply(fixture.context, () => undefined)).rejects.toMatchObject({
    userError: { code: codes[0] },
  });
  expect(fixture.calls).toEqual([]);
});

/** The sentence about `oc adm node-image`, from 4.17 on. */
const OTHER_WAY =
  'Alternatively, boot new nodes from an image that the cluster creates: `upi-wizard export node-image`';

test('worker.ign of the installation is served as long as the Machine Config Server is the one it names, whatever its age', async () => {
  removeNode('i3');
  addImages();
  fixture.write('worker.ign', pointerIgnition(configServer.authority.pem));
  // The installer and its other files are gone: neither is needed.
  expect(await findItem('worker-ignition')).toEqual({
    id: 'worker-ignition',
    checks: ['worker-ignition'],
    state: 'ok',
    detail: `as the installer created it. ${OTHER_WAY}`,
  });
  const probe = await prepareStep.probe(fixture.context);
  expect(probe).toMatchObject({
    state: 'needed',
    summary: 'the boot server does not run yet',
    view: { expiresAt: null },
  });
  expect(probe.view.items.map(({ id }) => id)).toEqual(['images', 'worker-ignition', 'server']);
});

test('the items that Prepare shows for an added node match the checks of their ids; nothing is checked while no node is to join', async () => {
  fixture.write('worker.ign', pointerIgnition(api.authority.pem));
  fixture.facts['seen-ready'] = [...NAMES];
  expect(await runPrepareChecks(fixture.context, undefined)).toEqual([]);
  markReinstalled(fixture.context, 'i3');
  const listStates = async (only?: string[]) =>
    (await runPrepareChecks(fixture.context, only)).map(({ code, state, severity }) => `${code} ${state} ${severity}`);
  expect(await listStates()).toEqual([
    'images-missing failed fatal',
    'images-older pending note',
    'worker-ignition pending warning',
  ]);
  const { items } = (await prepareStep.probe(fixture.context)).view;
  const ids = items.flatMap(({ checks }) => checks);
  expect(ids).toEqual(['images-missing', 'images-older', 'worker-ignition', 'boot-server']);
  expect(ids.filter((id) => !listCheckIds().includes(id))).toEqual([]);
  const [authority] = await runPrepareChecks(fixture.context, ['worker-ignition']);
  expect(authority).toMatchObject({
    title: expect.stringContaining('worker.ign'),
    cause: expect.stringContaining('a CA other than'),
  });
  addImages();
  fixture.write('worker.ign', pointerIgnition(configServer.authority.pem));
  expect(await listStates(['images-missing', 'worker-ignition'])).toEqual([
    'images-missing ok note',
    'worker-ignition ok note',
  ]);
});

test('openshift-install is never run again for a cluster that runs', async () => {
  removeNode('i3');
  addImages();
  addSecret('worker-user-data', pointerIgnition(configServer.authority.pem));
  const log = join(fixture.dir, 'installer-was-run');
  fixture.write('bin/openshift-install', `#!/bin/sh\n[ "$1" = create ] && touch ${log}\nexit 1\n`);
  await fixture.startBootServer();
  const context = { ...fixture.context, programDirectories: [join(fixture.dir, 'bin')] };
  await prepareStep.apply(context, () => undefined);
  expect(() => statSync(log)).toThrow();
});

test('without worker.ign it is read from the cluster, for this user only: the oldest one that the images can read', async () => {
  removeNode('i3');
  addImages();
  addSecret('worker-user-data-managed', pointerIgnition(configServer.authority.pem, '3.5.0'));
  addSecret('worker-user-data', pointerIgnition(configServer.authority.pem, '3.2.0'));
  expect(await prepareStep.probe(fixture.context)).toMatchObject({
    state: 'needed',
    summary: 'worker.ign has to be read from the cluster',
  });
  await fixture.startBootServer();
  const lines: string[] = [];
  await prepareStep.apply(fixture.context, (line) => lines.push(line));
  expect(lines).toContain('worker.ign was read from the secret openshift-machine-api/worker-user-data');
  const file = join(fixture.dir, '.upi-wizard', 'worker.ign');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toBe(pointerIgnition(configServer.authority.pem, '3.2.0'));
  expect(readBootConfig().ignition.worker).toEqual({ file, allow: expect.arrayContaining(['127.16.0.43']) });
});

test('a replaced CA is detected, and the secret with the new one is used', async () => {
  removeNode('i3');
  addImages();
  fixture.write('worker.ign', pointerIgnition(api.authority.pem));
  addSecret('worker-user-data', pointerIgnition(api.authority.pem, '3.2.0'));
  addSecret('worker-user-data-managed', pointerIgnition(configServer.authority.pem, '3.4.0'));
  expect(await findItem('worker-ignition')).toMatchObject({
    state: 'pending',
    detail: expect.stringContaining('a CA other than'),
  });
  await fixture.startBootServer();
  const lines: string[] = [];
  await prepareStep.apply(fixture.context, (line) => lines.push(line));
  expect(lines[0]).toContain('worker-user-data-managed');
  expect(await findItem('worker-ignition')).toMatchObject({
    state: 'ok',
    detail: `as read from the cluster. ${OTHER_WAY}`,
  });
});

test('a secret of another cluster, with an unsupported specification or without ignition is not used', async () => {
  removeNode('i3');
  addImages();
  addSecret('worker-user-data', pointerIgnition(configServer.authority.pem, '2.2.0'));
  addSecret('worker-user-data-managed', pointerIgnition(configServer.authority.pem, '3.4.0', 'other.example.com'));
  await expect(prepareStep.apply(fixture.context, () => undefined)).rejects.toMatchObject({
    userError: { code: 'worker-ignition-missing' },
  });
  addSecret('worker-user-data', '<html>');
  await expect(prepareStep.apply(fixture.context, () => undefined)).rejects.toMatchObject({
    userError: { code: 'worker-ignition-missing' },
  });
});

test('only nodes that have yet to join may fetch worker.ign; access is revoked when they are Ready', async () => {
  await fixture.startBootServer();
  await bootStep.probe(fixture.context);
  await startBootServerJob(fixture.context, () => undefined);
  expect(readBootConfig().ignition.worker.allow).toEqual([]);
  expect(readBootConfig().ignition.master.allow).toEqual([]);
  expect(readBootConfig().ignition.bootstrap.allow).toEqual([]);
  markReinstalled(fixture.context, 'i3');
  await startBootServerJob(fixture.context, () => undefined);
  expect(readBootConfig().ignition.worker.allow).toEqual(['127.16.0.43']);
  // The old Node object still says Ready, but it is not the new machine.
  await bootStep.probe(fixture.context);
  expect(readBootConfig().ignition.worker.allow).toEqual(['127.16.0.43']);
  addNode('i3', { createdAt: NOW + MINUTE });
  await bootStep.probe(fixture.context);
  expect(readBootConfig().ignition.worker.allow).toEqual([]);
});

test('a reinstalled machine is expected like a new one; its earlier downloads do not count', async () => {
  await fixture.startBootServer();
  const ignitionRequest = (at: number) =>
    `${JSON.stringify({ at, client: '127.16.0.43', method: 'GET', path: '/ignition/worker.ign', status: 200, bytes: 1, complete: true })}\n`;
  writeFileSync(join(fixture.dir, '.upi-wizard', 'boot-requests.ndjson'), ignitionRequest(NOW - HOUR));
  await bootStep.applyOne?.(fixture.context, { kind: 'machine', name: 'i3' }, () => undefined);
  const probe = await bootStep.probe(fixture.context);
  expect(probe.view.nodes).toMatchObject([{ name: 'i3', stage: 'off', poweredOnAt: null }]);
  expect(probe.findings.map(({ code }) => code)).toContain('join-anew');
  expect(probe.findings.map(({ code }) => code)).not.toContain('join-name');
  writeFileSync(
    join(fixture.dir, '.upi-wizard', 'boot-requests.ndjson'),
    ignitionRequest(NOW - HOUR) + ignitionRequest(NOW + 1),
  );
  addNode('i3', { isReady: false });
  expect(await bootStep.probe(fixture.context)).toMatchObject({
    state: 'done',
    view: { nodes: [{ stage: 'ignition' }] },
  });
  addNode('i3');
  expect((await bootStep.probe(fixture.context)).summary).toContain('every node of the design is in the cluster');
});

test('a reinstallation marked by mistake is undone: the node is the old one, and its ignition access is revoked', async () => {
  await fixture.startBootServer();
  await bootStep.probe(fixture.context);
  const lines: string[] = [];
  await bootStep.applyOne?.(fixture.context, { kind: 'machine', name: 'i3' }, (line) => lines.push(line));
  expect((await bootStep.probe(fixture.context)).view.nodes).toMatchObject([{ name: 'i3', isMarkedReinstalled: true }]);
  expect(readBootConfig().ignition.worker.allow).toEqual(['127.16.0.43']);
  await bootStep.applyOne?.(fixture.context, { kind: 'machine', name: 'i3' }, (line) => lines.push(line));
  expect(lines.at(-1)).toBe('i3 no longer counts as reinstalled: the wizard does not wait for it to rejoin');
  expect((await bootStep.probe(fixture.context)).state).toBe('done');
  expect(readBootConfig().ignition.worker.allow).toEqual([]);
});

test('concurrent probes that find a joined node revoke its ignition access without a conflict', async () => {
  await fixture.startBootServer();
  await startBootServerJob(fixture.context, () => undefined);
  fixture.facts['seen-ready'] = [...NAMES];
  // The certificates step probes, and so does its screen.
  const probes = Array.from({ length: 8 }, () => updateIgnitionAccess(fixture.context));
  expect((await Promise.allSettled(probes)).map(({ status }) => status)).toEqual(probes.map(() => 'fulfilled'));
});

test('a control plane node is not reinstalled this way', async () => {
  await expect(
    bootStep.applyOne?.(fixture.context, { kind: 'machine', name: 'm1' }, () => undefined),
  ).rejects.toMatchObject({
    userError: { code: 'not-joining' },
  });
});

test('the facts of a node are forgotten when its name passes to another machine', () => {
  recordPlannedNodes(fixture.context);
  fixture.facts['seen-ready'] = [...NAMES];
  fixture.facts.served = NAMES.map((name) => `${name}.${DOMAIN}`);
  const { design } = fixture.context;
  const nodes = design.nodes.flatMap((node) =>
    node.name === 'w3' ? [] : node.name === 'i3' ? [{ ...node, mac: '00:50:56:96:aa:03' }] : [node],
  );
  recordPlannedNodes({ ...fixture.context, design: { ...design, nodes } });
  expect(Object.keys(fixture.facts['powered-on'] as object)).toEqual(['bs', 'm1', 'm2', 'm3', 'w1', 'w2', 'i1', 'i2']);
  expect(fixture.facts['seen-ready']).toEqual(['m1', 'm2', 'm3', 'w1', 'w2', 'i1', 'i2']);
  expect(fixture.facts.served).not.toContain(`i3.${DOMAIN}`);
  expect(fixture.facts['installed-anew']).toEqual({ i3: NOW });
});
