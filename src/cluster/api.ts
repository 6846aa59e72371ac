import type { Kind } from '../openshift/kinds.ts';
import type { JsonObject, KubeObject, NewObject } from '../openshift/object.ts';

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

/**
 * The API of the cluster. Checks that each response is what was requested, and sanitises it; every failure is a
 * ClusterError.
 */
export interface Cluster {
  version(): Promise<{ readonly gitVersion: string }>;
  /** Null when /readyz reports ready; otherwise the names of the failing checks, or the status. */
  readyz(): Promise<string | null>;
  list(kind: Kind, options?: ListOptions): Promise<KubeObject[]>;
  /**
   * Null when there is no such object, or the kind is not (yet) served. The data of a ConfigMap is not sanitised for
   * display.
   */
  get(kind: Kind, name: string, namespace?: string): Promise<KubeObject | null>;
  /** As get, with the managers of its fields. */
  getWithManagers(kind: Kind, name: string, namespace?: string): Promise<KubeObject | null>;
  create(kind: Kind, object: NewObject, options?: WriteOptions): Promise<KubeObject>;
  /** A JSON merge patch (RFC 7386): null removes a field, a list replaces the whole list. */
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
   * to send twice. Many in a row share connections.
   */
  approve(request: KubeObject): Promise<void>;
  /** Opens a connection ahead of many approvals: eight calls open eight. Failures are reported by the approvals. */
  warmUp(): Promise<void>;
  /** @param known the object as it was read: another one of its name, or a change since, is a conflict (409) */
  remove(kind: Kind, name: string, namespace?: string, known?: KubeObject): Promise<void>;
  /**
   * The offset of the API's clock from ours by its last response, in milliseconds; positive when the API's is ahead. 0:
   * the response proves no difference; null: no response carried a date.
   */
  clockSkew(): number | null;
}
