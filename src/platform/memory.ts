import type { Clock } from './clock.ts';

/** Time without a key before memory is released (ms): the release blocks the program for a tenth of a second. */
const QUIET_MS = 4000;
/** Minimum time between two releases (ms): the page after the welcome page loads the most, and may be opened soon. */
const MIN_INTERVAL_MS = 30_000;

interface MemoryRelease {
  /** Records a key, which postpones the release by `QUIET_MS`. */
  readonly recordKey: () => void;
}

/**
 * Starts to release unused memory while the user presses no key: once after the start, and once after each later
 * activity. Half a minute passes between two releases at least.
 * @param signal ends all later releases
 */
export function startMemoryRelease(
  clock: Pick<Clock, 'now' | 'sleep'>,
  signal: AbortSignal,
  release: () => void = releaseMemory,
): MemoryRelease {
  let lastKeyAt = clock.now();
  let earliestReleaseAt = Number.NEGATIVE_INFINITY;
  let isWaiting = false;
  const releaseWhenQuiet = async () => {
    isWaiting = true;
    for (;;) {
      const remainingMs = Math.max(lastKeyAt + QUIET_MS, earliestReleaseAt) - clock.now();
      if (remainingMs <= 0) break;
      await clock.sleep(remainingMs, signal);
    }
    isWaiting = false;
    release();
    earliestReleaseAt = clock.now() + MIN_INTERVAL_MS;
  };
  const recordKey = () => {
    lastKeyAt = clock.now();
    // The sleep only fails when the signal ends the program.
    if (!isWaiting) void releaseWhenQuiet().catch(() => undefined);
  };
  recordKey();
  return { recordKey };
}

/**
 * Collects all garbage, and returns the freed memory to the system. V8 would keep the pages of its nursery, which grows
 * to 32 MiB while the program loads, for an allocation that does not come. Only this kind of collection frees them.
 */
function releaseMemory(): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  // The flag is reset at once: V8 rejects compiled code from Node.js's cache that was written under other flags.
  setFlagsFromString('--expose-gc');
  const collect: unknown = process.getBuiltinModule('node:vm').runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/**
 * Limits the memory of a process that runs for hours and shares the bastion with other programs. V8's heap then
 * grows by a fifth at a time instead of doubling, and its nursery stops growing. Temporary data therefore does not
 * enlarge the heap permanently.
 * Call it when everything is loaded: with these flags, loading takes a tenth longer. V8 also rejects compiled code
 * from Node.js's cache that was written under other flags. `--optimize-for-size` saves no more memory, and costs half
 * as much time again. An hour of polling at 50 nodes, 40 operators and 500 requests: see `npm run bench
 * hour-of-polling`.
 */
export function limitHeapGrowth(): void {
  // Loaded on demand: it loads more than a probe of the cluster needs.
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--heap-growing-percent=20');
  setFlagsFromString('--semi-space-growth-factor=1');
}
