import { getField, getList, getNumber, getString, type KubeObject } from '../../openshift/object.ts';
import { isSelectedBy } from '../../openshift/selector.ts';
import { type ClusterReader, listOrNull } from '../cluster-reader.ts';

const BUDGETS = 'PodDisruptionBudget';

/** A PodDisruptionBudget that allows fewer of its pods to go than would go. */
export interface BlockingBudget {
  readonly namespace: string;
  readonly name: string;
  /** The number of pods that may go now. */
  readonly allowed: number;
  /** The names of the pods that would go. */
  readonly pods: readonly string[];
}

/** The budgets of some pods, as far as our credentials may list them. */
export interface BudgetReview {
  readonly blocking: readonly BlockingBudget[];
  /** The namespaces in which our credentials may not list budgets. */
  readonly forbiddenNamespaces: readonly string[];
}

/**
 * Finds the budgets that these pods would violate if all of them left at once. A NoExecute taint checks no budget (only
 * the eviction API does), so we do.
 */
export async function reviewBudgets(cluster: ClusterReader, pods: readonly KubeObject[]): Promise<BudgetReview> {
  const namespaces = [...new Set(pods.flatMap(({ metadata }) => metadata.namespace ?? []))];
  const found = await Promise.all(namespaces.map((namespace) => listOrNull(cluster, BUDGETS, { namespace })));
  return {
    blocking: selectBlockingBudgets(
      found.flatMap((budgets) => budgets ?? []),
      pods,
    ),
    forbiddenNamespaces: namespaces.filter((_, index) => found[index] === null),
  };
}

/**
 * Finds a cordoned node that a drain cannot empty now, because a budget lets none of its pods go. Null: there is none,
 * or our credentials may not list budgets. The machine config operator drains each node whose pool or configuration
 * changes.
 */
export async function findBlockedDrain(
  cluster: ClusterReader,
  nodes: readonly KubeObject[],
): Promise<(BlockingBudget & { readonly node: string }) | null> {
  const cordoned = nodes.filter(({ spec }) => getField(spec, 'unschedulable') === true);
  if (cordoned.length === 0) return null;
  const budgets = await listOrNull(cluster, BUDGETS);
  if (budgets === null) return null;
  for (const { metadata } of cordoned) {
    const pods = await cluster.list('Pod', { fieldSelector: `spec.nodeName=${metadata.name}` });
    const [blocking] = selectBlockingBudgets(budgets, pods.filter(isEvictedByDrain)).filter(
      ({ allowed }) => allowed === 0,
    );
    if (blocking !== undefined) return { ...blocking, node: metadata.name };
  }
  return null;
}

function selectBlockingBudgets(budgets: readonly KubeObject[], pods: readonly KubeObject[]): BlockingBudget[] {
  return budgets.flatMap(({ metadata, spec, status }) => {
    const { name, namespace = '' } = metadata;
    const selected = pods.filter(
      (pod) =>
        pod.metadata.namespace === namespace && isSelectedBy(getField(spec, 'selector'), pod.metadata.labels ?? {}),
    );
    // Missing until the budget's controller has counted: assume that none may go.
    const allowed = getNumber(status, 'disruptionsAllowed') ?? 0;
    return selected.length > allowed
      ? [{ namespace, name, allowed, pods: selected.map((pod) => pod.metadata.name) }]
      : [];
  });
}

/**
 * A drain skips pods that a DaemonSet or the kubelet itself runs on the node, pods that have ended, and pods that are
 * terminating.
 */
function isEvictedByDrain({ metadata, status }: KubeObject): boolean {
  const owners = getList(metadata, 'ownerReferences').map((owner) => getString(owner, 'kind'));
  const isOfNode = owners.includes('DaemonSet') || owners.includes('Node');
  const hasEnded = ['Succeeded', 'Failed'].includes(String(getField(status, 'phase')));
  return !isOfNode && !hasEnded && metadata.deletionTimestamp === undefined;
}
