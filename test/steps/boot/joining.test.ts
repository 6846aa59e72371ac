// Nodes that join a cluster which runs: who they are, what they fetch, and what keeps them from being powered on.
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../../src/ports/clock.ts';
import { bootStep } from '../../../src/steps/boot/index.ts';
import { checkIds } from '../../../src/steps/check/index.ts';
import { prepareChecks } from '../../../src/steps/prepare/checks.ts';
import { prepareStep } from '../../../src/steps/prepare/index.ts';
import { closeDoors } from '../../../src/steps/shared/machines/doors.ts';
import { expectAnew, noteDesign } from '../../../src/steps/shared/machines/later-nodes.ts';
import { serve } from '../../../src/steps/shared/machines/serving.ts';
import { DOMAIN, NOW } from '../../support/csr-forge.ts';
import { createAuthority, type KubeServer, startKubeServer } from '../../support/kube-server.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { type StepWorld, stepWorld } from '../../support/step-world.ts';

const ADDRESSES = { m1: 21, m2: 22, m3: 23, w1: 31, w2: 32, w3: 33, i1: 41, i2: 42, i3: 43 } as const;
type Name = keyof typeof ADDRESSES;
const NAMES = Object.keys(ADDRESSES) as Name[];

let api: KubeServer;
let configServer: KubeServer;
let world: StepWorld;
beforeEach(async () => {
  const authority = await createAuthority();
  [api, configServer] = await Promise.all([
    startKubeServer(),
    startKubeServer({ name: `api-int.${DOMAIN}`, authority }),
  ]);
  const ports: Readonly<Record<number, number>> = { 6443: api.port, 22623: configServer.port };
  world = stepWorld({
    clock: manualClock(NOW),
    // Every address is one of its own; only the API and the machine config server are there.
    reach: (host, port) => ({
      host: ports[port] === undefined ? host.replace(/^172\.16/, '127.16') : '127.0.0.1',
      port: ports[port] ?? 1,
    }),
    facts: {
      stage: 'infra-only',
      'powered-on': Object.fromEntries(['bs', ...NAMES].map((name) => [name, NOW - HOUR])),
    },
  });
  mkdirSync(join(world.dir, 'auth'), { recursive: true });
  copyFileSync(api.kubeconfig, join(world.dir, 'auth', 'kubeconfig'));
  for (const name of NAMES) addNode(name);
});
afterEach(async () => {
  await Promise.all([api.close(), configServer.close()]);
  await world.remove();
});

function addNode(name: Name, options: { isReady?: boolean; createdAt?: number } = {}) {
  const { isReady = true, createdAt = NOW - HOUR } = options;
  api.put(`/api/v1/nodes/${name}.${DOMAIN}`, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `${name}.${DOMAIN}`, creationTimestamp: new Date(createdAt).toISOString(), labels: {} },
    spec: {},
    status: {
      addresses: [{ type: 'InternalIP', address: `172.16.0.${ADDRESSES[name]}` }],
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
    },
  });
}

