import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { updateChecks } from '../../../src/i18n/en/diagnosis/update-checks.ts';
import { report as words } from '../../../src/i18n/en/report.ts';
import { takeSnapshot } from '../../../src/kube/snapshot.ts';
import { createUpdateObjects } from '../../../src/rehearsal/world/operators/update-gates.ts';
import { findDefaultRuntime } from '../../../src/steps/report/container-runtime.ts';
import type { ReportSource } from '../../../src/steps/report/observations.ts';
import { gatherUpdateEvidence } from '../../../src/steps/report/update-evidence.ts';
import { createUpdatePart, describeBootImage } from '../../../src/steps/report/update-part.ts';
import { type InfraWorld, infraWorld } from '../../support/infra-world.ts';

const CONFIGURATION = 'machineconfigurations.operator.openshift.io';
const COUNTS = 'apirequestcounts.apiserver.openshift.io';
const GARBAGE_COLLECTOR = 'system:serviceaccount:kube-system:generic-garbage-collector';

/** A cluster that this release installed, with what the rehearsal knows about its next update. */
function createCluster(version: string): InfraWorld {
  const world = infraWorld(version);
  createUpdateObjects(world.operatorContext);
  world.change('clusterversions.config.openshift.io', null, 'version', (one) => {
    const conditions = [
      { type: 'Available', status: 'True' },
      { type: 'Progressing', status: 'False' },
    ];
    one.status = { desired: { version }, history: [{ state: 'Completed', version }], conditions };
  });
  world.add('clusteroperators.config.openshift.io', {
    metadata: { name: 'dns' },
    status: {
      conditions: [
        { type: 'Available', status: 'True' },
        { type: 'Upgradeable', status: 'True' },
      ],
    },
  });
  world.tick();
  return world;
}

async function gather(world: InfraWorld) {
  const { cluster, design, site } = world;
  const source = { design, clock: site.clock, connect: async () => cluster, session: null } as unknown as ReportSource;
  const snapshot = await takeSnapshot(cluster, ['clusterVersion', 'operators'], site.clock.now());
  return await gatherUpdateEvidence(source, snapshot, cluster);
}

async function reviewUpdate(world: InfraWorld) {
  const part = createUpdatePart(await gather(world));
  if (part.kind !== 'checks') throw new Error(part.kind);
  return {
    intro: part.intro,
    states: Object.fromEntries(part.results.map(({ id, state }) => [id, state])),
    results: part.results,
  };
}

test('a fresh cluster of 4.22: only the record of the boot image is missing, until the move makes it', async () => {
  const world = createCluster('4.22.3');
  expect((await reviewUpdate(world)).states).toEqual({
    'update-boot-image': 'warning',
    'update-cluster-version': 'ok',
    'update-operators': 'ok',
    'update-acks': 'ok',
    'update-removed-apis': 'ok',
    'update-pools': 'ok',
    'update-feature-set': 'ok',
    'update-runc': 'ok',
  });
  expect(describeBootImage(await gather(world))).toEqual([words.update.ofRelease('4.22.3')]);
  await world.applyAndSettle('boot-image-record');
  const { intro, states } = await reviewUpdate(world);
  expect(states['update-boot-image']).toBe('ok');
  expect(intro).toBe(words.update.intro('4.22.3', 0, 0, 0));
  expect(describeBootImage(await gather(world))).toEqual(['4.22.3']);
  world.change(CONFIGURATION, null, 'cluster', (one) => {
    one.spec = { bootImageSkewEnforcement: { mode: 'None' } };
  });
  world.tick();
  expect(describeBootImage(await gather(world))).toEqual([words.update.notCompared]);
});

