import { describe, expect, test } from 'vitest';
import { moves as words } from '../../src/text/en/moves/index.ts';
import { INFRA, type MoveScene, moveScene, PLACED, running } from '../support/move-scene.ts';

const PLACEMENT = { nodeSelector: { matchLabels: PLACED.nodeSelector }, tolerations: PLACED.tolerations };
const HOST = { status: { endpointPublishingStrategy: { type: 'HostNetwork' } } };
const own = (name: string) => `openshift-ingress-operator/${name}`;
const specOf = (scene: MoveScene, name: string) => scene.get('IngressController', own(name))?.spec;

describe.each(['4.5.9', '4.6.1', '4.10.3', '4.14.2', '4.16.0', '4.18.9', '4.22.1', '5.0.0'])('in %s', (version) => {
  test('the default controller and those that the design names move; the others are left alone, and said', async () => {
    const scene = moveScene(version);
    scene.put('IngressController', own('internal'), {
      spec: {
        replicas: 1,
        endpointPublishingStrategy: { type: 'Private' },
        nodePlacement: { tolerations: [{ key: 'own', operator: 'Exists' }] },
      },
    });
    scene.put('IngressController', own('shard'), {
      spec: { routeSelector: { matchLabels: { type: 'sharded' } } },
      ...HOST,
    });
    scene.put('IngressController', own('guests'), { spec: {}, ...HOST });
    scene.infra({ routers: ['internal', 'shard'] });
    const before = scene.contents();
    const planned = await scene.look('router');
    expect(planned).toMatchObject({ state: 'needed', changes: [{}, {}] });
    expect(planned.why).toContain(words.each.router.sharded(['shard']));
    expect(planned.why).toContain(words.each.router.others(['guests']));
    // Half done, then done.
    await scene.make('router', 1);
    expect((await scene.look('router')).changes).toHaveLength(1);
    await scene.make('router');
    expect(await scene.look('router')).toMatchObject({ state: 'moving', changes: [] });
    expect(specOf(scene, 'default')).toEqual({ replicas: 3, nodePlacement: PLACEMENT });
    const ofBoth = [...PLACED.tolerations, { key: 'own', operator: 'Exists' }];
    expect(specOf(scene, 'internal')).toMatchObject({
      replicas: 1,
      nodePlacement: { ...PLACEMENT, tolerations: ofBoth },
    });
    expect(specOf(scene, 'shard')).toEqual({ routeSelector: { matchLabels: { type: 'sharded' } } });
    running(scene, 'Deployment', 'openshift-ingress/router-default', 3);
    expect((await scene.look('router')).state).toBe('moving');
    running(scene, 'Deployment', 'openshift-ingress/router-internal', 1);
    expect(await scene.look('router')).toMatchObject({
      state: 'done',
      why: expect.stringContaining('those of internal'),
    });
    for (const kind of ['Deployment', 'Pod'] as const)
      for (const { metadata } of await scene.sight.list(kind))
        scene.remove(kind, `${metadata.namespace}/${metadata.name}`);
    scene.undo('router');
    expect(scene.contents()).toBe(before);
  });
});

test('a named controller that is not there, and routers that want the same ports, block the move', async () => {
  const scene = moveScene();
  scene.infra({ routers: ['second'] });
  expect(await scene.look('router')).toMatchObject({ state: 'blocked', why: words.each.router.missing(['second']) });
  scene.put('IngressController', own('second'), { spec: {}, ...HOST });
  const crowded = words.each.router.crowded(['default', 'second'], 5, INFRA.length);
  expect(await scene.look('router')).toMatchObject({ state: 'blocked', why: crowded });
  // Other ports, or few enough routers for the nodes, and both fit.
  const hostNetwork = { httpPort: 8080, httpsPort: 8443, statsPort: 8936 };
  scene.put('IngressController', own('second'), {
    spec: { endpointPublishingStrategy: { type: 'HostNetwork', hostNetwork } },
    ...HOST,
  });
  expect((await scene.look('router')).state).toBe('needed');
  scene.put('IngressController', own('second'), { spec: { replicas: 1 }, ...HOST });
  expect((await scene.look('router')).state).toBe('blocked');
  scene.infra({ routerReplicas: 2 });
  expect((await scene.look('router')).state).toBe('needed');
});

test('without a number in the design the owner keeps his, set or not, and more than the nodes have ports for block the move', async () => {
  for (const spec of [{}, { replicas: 2 }]) {
    const scene = moveScene();
    scene.put('IngressController', own('default'), { spec, ...HOST });
    scene.infra({ routerReplicas: null });
    const before = scene.contents();
    await scene.make('router');
    expect(specOf(scene, 'default')).toEqual({ ...spec, nodePlacement: PLACEMENT });
    running(scene, 'Deployment', 'openshift-ingress/router-default', 2);
    expect(await scene.look('router')).toMatchObject({ state: 'done', why: words.each.router.done(2, []) });
    for (const kind of ['Deployment', 'Pod'] as const)
      for (const { metadata } of await scene.sight.list(kind))
        scene.remove(kind, `${metadata.namespace}/${metadata.name}`);
    scene.undo('router');
    expect(scene.contents()).toBe(before);
  }
  const scene = moveScene();
  scene.put('IngressController', own('default'), { spec: { replicas: 5 }, ...HOST });
  scene.infra({ routerReplicas: null });
  expect(await scene.look('router')).toMatchObject({
    state: 'blocked',
    why: words.each.router.crowded(['default'], 5, INFRA.length),
  });
  scene.infra({ routerReplicas: 9 });
  expect((await scene.look('router')).changes[0]?.after).toContain('replicas: 3');
});
