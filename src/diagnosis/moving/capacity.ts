import { catalogue } from '../../i18n/catalogue.ts';
import { fitsOnNodes, sumAmounts } from '../../openshift/resource-amounts.ts';
import { type Check, check } from '../rule.ts';
import type { MoveCheckEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.moving.resources;

/** The relocated pods have to fit on the infra nodes: the scheduler compares requests with allocatable resources. */
export const capacity = check<MoveCheckEvidence, 'move-room'>('move-room', 'fatal', (evidence) =>
  checkCapacity(evidence, 0),
);

/** The pods have to fit without one of the nodes, too: during a restart, or after a failure. */
export const spareCapacity = check<MoveCheckEvidence, 'move-spare-room'>('move-spare-room', 'warning', (evidence) =>
  checkCapacity(evidence, 1)?.state === 'failed' && checkCapacity(evidence, 0)?.state === 'failed'
    ? null
    : checkCapacity(evidence, 1),
);

/**
 * Checks whether the pods fit.
 * @param unavailable number of nodes to leave out, those with the most free memory first
 */
function checkCapacity(
  { infra, podRequests }: MoveCheckEvidence,
  unavailable: number,
): ReturnType<Check<MoveCheckEvidence>['evaluate']> {
  if (infra === null || podRequests === null) return podRequests?.length === 0 ? null : { state: 'unknown' };
  if (podRequests.length === 0) return null;
  const nodes = infra.filter(({ isReady }) => isReady);
  const free = nodes.flatMap((node) => node.free ?? []);
  if (free.length < nodes.length) return { state: 'unknown' };
  const remaining = [...free].sort((a, b) => b.memory - a.memory).slice(unavailable);
  const detail = words().amounts(
    podRequests.length,
    sumAmounts(podRequests),
    nodes.map(({ name }, index) => ({ name: name.split('.')[0] ?? name, free: free[index] ?? { cpu: 0, memory: 0 } })),
  );
  return { state: fitsOnNodes(podRequests, remaining) ? 'ok' : 'failed', detail };
}
