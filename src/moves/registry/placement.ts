import { INFRA_SELECTOR } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { NodeView } from '../../openshift/node.ts';
import { getField, getList, getString, type JsonObject, type KubeObject } from '../../openshift/object.ts';
import { isSelectedBy } from '../../openshift/selector.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import { replaceMapPatch } from '../edit.ts';
import type { MoveStatus, NotApplicable } from '../infra-move.ts';
import type { Workload } from '../rollout-target.ts';
import { findLabelledInfraNodes, isNotApplicable } from '../shared/nodes.ts';
import type { MergeTolerations } from '../shared/tolerations.ts';

export const REGISTRY = {
  kind: 'Deployment',
  namespace: 'openshift-image-registry',
  name: 'image-registry',
} as const satisfies Workload;

/** Placement of the registry or its pruner: `spec.nodeSelector` and `spec.tolerations`; `spec.nodePlacement` does not exist. */
export function registryPlacement(current: KubeObject, mergeTolerations: MergeTolerations): JsonObject {
  return {
    nodeSelector: replaceMapPatch(getField(current.spec, 'nodeSelector'), INFRA_SELECTOR),
    tolerations: mergeTolerations(getList(current.spec, 'tolerations')),
  };
}

/** Finds the Config of a registry that can move to the infra nodes; else why it cannot. */
export async function findMovableRegistry(
  cluster: ClusterReader,
  design: Design,
): Promise<{ readonly config: KubeObject } | NotApplicable> {
  const nodes = await findLabelledInfraNodes(cluster, design);
  if (isNotApplicable(nodes)) return nodes;
  const config = await cluster.get('ImageRegistry', 'cluster');
  if (!config) {
    const missing = 'Config cluster (imageregistry.operator.openshift.io)';
    return { state: 'blocked', why: catalogue().moves.why.operatorMissing(missing) };
  }
  const reason = explainImmovable(config, nodes);
  return reason === null ? { config } : { state: 'blocked', why: reason };
}

/**
 * Why no setting of ours places the registry on these nodes: its operator applies none, or its affinity requires other
 * nodes. Null: one does. Conditions that compare numbers, or fields of a node, count as met.
 */
function explainImmovable({ spec }: KubeObject, nodes: readonly NodeView[]): string | null {
  const { registry } = catalogue().moves.byName;
  if (getString(spec, 'managementState') === 'Unmanaged') return registry.unmanaged;
  const required = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms'];
  const terms = getList(spec, ...required);
  const matchesAffinity = ({ labels }: NodeView) =>
    terms.some((term) => {
      const comparable = getList(term, 'matchExpressions').filter(
        (one) => !/^(?:Gt|Lt)$/.test(getString(one, 'operator') ?? ''),
      );
      return isSelectedBy({ matchExpressions: comparable }, labels);
    });
  return terms.length > 0 && !nodes.some(matchesAffinity) ? registry.affinityConflict : null;
}

/** Whether the registry is turned off (managementState Removed), as it is without storage. */
export async function isRegistryOff(cluster: ClusterReader): Promise<boolean> {
  return getString((await cluster.get('ImageRegistry', 'cluster'))?.spec, 'managementState') === 'Removed';
}

/** Whether the taint must wait for a registry move. A registry that is turned off has nothing to move. */
export async function mustRegistryPrecedeTaint(cluster: ClusterReader, state: MoveStatus['state']): Promise<boolean> {
  return state !== 'blocked' || !(await isRegistryOff(cluster));
}
