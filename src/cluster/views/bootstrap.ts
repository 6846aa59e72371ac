import { isSince, minorOf } from '../../design/versions.ts';
import { conditionsOf } from '../../objects/object.ts';
import type { Cluster } from '../client.ts';

/** The installer's own signal: ConfigMap kube-system/bootstrap, `status: complete`. */
export async function readBootstrapStatus(cluster: Cluster): Promise<'absent' | 'progress' | 'complete'> {
  const map = await cluster.get('ConfigMap', 'bootstrap', 'kube-system');
  if (!map) return 'absent';
  return map.data?.status === 'complete' ? 'complete' : 'progress';
}

/** What it is called, and what 4.13 to 4.15 called it (cluster-etcd-operator#992, put right in #1201). */
const MEMBER_REMOVED: readonly string[] = ['EtcdBootstrapMemberRemoved', 'EtcdBoostrapMemberRemoved'];

/** Whether etcd has let go of the bootstrap's member; null while its operator does not say. */
export async function readEtcd(cluster: Pick<Cluster, 'get'>): Promise<boolean | null> {
  const etcd = await cluster.get('Etcd', 'cluster');
  const told = etcd ? conditionsOf(etcd).filter(({ type }) => MEMBER_REMOVED.includes(type)) : [];
  return told.length === 0 ? null : told.some(({ status }) => status === 'True');
}

/**
 * Whether the bootstrap's member has left etcd, by what its operator says. It says so from 4.13 on (the installer waits for it
 * on a single node since 4.16, and everywhere since 4.19); before that "complete" is all there is.
 * @param version of the design: "4.18" or "4.18.9"
 * @param isRemoved as `readEtcd` gives it, where it could be read
 */
export function hasLeftEtcd(version: string, isRemoved: boolean | null): boolean {
  return isRemoved ?? !isSince(minorOf(version) ?? '', '4.13');
}
