import { createHash } from 'node:crypto';

/**
 * Random numbers that do not depend on the order of the calls: the same seed and keys give the same number in [0, 1),
 * also after the site was killed and started again.
 */
export function chance(seed: number, ...keys: readonly (string | number)[]): number {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, ...keys]))
    .digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}

/** A duration between `least` and `most` milliseconds, settled by the seed and the keys. */
export function jitter(seed: number, least: number, most: number, ...keys: readonly (string | number)[]): number {
  return Math.round(least + chance(seed, ...keys) * (most - least));
}

/** Lower-case letters and digits as Kubernetes appends to generated names; no vowels, no look-alikes. */
export function nameSuffix(seed: number, length: number, ...keys: readonly (string | number)[]): string {
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  return Array.from({ length }, (_, index) => letters[Math.floor(chance(seed, ...keys, index) * letters.length)]).join(
    '',
  );
}
