import { INFRA_LABEL, infraNodeNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import type { PendingPod } from '../pending-pod.ts';

/** Refines the cause where a move of ours explains it: the taint of the design, or a label that an infra node lacks. */
export async function refinePendingCause(cluster: ClusterReader, design: Design, pod: PendingPod): Promise<PendingPod> {
  if (pod.cause === 'taint' && pod.taint === design.infra.taint.key) return { ...pod, cause: 'own-taint' };
  if (pod.cause !== 'selector') return pod;
  const nodes = await cluster.list('Node');
  const infraNodes = nodes.filter(({ metadata }) => infraNodeNames(design).includes(metadata.name));
  const isUnlabelled = infraNodes.some(({ metadata }) => metadata.labels?.[INFRA_LABEL] === undefined);
  return isUnlabelled ? { ...pod, cause: 'unlabelled' } : pod;
}
