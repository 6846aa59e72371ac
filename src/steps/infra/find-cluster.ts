import { type ExistingCluster, readExistingCluster as find } from '../../infra/existing-cluster.ts';
import { createClusterReader } from '../../infra/send-edits.ts';
import type { Cluster } from '../../kube/api.ts';

/** Examines a cluster without a design. @throws ClusterError */
export async function findCluster(cluster: Cluster): Promise<ExistingCluster> {
  return await find(createClusterReader(cluster));
}
