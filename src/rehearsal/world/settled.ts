import type { Operated } from './world.ts';

/**
 * A look of a controller that is left out while the objects of the world and what the bootstrap node brought to life are as they
 * were when it found nothing to do and nothing to wait for. The look must read nothing else but the clock and what it writes itself.
 * @param isWaiting whether there is something that goes on by itself as time passes
 */
export function untilSettled(
  look: (world: Operated) => void,
  isWaiting: (world: Operated) => boolean,
): (world: Operated) => void {
  type Cluster = Operated['saved']['cluster'];
  const settled = new WeakMap<Operated['saved'], { readonly changes: number; readonly cluster: Cluster }>();
  return (world) => {
    const { store, saved } = world;
    const { cluster } = saved;
    const changes = store.changes();
    const known = settled.get(saved);
    if (known?.changes === changes && known.cluster === cluster) return;
    look(world);
    if (store.changes() === changes && !isWaiting(world)) settled.set(saved, { changes, cluster });
  };
}
