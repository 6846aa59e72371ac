import { expect, test } from 'vitest';
import { sightOf } from '../../src/cluster/infra/run.ts';
import { STORAGE_TAINT } from '../../src/design/infra-placement.ts';
import { MOVE } from '../../src/diagnosis/moves.ts';
import { judge } from '../../src/diagnosis/rule.ts';
import { taint } from '../../src/moves/nodes/taint.ts';
import { applyMoves } from '../../src/steps/infra/apply-moves.ts';
import { type MoveEvent, undoMoves } from '../../src/steps/infra/engine.ts';
import { lookAtMoves } from '../../src/steps/infra/look.ts';
import { moves as words } from '../../src/text/en/moves/index.ts';
import { infraWords } from '../../src/text/en/steps/infra.ts';
import { DOMAIN } from '../support/csr-forge.ts';
import { MOVES_ON_METAL } from '../support/infra-api.ts';
import { infraWorld } from '../support/infra-world.ts';
import { INFRA, LABEL, type MoveScene, moveScene } from '../support/move-scene.ts';

// Budgets that hold up a drain, or that nobody here may see.

const [I1 = ''] = INFRA;

function pod(scene: MoveScene, name: string, owner = 'ReplicaSet'): void {
  scene.put('Pod', `team/${name}`, {
    labels: { app: 'web' },
    spec: { nodeName: I1 },
    status: { phase: 'Running' },
    metadata: { name, namespace: 'team', labels: { app: 'web' }, ownerReferences: [{ kind: owner }] },
  } as Parameters<MoveScene['put']>[2]);
}

const budget = (scene: MoveScene, disruptionsAllowed: number) =>
  scene.put('PodDisruptionBudget', 'team/web', {
    spec: { selector: { matchLabels: { app: 'web' } } },
    status: { disruptionsAllowed },
  });

test('a pool whose drain a budget holds up says which, with the pod and what to type', async () => {
  const scene = moveScene();
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
  const waits = words.each.pool.updating(2, 3);
  pod(scene, 'web-1');
  budget(scene, 0);
  // The node still takes pods: its drain has not begun.
  expect(await scene.look('pool')).toEqual({ state: 'moving', why: waits, changes: [] });
  cordon(true);
  const pending = { namespace: 'team', name: 'web-1', cause: 'budget', taint: null } as const;
  const seen = await scene.look('pool');
  expect(seen).toMatchObject({
    state: 'moving',
    why: `${waits} ${words.each.pool.held(I1, 'team/web', ['web-1'])}`,
    pending,
  });
  const { podStays, podFix } = infraWords.infra;
  expect(judge(MOVE, { name: 'pool', ...seen })).toMatchObject([
    { title: podStays('pool', 'web-1'), whatToDo: podFix.budget, command: 'oc get poddisruptionbudgets -n team' },
  ]);
  // One more may go, or nothing of it is drained: the drain goes on.
  budget(scene, 1);
  expect((await scene.look('pool')).pending).toBeUndefined();
  budget(scene, 0);
  pod(scene, 'web-1', 'DaemonSet');
  expect((await scene.look('pool')).pending).toBeUndefined();
});

test('budgets that this user may not list: NoExecute is asked about, and holds nothing up', async () => {
  const world = infraWorld('4.18.9');
  const { registry, taint: set } = world.design.infra;
  world.infra({ taint: { ...set, noExecute: true }, registry: { ...registry, storage: 'none' } });
  world.add('namespaces', { metadata: { name: 'team' } });
  world.add('pods', {
    metadata: { name: 'web-1', namespace: 'team', labels: { app: 'web' } },
    spec: { nodeName: I1, containers: [{ name: 'web', image: 'web' }] },
    status: { phase: 'Running' },
  });
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden', message: 'no' };
  world.instead = ({ path }) => (path.includes('poddisruptionbudgets') ? { status: 403, body } : null);
  const taints = (await lookAtMoves(world.site, MOVES_ON_METAL)).find(({ name }) => name === 'taint');
  expect(taints).toMatchObject({
    state: 'needed',
    says: [expect.stringMatching(/may not list those of .*team: /)],
    types: 'NoExecute',
  });
  // Who agreed is not held up between the nodes either.
  const sight = sightOf(world.cluster);
  for (const name of MOVES_ON_METAL.slice(0, -1)) await world.make(name);
  const plan = await taint.plan(sight, world.design, async () => []);
  const [after] = plan.state === 'edits' ? plan.edits.flatMap((edit) => edit.after ?? []) : [];
  expect(await after?.(sight)).toBeNull();
});

test('cluster DNS keeps its toleration until the storage nodes have lost their taint, unless that was there before us', async () => {
  const S1 = `s1.${DOMAIN}`;
  for (const isForeign of [false, true]) {
    const world = infraWorld('4.18.9');
    world.add('nodes', {
      metadata: { name: S1, labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/os': 'linux' } },
      spec: isForeign ? { taints: [STORAGE_TAINT] } : {},
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    world.tick(4);
    const before = world.contents();
    const names = ['label', 'dns', 'storage'] as const;
    expect(await applyMoves(world.site, names, { tell: () => undefined, shown: null })).toEqual({ end: 'done' });
    const stays = {
      end: 'stopped',
      move: 'dns',
      how: 'blocked',
      trouble: { cause: infraWords.infra.undoFirst('storage') },
    };
    if (!isForeign) expect(await undoMoves(world.site, ['dns'], { tell: () => undefined })).toMatchObject(stays);
    const written: string[] = [];
    const tell = (event: MoveEvent) => void (event.type === 'written' && written.push(event.written.object));
    expect(await undoMoves(world.site, names, { tell })).toEqual({ end: 'done' });
    expect(written.filter((object) => /^DNS|s1/.test(object))).toEqual([
      ...(isForeign ? [] : [`Node ${S1}`]),
      'DNS default',
      `Node ${S1}`,
    ]);
    expect(world.contents()).toEqual(before);
  }
});
