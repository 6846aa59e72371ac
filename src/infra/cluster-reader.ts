import { UserErrorException } from '../i18n/user-error.ts';
import type { Kind } from '../openshift/kinds.ts';
import type { KubeObject } from '../openshift/object.ts';

/** Reads the cluster for infra moves: the API as it is, or as it will be after earlier moves. */
export interface ClusterReader {
  /** Reads an object; null when there is no such object, or the kind is not served. */
  get(kind: Kind, name: string, namespace?: string): Promise<KubeObject | null>;
  /** Lists objects; empty when the kind is not served. */
  list(
    kind: Kind,
    options?: { readonly namespace?: string; readonly fieldSelector?: string },
  ): Promise<readonly KubeObject[]>;
}

/** The reason for waiting. `blocked`: the user must act. */
export interface PendingReason {
  readonly state: 'moving' | 'blocked';
  readonly why: string;
}

/**
 * Lists objects; null if our credentials may not list them.
 * @throws UserErrorException any other error of the API
 */
export async function listIfAllowed(
  cluster: ClusterReader,
  kind: Kind,
  options: { readonly namespace?: string } = {},
): Promise<readonly KubeObject[] | null> {
  try {
    return await cluster.list(kind, options);
  } catch (error) {
    if (error instanceof UserErrorException && error.userError.code === 'cluster-forbidden') return null;
    throw error;
  }
}
