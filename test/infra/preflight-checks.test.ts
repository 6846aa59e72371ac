import { describe, expect, test } from 'vitest';
import { checkMove, type MoveCheckEvidence } from '../../src/infra/preflight-checks.ts';
import type { OperatorView } from '../../src/openshift/operator.ts';

const GIB = 2 ** 30;
const amounts = (cpu: number, gib: number) => ({ cpu, memory: gib * GIB });
const node = (name: string, cpu: number, gib: number, isReady = true) => ({
  ...{ name, isReady, isCordoned: false, repellingTaints: [], freeResources: amounts(cpu, gib) },
});
const operator = (change: Partial<OperatorView>): OperatorView => ({
  name: 'ingress',
  available: true,
  progressing: false,
  degraded: false,
  since: null,
  message: 'canary fails',
  reason: '',
  conditions: [],
  namespaces: [],
  steadySince: null,
  version: '4.18.11',
  ...change,
});
const HEALTHY: MoveCheckEvidence = {
  operator: operator({}),
  isFromOperatorHub: false,
  canFixOperator: false,
  update: 'none',
  pools: [{ name: 'infra', isPaused: false, isUpdating: false, degradedMessage: null, blockedDrain: '' }],
  unreadyNodes: [],
  nodesUnderPressure: [],
  infraNodes: [node('i1', 4, 16), node('i2', 4, 16), node('i3', 4, 16)],
  unplannedNodes: [],
  podRequests: [amounts(0.1, 1), amounts(0.1, 1)],
  storageClass: { name: 'fast', provisioner: 'csi.example.com' },
  exhaustedBudgets: [],
};
const listFailures = (change: Partial<MoveCheckEvidence>) =>
  checkMove({ ...HEALTHY, ...change })
    .filter(({ state }) => state === 'failed')
    .map(({ code, severity }) => `${severity} ${code}`);
const findFinding = (change: Partial<MoveCheckEvidence>, code: string) =>
  checkMove({ ...HEALTHY, ...change }).find((finding) => finding.code === code);

test('a cluster at rest passes, and a check without evidence is unknown', () => {
  expect(listFailures({})).toEqual([]);
  const findings = checkMove({
    operator: null,
    isFromOperatorHub: false,
    canFixOperator: false,
    update: null,
    pools: null,
    unreadyNodes: null,
    nodesUnderPressure: null,
    infraNodes: null,
    unplannedNodes: null,
    podRequests: null,
    storageClass: null,
    exhaustedBudgets: null,
  });
  expect(new Set(findings.map(({ state }) => state))).toEqual(new Set(['unknown']));
});

test('an operator that does not work, unless the move can fix it; one that progresses works', () => {
  expect(listFailures({ operator: operator({ degraded: true }) })).toEqual(['fatal move-operator']);
  expect(findFinding({ operator: operator({ available: false }) }, 'move-operator')?.cause).toBe('canary fails');
  expect(listFailures({ operator: operator({ degraded: true }), canFixOperator: true })).toEqual([]);
  expect(listFailures({ operator: operator({ progressing: true }) })).toEqual([]);
});

test('a cluster update, and pools that are not at rest', () => {
  expect(listFailures({ update: { message: 'Working towards 4.18.10' } })).toEqual(['fatal move-update']);
  const pool = { name: 'worker', isPaused: true, isUpdating: true, degradedMessage: 'disk full', blockedDrain: '' };
  expect(listFailures({ pools: [pool] })).toEqual(['fatal move-pool']);
  expect(findFinding({ pools: [pool] }, 'move-pool')?.cause).toBe('worker is paused; worker is degraded: disk full');
  // Waiting does not end it.
  expect(findFinding({ pools: [pool] }, 'move-pool')?.remedy).toMatch(/^RenderDegraded: /);
  const draining = { ...pool, isPaused: false, degradedMessage: null, blockedDrain: 'The drain of i1 waits.' };
  expect(findFinding({ pools: [draining] }, 'move-pool')?.cause).toBe(
    'worker is updating its nodes. The drain of i1 waits',
  );
});

