import { vi } from 'vitest';

/**
 * Repeats a probe until it no longer throws, and returns its result. A timeout throws the last error.
 * @param interval pause between probes, in ms
 */
export function eventually<T>(probe: () => T | Promise<T>, interval = 50): Promise<T> {
  return vi.waitFor(probe, { timeout: 300_000, interval });
}
