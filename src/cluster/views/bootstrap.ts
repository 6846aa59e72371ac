import type { BootstrapStatus } from '../../diagnosis/bootstrap/evidence.ts';
import { conditionsOf, type KubeObject } from '../../objects/object.ts';
import type { Cluster } from '../api.ts';

/** The installer's own signal: ConfigMap kube-system/bootstrap, `status: complete`. */
export async function readBootstrapStatus(cluster: Cluster): Promise<BootstrapStatus> {
  const map = await cluster.get('ConfigMap', 'bootstrap', 'kube-system');
  if (!map) return 'absent';
  return map.data?.status === 'complete' ? 'complete' : 'progress';
}

/** The name of the condition, and that of 4.13 to 4.15 (cluster-etcd-operator#992, corrected in #1201). */
const MEMBER_REMOVED: readonly string[] = ['EtcdBootstrapMemberRemoved', 'EtcdBoostrapMemberRemoved'];

/** Whether etcd has removed the bootstrap's member; null while its operator does not report it. */
export async function readEtcd(cluster: Pick<Cluster, 'get'>): Promise<boolean | null> {
  const etcd = await cluster.get('Etcd', 'cluster');
  return etcd ? memberRemoved(etcd) : null;
}

/** Whether the bootstrap's member is gone, by the Etcd `cluster`; null before it says. */
export function memberRemoved(etcd: KubeObject): boolean | null {
  const told = conditionsOf(etcd).filter(({ type }) => MEMBER_REMOVED.includes(type));
  return told.length === 0 ? null : told.some(({ status }) => status === 'True');
}
