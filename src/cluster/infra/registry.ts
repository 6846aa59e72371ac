import {
  REGISTRY_CLAIM as CLAIM,
  INFRA_SELECTOR,
  infraNames,
  infraTolerations,
  registryShape,
} from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { at, type JsonObject, type KubeObject, listAt, textAt } from '../../objects/object.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Cluster } from '../client.ts';
import { type Edit, exactly, type Patch } from './edit.ts';
import { type MovePlan, makeMove } from './move.ts';
import { isStopped, labelledInfraNodes } from './nodes.ts';
import { unsettled } from './rollout.ts';
import { storageClasses } from './storage.ts';

const words = () => catalogue().moves;

const NAMESPACE = 'openshift-image-registry';
/** Where a registry can store images (openshift/api, imageregistry/v1/types.go). Two at once are invalid. */
const BACKENDS = ['emptyDir', 'pvc', 's3', 'gcs', 'swift', 'azure', 'ibmcos', 'oss'];

const config = (patch: Patch): Edit => ({
  kind: 'ImageRegistry',
  name: 'cluster',
  namespace: null,
  patch,
});
const pruner = (patch: Patch): Edit => ({
  kind: 'ImagePruner',
  name: 'cluster',
  namespace: null,
  patch,
});

/**
 * Gives the registry its storage (on a cluster without a cloud it is switched off until somebody does) and moves it with its
 * pruner. Placement is `spec.nodeSelector` and `spec.tolerations`; there is no `spec.nodePlacement`, whatever is told.
 */
export const registry = makeMove({
  name: 'registry',
  async plan(cluster, design) {
    if (design.infra.registry.storage === 'none') return { state: 'absent', why: words().why.registry.unwanted };
    const nodes = await labelledInfraNodes(cluster, design);
    if (isStopped(nodes)) return nodes;
    if (!(await cluster.get('ImageRegistry', 'cluster'))) {
      return {
        state: 'blocked',
        why: words().why.operatorMissing('Config cluster (imageregistry.operator.openshift.io)'),
      };
    }
    const placement = (current: KubeObject): JsonObject => ({
      nodeSelector: exactly(at(current.spec, 'nodeSelector'), INFRA_SELECTOR),
      tolerations: infraTolerations(design),
    });
    const edits = await storageEdits(cluster, design, nodes.length, placement);
    return edits.state === 'edits'
      ? { ...edits, edits: [...edits.edits, pruner((current) => ({ spec: placement(current) }))] }
      : edits;
  },
  async settled(cluster, design) {
    if (design.infra.registry.storage === 'pvc') {
      const claim = await cluster.get('PersistentVolumeClaim', CLAIM, NAMESPACE);
      const phase = textAt(claim?.status, 'phase') ?? 'Pending';
      if (phase !== 'Bound') return { state: 'moving', why: words().why.registry.unbound(phase, CLAIM) };
    }
    const workload = { kind: 'Deployment', namespace: NAMESPACE, name: 'image-registry' } as const;
    const open = await unsettled(cluster, [workload], infraNames(design), 'image-registry');
    return open ?? { state: 'done', why: words().why.registry.done };
  },
  // Only the placement is taken back: storage that holds images is not.
  undoEdits: () => {
    const nowhere = () => ({ spec: { nodeSelector: null, tolerations: null } });
    return Promise.resolve([config(nowhere), pruner(nowhere)]);
  },
});

async function storageEdits(
  cluster: Cluster,
  design: Design,
  nodeCount: number,
  placement: (current: KubeObject) => JsonObject,
): Promise<MovePlan> {
  const { storage, accessMode, storageClass, sizeGiB } = design.infra.registry;
  const whole = (backend: JsonObject, shape: JsonObject): Edit =>
    config((current) => ({
      spec: {
        managementState: 'Managed',
        ...shape,
        storage: { ...otherBackends(current, backend), ...backend },
        ...placement(current),
      },
    }));
  if (storage === 'emptyDir') {
    return { state: 'edits', edits: [whole({ emptyDir: {} }, registryShape(false, nodeCount))] };
  }
  const claim = await cluster.get('PersistentVolumeClaim', CLAIM, NAMESPACE);
  const modes = claim ? listAt(claim.spec, 'accessModes') : [accessMode];
  const shape = registryShape(modes.includes('ReadWriteMany'), nodeCount);
  const configured = whole({ pvc: { claim: CLAIM } }, shape);
  if (claim) return { state: 'edits', edits: [configured] };
  const { names, standard } = await storageClasses(cluster);
  const storageClassName = storageClass ?? standard;
  if (storageClassName === null) return { state: 'blocked', why: words().why.registry.noClass };
  if (!names.includes(storageClassName)) {
    return { state: 'blocked', why: words().why.registry.classMissing(storageClassName) };
  }
  const spec = {
    accessModes: [accessMode],
    resources: { requests: { storage: `${sizeGiB}Gi` } },
    storageClassName,
  };
  const create = () => ({ metadata: { name: CLAIM, namespace: NAMESPACE }, spec });
  return {
    state: 'edits',
    edits: [{ kind: 'PersistentVolumeClaim', name: CLAIM, namespace: NAMESPACE, create }, configured],
  };
}

/** A merge patch keeps what it does not name: the storage of before has to be taken out by name. */
function otherBackends(current: KubeObject, backend: JsonObject): JsonObject {
  const found = BACKENDS.filter((name) => !(name in backend) && at(current.spec, 'storage', name) !== undefined);
  return Object.fromEntries(found.map((name) => [name, null]));
}
