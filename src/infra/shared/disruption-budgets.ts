import {
  getField,
  getList,
  getNumber,
  getString,
  type KubeObject,
  matchesLabelSelector,
} from '../../openshift/object.ts';
import { type ClusterReader, listIfAllowed } from '../cluster-reader.ts';

const BUDGET_KIND = 'PodDisruptionBudget';

/** A PodDisruptionBudget that allows fewer evictions of its pods than planned. */
interface BlockingBudget {
  readonly namespace: string;
  readonly name: string;
  /** The number of pods that may be evicted now. */
  readonly allowedDisruptions: number;
  /** The names of the pods to be evicted. */
  readonly pods: readonly string[];
}

/** The budgets of some pods, as far as our credentials may list them. */
interface BudgetReview {
  readonly blockingBudgets: readonly BlockingBudget[];
  /** The namespaces in which our credentials may not list budgets. */
  readonly forbiddenNamespaces: readonly string[];
}

/**
 * Finds the budgets that these pods would violate if all of them left at once. Evictions by a NoExecute taint ignore
 * budgets (only the eviction API checks them), so the wizard checks them.
 */
export async function reviewBudgets(cluster: ClusterReader, pods: readonly KubeObject[]): Promise<BudgetReview> {
  const namespaces = [...new Set(pods.flatMap(({ metadata }) => metadata.namespace ?? []))];
  const budgetLists = await Promise.all(
    namespaces.map((namespace) => listIfAllowed(cluster, BUDGET_KIND, { namespace })),
  );
  return {
    blockingBudgets: selectBlockingBudgets(
      budgetLists.flatMap((budgets) => budgets ?? []),
      pods,
    ),
    forbiddenNamespaces: namespaces.filter((_, index) => budgetLists[index] === null),
  };
}

/**
 * Finds a cordoned node that a drain cannot empty now, because a budget allows none of its pods to be evicted. Null:
 * there is none, or our credentials may not list budgets. The machine config operator drains each node whose pool or
 * configuration changes.
 */
export async function findBlockedDrain(
  cluster: ClusterReader,
  nodes: readonly KubeObject[],
): Promise<(BlockingBudget & { readonly node: string }) | null> {
  const cordonedNodes = nodes.filter(({ spec }) => getField(spec, 'unschedulable') === true);
  if (cordonedNodes.length === 0) return null;
  const budgets = await listIfAllowed(cluster, BUDGET_KIND);
  if (budgets === null) return null;
  for (const { metadata } of cordonedNodes) {
    const pods = await cluster.list('Pod', { fieldSelector: `spec.nodeName=${metadata.name}` });
    const [blockingBudget] = selectBlockingBudgets(budgets, pods.filter(isEvictedByDrain)).filter(
      ({ allowedDisruptions }) => allowedDisruptions === 0,
    );
    if (blockingBudget !== undefined) return { ...blockingBudget, node: metadata.name };
  }
  return null;
}

function selectBlockingBudgets(budgets: readonly KubeObject[], pods: readonly KubeObject[]): BlockingBudget[] {
  return budgets.flatMap(({ metadata, spec, status }) => {
    const { name, namespace = '' } = metadata;
    const selectedPods = pods.filter(
      (pod) =>
        pod.metadata.namespace === namespace &&
        matchesLabelSelector(getField(spec, 'selector'), pod.metadata.labels ?? {}),
    );
    // Missing until the budget's controller has counted: assume that none may be evicted.
    const allowedDisruptions = getNumber(status, 'disruptionsAllowed') ?? 0;
    return selectedPods.length > allowedDisruptions
      ? [{ namespace, name, allowedDisruptions, pods: selectedPods.map((pod) => pod.metadata.name) }]
      : [];
  });
}

/**
 * Whether a drain evicts the pod. A drain skips pods of a DaemonSet, static pods of the kubelet, pods that have ended,
 * and pods that are terminating.
 */
function isEvictedByDrain({ metadata, status }: KubeObject): boolean {
  const owners = getList(metadata, 'ownerReferences').map((owner) => getString(owner, 'kind'));
  const isBoundToNode = owners.includes('DaemonSet') || owners.includes('Node');
  const hasEnded = ['Succeeded', 'Failed'].includes(String(getField(status, 'phase')));
  return !isBoundToNode && !hasEnded && metadata.deletionTimestamp === undefined;
}
