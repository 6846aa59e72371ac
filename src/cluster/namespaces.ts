import { type EventView, eventView } from '../openshift/event.ts';
import type { Kind } from '../openshift/kinds.ts';
import type { KubeObject } from '../openshift/object.ts';
import { isUnhealthyPod, type PodView, podView } from '../openshift/pod.ts';
import type { Cluster } from './api.ts';
import { isClusterError } from './errors.ts';

/**
 * Maximum number of pods read per namespace, to keep a probe fast. Lists are sorted by name, so the completed installer
 * pods of each revision of a control plane come before its own.
 */
const MAX_PODS = 500;

/** Finds the pods of these namespaces that are neither healthy nor completed. */
export async function findUnhealthyPods(cluster: Cluster, namespaces: readonly string[]): Promise<PodView[]> {
  const pods = await listInNamespaces(cluster, 'Pod', namespaces, MAX_PODS);
  return pods.map(podView).filter(isUnhealthyPod);
}

/**
 * Lists the latest events of these namespaces, newest first. Reads all: lists are sorted by name, so the newest may be
 * last.
 * @param count maximum number of events
 */
export async function listLatestEvents(
  cluster: Cluster,
  namespaces: readonly string[],
  count: number,
): Promise<EventView[]> {
  const events = (await listInNamespaces(cluster, 'Event', namespaces)).map(eventView);
  return events.sort((a, b) => (b.at ?? 0) - (a.at ?? 0)).slice(0, count);
}

/** Reads one namespace after the other, to avoid a burst of requests. A namespace that does not exist yet is empty. */
async function listInNamespaces(cluster: Cluster, kind: Kind, namespaces: readonly string[], limit?: number) {
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