test('4.18 waits for an acknowledgment, and names those that use an API without a future', async () => {
  const world = createCluster('4.18.9');
  const name = 'flowschemas.v1beta3.flowcontrol.apiserver.k8s.io';
  const setUsers = (...users: readonly string[]) =>
    world.change(COUNTS, null, name, (one) => {
      const byUser = users.map((username) => ({ username, requestCount: 1 }));
      one.status = { ...(one.status as object), last24h: [{ byNode: [{ byUser }] }, {}] };
    });
  const { states, results, intro } = await reviewUpdate(world);
  expect(states).toMatchObject({ 'update-acks': 'blocked', 'update-removed-apis': 'ok' });
  expect(states).not.toHaveProperty('update-boot-image');
  expect(results[0]).toMatchObject({ id: 'update-acks', commands: [expect.stringContaining('ack-4.18-kube-1.32')] });
  expect(intro).toBe(words.update.intro('4.18.9', 1, 0, 0));
  setUsers(GARBAGE_COLLECTOR, 'system:serviceaccount:team:backup', 'admin', 'admin');
  const used = (await reviewUpdate(world)).results.find(({ id }) => id === 'update-removed-apis');
  expect(used).toMatchObject({
    state: 'warning',
    text: expect.stringContaining('used by admin, system:serviceaccount:team:backup'),
  });
  // An API that a later version removes is no obstacle to the next one.
  world.change(COUNTS, null, name, (one) => {
    one.status = { ...(one.status as object), removedInRelease: '1.33' };
  });
  expect((await reviewUpdate(world)).states['update-removed-apis']).toBe('ok');
});

test('a part that is forbidden or not served is unknown, with the reason, and hides no other', async () => {
  const world = createCluster('4.22.3');
  const forbid = (pattern: RegExp, status: number, reason: string) => {
    world.intercept = ({ path }) =>
      pattern.test(path)
        ? { status, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, reason, message: 'no' } }
        : null;
  };
  for (const [pattern, id] of [
    [/apirequestcounts/, 'update-removed-apis'],
    [/admin-gates/, 'update-acks'],
    [/featuregates/, 'update-feature-set'],
    [/containerruntimeconfigs/, 'update-runc'],
    [/machineconfigurations/, 'update-boot-image'],
    [/clusteroperators/, 'update-operators'],
  ] as const) {
    forbid(pattern, 403, 'Forbidden');
    const { states, results } = await reviewUpdate(world);
    const unknown = Object.entries(states).filter(([, state]) => state === 'unknown');
    expect([`${pattern}`, unknown]).toEqual([`${pattern}`, [[id, 'unknown']]]);
    expect(results.find((one) => one.id === id)?.text).toMatch(/\w{3}/);
  }
  // Without the pools, their MachineConfigs are not known either.
  forbid(/machineconfigpools/, 403, 'Forbidden');
  expect((await reviewUpdate(world)).states).toMatchObject({ 'update-pools': 'unknown', 'update-runc': 'unknown' });
  forbid(/apirequestcounts/, 404, 'NotFound');
  expect((await reviewUpdate(world)).states['update-removed-apis']).toBe('unknown');
  forbid(/machineconfigurations/, 404, 'NotFound');
  expect((await reviewUpdate(world)).results.find(({ id }) => id === 'update-boot-image')).toMatchObject({
    state: 'unknown',
    text: expect.stringContaining(updateChecks.texts.noBootImage.slice(1)),
  });
  // A server that answers with a list in place of a table.
  world.intercept = ({ path, accept }) =>
    accept === undefined || !path.endsWith('/apirequestcounts')
      ? null
      : {
          status: 200,
          body: { kind: 'APIRequestCountList', apiVersion: 'apiserver.openshift.io/v1', metadata: {}, items: [] },
        };
  expect((await reviewUpdate(world)).states['update-removed-apis']).toBe('unknown');
});

test('without an API there is nothing to say', async () => {
  const world = createCluster('4.22.3');
  world.intercept = () => ({ status: 503, body: {} });
  const evidence = await gather(world);
  expect(evidence).toBeNull();
  expect(createUpdatePart(evidence)).toMatchObject({ results: [] });
  expect(describeBootImage(evidence)).toEqual([]);
});

