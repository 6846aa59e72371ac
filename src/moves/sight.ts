import type { Kind } from '../objects/kinds.ts';
import type { KubeObject } from '../objects/object.ts';

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
