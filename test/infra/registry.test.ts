import { describe, expect, test } from 'vitest';
import type { InfraSettings } from '../../src/design/model.ts';
import { moves as words } from '../../src/i18n/en/moves/index.ts';
import { describeEffects } from '../../src/infra/moves.ts';
import { addRunningWorkload, createMoveScene, INFRA_PLACEMENT, type MoveScene } from '../support/move-scene.ts';

const CLAIM = 'openshift-image-registry/image-registry-storage';
const texts = words.byName['registry-storage'];
const setRegistry = (scene: MoveScene, registry: Partial<InfraSettings['registry']>) =>
  scene.infra({ registry: { ...scene.design.infra.registry, storageClass: 'fast', ...registry } });
const getRegistrySpec = (scene: MoveScene) => scene.get('ImageRegistry', 'cluster')?.spec;
/** Contents without the claim and the storage class. Undo keeps these because they hold images. */
const contentsWithoutImages = (scene: MoveScene) => {
  scene.remove('PersistentVolumeClaim', CLAIM);
  scene.remove('StorageClass', 'fast-retain');
  return scene.contents();
};

describe.each(['4.5.9', '4.6.1', '4.10.3', '4.14.2', '4.16.0', '4.18.9', '4.22.1', '5.0.0'])('in %s', (version) => {
  test.each([
    ['ReadWriteMany', 2, 'RollingUpdate'],
    ['ReadWriteOnce', 1, 'Recreate'],
  ] as const)(
    '%s: the storage comes first, together with the placement; undo restores all but the images',
    async (accessMode, replicas, rolloutStrategy) => {
      const scene = createMoveScene(version);
      setRegistry(scene, { accessMode });
      const before = scene.contents();
      expect(await scene.probe('registry')).toMatchObject({
        state: 'blocked',
        why: words.byName.registry.storageFirst,
      });
      expect(await scene.probe('registry-storage')).toMatchObject({ state: 'needed', changes: [{ before: null }, {}] });
      // One edit only: the claim.
      await scene.apply('registry-storage', 1);
      expect((await scene.probe('registry-storage')).changes).toHaveLength(1);
      await scene.apply('registry-storage');
      expect(getRegistrySpec(scene)).toEqual({
        managementState: 'Managed',
        replicas,
        rolloutStrategy,
        storage: { pvc: { claim: 'image-registry-storage' } },
        ...INFRA_PLACEMENT,
      });
      expect(await scene.probe('registry-storage')).toMatchObject({
        state: 'moving',
        why: texts.unbound('Pending', 'image-registry-storage'),
      });
      // The registry runs on the infra nodes already: it is not restarted again.
      const { changes } = await scene.probe('registry');
      expect(changes.map(({ object }) => object)).toEqual(['ImagePruner cluster']);
      expect(describeEffects({ name: 'registry', changes }, scene.design).restarts).toEqual([]);
      await scene.apply('registry');
      expect(scene.get('ImagePruner', 'cluster')?.spec).toEqual({ schedule: '', suspend: false, ...INFRA_PLACEMENT });
      scene.undo('registry', 'registry-storage');
      expect(contentsWithoutImages(scene)).toBe(before);
    },
  );

  test('a registry keeps its existing storage if the design gives none, and moves with its pruner', async () => {
    const scene = createMoveScene(version);
    const ownerSpec = {
      managementState: 'Managed',
      replicas: 5,
      storage: { s3: { bucket: 'own' } },
      nodeSelector: { zone: 'a' },
    };
    scene.put('ImageRegistry', 'cluster', { spec: ownerSpec });
    scene.put('ImagePruner', 'cluster', { spec: { schedule: '', nodeSelector: { zone: 'b' } } });
    setRegistry(scene, { storage: 'none' });
    const before = scene.contents();
    expect(await scene.probe('registry-storage')).toMatchObject({ state: 'absent', why: texts.unwanted });
    await scene.apply('registry');
    expect(getRegistrySpec(scene)).toEqual({ ...ownerSpec, ...INFRA_PLACEMENT });
    expect(scene.get('ImagePruner', 'cluster')?.spec).toMatchObject(INFRA_PLACEMENT);
    expect(await scene.probe('registry')).toMatchObject({ state: 'moving' });
    addRunningWorkload(scene, 'Deployment', 'openshift-image-registry/image-registry', 2);
    expect(await scene.probe('registry')).toMatchObject({ state: 'done' });
    scene.remove('Deployment', 'openshift-image-registry/image-registry');
    for (const { metadata } of await scene.cluster.list('Pod'))
      scene.remove('Pod', `${metadata.namespace}/${metadata.name}`);
    scene.undo('registry');
    expect(scene.contents()).toBe(before);
  });
});

test('with Retain the class is copied once, unless it already retains volumes or another class has the name', async () => {
  const scene = createMoveScene();
  setRegistry(scene, { retain: true });
  const before = scene.contents();
  await scene.apply('registry-storage');
  expect(scene.get('StorageClass', 'fast-retain')).toMatchObject({
    provisioner: 'example.com/fast',
    parameters: { pool: 'a' },
    reclaimPolicy: 'Retain',
  });
  expect(scene.get('PersistentVolumeClaim', CLAIM)?.spec).toMatchObject({ storageClassName: 'fast-retain' });
  expect(await scene.probe('registry-storage')).toMatchObject({ state: 'moving', changes: [] });
  scene.undo('registry-storage');
  expect(contentsWithoutImages(scene)).toBe(before);
  scene.put('StorageClass', 'fast-retain', { provisioner: 'example.com/fast', reclaimPolicy: 'Delete' });
  expect(await scene.probe('registry-storage')).toMatchObject({
    state: 'blocked',
    why: texts.otherClass('fast-retain'),
  });
  scene.put('StorageClass', 'fast-retain', { provisioner: 'example.com/fast', reclaimPolicy: 'Retain' });
  expect((await scene.probe('registry-storage')).changes).toHaveLength(2);
  scene.put('StorageClass', 'fast', { provisioner: 'example.com/fast', reclaimPolicy: 'Retain' });
  await scene.apply('registry-storage');
  expect(scene.get('PersistentVolumeClaim', CLAIM)?.spec).toMatchObject({ storageClassName: 'fast' });
});

test('an emptyDir needs the typed word before it is configured, and not afterwards', async () => {
  const scene = createMoveScene();
  setRegistry(scene, { storage: 'emptyDir' });
  expect(await scene.probe('registry-storage')).toMatchObject({
    state: 'needed',
    confirmationWord: 'emptyDir',
    notes: [texts.emptyDir],
  });
  await scene.apply('registry-storage');
  const finalStatus = await scene.probe('registry-storage');
  expect(finalStatus).toMatchObject({ state: 'done', changes: [] });
  expect(finalStatus.confirmationWord).toBeUndefined();
});
