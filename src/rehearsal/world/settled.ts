import type { Operated } from './world.ts';

/**
 * A look of a controller that is left out while the objects of the world are as they were when it found nothing to do and nothing to
 * wait for.
 * @param isWaiting whether there is something that goes on by itself as time passes
 */
export function untilSettled(
  look: (world: Operated) => void,
  isWaiting: (world: Operated) => boolean,
): (world: Operated) => void {
  const settled = new WeakMap<Operated['saved'], number>();
  return (world) => {
    const before = world.store.changes();
    if (settled.get(world.saved) === before) return;
    look(world);
    if (world.store.changes() === before && !isWaiting(world)) settled.set(world.saved, before);
  };
}
