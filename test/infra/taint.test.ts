import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runChecks } from '../../src/checks/check.ts';
import { moves as words } from '../../src/i18n/en/moves/index.ts';
import { infraWords } from '../../src/i18n/en/steps/infra.ts';
import { taintMove } from '../../src/infra/moves/taint.ts';
import { MOVE_STATUS_CHECKS } from '../../src/infra/status-checks.ts';
import { NO_PLAN_FACTS } from '../support/move-executor.ts';
import { createMoveScene, INFRA, INFRA_PLACEMENT, LABEL } from '../support/move-scene.ts';

const [FIRST = '', SECOND = ''] = INFRA;
const PLAIN_TAINTS = ['NoSchedule', 'NoExecute'].map((effect) => ({ key: 'infra', value: 'reserved', effect }));
const NO_EXECUTE_TAINT = { key: LABEL, value: 'reserved', noExecute: true };
const CONFIG = 'openshift-monitoring/cluster-monitoring-config';
const texts = words.byName.taint;

describe.each(['4.5.9', '4.6.1', '4.10.3', '4.14.2', '4.16.0', '4.18.9', '4.22.1', '5.0.0'])('in %s', (version) => {
  test('tolerations follow the taints that the nodes have, stay when those change, and go with undo', async () => {
    const scene = createMoveScene(version);
    for (const name of INFRA) {
      const node = scene.get('Node', name);
      const taints = [
        ...PLAIN_TAINTS,
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
    const appliedMoves = ['dns', 'router', 'registry', 'monitoring', 'taint'] as const;
    for (const name of appliedMoves) await scene.apply(name);
    const expectedTolerations = [
      ...INFRA_PLACEMENT.tolerations,
      ...PLAIN_TAINTS,
      { key: LABEL, value: 'old', effect: 'NoSchedule' },
    ];
    expect(scene.get('IngressController', 'openshift-ingress-operator/default')?.spec).toMatchObject({
      nodePlacement: { tolerations: expectedTolerations },
    });
    expect(scene.get('ImagePruner', 'cluster')?.spec).toMatchObject({ tolerations: expectedTolerations });
    expect(parse(scene.get('ConfigMap', CONFIG)?.data?.['config.yaml'] ?? '').prometheusK8s.tolerations).toEqual(
      expectedTolerations,
    );
    const dnsTolerations = ['node-role.kubernetes.io/master', LABEL, 'infra'].map((key) => ({
      key,
      operator: 'Exists',
    }));
    expect(scene.get('DNS', 'default')?.spec).toEqual({ nodePlacement: { tolerations: dnsTolerations } });
    for (const name of appliedMoves) expect([name, (await scene.probe(name)).changes]).toEqual([name, []]);
    scene.undo(...appliedMoves);
    expect(scene.contents()).toBe(before);
  });
});

test('DaemonSets without the toleration are reported, and so is the canary if the taint has another key', async () => {
  const scene = createMoveScene();
  const addDaemonSet = (
    path: string,
    tolerations: readonly object[],
    nodeSelector: object = {},
    desiredNumberScheduled = 3,
  ) =>
    scene.put('DaemonSet', path, {
      spec: { template: { spec: { tolerations, nodeSelector } } } as never,
      status: { desiredNumberScheduled },
    });
  addDaemonSet('openshift-dns/dns-default', []);
  addDaemonSet('openshift-monitoring/node-exporter', [{ operator: 'Exists' }]);
  addDaemonSet('openshift-ingress-canary/ingress-canary', [{ key: LABEL, operator: 'Exists' }]);
  addDaemonSet('team/agent', [{ key: 'node-role.kubernetes.io/master', operator: 'Exists' }]);
  addDaemonSet('team/gpu', [], { gpu: 'yes' });
  addDaemonSet('team/none', [], {}, 0);
  expect(await scene.probe('taint')).toMatchObject({ state: 'needed', notes: [texts.daemonSets(['team/agent'])] });
  scene.infra({ taint: { key: 'infra', value: 'reserved', noExecute: false } });
  const other = await scene.probe('taint');
  expect(other.notes).toEqual([texts.daemonSets(['team/agent']), texts.canary(['infra'])]);
  await scene.apply('taint');
  expect(await scene.probe('taint')).toMatchObject({
    state: 'done',
    why: expect.stringContaining(texts.canary(['infra'])),
  });
});

test('NoExecute is set on a node once the pods of the previous node run elsewhere', async () => {
  const scene = createMoveScene();
  scene.infra({ taint: NO_EXECUTE_TAINT });
  const addPod = (name: string, node: string | null, tolerations: readonly object[] = []) =>
    scene.put('Pod', `team/${name}`, {
      spec: { ...(node ? { nodeName: node } : {}), tolerations } as never,
      status: { phase: node ? 'Running' : 'Pending' },
    });
  addPod('stuck', null);
  addPod('web', FIRST);
  addPod('router', FIRST, [{ key: LABEL, operator: 'Exists' }]);
  addPod('brief', FIRST, [{ key: LABEL, operator: 'Exists', tolerationSeconds: 30 }]);
  const plan = await taintMove.plan(scene.cluster, scene.design, NO_PLAN_FACTS);
  const edits = plan.state === 'edits' ? plan.edits : [];
  const after = (index: number) => edits[index]?.waitFor?.(scene.cluster);
  expect(edits.map((edit) => edit.waitFor !== undefined)).toEqual([false, false, false, true, true, true]);
  expect(await after(3)).toBeNull();
  await scene.apply('taint', 4);
  expect(await after(4)).toEqual({ state: 'moving', why: texts.remainingPods(FIRST, ['team/web']) });
  addPod('web', null);
  expect(await after(4)).toEqual({
    state: 'moving',
    why: texts.pendingPods(['team/web'], ''),
  });
  addPod('web', SECOND);
  expect(await after(4)).toBeNull();
  // The last node is checked, too.
  await scene.apply('taint');
  expect(await scene.probe('taint')).toMatchObject({ state: 'moving', why: texts.remainingPods(SECOND, ['team/web']) });
  scene.remove('Pod', 'team/web');
  expect(await scene.probe('taint')).toMatchObject({ state: 'done', why: texts.done(3) });
});

test('NoExecute is set on a node only if disruption budgets let its pods leave, and the plan names the blocking budget', async () => {
  const scene = createMoveScene();
  scene.infra({ taint: NO_EXECUTE_TAINT });
  const addPod = (name: string, app: string, tolerations: readonly object[] = []) =>
    scene.put('Pod', `team/${name}`, {
      labels: { app },
      spec: { nodeName: FIRST, tolerations } as never,
      status: { phase: 'Running' },
    });
  const addBudget = (name: string, disruptionsAllowed: number, app = 'web') =>
    scene.put('PodDisruptionBudget', `team/${name}`, {
      spec: { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: [app] }] } },
      status: { disruptionsAllowed },
    });
  addPod('web-1', 'web');
  addPod('web-2', 'web');
  addPod('router', 'router', [{ key: LABEL, operator: 'Exists' }]);
  addBudget('of-router', 0, 'router');
  addBudget('of-web', 1);
  const why = texts.budgetBlocks(FIRST, 'team/of-web', 1, ['web-1', 'web-2']);
  const pending = { namespace: 'team', name: 'web-1', cause: 'budget', taint: null } as const;
  const planned = await scene.probe('taint');
  expect(planned).toMatchObject({ state: 'needed', notes: [why], pending });
  const { podBlocked, podRemedies } = infraWords.infra;
  expect(runChecks(MOVE_STATUS_CHECKS, { name: 'taint', ...planned })).toMatchObject([
    { title: podBlocked('taint', 'web-1'), remedy: podRemedies.budget, command: 'oc get poddisruptionbudgets -n team' },
  ]);
  const plan = await taintMove.plan(scene.cluster, scene.design, NO_PLAN_FACTS);
  const after = () => (plan.state === 'edits' ? plan.edits[3]?.waitFor?.(scene.cluster) : undefined);
  expect(await after()).toEqual({ state: 'moving', why });
  addBudget('of-web', 2);
  expect(await after()).toBeNull();
  expect((await scene.probe('taint')).pending).toBeUndefined();
  // NoSchedule alone moves no pod.
  addBudget('of-web', 0);
  scene.infra({ taint: { ...NO_EXECUTE_TAINT, noExecute: false } });
  expect((await scene.probe('taint')).pending).toBeUndefined();
});

test('the sentence about evicted pods agrees with a taint that evicts none', () => {
  expect(
    texts.effects({ noExecute: false, hasRegistryVolume: false, hasMonitoringVolumes: false, changesOnly: () => false })
      .outage,
  ).toContain('pods that run there stay');
  expect(texts.undoLimits).toContain('NoSchedule evicts none');
});
