import { vi } from 'vitest';

/** Looks again and again until the look no longer throws, and returns its result. A hang throws the last error. */
export function eventually<T>(look: () => T | Promise<T>, interval = 50): Promise<T> {
  return vi.waitFor(look, { timeout: 300_000, interval });
}
