import type { OperatorContext } from './world.ts';

/**
 * Wraps a reconciliation. It is skipped while the objects and the cluster state are unchanged since a run with nothing
 * to do and nothing pending. It must read only these, the clock, and its own writes.
 * @param hasPendingWork whether something continues as time passes
 */
export function skipWhileUnchanged(
  reconcile: (world: OperatorContext) => void,
  hasPendingWork: (world: OperatorContext) => boolean,
): (world: OperatorContext) => void {
  type Cluster = OperatorContext['saved']['cluster'];
  const stableStates = new WeakMap<OperatorContext['saved'], { readonly changes: number; readonly cluster: Cluster }>();
  return (world) => {
    const { store, saved } = world;
    const { cluster } = saved;
    const changes = store.changeCount();
    const known = stableStates.get(saved);
    if (known?.changes === changes && known.cluster === cluster) return;
    reconcile(world);
    if (store.changeCount() === changes && !hasPendingWork(world)) stableStates.set(saved, { changes, cluster });
  };
}
