import { expect, test } from 'vitest';
import { runChecks } from '../../src/checks/check.ts';
import { STORAGE_TAINT } from '../../src/design/infra-placement.ts';
import { moves as words } from '../../src/i18n/en/moves/index.ts';
import { infraWords } from '../../src/i18n/en/steps/infra.ts';
import { createClusterReader } from '../../src/infra/apply-edits.ts';
import { applyMoves } from '../../src/infra/apply-moves.ts';
import { taintMove } from '../../src/infra/moves/taint.ts';
import { probeMoves } from '../../src/infra/probe.ts';
import type { MoveEvent } from '../../src/infra/run.ts';
import { MOVE_STATUS_CHECKS } from '../../src/infra/status-checks.ts';
import { undoMoves } from '../../src/infra/undo-moves.ts';
import { DOMAIN } from '../support/csr-forge.ts';
import { MOVES_ON_METAL } from '../support/infra-api.ts';
import { infraWorld } from '../support/infra-world.ts';
import { NO_PLAN_FACTS } from '../support/move-executor.ts';
import { createMoveScene, INFRA, LABEL, type MoveScene } from '../support/move-scene.ts';

// PodDisruptionBudgets that block a drain, or that the user may not list.

const [I1 = ''] = INFRA;

function putPod(scene: MoveScene, name: string, owner = 'ReplicaSet'): void {
  scene.put('Pod', `team/${name}`, {
    labels: { app: 'web' },
    spec: { nodeName: I1 },
    status: { phase: 'Running' },
    metadata: { name, namespace: 'team', labels: { app: 'web' }, ownerReferences: [{ kind: owner }] },
  } as Parameters<MoveScene['put']>[2]);
}

const putBudget = (scene: MoveScene, disruptionsAllowed: number) =>
  scene.put('PodDisruptionBudget', 'team/web', {
    spec: { selector: { matchLabels: { app: 'web' } } },
    status: { disruptionsAllowed },
  });

test('a pool whose drain a PodDisruptionBudget blocks names it, with the pod and a command', async () => {
  const scene = createMoveScene();
  for (const name of ['worker', 'infra'])
    scene.put('MachineConfigPool', name, {
      spec: {
        machineConfigSelector: {},
        nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
      },
      status: { machineCount: 3, updatedMachineCount: 2, readyMachineCount: 2 },
    });
  for (const name of INFRA) scene.put('Node', name, { ...scene.get('Node', name), labels: { [LABEL]: '' } });
  const cordon = (unschedulable: boolean) =>
    scene.put('Node', I1, { ...scene.get('Node', I1), labels: { [LABEL]: '' }, spec: { unschedulable } });
  const waitReason = words.byName.pool.updating(2, 3);
  putPod(scene, 'web-1');
  putBudget(scene, 0);
  // The node still takes pods: its drain has not begun.
  expect(await scene.probe('pool')).toEqual({ state: 'moving', why: waitReason, changes: [] });
  cordon(true);
  const pending = { namespace: 'team', name: 'web-1', cause: 'budget', taint: null } as const;
  const status = await scene.probe('pool');
  expect(status).toMatchObject({
    state: 'moving',
    why: `${waitReason} ${words.byName.pool.drainBlocked(I1, 'team/web', ['web-1'])}`,
    pending,
  });
  const { podBlocked, podRemedies } = infraWords.infra;
  expect(runChecks(MOVE_STATUS_CHECKS, { name: 'pool', ...status })).toMatchObject([
    { title: podBlocked('pool', 'web-1'), remedy: podRemedies.budget, command: 'oc get poddisruptionbudgets -n team' },
  ]);
  // The drain continues when one more pod may be evicted, or when none of the pods is drained.
  putBudget(scene, 1);
  expect((await scene.probe('pool')).pending).toBeUndefined();
  putBudget(scene, 0);
  putPod(scene, 'web-1', 'DaemonSet');
  expect((await scene.probe('pool')).pending).toBeUndefined();
});

test('PodDisruptionBudgets that the user may not list: NoExecute needs a confirmation, and blocks nothing', async () => {
  const world = infraWorld('4.18.9');
  const { registry, taint: taintPlan } = world.design.infra;
  world.infra({ taint: { ...taintPlan, noExecute: true }, registry: { ...registry, storage: 'none' } });
  world.add('namespaces', { metadata: { name: 'team' } });
  world.add('pods', {
    metadata: { name: 'web-1', namespace: 'team', labels: { app: 'web' } },
    spec: { nodeName: I1, containers: [{ name: 'web', image: 'web' }] },
    status: { phase: 'Running' },
  });
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden', message: 'no' };
  world.intercept = ({ path }) => (path.includes('poddisruptionbudgets') ? { status: 403, body } : null);
  const taints = (await probeMoves(world.site, MOVES_ON_METAL)).find(({ name }) => name === 'taint');
  expect(taints).toMatchObject({
    state: 'needed',
    notes: [expect.stringMatching(/no permission to list those of .*team: /)],
    confirmationWord: 'NoExecute',
  });
  // After the confirmation, the drain is not blocked between the nodes either.
  const cluster = createClusterReader(world.cluster);
  for (const name of MOVES_ON_METAL.slice(0, -1)) await world.applyAndSettle(name);
  const plan = await taintMove.plan(cluster, world.design, NO_PLAN_FACTS);
  const [afterEdit] = plan.state === 'edits' ? plan.edits.flatMap((edit) => edit.waitFor ?? []) : [];
  expect(await afterEdit?.(cluster)).toBeNull();
});

test('cluster DNS keeps its toleration until the storage nodes have lost their taint, unless the taint existed before', async () => {
  const S1 = `s1.${DOMAIN}`;
  for (const isExternal of [false, true]) {
    const world = infraWorld('4.18.9');
    world.add('nodes', {
      metadata: { name: S1, labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/os': 'linux' } },
      spec: isExternal ? { taints: [STORAGE_TAINT] } : {},
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    world.tick(4);
    const before = world.contents();
    const names = ['label', 'dns', 'storage'] as const;
    expect(await applyMoves(world.site, names, { onEvent: () => undefined, confirmedChanges: null })).toEqual({
      end: 'done',
    });
    const blockedResult = {
      end: 'stopped',
      move: 'dns',
      reason: 'blocked',
      userError: { cause: infraWords.infra.undoFirst('storage') },
    };
    if (!isExternal)
      expect(await undoMoves(world.site, ['dns'], { onEvent: () => undefined })).toMatchObject(blockedResult);
    const writtenObjects: string[] = [];
    const onEvent = (event: MoveEvent) => void (event.type === 'written' && writtenObjects.push(event.result.object));
    expect(await undoMoves(world.site, names, { onEvent })).toEqual({ end: 'done' });
    expect(writtenObjects.filter((object) => /^DNS|s1/.test(object))).toEqual([
      ...(isExternal ? [] : [`Node ${S1}`]),
      'DNS default',
      `Node ${S1}`,
    ]);
    expect(world.contents()).toEqual(before);
  }
});
