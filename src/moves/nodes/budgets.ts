import { at, type KubeObject, listAt, numberAt, textAt } from '../../objects/object.ts';
import { isSelectedBy } from '../../objects/selector.ts';
import { listOrNull, type Sight } from '../sight.ts';

const BUDGETS = 'PodDisruptionBudget';

/** A PodDisruptionBudget that allows fewer of its pods to go than would. */
export interface TightBudget {
  readonly namespace: string;
  readonly name: string;
  /** How many may go now. */
  readonly allowed: number;
  /** The names of those that would. */
  readonly pods: readonly string[];
}

/** The budgets of some pods, as far as this user may see them. */
export interface Budgets {
  readonly tight: readonly TightBudget[];
  /** The namespaces in which this user may not list them. */
  readonly unseen: readonly string[];
}

/**
 * The budgets that these pods would break if all of them went at once. A taint NoExecute asks none of them (only the eviction API
 * does), so we do.
 */
export async function tightBudgets(sight: Sight, pods: readonly KubeObject[]): Promise<Budgets> {
  const namespaces = [...new Set(pods.flatMap(({ metadata }) => metadata.namespace ?? []))];
  const found = await Promise.all(namespaces.map((namespace) => listOrNull(sight, BUDGETS, { namespace })));
  return {
    tight: overdrawn(
      found.flatMap((budgets) => budgets ?? []),
      pods,
    ),
    unseen: namespaces.filter((_, index) => found[index] === null),
  };
}

/**
 * A cordoned node that a drain cannot empty now, because a budget lets none of its pods go; null: none is, or this user may not
 * see the budgets. The machine config operator drains each node whose pool or configuration changes.
 */
export async function heldDrain(
  sight: Sight,
  nodes: readonly KubeObject[],
): Promise<(TightBudget & { readonly node: string }) | null> {
  const cordoned = nodes.filter(({ spec }) => at(spec, 'unschedulable') === true);
  if (cordoned.length === 0) return null;
  const budgets = await listOrNull(sight, BUDGETS);
  if (budgets === null) return null;
  for (const { metadata } of cordoned) {
    const pods = await sight.list('Pod', { fieldSelector: `spec.nodeName=${metadata.name}` });
    const [held] = overdrawn(budgets, pods.filter(isDrained)).filter(({ allowed }) => allowed === 0);
    if (held !== undefined) return { ...held, node: metadata.name };
  }
  return null;
}

function overdrawn(budgets: readonly KubeObject[], pods: readonly KubeObject[]): TightBudget[] {
  return budgets.flatMap(({ metadata, spec, status }) => {
    const { name, namespace = '' } = metadata;
    const own = pods.filter(
      (pod) => pod.metadata.namespace === namespace && isSelectedBy(at(spec, 'selector'), pod.metadata.labels ?? {}),
    );
    // Its controller has not counted yet: nobody knows.
    const allowed = numberAt(status, 'disruptionsAllowed') ?? 0;
    return own.length > allowed ? [{ namespace, name, allowed, pods: own.map((pod) => pod.metadata.name) }] : [];
  });
}

/** A drain leaves alone what a DaemonSet or the kubelet itself keeps on the node, what has ended, and what is leaving. */
function isDrained({ metadata, status }: KubeObject): boolean {
  const owners = listAt(metadata, 'ownerReferences').map((owner) => textAt(owner, 'kind'));
  const isOfNode = owners.includes('DaemonSet') || owners.includes('Node');
  const hasEnded = ['Succeeded', 'Failed'].includes(String(at(status, 'phase')));
  return !isOfNode && !hasEnded && metadata.deletionTimestamp === undefined;
}
