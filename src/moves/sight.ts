import type { Kind } from '../objects/kinds.ts';
import type { KubeObject } from '../objects/object.ts';
import { TroubleError } from '../text/trouble.ts';

/** How moves read the cluster: the API as it is, or as it will be after earlier moves. */
export interface Sight {
  /** Null when there is no such object, or the kind is not served. */
  get(kind: Kind, name: string, namespace?: string): Promise<KubeObject | null>;
  /** Empty when the kind is not served. */
  list(
    kind: Kind,
    options?: { readonly namespace?: string; readonly fieldSelector?: string },
  ): Promise<readonly KubeObject[]>;
}

/** What is waited for. `blocked`: a person has to act. */
export interface Waiting {
  readonly state: 'moving' | 'blocked';
  readonly why: string;
}

/** A list, or null where this user may not see it. @throws what else keeps it from being read */
export async function listOrNull(
  sight: Sight,
  kind: Kind,
  options: { readonly namespace?: string } = {},
): Promise<readonly KubeObject[] | null> {
  try {
    return await sight.list(kind, options);
  } catch (error) {
    if (error instanceof TroubleError && error.trouble.code === 'cluster-forbidden') return null;
    throw error;
  }
}
