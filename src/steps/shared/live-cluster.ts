import type { Cluster } from '../../kube/api.ts';
import type { StepContext } from '../contract.ts';

/** A running cluster and the design to compare it with, however a command found it. */
export interface LiveCluster
  extends Pick<StepContext, 'design' | 'clock' | 'resolveEndpoint' | 'stepState' | 'probeCache'> {
  /**
   * Connects to the API again: the installer rewrites the kubeconfig when it completes.
   * @throws UserErrorException `kubeconfig-…`
   */
  readonly connect: () => Promise<Cluster>;
  /** The install directory; null where only a design and a kubeconfig were given. */
  readonly session: { readonly context: StepContext } | null;
}
