import type { Cluster } from '../client.ts';
import { conditionsOf, isTrue, type KubeObject, textAt } from '../object.ts';

export interface ClusterVersionView {
  readonly version: string;
  readonly available: boolean;
  readonly progressing: boolean;
  readonly failing: boolean;
  /** "640 of 869 done" of the message; null when it does not count. */
  readonly done: number | null;
  readonly total: number | null;
  readonly message: string;
}

export async function readClusterVersion(cluster: Cluster): Promise<ClusterVersionView | null> {
  const object = await cluster.get('ClusterVersion', 'version');
  return object && clusterVersionView(object);
}

/** The version of the cluster and how far it is. The counts come from "Working towards 4.18.9: 640 of 869 done (73% complete)". */
function clusterVersionView(object: KubeObject): ClusterVersionView {
  const conditions = conditionsOf(object);
  const message = (type: string) => conditions.find((condition) => condition.type === type)?.message ?? '';
  const failing = isTrue(conditions, 'Failing');
  const counted = /(\d+) of (\d+) done/.exec(message('Progressing'));
  return {
    version: textAt(object.status, 'desired', 'version') ?? '',
    available: isTrue(conditions, 'Available'),
    progressing: isTrue(conditions, 'Progressing'),
    failing,
    done: counted ? Number(counted[1]) : null,
    total: counted ? Number(counted[2]) : null,
    message: (failing ? message('Failing') : '') || message('Progressing') || message('Available'),
  };
}
