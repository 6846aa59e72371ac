import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { MOVE } from '../../src/diagnosis/moves.ts';
import { judge } from '../../src/diagnosis/rule.ts';
import { taint } from '../../src/moves/nodes/taint.ts';
import { moves as words } from '../../src/text/en/moves/index.ts';
import { infraWords } from '../../src/text/en/steps/infra.ts';
import { INFRA, LABEL, moveScene, PLACED } from '../support/move-scene.ts';

const [FIRST = '', SECOND = ''] = INFRA;
const PLAIN = ['NoSchedule', 'NoExecute'].map((effect) => ({ key: 'infra', value: 'reserved', effect }));
const HARD = { key: LABEL, value: 'reserved', noExecute: true };
const CONFIG = 'openshift-monitoring/cluster-monitoring-config';
const said = words.each.taint;

describe.each(['4.5.9', '4.6.1', '4.10.3', '4.14.2', '4.16.0', '4.18.9', '4.22.1', '5.0.0'])('in %s', (version) => {
  test('tolerations follow the taints that the nodes have, stay when those change, and go with undo', async () => {
    const scene = moveScene(version);
    for (const name of INFRA) {
      const node = scene.get('Node', name);
      const taints = [
        ...PLAIN,
        { key: LABEL, value: 'old', effect: 'NoSchedule' },
        { key: 'gpu', effect: 'NoSchedule' },
      ];
      scene.put('Node', name, { ...node, labels: { ...node?.metadata.labels }, spec: { taints } });
    }
    scene.put('ImageRegistry', 'cluster', {
      spec: { managementState: 'Managed', replicas: 1, storage: { emptyDir: {} } },
    });
    scene.infra({ registry: { ...scene.design.infra.registry, storage: 'emptyDir' } });
    const before = scene.contents();
    const made = ['dns', 'router', 'registry', 'monitoring', 'taint'] as const;
    for (const name of made) await scene.make(name);
    const wanted = [...PLACED.tolerations, ...PLAIN, { key: LABEL, value: 'old', effect: 'NoSchedule' }];
    expect(scene.get('IngressController', 'openshift-ingress-operator/default')?.spec).toMatchObject({
      nodePlacement: { tolerations: wanted },
    });
    expect(scene.get('ImagePruner', 'cluster')?.spec).toMatchObject({ tolerations: wanted });
    expect(parse(scene.get('ConfigMap', CONFIG)?.data?.['config.yaml'] ?? '').prometheusK8s.tolerations).toEqual(
      wanted,
    );
    const exists = ['node-role.kubernetes.io/master', LABEL, 'infra'].map((key) => ({ key, operator: 'Exists' }));
    expect(scene.get('DNS', 'default')?.spec).toEqual({ nodePlacement: { tolerations: exists } });
    for (const name of made) expect([name, (await scene.look(name)).changes]).toEqual([name, []]);
    scene.undo(...made);
    expect(scene.contents()).toBe(before);
  });
});

test('the DaemonSets that stay away are found on the nodes, and so is the canary where the key is another one', async () => {
  const scene = moveScene();
  const set = (path: string, tolerations: readonly object[], nodeSelector: object = {}, desiredNumberScheduled = 3) =>
    scene.put('DaemonSet', path, {
      spec: { template: { spec: { tolerations, nodeSelector } } } as never,
      status: { desiredNumberScheduled },
    });
  set('openshift-dns/dns-default', []);
  set('openshift-monitoring/node-exporter', [{ operator: 'Exists' }]);
  set('openshift-ingress-canary/ingress-canary', [{ key: LABEL, operator: 'Exists' }]);
  set('team/agent', [{ key: 'node-role.kubernetes.io/master', operator: 'Exists' }]);
  set('team/gpu', [], { gpu: 'yes' });
  set('team/none', [], {}, 0);
  expect(await scene.look('taint')).toMatchObject({ state: 'needed', says: [said.daemonSets(['team/agent'])] });
  scene.infra({ taint: { key: 'infra', value: 'reserved', noExecute: false } });
  const other = await scene.look('taint');
  expect(other.says).toEqual([said.daemonSets(['team/agent']), said.canary(['infra'])]);
  await scene.make('taint');
  expect(await scene.look('taint')).toMatchObject({
    state: 'done',
    why: expect.stringContaining(said.canary(['infra'])),
  });
});

