import { expect, test } from 'vitest';
import { buildManifestObjects } from '../../src/artifacts/infra-manifest.ts';
import { moves as words } from '../../src/i18n/en/moves/index.ts';
import type { BootImages } from '../../src/infra/infra-move.ts';
import { bootImageRecordMove } from '../../src/infra/moves/boot-image-record.ts';
import { isClusterError } from '../../src/kube/errors.ts';
import { testDesign } from '../support/csr-forge.ts';
import { infraWorld } from '../support/infra-world.ts';
import { NO_PLAN_FACTS } from '../support/move-executor.ts';
import { createMoveScene, type MoveScene } from '../support/move-scene.ts';

const texts = words.byName['boot-image-record'];
const BUILD = '9.6.20260423-0';
const IMAGES: BootImages = { build: BUILD, release: '4.22.3' };
const BY_RELEASE = { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.22.3' } };

/** A cluster that 4.22.3 installed on platform none. */
function createScene(version = '4.22.3', history: readonly object[] = [{ state: 'Completed', version }]): MoveScene {
  const scene = createMoveScene(version, {
    ...testDesign(),
    openshift: { ...testDesign().openshift, version },
  });
  scene.put('ClusterVersion', 'version', {
    spec: { clusterID: 'c1' },
    status: { desired: { version }, history } as never,
  });
  scene.put('Infrastructure', 'cluster', {
    status: { controlPlaneTopology: 'HighlyAvailable', platformStatus: { type: 'None' } },
  });
  scene.put('MachineConfiguration', 'cluster', { spec: { logLevel: 'Normal' }, status: {} });
  return scene;
}

/** Returns the record that the move would write, with its notes, or why it writes none. */
async function planRecord(scene: MoveScene, images: BootImages | null) {
  const plan = await bootImageRecordMove.plan(scene.cluster, scene.design, {
    ...NO_PLAN_FACTS,
    readBootImages: async () => images,
  });
  if (plan.state !== 'edits') return plan;
  const current = scene.get('MachineConfiguration', 'cluster');
  const [edit] = plan.edits;
  const patch = edit?.patch && current ? edit.patch(current) : {};
  return { value: Reflect.get(Object(patch.spec), 'bootImageSkewEnforcement'), notes: plan.notes };
}

test('records the build of the checked images, else the release that installed the cluster, with the reason', async () => {
  const scene = createScene();
  expect(await planRecord(scene, IMAGES)).toEqual({
    value: { mode: 'Manual', manual: { mode: 'RHCOSVersion', rhcosVersion: BUILD } },
    notes: [],
  });
  const unknown = { value: BY_RELEASE, notes: [texts.buildUnknown('4.22.3')] };
  expect(await planRecord(scene, null)).toEqual(unknown);
  // The installer here is that of another release: its images are not those of the nodes.
  expect(await planRecord(scene, { ...IMAGES, release: '4.22.9' })).toEqual(unknown);
  // The API refuses other forms of a build.
  for (const build of ['4.22', '9.6.2026-0', '9.6.20260423', '4.22.0\n', '418.94.2024100908045-0'])
    expect(await planRecord(scene, { ...IMAGES, build })).toEqual(unknown);
});

test('the release is that of the installation, not that of an update since; of OKD its numbers', async () => {
  const updated = createScene('4.23.1', [
    { state: 'Completed', version: '4.23.1' },
    { state: 'Partial', version: '4.23.0' },
    { state: 'Completed', version: '4.22.3' },
  ]);
  expect(await planRecord(updated, null)).toMatchObject({ value: BY_RELEASE });
  expect(await planRecord(updated, IMAGES)).toMatchObject({ value: { manual: { rhcosVersion: BUILD } } });
  const okd = createScene('4.22.0-okd-scos.3');
  expect(await planRecord(okd, null)).toMatchObject({ value: { manual: { ocpVersion: '4.22.0' } } });
  const scos = { build: '10.0.20251103-0', release: '4.22.0-okd-scos.3' };
  expect(await planRecord(okd, scos)).toMatchObject({ value: { manual: { rhcosVersion: scos.build } } });
  const nightly = createScene('4.22', []);
  expect(await planRecord(nightly, null)).toEqual({ state: 'blocked', why: texts.unknownRelease('4.22') });
});

test.each([
  [
    'before 4.22',
    (scene: MoveScene) =>
      scene.put('ClusterVersion', 'version', { status: { desired: { version: '4.21.9' } } as never }),
    texts.tooOld('4.21.9'),
  ],
  [
    'a single node',
    (scene: MoveScene) => scene.put('Infrastructure', 'cluster', { status: { controlPlaneTopology: 'SingleReplica' } }),
    texts.singleNode,
  ],
  [
    'a single node by design',
    (scene: MoveScene) => {
      scene.design = { ...scene.design, topology: 'single-node' };
    },
    texts.singleNode,
  ],
  [
    'a single node with a bootstrap node by design',
    (scene: MoveScene) => {
      scene.design = { ...scene.design, topology: 'single-node-bootstrap' };
    },
    texts.singleNode,
  ],
  [
    'a cloud',
    (scene: MoveScene) => scene.put('Infrastructure', 'cluster', { status: { platform: 'AWS' } }),
    texts.otherPlatform('AWS'),
  ],
])('is not needed: %s', async (_of, change, why) => {
  const scene = createScene();
  change(scene);
  expect(await scene.probe('boot-image-record')).toEqual({ state: 'absent', why, changes: [] });
});

test('waits for the object that the machine-config-operator creates; platform external needs the record, too', async () => {
  const scene = createScene();
  scene.put('Infrastructure', 'cluster', { status: { platformStatus: { type: 'External' } } });
  expect(await scene.probe('boot-image-record')).toMatchObject({ state: 'needed' });
  scene.remove('MachineConfiguration', 'cluster');
  expect(await scene.probe('boot-image-record')).toMatchObject({ state: 'blocked' });
});

test.each([
  [
    'another build',
    { mode: 'Manual', manual: { mode: 'RHCOSVersion', rhcosVersion: '9.4.20250101-0' } },
    '9.4.20250101-0',
  ],
  ['nothing compared', { mode: 'None' }, null],
])('a record of the administrator stays: %s', async (_of, enforcement, version) => {
  const scene = createScene();
  const put = (status: object) =>
    scene.put('MachineConfiguration', 'cluster', {
      spec: { bootImageSkewEnforcement: enforcement } as never,
      status: status as never,
    });
  put({ bootImageSkewEnforcementStatus: enforcement });
  const before = scene.contents();
  const why = version === null ? texts.turnedOff : texts.done(version);
  expect(await scene.probe('boot-image-record')).toEqual({ state: 'done', why, changes: [] });
  await scene.apply('boot-image-record');
  expect(scene.contents()).toBe(before);
  put({ bootImageSkewEnforcementStatus: BY_RELEASE });
  expect(await scene.probe('boot-image-record')).toMatchObject(
    version === null ? { state: 'done' } : { state: 'moving', why: texts.notObserved },
  );
});

test('the API accepts what is written and refuses other values; undo brings back what the operator assumes', async () => {
  const world = infraWorld('4.22.3');
  const resource = 'machineconfigurations.operator.openshift.io';
  const status = () => world.store.get(resource, null, 'cluster')?.status;
  const spec = () => world.store.get(resource, null, 'cluster')?.spec;
  const before = spec();
  expect(await world.applyAndSettle('boot-image-record')).toMatchObject({ state: 'done', why: texts.done('4.22.3') });
  expect(status()).toMatchObject({ bootImageSkewEnforcementStatus: BY_RELEASE });
  expect(await world.undo('boot-image-record')).toEqual([]);
  expect(spec()).toEqual(before);
  const manual = { mode: 'OCPVersion', ocpVersion: '4.22' };
  const refused = await world.cluster
    .patch('MachineConfiguration', 'cluster', null, { spec: { bootImageSkewEnforcement: { mode: 'Manual', manual } } })
    .catch((error: unknown) => error);
  expect(isClusterError(refused)).toBe(true);
});

test.each([
  ['4.22.3', 'standard', [{ bootImageSkewEnforcement: BY_RELEASE }]],
  ['4.22', 'standard', []],
  ['4.21.9', 'standard', []],
  ['4.22.3', 'single-node', []],
  ['4.22.3', 'single-node-bootstrap', []],
] as const)('infra.yaml of %s, %s: the release, where the design names it whole', (version, topology, specs) => {
  const design = testDesign();
  const documents = buildManifestObjects({ ...design, topology, openshift: { ...design.openshift, version } });
  const found = documents.filter(({ object }) => Reflect.get(object, 'kind') === 'MachineConfiguration');
  expect(found.map(({ object }) => Reflect.get(object, 'spec'))).toEqual(specs);
});
