import { expect, test } from 'vitest';
import { runChecks } from '../../src/checks/check.ts';
import { moves as moveTexts } from '../../src/i18n/en/moves/index.ts';
import { infraWords } from '../../src/i18n/en/steps/infra.ts';
import {
  classifyPendingPod,
  findRemedyCommand,
  type PendingCause,
  type PendingPod,
  refinePendingCause,
} from '../../src/infra/pending-pod.ts';
import { MOVE_STATUS_CHECKS } from '../../src/infra/status-checks.ts';
import { parsePod } from '../../src/openshift/pod.ts';
import { schedulePod } from '../../src/rehearsal/world/workloads/scheduler.ts';
import { INFRA, infraWorld, LABEL } from '../support/infra-world.ts';
import { createMoveScene } from '../support/move-scene.ts';

const INFRA_TAINT = 'node-role.kubernetes.io/infra';
const MASTER = 'node-role.kubernetes.io/master';

function createPendingPod(message: string) {
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
  const metadata = { namespace: 'openshift-ingress', name: 'router-default-7d4b9c-x2x0' };
  return classifyPendingPod(
    parsePod({ apiVersion: 'v1', kind: 'Pod', metadata, status: { phase: 'Pending', conditions } }),
  );
}

const placement = { nodeSelector: { [LABEL]: '' }, tolerations: [] };
const node = (name: string, labels: Record<string, string>, ...keys: string[]) => ({
  name,
  labels,
  isReady: true,
  address: '172.16.0.9',
  taints: keys.map((key) => ({ key, effect: 'NoSchedule' })),
});
const MASTERS = [node('m1', {}, MASTER), node('a1', {}, 'node-role.kubernetes.io/arbiter')];
const WORKERS = [node('w1', {})];
const infraNode = (...keys: string[]) => node('i1', { [LABEL]: '' }, ...keys);
type Nodes = Parameters<typeof schedulePod>[1];
/**
 * Returns the message of the rehearsal's scheduler.
 * @param podsPerNode pods of the workload that each node already has
 */
function getSchedulerMessage(nodes: Nodes, podsPerNode = 0, usesHostPorts = false): string {
  const found = schedulePod(placement, nodes, { countPods: () => podsPerNode, isExclusive: true, usesHostPorts });
  if ('node' in found) throw new Error(`it goes to ${found.node}`);
  return found.message;
}

test('the cause is what the infra nodes lack, not what keeps the pod off masters and workers', () => {
  const causes: [string, PendingCause, string | null][] = [
    [getSchedulerMessage([...MASTERS, ...WORKERS, infraNode('example.com/else')]), 'taint', 'example.com/else'],
    [getSchedulerMessage([...MASTERS, ...WORKERS]), 'selector', null],
    [getSchedulerMessage(MASTERS), 'taint', MASTER],
    [getSchedulerMessage([...MASTERS, ...WORKERS, infraNode()], 1, true), 'ports', null],
    [getSchedulerMessage([...MASTERS, ...WORKERS, infraNode()], 1), 'apart', null],
    [getSchedulerMessage([]), 'other', null],
    // Messages of kube-scheduler, of several versions.
    [
      "0/6 nodes are available: 3 Insufficient memory, 3 node(s) had taint {node-role.kubernetes.io/master: }, that the pod didn't tolerate.",
      'size',
      null,
    ],
    ["0/3 nodes are available: 3 node(s) had taint {x: y}, that the pod didn't tolerate.", 'taint', 'x'],
    ['0/2 nodes are available: 1 node(s) had volume node affinity conflict, 1 Insufficient cpu.', 'volume', null],
    ["Cannot evict pod as it would violate the pod's disruption budget.", 'budget', null],
    ['0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.', 'claim', null],
    [
      "0/5 nodes are available: 2 node(s) didn't match Pod's node affinity/selector, 3 node(s) were unschedulable.",
      'cordoned',
      null,
    ],
  ];
  for (const [message, cause, taint] of causes)
    expect([message, createPendingPod(message)]).toEqual([message, expect.objectContaining({ cause, taint })]);
});

test('the command removes a foreign taint, and describes the nodes for a taint of Kubernetes', () => {
  const command = (key: string) => findRemedyCommand(createPendingPod(getSchedulerMessage([infraNode(key)])));
  expect(command('example.com/else')).toBe(`oc adm taint nodes -l ${LABEL} example.com/else-`);
  expect(command('a$(reboot)')).toBe(`oc adm taint nodes -l ${LABEL} 'a$(reboot)-'`);
  for (const key of [MASTER, 'node.kubernetes.io/memory-pressure'])
    expect(command(key)).toBe(`oc describe nodes -l ${LABEL}`);
});

test('the design’s own taint and a missing label have their own causes, with a key as the remedy instead of a command', async () => {
  const scene = createMoveScene();
  const refineCause = (...nodes: Nodes) =>
    refinePendingCause(scene.cluster, scene.design, createPendingPod(getSchedulerMessage(nodes)));
  const { podRemedies } = infraWords.infra;
  const findFinding = (pending: PendingPod) =>
    runChecks(MOVE_STATUS_CHECKS, { name: 'router', state: 'moving', why: '', pending })[0];
  const ownTaint = await refineCause(infraNode(INFRA_TAINT));
  expect([ownTaint.cause, findRemedyCommand(ownTaint), findFinding(ownTaint)?.remedy]).toEqual([
    'own-taint',
    null,
    podRemedies['own-taint'],
  ]);
  expect((await refineCause(infraNode('example.com/else'))).cause).toBe('taint');
  expect((await refineCause(...MASTERS, ...WORKERS)).cause).toBe('selector');
  scene.put('Node', INFRA[1] ?? '', { labels: {} });
  const unlabelled = await refineCause(...MASTERS, ...WORKERS);
  expect([unlabelled.cause, findRemedyCommand(unlabelled), findFinding(unlabelled)?.remedy]).toEqual([
    'unlabelled',
    null,
    podRemedies.unlabelled,
  ]);
});

test('a move on a cluster with a foreign taint reports the cause until the taint is removed', async () => {
  const world = infraWorld('4.18.9');
  await world.applyAndSettle('label');
  const taint = (taints: readonly object[]) => {
    for (const name of INFRA)
      world.change('nodes', null, name, (one) => {
        one.spec = { taints: [...taints] };
      });
    world.tick(3);
  };
  taint([{ key: 'example.com/else', effect: 'NoSchedule' }]);
  await world.apply('router');
  world.tick(3);
  const blockedMove = await world.probe('router');
  expect(blockedMove).toMatchObject({ state: 'moving', pending: { cause: 'taint', taint: 'example.com/else' } });
  expect(blockedMove.why).toContain(moveTexts.reasons.hints.taint);
  taint([]);
  const finalMove = await world.settle('router');
  expect([finalMove.state, finalMove.pending]).toEqual(['done', undefined]);
});
