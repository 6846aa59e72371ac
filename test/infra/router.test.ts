import { describe, expect, test } from 'vitest';
import { moves as words } from '../../src/i18n/en/moves/index.ts';
import { addRunningWorkload, createMoveScene, INFRA, INFRA_PLACEMENT, type MoveScene } from '../support/move-scene.ts';

const PLACEMENT = {
  nodeSelector: { matchLabels: INFRA_PLACEMENT.nodeSelector },
  tolerations: INFRA_PLACEMENT.tolerations,
};
const HOST = { status: { endpointPublishingStrategy: { type: 'HostNetwork' } } };
const controllerPath = (name: string) => `openshift-ingress-operator/${name}`;
const getControllerSpec = (scene: MoveScene, name: string) =>
  scene.get('IngressController', controllerPath(name))?.spec;

describe.each(['4.5.9', '4.6.1', '4.10.3', '4.14.2', '4.16.0', '4.18.9', '4.22.1', '5.0.0'])('in %s', (version) => {
  test('the default controller and those that the design names move; the others are left alone and reported', async () => {
    const scene = createMoveScene(version);
    scene.put('IngressController', controllerPath('internal'), {
      spec: {
        replicas: 1,
        endpointPublishingStrategy: { type: 'Private' },
        nodePlacement: { tolerations: [{ key: 'own', operator: 'Exists' }] },
      },
    });
    scene.put('IngressController', controllerPath('shard'), {
      spec: { routeSelector: { matchLabels: { type: 'sharded' } } },
      ...HOST,
    });
    scene.put('IngressController', controllerPath('guests'), { spec: {}, ...HOST });
    scene.infra({ routers: ['internal', 'shard'] });
    const before = scene.contents();
    const planned = await scene.probe('router');
    expect(planned).toMatchObject({ state: 'needed', changes: [{}, {}] });
    expect(planned.why).toContain(words.byName.router.sharded(['shard']));
    expect(planned.why).toContain(words.byName.router.unlisted(['guests']));
    // First one edit, then all of them.
    await scene.apply('router', 1);
    expect((await scene.probe('router')).changes).toHaveLength(1);
    await scene.apply('router');
    expect(await scene.probe('router')).toMatchObject({ state: 'moving', changes: [] });
    expect(getControllerSpec(scene, 'default')).toEqual({ replicas: 3, nodePlacement: PLACEMENT });
    const mergedTolerations = [...INFRA_PLACEMENT.tolerations, { key: 'own', operator: 'Exists' }];
    expect(getControllerSpec(scene, 'internal')).toMatchObject({
      replicas: 1,
      nodePlacement: { ...PLACEMENT, tolerations: mergedTolerations },
    });
    expect(getControllerSpec(scene, 'shard')).toEqual({ routeSelector: { matchLabels: { type: 'sharded' } } });
    addRunningWorkload(scene, 'Deployment', 'openshift-ingress/router-default', 3);
    expect((await scene.probe('router')).state).toBe('moving');
    addRunningWorkload(scene, 'Deployment', 'openshift-ingress/router-internal', 1);
    expect(await scene.probe('router')).toMatchObject({
      state: 'done',
      why: expect.stringContaining('those of internal'),
    });
    for (const kind of ['Deployment', 'Pod'] as const)
      for (const { metadata } of await scene.cluster.list(kind))
        scene.remove(kind, `${metadata.namespace}/${metadata.name}`);
    scene.undo('router');
    expect(scene.contents()).toBe(before);
  });
});

test('a named controller that does not exist, and routers that need the same ports, block the move', async () => {
  const scene = createMoveScene();
  scene.infra({ routers: ['second'] });
  expect(await scene.probe('router')).toMatchObject({ state: 'blocked', why: words.byName.router.missing(['second']) });
  scene.put('IngressController', controllerPath('second'), { spec: {}, ...HOST });
  const crowded = words.byName.router.portConflict(['default', 'second'], 5, INFRA.length);
  expect(await scene.probe('router')).toMatchObject({ state: 'blocked', why: crowded });
  // Both fit with other ports, or with few enough routers for the nodes.
  const hostNetwork = { httpPort: 8080, httpsPort: 8443, statsPort: 8936 };
  scene.put('IngressController', controllerPath('second'), {
    spec: { endpointPublishingStrategy: { type: 'HostNetwork', hostNetwork } },
    ...HOST,
  });
  expect((await scene.probe('router')).state).toBe('needed');
  scene.put('IngressController', controllerPath('second'), { spec: { replicas: 1 }, ...HOST });
  expect((await scene.probe('router')).state).toBe('blocked');
  scene.infra({ routerReplicas: 2 });
  expect((await scene.probe('router')).state).toBe('needed');
});

test('without a replica count in the design the existing one stays, and too many routers for the nodes block the move', async () => {
  for (const spec of [{}, { replicas: 2 }]) {
    const scene = createMoveScene();
    scene.put('IngressController', controllerPath('default'), { spec, ...HOST });
    scene.infra({ routerReplicas: null });
    const before = scene.contents();
    await scene.apply('router');
    expect(getControllerSpec(scene, 'default')).toEqual({ ...spec, nodePlacement: PLACEMENT });
    addRunningWorkload(scene, 'Deployment', 'openshift-ingress/router-default', 2);
    expect(await scene.probe('router')).toMatchObject({ state: 'done', why: words.byName.router.done(2, []) });
    for (const kind of ['Deployment', 'Pod'] as const)
      for (const { metadata } of await scene.cluster.list(kind))
        scene.remove(kind, `${metadata.namespace}/${metadata.name}`);
    scene.undo('router');
    expect(scene.contents()).toBe(before);
  }
  const scene = createMoveScene();
  scene.put('IngressController', controllerPath('default'), { spec: { replicas: 5 }, ...HOST });
  scene.infra({ routerReplicas: null });
  expect(await scene.probe('router')).toMatchObject({
    state: 'blocked',
    why: words.byName.router.portConflict(['default'], 5, INFRA.length),
  });
  scene.infra({ routerReplicas: 9 });
  expect((await scene.probe('router')).changes[0]?.after).toContain('replicas: 3');
});
