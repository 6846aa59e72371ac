import type { Cluster } from '../../cluster/api.ts';
import type { StepContext } from '../contract.ts';

/** A running cluster and the design to judge it by, however a command found it. */
export interface LiveCluster extends Pick<StepContext, 'design' | 'clock' | 'reach' | 'memory' | 'recollection'> {
  /** Opens the API anew: the installer rewrites the kubeconfig when it completes. @throws TroubleError `kubeconfig-…` */
  readonly connect: () => Promise<Cluster>;
  /** The install directory; null where only a design and a kubeconfig were given. */
  readonly session: { readonly context: StepContext } | null;
}
