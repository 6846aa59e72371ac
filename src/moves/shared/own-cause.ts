import { INFRA_LABEL, infraNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import type { Sight } from '../move.ts';
import type { PendingPod } from '../pending.ts';

/** The same pod, where a move of ours is what keeps it from its node, or what it lacks: the taint of the design, the label. */
export async function withOwnCause(sight: Sight, design: Design, pod: PendingPod): Promise<PendingPod> {
  if (pod.cause === 'taint' && pod.taint === design.infra.taint.key) return { ...pod, cause: 'own-taint' };
  if (pod.cause !== 'selector') return pod;
  const nodes = await sight.list('Node');
  const own = nodes.filter(({ metadata }) => infraNames(design).includes(metadata.name));
  const isBare = own.some(({ metadata }) => metadata.labels?.[INFRA_LABEL] === undefined);
  return isBare ? { ...pod, cause: 'unlabelled' } : pod;
}
