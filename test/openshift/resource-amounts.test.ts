import { expect, test } from 'vitest';
import {
  computePodRequests,
  fitsOnNodes,
  getAllocatableAmounts,
  parseQuantity,
} from '../../src/openshift/resource-amounts.ts';

const object = (rest: object) => ({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, ...rest });
const requests = (cpu: string, memory: string) => ({ resources: { requests: { cpu, memory } } });

test('quantities of Kubernetes', () => {
  expect(['500m', '2', '1.5', 2, '1e3', '1u'].map(parseQuantity)).toEqual([0.5, 2, 1.5, 2, 1000, 1e-6]);
  expect(['1Ki', '8Gi', '1M', '2k'].map(parseQuantity)).toEqual([1024, 8 * 2 ** 30, 1e6, 2000]);
  expect(['', 'x', '1.2.3', '5Zi', null, {}].map(parseQuantity)).toEqual([null, null, null, null, null, null]);
});

test('a pod requests the sum of its containers, or its largest init container, plus the overhead', () => {
  const containers = [requests('100m', '1Gi'), requests('200m', '1Gi'), {}];
  const spec = { containers, initContainers: [requests('1', '1Mi')], overhead: { memory: '1Gi' } };
  expect(computePodRequests(object({ spec } as object))).toEqual({ cpu: 1, memory: 3 * 2 ** 30 });
  expect(computePodRequests(object({}))).toEqual({ cpu: 0, memory: 0 });
  expect(getAllocatableAmounts(object({ status: { allocatable: { cpu: '3500m', memory: '4Gi' } } }))).toEqual({
    cpu: 3.5,
    memory: 4 * 2 ** 30,
  });
  expect(getAllocatableAmounts(object({}))).toBeNull();
});

test('pods fit where CPU and memory are left on one node', () => {
  const amounts = (cpu: number, memory: number) => ({ cpu, memory });
  expect(fitsOnNodes([amounts(1, 6), amounts(1, 6)], [amounts(2, 8), amounts(2, 8)])).toBe(true);
  expect(fitsOnNodes([amounts(1, 6), amounts(1, 6), amounts(1, 6)], [amounts(2, 8), amounts(2, 10)])).toBe(false);
  expect(fitsOnNodes([amounts(3, 1)], [amounts(2, 8), amounts(2, 8)])).toBe(false);
  expect(fitsOnNodes([], [])).toBe(true);
});
