import { at, type KubeObject, listAt } from './object.ts';

/** An amount of CPU in cores, and of memory in bytes. */
export interface Room {
  readonly cpu: number;
  readonly memory: number;
}

const FACTORS: Readonly<Record<string, number>> = {
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

/** A quantity of Kubernetes (`500m`, `8Gi`, `2`, `1e3`) as a number; null for anything else. */
export function quantity(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return null;
  const [, number = '', unit = ''] = /^([0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]{0,2})$/.exec(value) ?? [];
  const [amount, factor] = [Number(number), FACTORS[unit]];
  return number === '' || Number.isNaN(amount) || factor === undefined ? null : amount * factor;
}

/** What a node has for pods; null where it does not say. */
export function allocatableOf(node: KubeObject): Room | null {
  const [cpu, memory] = ['cpu', 'memory'].map((name) => quantity(at(node.status, 'allocatable', name)));
  return cpu === null || cpu === undefined || memory === null || memory === undefined ? null : { cpu, memory };
}

/** What the scheduler counts for a pod: its containers together, or its largest init container, and the overhead. */
export function requestOf(pod: KubeObject): Room {
  const each = (list: string) => listAt(pod.spec, list).map((one) => at(one, 'resources', 'requests'));
  const [running, first] = [each('containers').map(roomOf), each('initContainers').map(roomOf)];
  const overhead = roomOf(at(pod.spec, 'overhead'));
  const most = (name: keyof Room) =>
    Math.max(
      running.reduce((sum, one) => sum + one[name], 0),
      ...first.map((one) => one[name]),
    ) + overhead[name];
  return { cpu: most('cpu'), memory: most('memory') };
}

function roomOf(resources: unknown): Room {
  return { cpu: quantity(at(resources, 'cpu')) ?? 0, memory: quantity(at(resources, 'memory')) ?? 0 };
}

/** All of them together. */
export function together(rooms: readonly Room[]): Room {
  return rooms.reduce((sum, { cpu, memory }) => ({ cpu: sum.cpu + cpu, memory: sum.memory + memory }), EMPTY);
}

/** What is left; never less than nothing. */
export function less(all: Room, used: Room): Room {
  return { cpu: Math.max(0, all.cpu - used.cpu), memory: Math.max(0, all.memory - used.memory) };
}

/** Whether all of these fit into these nodes: the largest first, each where most is left. */
export function fitInto(needs: readonly Room[], nodes: readonly Room[]): boolean {
  const left = [...nodes];
  for (const need of [...needs].sort((a, b) => b.memory - a.memory || b.cpu - a.cpu)) {
    left.sort((a, b) => b.memory - a.memory);
    const place = left.findIndex(({ cpu, memory }) => cpu >= need.cpu && memory >= need.memory);
    const node = left[place];
    if (node === undefined) return false;
    left[place] = less(node, need);
  }
  return true;
}

const EMPTY: Room = { cpu: 0, memory: 0 };
