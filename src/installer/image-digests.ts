import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ImageState } from '../checks/prepare/evidence.ts';

/** Digests by path, with the size and time of the file: a gigabyte is read once, not for every probe. */
const digestCache = new Map<string, { readonly size: number; readonly modified: number; readonly sha256: string }>();

/**
 * Checks the images that nodes boot with.
 * @param names the files that the boot scripts name
 * @param sources their published digests (SHA-256, hexadecimal)
 */
export async function checkImages(
  dir: string,
  names: readonly string[],
  sources: readonly { readonly name: string; readonly sha256: string }[],
): Promise<{ readonly name: string; readonly state: ImageState }[]> {
  return await Promise.all(
    names.map(async (name) => {
      const file = await stat(join(dir, name)).catch(() => null);
      if (!file?.isFile()) return { name, state: 'missing' as const };
      const expected = sources.find((source) => source.name === name)?.sha256;
      if (expected === undefined) return { name, state: 'unchecked' as const };
      const actual = await getDigest(join(dir, name), file.size, file.mtimeMs);
      return { name, state: actual === expected ? ('ok' as const) : ('wrong' as const) };
    }),
  );
}

async function getDigest(path: string, size: number, modified: number): Promise<string> {
  const cached = digestCache.get(path);
  if (cached?.size === size && cached.modified === modified) return cached.sha256;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  const sha256 = hash.digest('hex');
  digestCache.set(path, { size, modified, sha256 });
  return sha256;
}
