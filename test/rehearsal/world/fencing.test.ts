import { expect, test } from 'vitest';
import { MINUTE } from '../../../src/platform/clock.ts';
import { getList, getString } from '../../../src/rehearsal/api/objects.ts';
import { createStore } from '../../../src/rehearsal/api/store.ts';
import { deriveFencingProgress, recordHandover } from '../../../src/rehearsal/world/operators/etcd.ts';
import type { World } from '../../../src/rehearsal/world/world.ts';

const START = Date.UTC(2026, 10, 29, 12);
const NODES = ['m1.ocp45.example.localdomain', 'm2.ocp45.example.localdomain'];

/** Creates a cluster of two nodes, whose bootstrap member has just left etcd. */
function createWorld(secrets: readonly string[], arbiterReplicas = 0) {
  let now = START;
  const clock = { now: () => now };
  const store = createStore({ now: () => clock.now() });
  const removal = { type: 'EtcdBootstrapMemberRemoved', status: 'True', lastTransitionTime: '2026-11-29T12:00:00Z' };
  store.create('etcds.operator.openshift.io', {
    metadata: { name: 'cluster' },
    spec: {},
    status: { conditions: [removal] },
  });
  for (const name of NODES)
    store.create('nodes', {
      metadata: { name, labels: { 'node-role.kubernetes.io/master': '' } },
      spec: {},
      status: {},
    });
  for (const name of secrets)
    store.create('secrets', {
      metadata: { name: `fencing-credentials-${name}`, namespace: 'openshift-etcd' },
      data: { address: 'eA==' },
    });
  const cluster = { controlPlaneReplicas: 2, arbiterReplicas };
  const world = { store, clock, saved: { cluster } } as unknown as World;
  const readPhase = (minutes: number) => {
    now = START + minutes * MINUTE;
    return deriveFencingProgress(world)?.phase;
  };
  return { world, store, readPhase };
}

test('the jobs hand etcd over to Pacemaker, then give it the BMCs', () => {
  const { world, store, readPhase } = createWorld(NODES);
  const listConditions = () => {
    recordHandover(world);
    const etcd = store.get('etcds.operator.openshift.io', null, 'cluster');
    return getList(etcd, 'status', 'conditions').map((condition) => getString(condition, 'type'));
  };
  expect(readPhase(1)).toBe('setup');
  expect(listConditions()).toEqual(['EtcdBootstrapMemberRemoved']);
  expect(readPhase(2.5)).toBe('fencing');
  expect(readPhase(4)).toBe('done');
  const after = ['EtcdBootstrapMemberRemoved', 'ExternalEtcdReadyForTransition', 'ExternalEtcdHasCompletedTransition'];
  expect([listConditions(), listConditions()]).toEqual([after, after]);
});

test('a secret under another name than that of its node fails the job, and an arbiter has no such jobs', () => {
  expect(createWorld(['m1', 'm2']).readPhase(4)).toBe('failed');
  expect(createWorld(NODES, 1).readPhase(4)).toBeUndefined();
});
