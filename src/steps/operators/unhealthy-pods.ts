import { UserErrorException } from '../../i18n/user-error.ts';
import { findUnhealthyPods } from '../../kube/api.ts';
import type { PodView } from '../../openshift/node.ts';
import type { OperatorView } from '../../openshift/operator.ts';
import { getElapsedSince, SECOND } from '../../platform/clock.ts';

import type { StepContext } from '../contract.ts';
import { openCluster } from '../shared/cluster-access.ts';

/**
 * Pods are many and large: they are read only for operators that are unavailable or degraded, in few namespaces, and
 * rarely.
 */
const MAX_NAMESPACES = 10;
const READ_INTERVAL = 15 * SECOND;

/** Lists the unhealthy pods in the namespaces of the operators that are unavailable or degraded. */
export async function listUnhealthyOperatorPods(
  context: StepContext,
  operators: readonly OperatorView[],
): Promise<readonly PodView[]> {
  const { probeCache, clock } = context;
  const unhealthy = operators.filter(({ available, degraded }) => !available || degraded);
  const selected = [...new Set(unhealthy.flatMap(({ namespaces }) => namespaces))].sort().slice(0, MAX_NAMESPACES);
  const namespaces = selected.join(' ');
  const cached = probeCache.unhealthyPods;
  if (selected.length === 0) {
    probeCache.unhealthyPods = null;
    return [];
  }
  if (cached?.namespaces === namespaces && getElapsedSince(clock, cached.at) < READ_INTERVAL) return cached.pods;
  try {
    const cluster = await openCluster(context);
    const pods = cluster === null ? [] : await findUnhealthyPods(cluster, selected);
    probeCache.unhealthyPods = { at: clock.now(), namespaces, pods };
    return pods;
  } catch (error) {
    // The operators were readable a moment ago: the pods of the previous read are better than none.
    if (error instanceof UserErrorException) return cached?.namespaces === namespaces ? cached.pods : [];
    throw error;
  }
}
