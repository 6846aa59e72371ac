import { UserErrorException } from '../i18n/user-error.ts';
import type { Kind } from '../openshift/kinds.ts';
import { type EventView, type JsonObject, type KubeObject, type NewObject, parseEvent } from '../openshift/object.ts';
import { isRouterPod, isUnhealthyPod, type PodView, parsePod } from '../openshift/pod.ts';
import { isClusterError } from './errors.ts';

/** Options of a write. With `dryRun` the API validates and responds, but stores nothing. */
export interface WriteOptions {
  readonly dryRun?: boolean;
}

export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The maximum number of objects to read; the rest is left out. */
  readonly limit?: number;
}

/** An object as `oc get` prints it: its cells by the names of their columns. */
export interface ApiTableRow {
  readonly name: string;
  readonly cells: ReadonlyMap<string, unknown>;
}

/** The result of a command in a container. */
export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** A command, and the container in which it runs. */
export interface ExecRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly argv: readonly string[];
}

/**
 * The API of the cluster. Checks that each response is what was requested, and sanitizes it; every failure is a
 * ClusterError.
 */
export interface Cluster {
  getVersion(): Promise<{ readonly gitVersion: string }>;
  /** Probes /readyz; null when it reports ready, otherwise the names of the failing checks, or the status. */
  probeReadyz(): Promise<string | null>;
  list(kind: Kind, options?: ListOptions): Promise<KubeObject[]>;
  /**
   * Lists the columns that `oc get` prints, without the objects, which may have hundreds of kilobytes each.
   * @throws ClusterError
   */
  listRows(kind: Kind): Promise<readonly ApiTableRow[]>;
  /**
   * Reads an object; null if it does not exist, or its kind is not (yet) served. The data of a ConfigMap is not
   * sanitized for display.
   */
  get(kind: Kind, name: string, namespace?: string): Promise<KubeObject | null>;
  /** Like `get`, with the managers of the object's fields. */
  getWithManagers(kind: Kind, name: string, namespace?: string): Promise<KubeObject | null>;
  create(kind: Kind, object: NewObject, options?: WriteOptions): Promise<KubeObject>;
  /** Applies a JSON merge patch (RFC 7386): null removes a field, a list replaces the whole list. */
  patch(
    kind: Kind,
    name: string,
    namespace: string | null,
    mergePatch: JsonObject,
    options?: WriteOptions,
  ): Promise<KubeObject>;
  /** Writes the whole object with its resourceVersion, so that a concurrent change is a conflict (409). */
  replace(kind: Kind, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /**
   * Writes the conditions of a certificate request through its approval subresource. The resourceVersion makes it safe
   * to send the request twice. Many calls in a row share connections.
   */
  approve(request: KubeObject): Promise<void>;
  /** Opens a connection ahead of many approvals: eight calls open eight. Failures are reported by the approvals. */
  warmUp(): Promise<void>;
  /**
   * Deletes an object.
   * @param object the object as it was read: another object of its name, or a change since, is a conflict (409)
   */
  remove(kind: Kind, name: string, namespace?: string, object?: KubeObject): Promise<void>;
  /**
   * Runs a command in a container and waits for its end, as `oc exec` does. Never repeated.
   * @throws ClusterError if it was refused, or its end is unknown; not for another exit code than 0
   */
  exec(request: ExecRequest): Promise<ExecResult>;
  /**
   * The offset of the API's clock from ours by its last response, in milliseconds; positive when the API's is ahead. 0:
   * the response proves no difference; null: no response carried a date.
   */
  getClockSkew(): number | null;
}

/**
 * Maximum number of pods read per namespace, so that a probe is fast. Lists are sorted by name: in a control plane's
 * namespace, the completed installer pods of each revision come before the pods of the control plane.
 */
const MAX_PODS = 500;

/** Finds the pods of these namespaces that are neither healthy nor completed. */
export async function findUnhealthyPods(cluster: Cluster, namespaces: readonly string[]): Promise<PodView[]> {
  const pods = await listInNamespaces(cluster, 'Pod', namespaces, MAX_PODS);
  return pods.map(parsePod).filter(isUnhealthyPod);
}

/** Maximum number of pods of openshift-ingress that are read. */
const MAX_ROUTERS = 200;

/** Lists the router pods, also those of further IngressControllers; null if they cannot be read. */
export async function listRouters(cluster: Cluster): Promise<PodView[] | null> {
  try {
    const pods = await cluster.list('Pod', { namespace: 'openshift-ingress', limit: MAX_ROUTERS });
    return pods.map(parsePod).filter(isRouterPod);
  } catch (error) {
    if (error instanceof UserErrorException) return null;
    throw error;
  }
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
  const events = (await listInNamespaces(cluster, 'Event', namespaces)).map(parseEvent);
  return events.sort((a, b) => (b.lastSeenAt ?? 0) - (a.lastSeenAt ?? 0)).slice(0, count);
}

/** Lists objects, one namespace after the other to avoid a burst of requests. A missing namespace counts as empty. */
async function listInNamespaces(cluster: Cluster, kind: Kind, namespaces: readonly string[], limit?: number) {
  const objects: KubeObject[] = [];
  for (const namespace of namespaces) {
    try {
      objects.push(...(await cluster.list(kind, limit === undefined ? { namespace } : { namespace, limit })));
    } catch (error) {
      if (!isClusterError(error, 'absent')) throw error;
    }
  }
  return objects;
}
