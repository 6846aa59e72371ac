import { INFRA_SELECTOR } from '../design/infra-placement.ts';
import { at, type JsonObject, type KubeObject, listAt, textAt } from '../objects/object.ts';
import { exactly } from './edit.ts';
import type { MoveState, Sight } from './move.ts';
import type { Workload } from './rollout.ts';
import type { Tolerate } from './tolerations.ts';

export const REGISTRY = {
  kind: 'Deployment',
  namespace: 'openshift-image-registry',
  name: 'image-registry',
} as const satisfies Workload;

/** Placement of the registry or its pruner: `spec.nodeSelector` and `spec.tolerations`; `spec.nodePlacement` does not exist. */
export function registryPlacement(current: KubeObject, tolerate: Tolerate): JsonObject {
  return {
    nodeSelector: exactly(at(current.spec, 'nodeSelector'), INFRA_SELECTOR),
    tolerations: tolerate(listAt(current.spec, 'tolerations')),
  };
}

/** Whether the registry is turned off, as it is where it has no storage. */
export async function isRegistryOff(sight: Sight): Promise<boolean> {
  return textAt((await sight.get('ImageRegistry', 'cluster'))?.spec, 'managementState') === 'Removed';
}

/** A registry that does not run has nothing to move: the taint does not wait for it. */
export async function waitsForRegistry(sight: Sight, state: MoveState['state']): Promise<boolean> {
  return state !== 'blocked' || !(await isRegistryOff(sight));
}
