import { vi } from 'vitest';

/** Looks again and again until the look no longer throws, and gives what it gives. What hangs ends with what it threw last. */
export function eventually<T>(look: () => T | Promise<T>, interval = 50): Promise<T> {
  return vi.waitFor(look, { timeout: 300_000, interval });
}
