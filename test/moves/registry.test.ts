import { describe, expect, test } from 'vitest';
import type { InfraPlan } from '../../src/design/model.ts';
import { moves as words } from '../../src/text/en/moves/index.ts';
import { type MoveScene, moveScene, PLACED, running } from '../support/move-scene.ts';

const CLAIM = 'openshift-image-registry/image-registry-storage';
const said = words.each['registry-storage'];
const given = (scene: MoveScene, registry: Partial<InfraPlan['registry']>) =>
  scene.infra({ registry: { ...scene.design.infra.registry, storageClass: 'fast', ...registry } });
const specOf = (scene: MoveScene) => scene.get('ImageRegistry', 'cluster')?.spec;
/** Without what stays, because images are in it. */
const rest = (scene: MoveScene) => {
  scene.remove('PersistentVolumeClaim', CLAIM);
  scene.remove('StorageClass', 'fast-retain');
  return scene.contents();
};

describe.each(['4.5.9', '4.6.1', '4.10.3', '4.14.2', '4.16.0', '4.18.9', '4.22.1', '5.0.0'])('in %s', (version) => {
  test.each([
    ['ReadWriteMany', 2, 'RollingUpdate'],
    ['ReadWriteOnce', 1, 'Recreate'],
  ] as const)(
    '%s: the storage comes first, placed with the first start; all but the images goes back',
    async (accessMode, replicas, rolloutStrategy) => {
      const scene = moveScene(version);
      given(scene, { accessMode });
      const before = scene.contents();
      expect(await scene.look('registry')).toMatchObject({ state: 'blocked', why: words.each.registry.storageFirst });
      expect(await scene.look('registry-storage')).toMatchObject({ state: 'needed', changes: [{ before: null }, {}] });
      // Half done: the claim alone.
      await scene.make('registry-storage', 1);
      expect((await scene.look('registry-storage')).changes).toHaveLength(1);
      await scene.make('registry-storage');
      expect(specOf(scene)).toEqual({
        managementState: 'Managed',
        replicas,
        rolloutStrategy,
        storage: { pvc: { claim: 'image-registry-storage' } },
        ...PLACED,
      });
      expect(await scene.look('registry-storage')).toMatchObject({
        state: 'moving',
        why: said.unbound('Pending', 'image-registry-storage'),
      });
      await scene.make('registry');
      expect(scene.get('ImagePruner', 'cluster')?.spec).toEqual({ schedule: '', suspend: false, ...PLACED });
      scene.undo('registry', 'registry-storage');
      expect(rest(scene)).toBe(before);
    },
  );

  test('a registry that runs on storage of its owner keeps it where the design gives none, and moves with its pruner', async () => {
    const scene = moveScene(version);
    const own = {
      managementState: 'Managed',
      replicas: 5,
      storage: { s3: { bucket: 'own' } },
      nodeSelector: { zone: 'a' },
    };
    scene.put('ImageRegistry', 'cluster', { spec: own });
    scene.put('ImagePruner', 'cluster', { spec: { schedule: '', nodeSelector: { zone: 'b' } } });
    given(scene, { storage: 'none' });
    const before = scene.contents();
    expect(await scene.look('registry-storage')).toMatchObject({ state: 'absent', why: said.unwanted });
    await scene.make('registry');
    expect(specOf(scene)).toEqual({ ...own, ...PLACED });
    expect(scene.get('ImagePruner', 'cluster')?.spec).toMatchObject(PLACED);
    expect(await scene.look('registry')).toMatchObject({ state: 'moving' });
    running(scene, 'Deployment', 'openshift-image-registry/image-registry', 2);
    expect(await scene.look('registry')).toMatchObject({ state: 'done' });
    scene.remove('Deployment', 'openshift-image-registry/image-registry');
    for (const { metadata } of await scene.sight.list('Pod'))
      scene.remove('Pod', `${metadata.namespace}/${metadata.name}`);
    scene.undo('registry');
    expect(scene.contents()).toBe(before);
  });
});

test('with Retain the class is copied once, and not where it keeps volumes itself or another one has the name', async () => {
  const scene = moveScene();
  given(scene, { retain: true });
  const before = scene.contents();
  await scene.make('registry-storage');
  expect(scene.get('StorageClass', 'fast-retain')).toMatchObject({
    provisioner: 'example.com/fast',
    parameters: { pool: 'a' },
    reclaimPolicy: 'Retain',
  });
  expect(scene.get('PersistentVolumeClaim', CLAIM)?.spec).toMatchObject({ storageClassName: 'fast-retain' });
  expect(await scene.look('registry-storage')).toMatchObject({ state: 'moving', changes: [] });
  scene.undo('registry-storage');
  expect(rest(scene)).toBe(before);
  scene.put('StorageClass', 'fast-retain', { provisioner: 'example.com/fast', reclaimPolicy: 'Delete' });
  expect(await scene.look('registry-storage')).toMatchObject({ state: 'blocked', why: said.otherClass('fast-retain') });
  scene.put('StorageClass', 'fast-retain', { provisioner: 'example.com/fast', reclaimPolicy: 'Retain' });
  expect((await scene.look('registry-storage')).changes).toHaveLength(2);
  scene.put('StorageClass', 'fast', { provisioner: 'example.com/fast', reclaimPolicy: 'Retain' });
  await scene.make('registry-storage');
  expect(scene.get('PersistentVolumeClaim', CLAIM)?.spec).toMatchObject({ storageClassName: 'fast' });
});

test('an emptyDir is typed before images go there, and not once they are', async () => {
  const scene = moveScene();
  given(scene, { storage: 'emptyDir' });
  expect(await scene.look('registry-storage')).toMatchObject({
    state: 'needed',
    types: 'emptyDir',
    says: [said.emptyDir],
  });
  await scene.make('registry-storage');
  const made = await scene.look('registry-storage');
  expect(made).toMatchObject({ state: 'done', changes: [] });
  expect(made.types).toBeUndefined();
});
