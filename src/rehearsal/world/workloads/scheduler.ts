import { at, isRecord, listAt, readOnce, textAt } from '../../api/objects.ts';

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** Where a pod may run. */
export interface Placement {
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
}

/** A node as the scheduler sees it. */
export interface SchedulableNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly isReady: boolean;
  readonly address: string;
}

export const schedulableNode = readOnce<SchedulableNode>((node) => ({
  name: node.metadata.name,
  labels: node.metadata.labels ?? {},
  taints: listAt(node, 'spec', 'taints') as Taint[],
  isReady: listAt(node, 'status', 'conditions').some(
    (each) => textAt(each, 'type') === 'Ready' && textAt(each, 'status') === 'True',
  ),
  address: textAt(listAt(node, 'status', 'addresses')[0], 'address'),
}));

/** v1.Toleration.ToleratesTaint: an empty key with Exists tolerates everything, an empty effect every effect. */
export function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some(({ key = '', operator = 'Equal', value = '', effect = '' }) => {
    if (effect !== '' && effect !== taint.effect) return false;
    if (key === '') return operator === 'Exists';
    if (key !== taint.key) return false;
    return operator === 'Exists' || value === (taint.value ?? '');
  });
}

export function matchesSelector({ labels }: SchedulableNode, selector: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

/** The first taint of a node that keeps a new pod away. */
function repellingTaint(node: SchedulableNode, tolerations: readonly Toleration[]): Taint | undefined {
  return node.taints.find((taint) => /^No(?:Schedule|Execute)$/.test(taint.effect) && !tolerates(tolerations, taint));
}

export function fits(node: SchedulableNode, { nodeSelector, tolerations }: Placement): boolean {
  return matchesSelector(node, nodeSelector) && repellingTaint(node, tolerations) === undefined;
}

/** Whether a running pod has to leave: a taint NoExecute that it does not tolerate. */
export function isEvicted(node: SchedulableNode, tolerations: readonly Toleration[]): boolean {
  return node.taints.some((taint) => taint.effect === 'NoExecute' && !tolerates(tolerations, taint));
}

/**
 * The node for a pod, or the scheduler's message that says why no node fits.
 * @param taken how many pods of the same workload a node has, and whether the next one may go there too
 */
export function schedule(
  placement: Placement,
  nodes: readonly SchedulableNode[],
  taken: { readonly count: (node: string) => number; readonly isExclusive: boolean; readonly usesHostPorts: boolean },
): { readonly node: string } | { readonly message: string } {
  const reasons = new Map<string, number>();
  const note = (reason: string) => reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const candidates = nodes.filter((node) => {
    const taint = repellingTaint(node, placement.tolerations);
    if (taint) {
      note(`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`);
      return false;
    }
    if (!matchesSelector(node, placement.nodeSelector)) {
      note("node(s) didn't match Pod's node affinity/selector");
      return false;
    }
    if (taken.isExclusive && taken.count(node.name) > 0) {
      note(
        taken.usesHostPorts
          ? "node(s) didn't have free ports for the requested pod ports"
          : "node(s) didn't match pod anti-affinity rules",
      );
      return false;
    }
    return true;
  });
  const [best] = candidates.sort((a, b) => taken.count(a.name) - taken.count(b.name) || a.name.localeCompare(b.name));
  if (best) return { node: best.name };
  const list = [...reasons].map(([reason, count]) => `${count} ${reason}`).join(', ');
  const none = list === '' ? 'no nodes available to schedule pods' : `0/${nodes.length} nodes are available: ${list}.`;
  return {
    message: `${none} preemption: 0/${nodes.length} nodes are available: ${nodes.length} Preemption is not helpful for scheduling.`,
  };
}

/** The placement in an object: `nodeSelector` (plain or with matchLabels) and `tolerations`. */
export function placementAt(value: unknown, otherwise: Placement): Placement {
  const selector = at(value, 'nodeSelector', 'matchLabels') ?? at(value, 'nodeSelector');
  const tolerations = listAt(value, 'tolerations') as Toleration[];
  return {
    nodeSelector: isRecord(selector) ? (selector as Record<string, string>) : otherwise.nodeSelector,
    tolerations: tolerations.length > 0 ? tolerations : otherwise.tolerations,
  };
}
