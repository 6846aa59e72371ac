import type { Cluster } from '../../cluster/api.ts';
import { sightOf } from '../../cluster/infra/run.ts';
import { type FoundCluster, findCluster as find } from '../../moves/found-cluster.ts';

/** Looks at a cluster of which there is no design. @throws ClusterError */
export async function findCluster(cluster: Cluster): Promise<FoundCluster> {
  return await find(sightOf(cluster));
}
