import { getField, getList, getString, isConditionTrue, isRecord, memoizeByObject } from '../../api/objects.ts';

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** Placement constraints of a pod. */
export interface Placement {
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
}

export const NO_PLACEMENT: Placement = { nodeSelector: {}, tolerations: [] };

/** Properties of a node that the scheduler uses. */
export interface SchedulableNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly isReady: boolean;
  readonly address: string;
}

export const toSchedulableNode = memoizeByObject<SchedulableNode>((node) => ({
  name: node.metadata.name,
  labels: node.metadata.labels ?? {},
  taints: getList(node, 'spec', 'taints') as Taint[],
  isReady: isConditionTrue(node, 'Ready'),
  address: getString(getList(node, 'status', 'addresses')[0], 'address'),
}));

/**
 * Whether a toleration matches a taint (v1.Toleration.ToleratesTaint): an empty key with Exists tolerates everything,
 * an empty effect every effect.
 */
export function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some(({ key = '', operator = 'Equal', value = '', effect = '' }) => {
    if (effect !== '' && effect !== taint.effect) return false;
    if (key === '') return operator === 'Exists';
    if (key !== taint.key) return false;
    return operator === 'Exists' || value === (taint.value ?? '');
  });
}

/** True if the node has all labels of a node selector. */
export function matchesSelector({ labels }: SchedulableNode, selector: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

/** Finds the first taint of a node that keeps a new pod away. */
function findRepellingTaint(node: SchedulableNode, tolerations: readonly Toleration[]): Taint | undefined {
  return node.taints.find((taint) => /^No(?:Schedule|Execute)$/.test(taint.effect) && !tolerates(tolerations, taint));
}

/** Whether a new pod with this placement may run on the node. */
export function canSchedule(node: SchedulableNode, { nodeSelector, tolerations }: Placement): boolean {
  return matchesSelector(node, nodeSelector) && findRepellingTaint(node, tolerations) === undefined;
}

/** Whether a running pod has to leave: the node has a NoExecute taint that the pod does not tolerate. */
export function isEvicted(node: SchedulableNode, tolerations: readonly Toleration[]): boolean {
  return node.taints.some((taint) => taint.effect === 'NoExecute' && !tolerates(tolerations, taint));
}

/**
 * Chooses a node for a pod, or returns the scheduler's message if no node fits.
 * @param usage `count`: pods of the same workload, or with the same host ports, on a node; `isExclusive`: a node runs
 * at most one; `usesHostPorts`: the message then names ports instead of anti-affinity
 */
export function schedulePod(
  placement: Placement,
  nodes: readonly SchedulableNode[],
  usage: {
    readonly countPods: (node: string) => number;
    readonly isExclusive: boolean;
    readonly usesHostPorts: boolean;
  },
): { readonly node: string } | { readonly message: string } {
  const countByReason = new Map<string, number>();
  const countReason = (reason: string) => countByReason.set(reason, (countByReason.get(reason) ?? 0) + 1);
  const candidates = nodes.filter((node) => {
    const taint = findRepellingTaint(node, placement.tolerations);
    if (taint) {
      countReason(`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`);
      return false;
    }
    if (!matchesSelector(node, placement.nodeSelector)) {
      countReason("node(s) didn't match Pod's node affinity/selector");
      return false;
    }
    if (usage.isExclusive && usage.countPods(node.name) > 0) {
      countReason(
        usage.usesHostPorts
          ? "node(s) didn't have free ports for the requested pod ports"
          : "node(s) didn't match pod anti-affinity rules",
      );
      return false;
    }
    return true;
  });
  const [bestNode] = candidates.sort(
    (a, b) => usage.countPods(a.name) - usage.countPods(b.name) || a.name.localeCompare(b.name),
  );
  if (bestNode) return { node: bestNode.name };
  const reasonsText = [...countByReason].map(([reason, count]) => `${count} ${reason}`).join(', ');
  const failureText =
    reasonsText === ''
      ? 'no nodes available to schedule pods'
      : `0/${nodes.length} nodes are available: ${reasonsText}.`;
  return {
    message: `${failureText} preemption: 0/${nodes.length} nodes are available: ${nodes.length} Preemption is not helpful for scheduling.`,
  };
}

/** Parses the placement in an object: `nodeSelector` (plain or with matchLabels) and `tolerations`. */
export function parsePlacement(value: unknown, defaults: Placement): Placement {
  const selector = getField(value, 'nodeSelector', 'matchLabels') ?? getField(value, 'nodeSelector');
  const tolerations = getList(value, 'tolerations') as Toleration[];
  return {
    nodeSelector: isRecord(selector) ? (selector as Record<string, string>) : defaults.nodeSelector,
    tolerations: tolerations.length > 0 ? tolerations : defaults.tolerations,
  };
}