const encodeUrl = (text: string) => `data:,${encodeURIComponent(text)}`;
const RUNC = '[crio.runtime]\ndefault_runtime = "runc"\n';
const CRUN = '[crio.runtime]\n  default_runtime = "crun"\n';
const createConfig = (files: Readonly<Record<string, object>>) => ({
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineConfig',
  metadata: { name: 'x' },
  spec: {
    config: { storage: { files: Object.entries(files).map(([path, contents]) => ({ path, contents })) } },
  } as never,
});

test.each([
  ['nothing', {}, null],
  ['a drop-in', { '/etc/crio/crio.conf.d/50-a': { source: encodeUrl(RUNC) } }, 'runc'],
  [
    'base64',
    {
      '/etc/crio/crio.conf.d/50-a': {
        source: `data:text/plain;charset=utf-8;base64,${Buffer.from(RUNC).toString('base64')}`,
      },
    },
    'runc',
  ],
  [
    'compressed',
    {
      '/etc/crio/crio.conf.d/50-a': {
        source: `data:;base64,${gzipSync(RUNC).toString('base64')}`,
        compression: 'gzip',
      },
    },
    'runc',
  ],
  [
    'the last drop-in counts',
    {
      '/etc/crio/crio.conf.d/99-z': { source: encodeUrl(CRUN) },
      '/etc/crio/crio.conf.d/50-a': { source: encodeUrl(RUNC) },
    },
    'crun',
  ],
  [
    'one that says nothing about it',
    {
      '/etc/crio/crio.conf.d/50-a': { source: encodeUrl(RUNC) },
      '/etc/crio/crio.conf.d/99-z': { source: encodeUrl('[crio]\n') },
    },
    'runc',
  ],
  ['a comment', { '/etc/crio/crio.conf.d/50-a': { source: encodeUrl('# default_runtime = "runc"\n') } }, null],
  ['another file', { '/etc/containers/registries.conf': { source: encodeUrl(RUNC) } }, null],
  ['damaged', { '/etc/crio/crio.conf.d/50-a': { source: 'data:,%ZZ', compression: 'gzip' } }, null],
  [
    'a bomb',
    {
      '/etc/crio/crio.conf.d/50-a': {
        source: `data:;base64,${gzipSync('\n'.repeat(10_000_000)).toString('base64')}`,
        compression: 'gzip',
      },
    },
    null,
  ],
  ['from elsewhere', { '/etc/crio/crio.conf.d/50-a': { source: 'https://example.com/x' } }, null],
])('the default runtime of a MachineConfig: %s', (_of, files, expected) => {
  expect(findDefaultRuntime(createConfig(files as Readonly<Record<string, object>>))).toBe(expected);
});

test('runc is found in a ContainerRuntimeConfig, and in the MachineConfigs of a pool that are not of the release', async () => {
  const world = createCluster('4.22.3');
  world.add('containerruntimeconfigs.machineconfiguration.openshift.io', {
    metadata: { name: 'team' },
    spec: { containerRuntimeConfig: { defaultRuntime: 'runc' } },
  });
  const { metadata: _metadata, spec } = createConfig({ '/etc/crio/crio.conf.d/50-a': { source: encodeUrl(RUNC) } });
  world.add('machineconfigs.machineconfiguration.openshift.io', {
    metadata: {
      name: '00-override-worker-generated-crio-default-container-runtime',
      labels: { 'machineconfiguration.openshift.io/role': 'worker' },
    },
    spec,
  });
  world.tick();
  const { results } = await reviewUpdate(world);
  expect(
    results.filter(({ id }) => id === 'update-runc').map(({ state, title }) => [state, title.split(':')[0]]),
  ).toEqual([
    ['warning', 'ContainerRuntimeConfig team'],
    ['warning', 'MachineConfig 00-override-worker-generated-crio-default-container-runtime'],
  ]);
});
