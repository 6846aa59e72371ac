import { expect, test } from 'vitest';
import { MOVE } from '../../src/diagnosis/moves.ts';
import { judge } from '../../src/diagnosis/rule.ts';
import { commandFor, type PendingCause, type PendingPod, pendingPod } from '../../src/moves/pending.ts';
import { withOwnCause } from '../../src/moves/shared/own-cause.ts';
import { podView } from '../../src/objects/pod.ts';
import { schedule } from '../../src/rehearsal/world/workloads/scheduler.ts';
import { moves as said } from '../../src/text/en/moves/index.ts';
import { infraWords } from '../../src/text/en/steps/infra.ts';
import { INFRA, infraWorld, LABEL } from '../support/infra-world.ts';
import { moveScene } from '../support/move-scene.ts';

const OWN = 'node-role.kubernetes.io/infra';
const MASTER = 'node-role.kubernetes.io/master';

function because(message: string) {
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
  const metadata = { namespace: 'openshift-ingress', name: 'router-default-7d4b9c-x2x0' };
  return pendingPod(podView({ apiVersion: 'v1', kind: 'Pod', metadata, status: { phase: 'Pending', conditions } }));
}

const place = { nodeSelector: { [LABEL]: '' }, tolerations: [] };
const node = (name: string, labels: Record<string, string>, ...keys: string[]) => ({
  name,
  labels,
  isReady: true,
  address: '172.16.0.9',
  taints: keys.map((key) => ({ key, effect: 'NoSchedule' })),
});
const MASTERS = [node('m1', {}, MASTER)];
const WORKERS = [node('w1', {})];
const infra = (...keys: string[]) => node('i1', { [LABEL]: '' }, ...keys);
type Nodes = Parameters<typeof schedule>[1];
/** What the rehearsal's scheduler says. @param taken pods of it that each node has */
function told(nodes: Nodes, taken = 0, usesHostPorts = false): string {
  const found = schedule(place, nodes, { count: () => taken, isExclusive: true, usesHostPorts });
  if ('node' in found) throw new Error(`it goes to ${found.node}`);
  return found.message;
}

test('the cause is what the infra nodes lack, not what keeps the pod off masters and workers', () => {
  const causes: [string, PendingCause, string | null][] = [
    [told([...MASTERS, ...WORKERS, infra('example.com/else')]), 'taint', 'example.com/else'],
    [told([...MASTERS, ...WORKERS]), 'selector', null],
    [told(MASTERS), 'taint', MASTER],
    [told([...MASTERS, ...WORKERS, infra()], 1, true), 'ports', null],
    [told([...MASTERS, ...WORKERS, infra()], 1), 'apart', null],
    [told([]), 'other', null],
    // As kube-scheduler has it, of several versions.
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
    expect([message, because(message)]).toEqual([message, expect.objectContaining({ cause, taint })]);
});

test('a taint of others is taken away by a command, and one of Kubernetes is looked at', () => {
  const command = (key: string) => commandFor(because(told([infra(key)])));
  expect(command('example.com/else')).toBe(`oc adm taint nodes -l ${LABEL} example.com/else-`);
  expect(command('a$(reboot)')).toBe(`oc adm taint nodes -l ${LABEL} 'a$(reboot)-'`);
  for (const key of [MASTER, 'node.kubernetes.io/memory-pressure'])
    expect(command(key)).toBe(`oc describe nodes -l ${LABEL}`);
});

test('the design’s own taint and a missing label are causes of their own, which a key puts right and no command', async () => {
  const scene = moveScene();
  const typed = (...nodes: Nodes) => withOwnCause(scene.sight, scene.design, because(told(nodes)));
  const { podFix } = infraWords.infra;
  const saidOf = (pending: PendingPod) => judge(MOVE, { name: 'router', state: 'moving', why: '', pending })[0];
  const own = await typed(infra(OWN));
  expect([own.cause, commandFor(own), saidOf(own)?.whatToDo]).toEqual(['own-taint', null, podFix['own-taint']]);
  expect((await typed(infra('example.com/else'))).cause).toBe('taint');
  expect((await typed(...MASTERS, ...WORKERS)).cause).toBe('selector');
  scene.put('Node', INFRA[1] ?? '', { labels: {} });
  const bare = await typed(...MASTERS, ...WORKERS);
  expect([bare.cause, commandFor(bare), saidOf(bare)?.whatToDo]).toEqual(['unlabelled', null, podFix.unlabelled]);
});

test('a move on a cluster with a taint of somebody else carries the cause, and no more once the taint is gone', async () => {
  const world = infraWorld('4.18.9');
  await world.make('label');
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
  const waiting = await world.look('router');
  expect(waiting).toMatchObject({ state: 'moving', pending: { cause: 'taint', taint: 'example.com/else' } });
  expect(waiting.why).toContain(said.why.hints.taint);
  taint([]);
  const settled = await world.settle('router');
  expect([settled.state, settled.pending]).toEqual(['done', undefined]);
});
