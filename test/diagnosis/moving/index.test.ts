import { describe, expect, test } from 'vitest';
import type { MovingEvidence } from '../../../src/diagnosis/moving/evidence.ts';
import { judgeMoving } from '../../../src/diagnosis/moving/index.ts';
import type { OperatorView } from '../../../src/objects/operator.ts';

const GIB = 2 ** 30;
const room = (cpu: number, gib: number) => ({ cpu, memory: gib * GIB });
const node = (name: string, cpu: number, gib: number, isReady = true) => ({
  ...{ name, isReady, isCordoned: false, repelling: [], free: room(cpu, gib) },
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
  ...change,
});
const FINE: MovingEvidence = {
  operator: operator({}),
  isOfHub: false,
  isCure: false,
  update: 'at-rest',
  pools: [{ name: 'infra', isPaused: false, isUpdating: false, degraded: null, held: '' }],
  infra: [node('i1', 4, 16), node('i2', 4, 16), node('i3', 4, 16)],
  strays: [],
  moving: [room(0.1, 1), room(0.1, 1)],
  storageClass: { name: 'fast', provisioner: 'csi.example.com' },
  tightBudgets: [],
};
const wrong = (change: Partial<MovingEvidence>) =>
  judgeMoving({ ...FINE, ...change })
    .filter(({ state }) => state === 'failed')
    .map(({ code, severity }) => `${severity} ${code}`);
const said = (change: Partial<MovingEvidence>, code: string) =>
  judgeMoving({ ...FINE, ...change }).find((finding) => finding.code === code);

test('nothing is wrong with a cluster at rest, and what could not be looked at is no fault', () => {
  expect(wrong({})).toEqual([]);
  const blind = judgeMoving({
    operator: null,
    isOfHub: false,
    isCure: false,
    update: null,
    pools: null,
    infra: null,
    strays: null,
    moving: null,
    storageClass: null,
    tightBudgets: null,
  });
  expect(new Set(blind.map(({ state }) => state))).toEqual(new Set(['unknown']));
});

test('an operator that does not work, unless the move is its cure; one that progresses works', () => {
  expect(wrong({ operator: operator({ degraded: true }) })).toEqual(['fatal move-operator']);
  expect(said({ operator: operator({ available: false }) }, 'move-operator')?.cause).toBe('canary fails');
  expect(wrong({ operator: operator({ degraded: true }), isCure: true })).toEqual([]);
  expect(wrong({ operator: operator({ progressing: true }) })).toEqual([]);
});

test("somebody else's update, and pools that are not at rest", () => {
  expect(wrong({ update: { said: 'Working towards 4.18.10' } })).toEqual(['fatal move-update']);
  const pool = { name: 'worker', isPaused: true, isUpdating: true, degraded: 'disk full', held: '' };
  expect(wrong({ pools: [pool] })).toEqual(['fatal move-pool']);
  expect(said({ pools: [pool] }, 'move-pool')?.cause).toBe('worker is paused; worker is degraded: disk full');
  const held = { ...pool, isPaused: false, degraded: null, held: 'The drain of i1 waits.' };
  expect(said({ pools: [held] }, 'move-pool')?.cause).toBe('worker updates its nodes. The drain of i1 waits');
});

test('taints of somebody else and cordons are obstacles, with the command that ends each', () => {
  const tainted = (...keys: string[]) => ({
    infra: ['i1.x', 'i2.x'].map((name) => ({
      ...node(name, 4, 16),
      repelling: keys.map((key) => ({ key, value: 'v', effect: 'NoSchedule' })),
    })),
  });
  expect(wrong(tainted('a$b'))).toEqual(['fatal move-taint']);
  const found = said(tainted('a$b'), 'move-taint');
  expect([found?.cause, found?.whatToDo]).toEqual([
    'i1 has a$b=v:NoSchedule; i2 has a$b=v:NoSchedule',
    expect.stringContaining("`oc adm taint nodes i1.x i2.x 'a$b:NoSchedule-'`"),
  ]);
  const pressure = said(tainted('node.kubernetes.io/disk-pressure'), 'move-taint');
  expect(pressure?.whatToDo).toContain('`oc describe nodes i1.x i2.x`');
  expect(wrong({ strays: ['w1', 'w2'] })).toEqual(['fatal move-strays']);
  expect(said({ strays: ['w1', 'w2'] }, 'move-strays')?.whatToDo).toContain('`oc label nodes w1 w2 node-role');
  const cordoned = { infra: [node('i1', 4, 16), { ...node('i2.x', 4, 16), isCordoned: true }] };
  expect(wrong(cordoned)).toEqual(['fatal move-cordoned']);
  expect(said(cordoned, 'move-cordoned')?.whatToDo).toContain('`oc adm uncordon i2.x`');
});

describe('room', () => {
  test('what does not fit at all is an obstacle, with the numbers', () => {
    const moving = [room(0.1, 17)];
    expect(wrong({ moving })).toEqual(['fatal move-room']);
    const numbers = '1 pod needs 0.1 CPU, 17 GiB; free: i1 4 CPU, 16 GiB; i2 4 CPU, 16 GiB; i3 4 CPU, 16 GiB';
    expect(said({ moving }, 'move-room')?.cause).toBe(numbers);
  });

  test('what fits only while all nodes are there is a warning; nodes that are not ready count for nothing', () => {
    const moving = [room(1, 12), room(1, 12), room(1, 12)];
    expect(wrong({ moving })).toEqual(['warning move-spare-room']);
    expect(wrong({ moving, infra: [node('i1', 4, 16), node('i2', 4, 16), node('i3', 4, 16, false)] })).toEqual([
      'fatal move-room',
    ]);
  });

  test('nothing moves: nothing has to fit', () => {
    const findings = judgeMoving({ ...FINE, moving: [], infra: null });
    expect(findings.map(({ code }) => code)).not.toContain('move-room');
  });
});

test('classes that make no volumes, and budgets that allow nothing', () => {
  const storageClass = (provisioner: string) => ({ storageClass: { name: 'x', provisioner } });
  expect(wrong(storageClass('openshift-storage.noobaa.io/obc'))).toEqual(['fatal move-storage']);
  expect(wrong(storageClass('kubernetes.io/no-provisioner'))).toEqual(['warning move-volumes']);
  expect(wrong({ storageClass: undefined })).toEqual([]);
  expect(wrong({ tightBudgets: ['a/b (1 of 2 healthy)'] })).toEqual(['warning move-budget']);
});