function pointer(authority: string, specification = '3.2.0', domain: string = DOMAIN): string {
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
/** The images lie there. */
function addImages() {
  for (const name of ['live-kernel-x86_64', 'live-initramfs.x86_64.img', 'live-rootfs.x86_64.img'])
    world.write(`images/rhcos-${name}`, 'image');
}
const config = () => JSON.parse(readFileSync(join(world.dir, '.upi-wizard', 'boot-server.json'), 'utf8'));
const item = async (id: string) => (await prepareStep.probe(world.context)).view.items.find((each) => each.id === id);

test('when every node is in the cluster nothing boots, and nothing of the installation comes back', async () => {
  const probe = await bootStep.probe(world.context);
  expect(probe).toMatchObject({
    state: 'done',
    summary: 'every node of the design is in the cluster (6 besides the control plane)',
  });
  expect(probe.view.nodes.map(({ name }) => name)).toEqual(NAMES);
  // The log of the first boot is lost, and nobody knows any more that the bootstrap was on: it stays off all the same.
  world.facts['powered-on'] = {};
  expect((await bootStep.probe(world.context)).state).toBe('done');
});

test('a node that is planned and not in the cluster is to be powered on, and what keeps it from joining is said before', async () => {
  removeNode('i3');
  delete (world.facts['powered-on'] as Record<string, number>).i3;
  const probe = await bootStep.probe(world.context);
  expect(probe.state).toBe('blocked');
  expect(probe.view.nodes.map(({ name }) => name)).toEqual(['i3']);
  const codes = probe.findings.map(({ code }) => code);
  expect(codes).toEqual(
    expect.arrayContaining(['join-dns', 'join-images', 'join-ignition', 'join-script', 'join-door']),
  );
  expect(codes).not.toContain('join-name');
  await expect(bootStep.apply(world.context, () => undefined)).rejects.toMatchObject({ trouble: { code: codes[0] } });
  expect(world.done).toEqual([]);
});

test('worker.ign of the installation is served as long as the machine config server is the one it names, whatever its age', async () => {
  removeNode('i3');
  addImages();
  world.write('worker.ign', pointer(configServer.authority.pem));
  // What the installer made on the first day is gone, and so is the installer: neither is needed.
  expect(await item('worker-ignition')).toEqual({
    id: 'worker-ignition',
    checks: ['worker-ignition'],
    state: 'ok',
    detail: 'as the installer made it',
  });
  const probe = await prepareStep.probe(world.context);
  expect(probe).toMatchObject({
    state: 'needed',
    summary: 'the boot server has to be started',
    view: { expiresAt: null },
  });
  expect(probe.view.items.map(({ id }) => id)).toEqual(['images', 'worker-ignition', 'server']);
});

test('what Prepare shows for an added node is repeated by the checks of its ids, and nothing is checked while no node is to join', async () => {
  world.write('worker.ign', pointer(api.authority.pem));
  world.facts['seen-ready'] = [...NAMES];
  expect(await prepareChecks(world.context, undefined)).toEqual([]);
  expectAnew(world.context, 'i3');
  const states = async (only?: string[]) =>
    (await prepareChecks(world.context, only)).map(({ code, state, severity }) => `${code} ${state} ${severity}`);
  expect(await states()).toEqual([
    'images-missing failed fatal',
    'images-older pending note',
    'worker-ignition pending warning',
  ]);
  const { items } = (await prepareStep.probe(world.context)).view;
  const ids = items.flatMap(({ checks }) => checks);
  expect(ids).toEqual(['images-missing', 'images-older', 'worker-ignition', 'boot-server']);
  expect(ids.filter((id) => !checkIds().includes(id))).toEqual([]);
  const [authority] = await prepareChecks(world.context, ['worker-ignition']);
  expect(authority).toMatchObject({
    title: expect.stringContaining('worker.ign'),
    cause: expect.stringContaining('another authority'),
  });
  addImages();
  world.write('worker.ign', pointer(configServer.authority.pem));
  expect(await states(['images-missing', 'worker-ignition'])).toEqual([
    'images-missing ok note',
    'worker-ignition ok note',
  ]);
});

test('openshift-install is never run again for a cluster that runs', async () => {
  removeNode('i3');
  addImages();
  addSecret('worker-user-data', pointer(configServer.authority.pem));
  const log = join(world.dir, 'installer-was-run');
  world.write('bin/openshift-install', `#!/bin/sh\n[ "$1" = create ] && touch ${log}\nexit 1\n`);
  await world.startBootServer();
  const context = { ...world.context, programPath: [join(world.dir, 'bin')] };
  await prepareStep.apply(context, () => undefined);
  expect(() => statSync(log)).toThrow();
});

test('without worker.ign it is read from the cluster, for this user only: the oldest one that the images can read', async () => {
  removeNode('i3');
  addImages();
  addSecret('worker-user-data-managed', pointer(configServer.authority.pem, '3.5.0'));
  addSecret('worker-user-data', pointer(configServer.authority.pem, '3.2.0'));
  expect(await prepareStep.probe(world.context)).toMatchObject({
    state: 'needed',
    summary: 'worker.ign has to be read from the cluster',
  });
  await world.startBootServer();
  const lines: string[] = [];
  await prepareStep.apply(world.context, (line) => lines.push(line));
  expect(lines).toContain('worker.ign was read from the secret openshift-machine-api/worker-user-data');
  const file = join(world.dir, '.upi-wizard', 'worker.ign');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toBe(pointer(configServer.authority.pem, '3.2.0'));
  expect(config().ignition.worker).toEqual({ file, allow: expect.arrayContaining(['127.16.0.43']) });
});

test('an authority that was replaced since is noticed, and the secret that knows the new one is taken', async () => {
  removeNode('i3');
  addImages();
  world.write('worker.ign', pointer(api.authority.pem));
  addSecret('worker-user-data', pointer(api.authority.pem, '3.2.0'));
  addSecret('worker-user-data-managed', pointer(configServer.authority.pem, '3.4.0'));
  expect(await item('worker-ignition')).toMatchObject({
    state: 'pending',
    detail: expect.stringContaining('another authority'),
  });
  await world.startBootServer();
  const lines: string[] = [];
  await prepareStep.apply(world.context, (line) => lines.push(line));
  expect(lines[0]).toContain('worker-user-data-managed');
  expect(await item('worker-ignition')).toMatchObject({ state: 'ok', detail: 'as read from the cluster' });
});

test('a secret of another cluster, of an unreadable specification, or that is none is not taken', async () => {
  removeNode('i3');
  addImages();
  addSecret('worker-user-data', pointer(configServer.authority.pem, '2.2.0'));
  addSecret('worker-user-data-managed', pointer(configServer.authority.pem, '3.4.0', 'other.example.com'));
  await expect(prepareStep.apply(world.context, () => undefined)).rejects.toMatchObject({
    trouble: { code: 'worker-ignition-missing' },
  });
  addSecret('worker-user-data', '<html>');
  await expect(prepareStep.apply(world.context, () => undefined)).rejects.toMatchObject({
    trouble: { code: 'worker-ignition-missing' },
  });
});

test('only nodes that have still to join may fetch worker.ign, and the door closes when they are seen Ready', async () => {
  await world.startBootServer();
  await bootStep.probe(world.context);
  await serve(world.context, () => undefined);
  expect(config().ignition.worker.allow).toEqual([]);
  expect(config().ignition.master.allow).toEqual([]);
  expect(config().ignition.bootstrap.allow).toEqual([]);
  expectAnew(world.context, 'i3');
  await serve(world.context, () => undefined);
  expect(config().ignition.worker.allow).toEqual(['127.16.0.43']);
  // The Node object of before still says Ready: that is not the new machine.
  await bootStep.probe(world.context);
  expect(config().ignition.worker.allow).toEqual(['127.16.0.43']);
  addNode('i3', { createdAt: NOW + MINUTE });
  await bootStep.probe(world.context);
  expect(config().ignition.worker.allow).toEqual([]);
});

test('a machine that is installed anew is expected as if it were new; what it fetched before does not count', async () => {
  await world.startBootServer();
  const fetched = (at: number) =>
    `${JSON.stringify({ at, client: '127.16.0.43', method: 'GET', path: '/ignition/worker.ign', status: 200, bytes: 1, complete: true })}\n`;
  writeFileSync(join(world.dir, '.upi-wizard', 'boot-requests.ndjson'), fetched(NOW - HOUR));
  await bootStep.applyOne?.(world.context, 'i3', () => undefined);
  const probe = await bootStep.probe(world.context);
  expect(probe.view.nodes).toMatchObject([{ name: 'i3', stage: 'off', poweredOnAt: null }]);
  expect(probe.findings.map(({ code }) => code)).toContain('join-anew');
  expect(probe.findings.map(({ code }) => code)).not.toContain('join-name');
  writeFileSync(join(world.dir, '.upi-wizard', 'boot-requests.ndjson'), fetched(NOW - HOUR) + fetched(NOW + 1));
  addNode('i3', { isReady: false });
  expect(await bootStep.probe(world.context)).toMatchObject({
    state: 'done',
    view: { nodes: [{ stage: 'ignition' }] },
  });
  addNode('i3');
  expect((await bootStep.probe(world.context)).summary).toContain('every node of the design is in the cluster');
});

test('what was said in error is taken back: the node is the one that it was, and its door is closed again', async () => {
  await world.startBootServer();
  await bootStep.probe(world.context);
  const lines: string[] = [];
  await bootStep.applyOne?.(world.context, 'i3', (line) => lines.push(line));
  expect((await bootStep.probe(world.context)).view.nodes).toMatchObject([{ name: 'i3', isReplaced: true }]);
  expect(config().ignition.worker.allow).toEqual(['127.16.0.43']);
  await bootStep.applyOne?.(world.context, 'i3', (line) => lines.push(line));
  expect(lines.at(-1)).toBe('i3 is the machine that it was: it is not waited for');
  expect((await bootStep.probe(world.context)).state).toBe('done');
  expect(config().ignition.worker.allow).toEqual([]);
});

test('looks that find at the same time that a node has joined close its door together', async () => {
  await world.startBootServer();
  await serve(world.context, () => undefined);
  world.facts['seen-ready'] = [...NAMES];
  // The step that approves looks, and so does its screen.
  const looks = Array.from({ length: 8 }, () => closeDoors(world.context));
  expect((await Promise.allSettled(looks)).map(({ status }) => status)).toEqual(looks.map(() => 'fulfilled'));
});

test('a control plane node is not installed anew this way', async () => {
  await expect(bootStep.applyOne?.(world.context, 'm1', () => undefined)).rejects.toMatchObject({
    trouble: { code: 'not-joining' },
  });
});

test('a name that becomes another machine is forgotten: what was done for the old one says nothing of the new one', () => {
  noteDesign(world.context);
  world.facts['seen-ready'] = [...NAMES];
  world.facts.served = NAMES.map((name) => `${name}.${DOMAIN}`);
  const { design } = world.context;
  const nodes = design.nodes.flatMap((node) =>
    node.name === 'w3' ? [] : node.name === 'i3' ? [{ ...node, mac: '00:50:56:96:aa:03' }] : [node],
  );
  noteDesign({ ...world.context, design: { ...design, nodes } });
  expect(Object.keys(world.facts['powered-on'] as object)).toEqual(['bs', 'm1', 'm2', 'm3', 'w1', 'w2', 'i1', 'i2']);
  expect(world.facts['seen-ready']).toEqual(['m1', 'm2', 'm3', 'w1', 'w2', 'i1', 'i2']);
  expect(world.facts.served).not.toContain(`i3.${DOMAIN}`);
  expect(world.facts['installed-anew']).toEqual({ i3: NOW });
});
