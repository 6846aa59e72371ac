import { unwellPods } from '../../cluster/namespaces.ts';
import type { OperatorView } from '../../objects/operator.ts';
import type { PodView } from '../../objects/pod.ts';
import { SECOND } from '../../ports/clock.ts';
import { ageOf } from '../../ports/waiting.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { StepContext } from '../contract.ts';
import { openCluster } from '../shared/access.ts';

/** Pods are many and large: we read them only for unsettled operators, in few namespaces, and seldom. */
const MOST_NAMESPACES = 10;
const EVERY = 15 * SECOND;

/** The unwell pods in the namespaces of the operators that are not available, or degraded. */
export async function podsOfUnsettled(
  context: StepContext,
  operators: readonly OperatorView[],
): Promise<readonly PodView[]> {
  const { recollection, clock } = context;
  const open = operators.filter(({ available, degraded }) => !available || degraded);
  const own = [...new Set(open.flatMap(({ namespaces }) => namespaces))].sort().slice(0, MOST_NAMESPACES);
  const namespaces = own.join(' ');
  const before = recollection.unwellPods;
  if (own.length === 0) {
    recollection.unwellPods = null;
    return [];
  }
  if (before?.namespaces === namespaces && ageOf(clock, before.at) < EVERY) return before.pods;
  try {
    const cluster = await openCluster(context);
    const pods = cluster === null ? [] : await unwellPods(cluster, own);
    recollection.unwellPods = { at: clock.now(), namespaces, pods };
    return pods;
  } catch (error) {
    // The operators were readable a moment ago; the pods of that look are better than nothing.
    if (error instanceof TroubleError) return before?.namespaces === namespaces ? before.pods : [];
    throw error;
  }
}