test('foreign taints and cordons are obstacles, with the command that removes each', () => {
  const withTaints = (...keys: string[]) => ({
    infraNodes: ['i1.x', 'i2.x'].map((name) => ({
      ...node(name, 4, 16),
      repellingTaints: keys.map((key) => ({ key, value: 'v', effect: 'NoSchedule' })),
    })),
  });
  expect(listFailures(withTaints('a$b'))).toEqual(['fatal move-taint']);
  const found = findFinding(withTaints('a$b'), 'move-taint');
  expect([found?.cause, found?.remedy]).toEqual([
    'i1 has a$b=v:NoSchedule; i2 has a$b=v:NoSchedule',
    expect.stringContaining("`oc adm taint nodes i1.x i2.x 'a$b:NoSchedule-'`"),
  ]);
  const pressure = findFinding(withTaints('node.kubernetes.io/disk-pressure'), 'move-taint');
  expect(pressure?.remedy).toContain('`oc describe nodes i1.x i2.x`');
  expect(listFailures({ unplannedNodes: ['w1', 'w2'] })).toEqual(['fatal move-strays']);
  expect(findFinding({ unplannedNodes: ['w1', 'w2'] }, 'move-strays')?.remedy).toContain(
    '`oc label nodes w1 w2 node-role',
  );
  const cordoned = { infraNodes: [node('i1', 4, 16), { ...node('i2.x', 4, 16), isCordoned: true }] };
  expect(listFailures(cordoned)).toEqual(['fatal move-cordoned']);
  expect(findFinding(cordoned, 'move-cordoned')?.remedy).toContain('`oc adm uncordon i2.x`');
  expect(listFailures({ unreadyNodes: ['m2.x', 'w1.x'] })).toEqual(['fatal move-node-down']);
  expect(findFinding({ unreadyNodes: ['m2.x', 'w1.x'] }, 'move-node-down')).toMatchObject({
    cause: 'm2, w1',
    remedy: expect.stringContaining('`oc describe node m2.x`'),
  });
});

describe('capacity', () => {
  test('pods that do not fit are an obstacle, with the numbers', () => {
    const podRequests = [amounts(0.1, 17)];
    expect(listFailures({ podRequests })).toEqual(['fatal move-room']);
    const numbers = '1 pod needs 0.1 CPU, 17 GiB; free: i1 4 CPU, 16 GiB; i2 4 CPU, 16 GiB; i3 4 CPU, 16 GiB';
    expect(findFinding({ podRequests }, 'move-room')?.cause).toBe(numbers);
    // Amounts that round to zero are left out.
    const memoryOnly = findFinding({ podRequests: [amounts(0.001, 17)] }, 'move-room')?.cause;
    expect(memoryOnly).toMatch(/^1 pod needs 17 GiB; free: /);
  });

  test('a fit that needs all nodes is a warning; nodes that are not Ready do not count', () => {
    const moving = [amounts(1, 12), amounts(1, 12), amounts(1, 12)];
    expect(listFailures({ podRequests: moving })).toEqual(['warning move-spare-room']);
    expect(
      listFailures({
        podRequests: moving,
        infraNodes: [node('i1', 4, 16), node('i2', 4, 16), node('i3', 4, 16, false)],
      }),
    ).toEqual(['fatal move-room']);
  });

  test('nothing moves: nothing has to fit', () => {
    const findings = checkMove({ ...HEALTHY, podRequests: [], infraNodes: null });
    expect(findings.map(({ code }) => code)).not.toContain('move-room');
  });
});

test('storage classes without volumes, and budgets that allow no disruption', () => {
  const storageClass = (provisioner: string) => ({ storageClass: { name: 'x', provisioner } });
  expect(listFailures(storageClass('openshift-storage.noobaa.io/obc'))).toEqual(['fatal move-storage']);
  expect(listFailures(storageClass('kubernetes.io/no-provisioner'))).toEqual(['warning move-volumes']);
  expect(listFailures({ storageClass: undefined })).toEqual([]);
  expect(listFailures({ exhaustedBudgets: ['a/b (1 of 2 healthy)'] })).toEqual(['warning move-budget']);
});
