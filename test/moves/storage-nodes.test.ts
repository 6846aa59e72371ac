import { describe, expect, test } from 'vitest';
import { moves as words } from '../../src/text/en/moves/index.ts';
import { DOMAIN } from '../support/csr-forge.ts';
import { INFRA, LABEL, moveScene, PLACED } from '../support/move-scene.ts';

// Nodes that the design keeps for storage: s1 has joined; w1 is the only node beside them that takes applications.

const [S1, W1] = [`s1.${DOMAIN}`, `w1.${DOMAIN}`];
const MAP = 'openshift-storage/rook-ceph-operator-config';
const TAINT = { key: 'node.ocs.openshift.io/storage', value: 'true', effect: 'NoSchedule' };
const OWN = { key: 'example.com/own', effect: 'NoExecute' };
const said = words.each.storage;
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };

function sceneWith(storage: object = {}, design?: Parameters<typeof moveScene>[1]) {
  const scene = moveScene('4.18.9', design);
  scene.put('Node', S1, { labels: { 'node-role.kubernetes.io/worker': '' }, spec: { ...storage }, status: ready });
  return scene;
}
const taintsOf = (scene: ReturnType<typeof sceneWith>) => scene.get('Node', S1)?.spec?.taints;

test('storage nodes are tainted beside what they have, the plugins and cluster DNS tolerate it, and all of it is given back', async () => {
  const scene = sceneWith({ taints: [OWN, { ...TAINT, value: 'old' }] });
  scene.put('ConfigMap', MAP, { data: { CSI_PLUGIN_TOLERATIONS: '- {key: own, operator: Exists}\n' } });
  scene.put('DaemonSet', 'team/agent', { spec: {}, status: { desiredNumberScheduled: 4 } });
  scene.put('DaemonSet', 'team/any', { spec: { template: { spec: { tolerations: [{ operator: 'Exists' }] } } } });
  const before = scene.contents();
  const seen = await scene.look('storage');
  expect(seen).toMatchObject({ state: 'needed', says: [said.daemonSets(['team/agent'])] });
  // What has to tolerate the taint comes before it.
  expect(seen.changes.map(({ object }) => object)).toEqual([`ConfigMap ${MAP}`, `Node ${S1}`]);
  await scene.make('storage');
  expect(taintsOf(scene)).toEqual([OWN, TAINT]);
  const text = scene.get('ConfigMap', MAP)?.data?.CSI_PLUGIN_TOLERATIONS;
  for (const key of ['own', TAINT.key, LABEL]) expect(text).toContain(`key: ${key}`);
  expect((await scene.look('storage')).why).toContain(said.done(false, 1));
  await scene.make('dns');
  expect(scene.get('DNS', 'default')?.spec).toEqual({
    nodePlacement: {
      tolerations: ['node-role.kubernetes.io/master', LABEL, TAINT.key].map((key) => ({ key, operator: 'Exists' })),
    },
  });
  scene.undo('storage', 'dns');
  expect(scene.contents()).toBe(before);
});

describe('where no other node takes pods, the storage nodes are not tainted, and why is said', () => {
  test.each([
    ['none', null],
    ['cordoned', { spec: { unschedulable: true }, status: ready }],
    ['tainted', { spec: { taints: [OWN] }, status: ready }],
    ['not Ready', { spec: {}, status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } }],
  ] as const)('%s', async (_how, worker) => {
    const scene = sceneWith();
    if (worker === null) scene.remove('Node', W1);
    else scene.put('Node', W1, structuredClone(worker) as never);
    expect(await scene.look('storage')).toMatchObject({ state: 'done', changes: [] });
    expect((await scene.look('storage')).why).toContain(said.noRoom([S1]));
    await scene.make('dns');
    expect(JSON.stringify(scene.get('DNS', 'default')?.spec)).not.toContain(TAINT.key);
    // A node that has the taint already keeps it: it is somebody's.
    scene.put('Node', S1, { spec: { taints: [TAINT] }, status: ready });
    expect((await scene.look('storage')).why).toBe(said.done(false, 1));
  });
});

test('a design with storage nodes and no infra nodes: they are tainted, DNS tolerates it, and Ceph is asked nothing', async () => {
  const { design } = moveScene();
  const scene = sceneWith({}, { ...design, nodes: design.nodes.filter(({ role }) => role !== 'infra') });
  for (const name of INFRA) scene.remove('Node', name);
  scene.put('ConfigMap', MAP, { data: {} });
  const before = scene.contents();
  for (const name of ['label', 'storage', 'dns'] as const) await scene.make(name);
  expect(taintsOf(scene)).toEqual([TAINT]);
  expect(scene.get('ConfigMap', MAP)?.data).toEqual({});
  expect(JSON.stringify(scene.get('DNS', 'default')?.spec)).not.toContain(LABEL);
  scene.undo('label', 'storage', 'dns');
  expect(scene.contents()).toBe(before);
});

test('a Driver without lists keeps what its operator gives each part; a text that is no list blocks', async () => {
  const scene = moveScene();
  const driver = 'openshift-storage/openshift-storage.cephfs.csi.ceph.com';
  const given = (tolerations: readonly object[]) => ({ spec: { template: { spec: { tolerations } } } as never });
  scene.put('CephDriver', driver);
  scene.put('DaemonSet', `${driver}-nodeplugin`, given([{ operator: 'Exists' }]));
  scene.put('Deployment', `${driver}-ctrlplugin`, given([OWN]));
  const before = scene.contents();
  await scene.make('storage');
  // The node plugin tolerates everything: nothing of ours has to stand there.
  expect(scene.get('CephDriver', driver)?.spec).toEqual({
    controllerPlugin: { tolerations: [OWN, ...PLACED.tolerations] },
  });
  expect(await scene.look('storage')).toMatchObject({
    state: 'moving',
    why: words.why.rollout.notTaken(['openshift-storage.cephfs.csi.ceph.com-ctrlplugin']),
  });
  scene.undo('storage');
  expect(scene.contents()).toBe(before);
  scene.remove('CephDriver', driver);
  scene.put('ConfigMap', MAP, { data: { CSI_PROVISIONER_TOLERATIONS: 'effect: NoSchedule' } });
  const why = said.unreadable('CSI_PROVISIONER_TOLERATIONS');
  expect(await scene.look('storage')).toMatchObject({ state: 'blocked', why, changes: [] });
});
