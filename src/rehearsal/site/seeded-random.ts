import { createHash } from 'node:crypto';

/**
 * Returns a pseudo-random number in [0, 1). The same seed and keys give the same number, independent of the order of
 * calls, also after a restart of the site.
 */
export function deriveRandom(seed: number, ...keys: readonly (string | number)[]): number {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, ...keys]))
    .digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}

/** Returns a duration between `minimum` and `maximum` milliseconds, selected by the seed and the keys. */
export function deriveDuration(
  seed: number,
  minimum: number,
  maximum: number,
  ...keys: readonly (string | number)[]
): number {
  return Math.round(minimum + deriveRandom(seed, ...keys) * (maximum - minimum));
}

/** Generates lower-case letters and digits as Kubernetes appends them to names: no vowels, no look-alikes. */
export function generateNameSuffix(seed: number, length: number, ...keys: readonly (string | number)[]): string {
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  return Array.from(
    { length },
    (_, index) => letters[Math.floor(deriveRandom(seed, ...keys, index) * letters.length)],
  ).join('');
}
