import { getNumber, type KubeObject } from './object.ts';

/** Whether one workload is rolled out: generation observed, all replicas updated and available. */
export function isRolledOut(object: KubeObject): boolean {
  const desired = getNumber(object.spec, 'replicas') ?? 1;
  return (
    (getNumber(object.status, 'observedGeneration') ?? 0) >= (object.metadata.generation ?? 0) &&
    (getNumber(object.status, 'updatedReplicas') ?? 0) === desired &&
    (getNumber(object.status, 'replicas') ?? 0) === desired &&
    (getNumber(object.status, 'availableReplicas') ?? getNumber(object.status, 'readyReplicas') ?? 0) === desired
  );
}
