import { INFRA_SELECTOR, infraNames, REGISTRY_CLAIM, registryShape } from '../design/infra-placement.ts';
import type { Design } from '../design/model.ts';
import { at, type JsonObject, type KubeObject, listAt, textAt } from '../objects/object.ts';
import { catalogue } from '../text/catalogue.ts';
import { type Edit, exactly, type Patch } from './edit.ts';
import { label } from './label.ts';
import type { ClusterMove, Sight, Stopped } from './move.ts';
import { isStopped, labelledInfraNodes } from './nodes.ts';
import { unsettled, type Workload } from './rollout.ts';
import { storageClasses } from './storage.ts';
import { type Tolerate, tolerateAs, tolerateOn } from './tolerations.ts';

const words = () => catalogue().moves.each.registry;

const NAMESPACE = 'openshift-image-registry';
export const REGISTRY: Workload = { kind: 'Deployment', namespace: NAMESPACE, name: 'image-registry' };
const CLAIM = { kind: 'PersistentVolumeClaim', name: REGISTRY_CLAIM, namespace: NAMESPACE } as const;
const COMMENTS = {
  claim: ' What the registry stores images in. Without a storageClassName: the default class of the cluster.',
  emptyDir: ' The registry in an emptyDir: its images are lost when the pod moves.',
  config: ' The registry. Where it has another storage already, that has to be taken out by hand.',
  pruner: ' The job that removes old images.',
};
/** Where a registry can store images (openshift/api, imageregistry/v1/types.go). Two at once are invalid. */
const BACKENDS = ['emptyDir', 'pvc', 's3', 'gcs', 'swift', 'azure', 'ibmcos', 'oss'];

const config = (patch: Patch): Edit => ({ kind: 'ImageRegistry', name: 'cluster', namespace: null, patch });
const pruner = (patch: Patch): Edit => ({ kind: 'ImagePruner', name: 'cluster', namespace: null, patch });

/**
 * Gives the registry its storage (on platforms without shareable object storage it is Removed until then) and moves it with its
 * pruner. Placement is `spec.nodeSelector` and `spec.tolerations`; `spec.nodePlacement` does not exist.
 */
export const registry: ClusterMove<'registry'> = {
  name: 'registry',
  where: 'cluster',
  needs: [label],
  // A registry that does not run has nothing to move.
  taintWaits: async (sight, state) =>
    state !== 'blocked' || textAt((await sight.get('ImageRegistry', 'cluster'))?.spec, 'managementState') !== 'Removed',
  async plan(sight, design) {
    if (design.infra.registry.storage === 'none') return { state: 'absent', why: words().unwanted };
    const nodes = await labelledInfraNodes(sight, design);
    if (isStopped(nodes)) return nodes;
    if (!(await sight.get('ImageRegistry', 'cluster'))) {
      const what = 'Config cluster (imageregistry.operator.openshift.io)';
      return { state: 'blocked', why: catalogue().moves.why.operatorMissing(what) };
    }
    const storage = await storageThere(sight, design);
    if ('state' in storage) return storage;
    const { claim, config, pruner } = editsOf(design, storage, await tolerateOn(sight, design));
    return { state: 'edits', edits: [...claim, config, pruner] };
  },
  async settled(sight, design) {
    if (design.infra.registry.storage === 'pvc') {
      const claim = await sight.get(CLAIM.kind, CLAIM.name, CLAIM.namespace);
      const phase = textAt(claim?.status, 'phase') ?? 'Pending';
      if (phase !== 'Bound') return { state: 'moving', why: words().unbound(phase, CLAIM.name) };
    }
    const open = await unsettled(sight, [REGISTRY], infraNames(design), 'image-registry');
    return open ?? { state: 'done', why: words().done };
  },
  undoWaits: null,
  // Undo restores the placement alone: the storage holds images.
  undoEdits: async () => {
    const nowhere = () => ({ spec: { nodeSelector: null, tolerations: null } });
    return [config(nowhere), pruner(nowhere)];
  },
  left: null,
  manifest(design) {
    const { storage, accessMode, storageClass } = design.infra.registry;
    if (storage === 'none') return [];
    const facts = { modes: [accessMode], isClaimed: false, storageClass };
    const { claim, config, pruner } = editsOf(design, facts, tolerateAs(design));
    return [
      { comment: COMMENTS.claim, edits: claim },
      { comment: storage === 'pvc' ? COMMENTS.config : COMMENTS.emptyDir, edits: [config] },
      { comment: COMMENTS.pruner, edits: [pruner] },
    ];
  },
};

/** What the storage of the registry is made of. */
interface StorageFacts {
  /** Of the existing claim, or the one to create. */
  readonly modes: readonly unknown[];
  readonly isClaimed: boolean;
  /** Of the claim to create; null for the default class of the cluster. */
  readonly storageClass: string | null;
}

async function storageThere(sight: Sight, design: Design): Promise<StorageFacts | Stopped> {
  const { storage, accessMode, storageClass } = design.infra.registry;
  if (storage === 'emptyDir') return { modes: [], isClaimed: false, storageClass: null };
  const claim = await sight.get(CLAIM.kind, CLAIM.name, CLAIM.namespace);
  if (claim) return { modes: listAt(claim.spec, 'accessModes'), isClaimed: true, storageClass: null };
  const { names, standard } = await storageClasses(sight);
  const chosen = storageClass ?? standard;
  if (chosen === null) return { state: 'blocked', why: words().noClass };
  if (!names.includes(chosen)) return { state: 'blocked', why: catalogue().moves.why.classMissing(chosen) };
  return { modes: [accessMode], isClaimed: false, storageClass: chosen };
}

function editsOf(design: Design, { modes, isClaimed, storageClass }: StorageFacts, tolerate: Tolerate) {
  const { storage, accessMode, sizeGiB } = design.infra.registry;
  const isVolume = storage === 'pvc';
  const shape = registryShape(isVolume && modes.includes('ReadWriteMany'), infraNames(design).length);
  const backend: JsonObject = isVolume ? { pvc: { claim: CLAIM.name } } : { emptyDir: {} };
  const placement = (current: KubeObject): JsonObject => ({
    nodeSelector: exactly(at(current.spec, 'nodeSelector'), INFRA_SELECTOR),
    tolerations: tolerate(listAt(current.spec, 'tolerations')),
  });
  const spec = {
    accessModes: [accessMode],
    resources: { requests: { storage: `${sizeGiB}Gi` } },
    ...(storageClass === null ? {} : { storageClassName: storageClass }),
  };
  const create = () => ({ metadata: { name: CLAIM.name, namespace: CLAIM.namespace }, spec });
  return {
    // It holds the images.
    claim: isVolume && !isClaimed ? [{ ...CLAIM, create, making: 'stays' as const }] : [],
    config: config((current) => ({
      spec: {
        managementState: 'Managed',
        ...shape,
        storage: { ...otherBackends(current, backend), ...backend },
        ...placement(current),
      },
    })),
    pruner: pruner((current) => ({ spec: placement(current) })),
  };
}

/** A merge patch keeps what it does not name, so it removes the old storage by name. */
function otherBackends(current: KubeObject, backend: JsonObject): JsonObject {
  const found = BACKENDS.filter((name) => !(name in backend) && at(current.spec, 'storage', name) !== undefined);
  return Object.fromEntries(found.map((name) => [name, null]));
}
