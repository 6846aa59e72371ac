import type { Cluster } from '../client.ts';
import { isClusterError } from '../errors.ts';

const DEFAULT = 'storageclass.kubernetes.io/is-default-class';

/** The storage classes of the cluster and the default one. */
export async function storageClasses(cluster: Cluster): Promise<{ names: readonly string[]; standard: string | null }> {
  const found = await cluster.list('StorageClass').catch((error: unknown) => {
    if (isClusterError(error, 'absent')) return [];
    throw error;
  });
  return {
    names: found.map(({ metadata }) => metadata.name),
    standard: found.find(({ metadata }) => metadata.annotations?.[DEFAULT] === 'true')?.metadata.name ?? null,
  };
}
