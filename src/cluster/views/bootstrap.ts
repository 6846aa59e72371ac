import type { BootstrapStatus } from '../../diagnosis/bootstrap/evidence.ts';
import { type KubeObject, listConditions } from '../../openshift/object.ts';
import type { Cluster } from '../api.ts';

/** Reads the installer's own signal: ConfigMap kube-system/bootstrap, `status: complete`. */
export async function readBootstrapStatus(cluster: Cluster): Promise<BootstrapStatus> {
  const map = await cluster.get('ConfigMap', 'bootstrap', 'kube-system');
  if (!map) return 'absent';
  return map.data?.status === 'complete' ? 'complete' : 'progress';
}

/** The name of the condition, and that of 4.13 to 4.15 (cluster-etcd-operator#992, corrected in #1201). */
const MEMBER_REMOVED: readonly string[] = ['EtcdBootstrapMemberRemoved', 'EtcdBoostrapMemberRemoved'];

/** Reads whether etcd has removed the bootstrap member; null while its operator does not report it. */
export async function readMemberRemoved(cluster: Pick<Cluster, 'get'>): Promise<boolean | null> {
  const etcd = await cluster.get('Etcd', 'cluster');
  return etcd ? isMemberRemoved(etcd) : null;
}

/** Whether the bootstrap member is removed, according to the Etcd `cluster`; null before it reports that. */
export function isMemberRemoved(etcd: KubeObject): boolean | null {
  const conditions = listConditions(etcd).filter(({ type }) => MEMBER_REMOVED.includes(type));
  return conditions.length === 0 ? null : conditions.some(({ status }) => status === 'True');
}
