import type { Cluster } from '../client.ts';
import { conditionsOf } from '../object.ts';

/** The installer's own signal: ConfigMap kube-system/bootstrap, `status: complete`. */
export async function readBootstrapStatus(cluster: Cluster): Promise<'absent' | 'progress' | 'complete'> {
  const map = await cluster.get('ConfigMap', 'bootstrap', 'kube-system');
  if (!map) return 'absent';
  return map.data?.status === 'complete' ? 'complete' : 'progress';
}

export async function readEtcd(cluster: Cluster): Promise<boolean | null> {
  const etcd = await cluster.get('Etcd', 'cluster');
  const condition = etcd && conditionsOf(etcd).find(({ type }) => type === 'EtcdBootstrapMemberRemoved');
  return condition ? condition.status === 'True' : null;
}
