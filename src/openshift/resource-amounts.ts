import { getField, getList, type KubeObject } from './object.ts';

/** An amount of CPU in cores, and of memory in bytes. */
export interface ResourceAmounts {
  readonly cpu: number;
  readonly memory: number;
}

const UNIT_FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** Parses a quantity of Kubernetes (`500m`, `8Gi`, `2`, `1e3`); null for anything else. */
export function parseQuantity(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return null;
  const [, number = '', unit = ''] = /^([0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]{0,2})$/.exec(value) ?? [];
  const [amount, factor] = [Number(number), UNIT_FACTORS[unit]];
  return number === '' || Number.isNaN(amount) || factor === undefined ? null : amount * factor;
}

/** Returns the allocatable resources of a node; null where it does not report them. */
export function getAllocatableAmounts(node: KubeObject): ResourceAmounts | null {
  const [cpu, memory] = ['cpu', 'memory'].map((name) => parseQuantity(getField(node.status, 'allocatable', name)));
  return cpu === null || cpu === undefined || memory === null || memory === undefined ? null : { cpu, memory };
}

/**
 * Computes the requests that the scheduler counts for a pod, for each resource: the sum of its containers or its
 * largest init container, whichever is more, plus the overhead.
 */
export function computePodRequests(pod: KubeObject): ResourceAmounts {
  const listRequests = (list: string) =>
    getList(pod.spec, list).map((container) => getField(container, 'resources', 'requests'));
  const [containerRequests, initRequests] = [
    listRequests('containers').map(parseAmounts),
    listRequests('initContainers').map(parseAmounts),
  ];
  const overhead = parseAmounts(getField(pod.spec, 'overhead'));
  const computeEffective = (name: keyof ResourceAmounts) =>
    Math.max(
      containerRequests.reduce((sum, amounts) => sum + amounts[name], 0),
      ...initRequests.map((amounts) => amounts[name]),
    ) + overhead[name];
  return { cpu: computeEffective('cpu'), memory: computeEffective('memory') };
}

function parseAmounts(amounts: unknown): ResourceAmounts {
  return { cpu: parseQuantity(getField(amounts, 'cpu')) ?? 0, memory: parseQuantity(getField(amounts, 'memory')) ?? 0 };
}

/** Sums up amounts; zero for an empty list. */
export function sumAmounts(amounts: readonly ResourceAmounts[]): ResourceAmounts {
  return amounts.reduce((sum, { cpu, memory }) => ({ cpu: sum.cpu + cpu, memory: sum.memory + memory }), ZERO_AMOUNTS);
}

/** Subtracts amounts; each difference is at least 0. */
export function subtractAmounts(total: ResourceAmounts, usedAmounts: ResourceAmounts): ResourceAmounts {
  return { cpu: Math.max(0, total.cpu - usedAmounts.cpu), memory: Math.max(0, total.memory - usedAmounts.memory) };
}

/** Whether all requests fit on the nodes: the largest first, each on the node with the most free memory. */
export function fitsOnNodes(requests: readonly ResourceAmounts[], nodes: readonly ResourceAmounts[]): boolean {
  const freeAmounts = [...nodes];
  for (const request of [...requests].sort((a, b) => b.memory - a.memory || b.cpu - a.cpu)) {
    freeAmounts.sort((a, b) => b.memory - a.memory);
    const index = freeAmounts.findIndex(({ cpu, memory }) => cpu >= request.cpu && memory >= request.memory);
    const node = freeAmounts[index];
    if (node === undefined) return false;
    freeAmounts[index] = subtractAmounts(node, request);
  }
  return true;
}

const ZERO_AMOUNTS: ResourceAmounts = { cpu: 0, memory: 0 };
