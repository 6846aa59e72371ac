/**
 * Limits the memory of a process that runs for hours and shares the bastion with others. V8's heap grows by a fifth at
 * a time instead of doubling, and its nursery does not grow more. Temporary data therefore does not enlarge it for
 * good.
 * Call it when everything is loaded. Loading would take a tenth longer. V8 also rejects compiled code from Node's cache
 * that was written under other flags. (`--optimize-for-size` is no smaller, and takes half as much time again.)
 * An hour of polling at 50 nodes, 40 operators and 500 requests: see `npm run bench hour-of-polling`.
 */
export function limitHeapGrowth(): void {
  // Loaded on demand: it loads more than a probe of the cluster needs.
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--heap-growing-percent=20');
  setFlagsFromString('--semi-space-growth-factor=1');
}
