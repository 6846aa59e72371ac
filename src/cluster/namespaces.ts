import { type EventView, eventView } from '../objects/event.ts';
import type { Kind } from '../objects/kinds.ts';
import type { KubeObject } from '../objects/object.ts';
import { isUnwell, type PodView, podView } from '../objects/pod.ts';
import type { Cluster } from './api.ts';
import { isClusterError } from './errors.ts';

/**
 * The most pods read per namespace: a look must stay quick however many there are. Lists are sorted by name, so the
 * completed installer pods of each revision of a control plane come before its own.
 */
const MOST_PODS = 500;

/** The pods of these namespaces that neither run well nor are completed. */
export async function unwellPods(cluster: Cluster, namespaces: readonly string[]): Promise<PodView[]> {
  const pods = await listed(cluster, 'Pod', namespaces, MOST_PODS);
  return pods.map(podView).filter(isUnwell);
}

/** The latest events of these namespaces, newest first. Reads all: lists are sorted by name, the newest may be last. */
export async function latestEvents(
  cluster: Cluster,
  namespaces: readonly string[],
  count: number,
): Promise<EventView[]> {
  const events = (await listed(cluster, 'Event', namespaces)).map(eventView);
  return events.sort((a, b) => (b.at ?? 0) - (a.at ?? 0)).slice(0, count);
}

/** One namespace after the other: this is not worth a burst. A namespace that does not exist yet has nothing. */
async function listed(cluster: Cluster, kind: Kind, namespaces: readonly string[], limit?: number) {
  const found: KubeObject[] = [];
  for (const namespace of namespaces) {
    try {
      found.push(...(await cluster.list(kind, limit === undefined ? { namespace } : { namespace, limit })));
    } catch (error) {
      if (!isClusterError(error, 'absent')) throw error;
    }
  }
  return found;
}
