import type { Cluster } from './client.ts';
import { isClusterError } from './errors.ts';
import type { Kind } from './kinds.ts';
import type { KubeObject } from './object.ts';
import { isUnwell, type PodView, podView } from './views/pod.ts';

/** The most pods read of one namespace: a look must stay quick however much lies there. */
const MOST_PODS = 200;

/** The pods of these namespaces that neither run well nor are completed. */
export async function unwellPods(cluster: Cluster, namespaces: readonly string[]): Promise<PodView[]> {
  const pods = await listed(cluster, 'Pod', namespaces, MOST_PODS);
  return pods.map(podView).filter(isUnwell);
}

/** One namespace after the other: this is not worth a burst. One that is not there yet has nothing. */
async function listed(cluster: Cluster, kind: Kind, namespaces: readonly string[], limit: number) {
  const found: KubeObject[] = [];
  for (const namespace of namespaces) {
    try {
      found.push(...(await cluster.list(kind, { namespace, limit })));
    } catch (error) {
      if (!isClusterError(error, 'absent')) throw error;
    }
  }
  return found;
}
