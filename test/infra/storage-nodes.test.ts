import { describe, expect, test } from 'vitest';
import { moves as words } from '../../src/i18n/en/moves/index.ts';
import { DOMAIN } from '../support/csr-forge.ts';
import { createMoveScene, INFRA, INFRA_PLACEMENT, LABEL } from '../support/move-scene.ts';

// The design reserves nodes for storage. s1 has joined; w1 is the only other node that takes applications.

const [S1, W1] = [`s1.${DOMAIN}`, `w1.${DOMAIN}`];
const MAP = 'openshift-storage/rook-ceph-operator-config';
const TAINT = { key: 'node.ocs.openshift.io/storage', value: 'true', effect: 'NoSchedule' };
const TEAM_TAINT = { key: 'example.com/own', effect: 'NoExecute' };
const texts = words.byName.storage;
const readyStatus = { conditions: [{ type: 'Ready', status: 'True' }] };

function sceneWith(storage: object = {}, design?: Parameters<typeof createMoveScene>[1]) {
  const scene = createMoveScene('4.18.9', design);
  scene.put('Node', S1, {
    labels: { 'node-role.kubernetes.io/worker': '' },
    spec: { ...storage },
    status: readyStatus,
  });
  return scene;
}
const listTaints = (scene: ReturnType<typeof sceneWith>) => scene.get('Node', S1)?.spec?.taints;

test('storage nodes get the taint beside their own, the plugins and cluster DNS tolerate it, and undo restores all of it', async () => {
  const scene = sceneWith({ taints: [TEAM_TAINT, { ...TAINT, value: 'old' }] });
  scene.put('ConfigMap', MAP, { data: { CSI_PLUGIN_TOLERATIONS: '- {key: own, operator: Exists}\n' } });
  scene.put('DaemonSet', 'team/agent', { spec: {}, status: { desiredNumberScheduled: 4 } });
  scene.put('DaemonSet', 'team/any', { spec: { template: { spec: { tolerations: [{ operator: 'Exists' }] } } } });
  const before = scene.contents();
  const planned = await scene.probe('storage');
  expect(planned).toMatchObject({ state: 'needed', notes: [texts.daemonSets(['team/agent'])] });
  // Tolerations come before the taint.
  expect(planned.changes.map(({ object }) => object)).toEqual([`ConfigMap ${MAP}`, `Node ${S1}`]);
  await scene.apply('storage');
  expect(listTaints(scene)).toEqual([TEAM_TAINT, TAINT]);
  const text = scene.get('ConfigMap', MAP)?.data?.CSI_PLUGIN_TOLERATIONS;
  for (const key of ['own', TAINT.key, LABEL]) expect(text).toContain(`key: ${key}`);
  expect((await scene.probe('storage')).why).toContain(texts.done(false, 1));
  await scene.apply('dns');
  expect(scene.get('DNS', 'default')?.spec).toEqual({
    nodePlacement: {
      tolerations: ['node-role.kubernetes.io/master', LABEL, TAINT.key].map((key) => ({ key, operator: 'Exists' })),
    },
  });
  scene.undo('storage', 'dns');
  expect(scene.contents()).toBe(before);
});

describe('where no other node takes pods, the storage nodes are not tainted, with a reason', () => {
  test.each([
    ['none', null],
    ['cordoned', { spec: { unschedulable: true }, status: readyStatus }],
    ['tainted', { spec: { taints: [TEAM_TAINT] }, status: readyStatus }],
    ['not Ready', { spec: {}, status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } }],
  ] as const)('%s', async (_how, worker) => {
    const scene = sceneWith();
    if (worker === null) scene.remove('Node', W1);
    else scene.put('Node', W1, structuredClone(worker) as never);
    expect(await scene.probe('storage')).toMatchObject({ state: 'done', changes: [] });
    expect((await scene.probe('storage')).why).toContain(texts.untaintedNodes([S1]));
    await scene.apply('dns');
    expect(JSON.stringify(scene.get('DNS', 'default')?.spec)).not.toContain(TAINT.key);
    // A node that already has the taint keeps it: upi-wizard did not set it.
    scene.put('Node', S1, { spec: { taints: [TAINT] }, status: readyStatus });
    expect((await scene.probe('storage')).why).toBe(texts.done(false, 1));
  });
});

test('a design with storage nodes and no infra nodes: they are tainted, DNS tolerates it, and Ceph is not configured', async () => {
  const { design } = createMoveScene();
  const scene = sceneWith({}, { ...design, nodes: design.nodes.filter(({ role }) => role !== 'infra') });
  for (const name of INFRA) scene.remove('Node', name);
  scene.put('ConfigMap', MAP, { data: {} });
  const before = scene.contents();
  for (const name of ['label', 'storage', 'dns'] as const) await scene.apply(name);
  expect(listTaints(scene)).toEqual([TAINT]);
  expect(scene.get('ConfigMap', MAP)?.data).toEqual({});
  expect(JSON.stringify(scene.get('DNS', 'default')?.spec)).not.toContain(LABEL);
  scene.undo('label', 'storage', 'dns');
  expect(scene.contents()).toBe(before);
});

test('a Driver without tolerations keeps those of its operator; a value that is no list blocks', async () => {
  const scene = createMoveScene();
  const driver = 'openshift-storage/openshift-storage.cephfs.csi.ceph.com';
  const withTolerations = (tolerations: readonly object[]) => ({
    spec: { template: { spec: { tolerations } } } as never,
  });
  scene.put('CephDriver', driver);
  scene.put('DaemonSet', `${driver}-nodeplugin`, withTolerations([{ operator: 'Exists' }]));
  scene.put('Deployment', `${driver}-ctrlplugin`, withTolerations([TEAM_TAINT]));
  const before = scene.contents();
  await scene.apply('storage');
  // The node plugin tolerates everything and needs no toleration of its own.
  expect(scene.get('CephDriver', driver)?.spec).toEqual({
    controllerPlugin: { tolerations: [TEAM_TAINT, ...INFRA_PLACEMENT.tolerations] },
  });
  expect(await scene.probe('storage')).toMatchObject({
    state: 'moving',
    why: words.reasons.rollout.notApplied(['openshift-storage.cephfs.csi.ceph.com-ctrlplugin']),
  });
  scene.undo('storage');
  expect(scene.contents()).toBe(before);
  scene.remove('CephDriver', driver);
  scene.put('ConfigMap', MAP, { data: { CSI_PROVISIONER_TOLERATIONS: 'effect: NoSchedule' } });
  const why = texts.unreadable('CSI_PROVISIONER_TOLERATIONS');
  expect(await scene.probe('storage')).toMatchObject({ state: 'blocked', why, changes: [] });
});
