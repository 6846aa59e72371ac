import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ImageState } from '../diagnosis/prepare/evidence.ts';

/** Digests by path, for the file as it was then: a gigabyte is read once, not at every look. */
const known = new Map<string, { readonly size: number; readonly modified: number; readonly sha256: string }>();

/**
 * What became of the images that nodes boot with.
 * @param names the files that the boot scripts name
 * @param sources their published digests (SHA-256, hexadecimal)
 */
export async function imageStates(
  dir: string,
  names: readonly string[],
  sources: readonly { readonly name: string; readonly sha256: string }[],
): Promise<{ readonly name: string; readonly state: ImageState }[]> {
  return await Promise.all(
    names.map(async (name) => {
      const file = await stat(join(dir, name)).catch(() => null);
      if (!file?.isFile()) return { name, state: 'missing' as const };
      const wanted = sources.find((source) => source.name === name)?.sha256;
      if (wanted === undefined) return { name, state: 'unchecked' as const };
      const found = await digestOf(join(dir, name), file.size, file.mtimeMs);
      return { name, state: found === wanted ? ('ok' as const) : ('wrong' as const) };
    }),
  );
}

async function digestOf(path: string, size: number, modified: number): Promise<string> {
  const before = known.get(path);
  if (before?.size === size && before.modified === modified) return before.sha256;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  const sha256 = hash.digest('hex');
  known.set(path, { size, modified, sha256 });
  return sha256;
}
