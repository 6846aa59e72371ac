import type { Cluster } from '../../cluster/api.ts';
import { createClusterReader } from '../../cluster/infra/run.ts';
import { type ExistingCluster, readExistingCluster as find } from '../../moves/existing-cluster.ts';

/** Examines a cluster without a design. @throws ClusterError */
export async function findCluster(cluster: Cluster): Promise<ExistingCluster> {
  return await find(createClusterReader(cluster));
}
