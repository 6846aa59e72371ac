import { INFRA_SELECTOR } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import type { NodeView } from '../../objects/node.ts';
import { at, type JsonObject, type KubeObject, listAt, textAt } from '../../objects/object.ts';
import { isSelectedBy } from '../../objects/selector.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Workload } from '../carried.ts';
import { exactly } from '../edit.ts';
import type { MoveState, Sight, Stopped } from '../move.ts';
import { isStopped, labelledInfraNodes } from '../shared/nodes.ts';
import type { Tolerate } from '../shared/tolerations.ts';

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

/** The Config of a registry that can go to the infra nodes; else why it has to wait. */
export async function movableRegistry(
  sight: Sight,
  design: Design,
): Promise<{ readonly config: KubeObject } | Stopped> {
  const nodes = await labelledInfraNodes(sight, design);
  if (isStopped(nodes)) return nodes;
  const config = await sight.get('ImageRegistry', 'cluster');
  if (!config) {
    const what = 'Config cluster (imageregistry.operator.openshift.io)';
    return { state: 'blocked', why: catalogue().moves.why.operatorMissing(what) };
  }
  const stays = whyNotMoved(config, nodes);
  return stays === null ? { config } : { state: 'blocked', why: stays };
}

/**
 * Why no setting of ours brings the registry to these nodes: its operator applies none, or its affinity requires others; null:
 * nothing. Conditions that compare numbers, or fields of a node, are taken to hold.
 */
function whyNotMoved({ spec }: KubeObject, nodes: readonly NodeView[]): string | null {
  const { registry } = catalogue().moves.each;
  if (textAt(spec, 'managementState') === 'Unmanaged') return registry.unmanaged;
  const required = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms'];
  const terms = listAt(spec, ...required);
  const fits = ({ labels }: NodeView) =>
    terms.some((term) => {
      const known = listAt(term, 'matchExpressions').filter(
        (one) => !/^(?:Gt|Lt)$/.test(textAt(one, 'operator') ?? ''),
      );
      return isSelectedBy({ matchExpressions: known }, labels);
    });
  return terms.length > 0 && !nodes.some(fits) ? registry.elsewhere : null;
}

/** Whether the registry is turned off, as it is where it has no storage. */
export async function isRegistryOff(sight: Sight): Promise<boolean> {
  return textAt((await sight.get('ImageRegistry', 'cluster'))?.spec, 'managementState') === 'Removed';
}

/** A registry that does not run has nothing to move: the taint does not wait for it. */
export async function waitsForRegistry(sight: Sight, state: MoveState['state']): Promise<boolean> {
  return state !== 'blocked' || !(await isRegistryOff(sight));
}
