import { expect, test } from 'vitest';
import {
  isEvicted,
  type SchedulableNode,
  schedulePod,
  tolerates,
} from '../../../../src/rehearsal/world/workloads/scheduler.ts';

const INFRA = 'node-role.kubernetes.io/infra';
const createNode = (
  name: string,
  labels: Record<string, string>,
  taints: SchedulableNode['taints'] = [],
): SchedulableNode => ({
  name,
  labels,
  taints,
  isReady: true,
  address: '',
});
const noPods = { countPods: () => 0, isExclusive: true, usesHostPorts: true };

test('tolerations are compared as the API machinery does', () => {
  const taint = { key: INFRA, value: 'reserved', effect: 'NoSchedule' };
  expect(tolerates([{ operator: 'Exists' }], taint)).toBe(true);
  expect(tolerates([{ key: INFRA, operator: 'Exists' }], taint)).toBe(true);
  expect(tolerates([{ key: INFRA, value: 'reserved' }], taint)).toBe(true);
  expect(tolerates([{ key: INFRA, value: '' }], taint)).toBe(false);
  expect(tolerates([{ key: INFRA, value: 'reserved', effect: 'NoExecute' }], taint)).toBe(false);
  expect(isEvicted(createNode('i1', {}, [taint]), [])).toBe(false);
  expect(isEvicted(createNode('i1', {}, [{ ...taint, effect: 'NoExecute' }]), [])).toBe(true);
});

test('the message of a pod that fits nowhere counts the reasons', () => {
  const nodes = [
    createNode('m1', { master: '' }, [{ key: 'node-role.kubernetes.io/master', effect: 'NoSchedule' }]),
    createNode('w1', {}),
    createNode('i1', { [INFRA]: '' }),
  ];
  const placement = { nodeSelector: { [INFRA]: '' }, tolerations: [] };
  expect(schedulePod(placement, nodes, noPods)).toEqual({ node: 'i1' });
  const full = schedulePod(placement, nodes, { ...noPods, countPods: (name) => (name === 'i1' ? 1 : 0) });
  expect('message' in full && full.message).toMatch(
    /^0\/3 nodes are available: 1 node\(s\) had untolerated taint \{node-role\.kubernetes\.io\/master: \}, 1 node\(s\) didn't match Pod's node affinity\/selector, 1 node\(s\) didn't have free ports for the requested pod ports\./,
  );
});
