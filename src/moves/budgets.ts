import { at, type KubeObject, numberAt } from '../objects/object.ts';
import { isSelectedBy } from '../objects/selector.ts';
import type { Sight } from './move.ts';

/** A PodDisruptionBudget that allows fewer of its pods to go than would. */
export interface TightBudget {
  readonly namespace: string;
  readonly name: string;
  /** How many may go now. */
  readonly allowed: number;
  /** The names of those that would. */
  readonly pods: readonly string[];
}

/**
 * The budgets that these pods would break if all of them went at once. A taint NoExecute asks none of them (only the eviction API
 * does), so we do.
 */
export async function tightBudgets(sight: Sight, pods: readonly KubeObject[]): Promise<TightBudget[]> {
  const namespaces = [...new Set(pods.flatMap(({ metadata }) => metadata.namespace ?? []))];
  const found = await Promise.all(namespaces.map((namespace) => sight.list('PodDisruptionBudget', { namespace })));
  return found.flat().flatMap(({ metadata, spec, status }) => {
    const { name, namespace = '' } = metadata;
    const own = pods.filter(
      (pod) => pod.metadata.namespace === namespace && isSelectedBy(at(spec, 'selector'), pod.metadata.labels ?? {}),
    );
    // Its controller has not counted yet: nobody knows.
    const allowed = numberAt(status, 'disruptionsAllowed') ?? 0;
    return own.length > allowed ? [{ namespace, name, allowed, pods: own.map((pod) => pod.metadata.name) }] : [];
  });
}
