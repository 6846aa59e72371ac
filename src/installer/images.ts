import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * `missing`: not there. `wrong`: its checksum is not the published one. `unchecked`: no published checksum is known.
 */
export type ImageState = 'ok' | 'missing' | 'wrong' | 'unchecked';

/** Digests by path, with the size and time of the file: a gigabyte is read once, not for every probe. */
const digestCache = new Map<string, { readonly size: number; readonly mtimeMs: number; readonly sha256: string }>();

/**
 * Checks the images that nodes boot with.
 * @param names the files that the boot scripts name
 * @param publishedDigests their published digests (SHA-256, hexadecimal)
 */
export async function checkImages(
  dir: string,
  names: readonly string[],
  publishedDigests: readonly { readonly name: string; readonly sha256: string }[],
): Promise<{ readonly name: string; readonly state: ImageState }[]> {
  return await Promise.all(
    names.map(async (name) => {
      const file = await stat(join(dir, name)).catch(() => null);
      if (!file?.isFile()) return { name, state: 'missing' as const };
      const expectedDigest = publishedDigests.find((published) => published.name === name)?.sha256;
      if (expectedDigest === undefined) return { name, state: 'unchecked' as const };
      const actualDigest = await computeCachedDigest(join(dir, name), file.size, file.mtimeMs);
      return { name, state: actualDigest === expectedDigest ? ('ok' as const) : ('wrong' as const) };
    }),
  );
}

/** Computes the SHA-256 of a file, in hexadecimal. */
export async function computeFileDigest(path: string): Promise<string> {
  const { size, mtimeMs } = await stat(path);
  return await computeCachedDigest(path, size, mtimeMs);
}

async function computeCachedDigest(path: string, size: number, mtimeMs: number): Promise<string> {
  const cacheEntry = digestCache.get(path);
  if (cacheEntry?.size === size && cacheEntry.mtimeMs === mtimeMs) return cacheEntry.sha256;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  const sha256 = hash.digest('hex');
  digestCache.set(path, { size, mtimeMs, sha256 });
  return sha256;
}