test('NoExecute comes to a node when the pods of the one before have left it and run elsewhere', async () => {
  const scene = moveScene();
  scene.infra({ taint: HARD });
  const pod = (name: string, node: string | null, tolerations: readonly object[] = []) =>
    scene.put('Pod', `team/${name}`, {
      spec: { ...(node ? { nodeName: node } : {}), tolerations } as never,
      status: { phase: node ? 'Running' : 'Pending' },
    });
  pod('stuck', null);
  pod('web', FIRST);
  pod('router', FIRST, [{ key: LABEL, operator: 'Exists' }]);
  pod('brief', FIRST, [{ key: LABEL, operator: 'Exists', tolerationSeconds: 30 }]);
  const plan = await taint.plan(scene.sight, scene.design, async () => []);
  const edits = plan.state === 'edits' ? plan.edits : [];
  const after = (index: number) => edits[index]?.after?.(scene.sight);
  expect(edits.map((edit) => edit.after !== undefined)).toEqual([false, false, false, true, true, true]);
  expect(await after(3)).toBeNull();
  await scene.make('taint', 4);
  expect(await after(4)).toEqual({ state: 'moving', why: said.leaving(FIRST, ['team/web']) });
  pod('web', null);
  expect(await after(4)).toEqual({
    state: 'moving',
    why: said.homeless(['team/web'], ''),
  });
  pod('web', SECOND);
  expect(await after(4)).toBeNull();
  // The last node is looked at, too.
  await scene.make('taint');
  expect(await scene.look('taint')).toMatchObject({ state: 'moving', why: said.leaving(SECOND, ['team/web']) });
  scene.remove('Pod', 'team/web');
  expect(await scene.look('taint')).toMatchObject({ state: 'done', why: said.done(3) });
});

test('NoExecute comes to a node only when the budgets of its pods let them leave, and the plan says which does not', async () => {
  const scene = moveScene();
  scene.infra({ taint: HARD });
  const pod = (name: string, app: string, tolerations: readonly object[] = []) =>
    scene.put('Pod', `team/${name}`, {
      labels: { app },
      spec: { nodeName: FIRST, tolerations } as never,
      status: { phase: 'Running' },
    });
  const budget = (name: string, disruptionsAllowed: number, app = 'web') =>
    scene.put('PodDisruptionBudget', `team/${name}`, {
      spec: { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: [app] }] } },
      status: { disruptionsAllowed },
    });
  pod('web-1', 'web');
  pod('web-2', 'web');
  pod('router', 'router', [{ key: LABEL, operator: 'Exists' }]);
  budget('of-router', 0, 'router');
  budget('of-web', 1);
  const why = said.budget(FIRST, 'team/of-web', 1, ['web-1', 'web-2']);
  const pending = { namespace: 'team', name: 'web-1', cause: 'budget', taint: null } as const;
  const seen = await scene.look('taint');
  expect(seen).toMatchObject({ state: 'needed', says: [why], pending });
  const { podStays, podFix } = infraWords.infra;
  expect(judge(MOVE, { name: 'taint', ...seen })).toMatchObject([
    { title: podStays('taint', 'web-1'), whatToDo: podFix.budget, command: 'oc get poddisruptionbudgets -n team' },
  ]);
  const plan = await taint.plan(scene.sight, scene.design, async () => []);
  const after = () => (plan.state === 'edits' ? plan.edits[3]?.after?.(scene.sight) : undefined);
  expect(await after()).toEqual({ state: 'moving', why });
  budget('of-web', 2);
  expect(await after()).toBeNull();
  expect((await scene.look('taint')).pending).toBeUndefined();
  // NoSchedule alone moves no pod.
  budget('of-web', 0);
  scene.infra({ taint: { ...HARD, noExecute: false } });
  expect((await scene.look('taint')).pending).toBeUndefined();
});
