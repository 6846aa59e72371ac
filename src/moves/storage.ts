import type { Sight } from './move.ts';

const DEFAULT = 'storageclass.kubernetes.io/is-default-class';

/** The storage classes of the cluster and the default one. */
export async function storageClasses(sight: Sight): Promise<{ names: readonly string[]; standard: string | null }> {
  const found = await sight.list('StorageClass');
  return {
    names: found.map(({ metadata }) => metadata.name),
    standard: found.find(({ metadata }) => metadata.annotations?.[DEFAULT] === 'true')?.metadata.name ?? null,
  };
}
