import { type KubeObject, numberAt } from './object.ts';

/** Progress of one workload: generation observed, all replicas updated and available. */
export function isRolledOut(object: KubeObject): boolean {
  const wanted = numberAt(object.spec, 'replicas') ?? 1;
  return (
    (numberAt(object.status, 'observedGeneration') ?? 0) >= (object.metadata.generation ?? 0) &&
    (numberAt(object.status, 'updatedReplicas') ?? 0) === wanted &&
    (numberAt(object.status, 'replicas') ?? 0) === wanted &&
    (numberAt(object.status, 'availableReplicas') ?? numberAt(object.status, 'readyReplicas') ?? 0) === wanted
  );
}
