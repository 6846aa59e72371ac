import {
  getRegistryRollout,
  INFRA_NODE_SELECTOR,
  listInfraNodeNames,
  REGISTRY_PVC,
} from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { NodeView } from '../../openshift/node.ts';
import {
  getField,
  getList,
  getString,
  type JsonObject,
  type KubeObject,
  matchesLabelSelector,
} from '../../openshift/object.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import { type Edit, type Patch, replaceMapPatch } from '../edit.ts';
import type { ClusterMove, MoveStatus, NotApplicable, Workload } from '../infra-move.ts';
import { findLabelledInfraNodes, isNotApplicable } from '../shared/nodes.ts';
import { findIncompleteRollout } from '../shared/rollout.ts';
import { findRetainClass, listStorageClasses } from '../shared/storage-classes.ts';
import { createTolerationMerger, createTolerationReplacer, type TolerationMerger } from '../shared/tolerations.ts';
import { labelMove } from './label.ts';

const REGISTRY = {
  kind: 'Deployment',
  namespace: 'openshift-image-registry',
  name: 'image-registry',
} as const satisfies Workload;

/**
 * Creates the placement of the registry or its pruner: `spec.nodeSelector` and `spec.tolerations`; `spec.nodePlacement`
 * does not exist.
 */
function createRegistryPlacement(current: KubeObject, mergeTolerations: TolerationMerger): JsonObject {
  return {
    nodeSelector: replaceMapPatch(getField(current.spec, 'nodeSelector'), INFRA_NODE_SELECTOR),
    tolerations: mergeTolerations(getList(current.spec, 'tolerations')),
  };
}

/** Finds the Config of a registry that can move to the infra nodes; else why it cannot. */
async function findMovableRegistry(
  cluster: ClusterReader,
  design: Design,
): Promise<{ readonly config: KubeObject } | NotApplicable> {
  const nodes = await findLabelledInfraNodes(cluster, design);
  if (isNotApplicable(nodes)) return nodes;
  const config = await cluster.get('ImageRegistry', 'cluster');
  if (!config) {
    const missingObject = 'Config cluster (imageregistry.operator.openshift.io)';
    return { state: 'blocked', why: catalogue().moves.reasons.operatorMissing(missingObject) };
  }
  const reason = explainImmovable(config, nodes);
  return reason === null ? { config } : { state: 'blocked', why: reason };
}

/**
 * Explains why no setting of ours can place the registry on these nodes: its operator applies none, or its affinity
 * requires other nodes. Null if a setting can. Conditions that compare numbers, or fields of a node, count as met.
 */
function explainImmovable({ spec }: KubeObject, nodes: readonly NodeView[]): string | null {
  const { registry } = catalogue().moves.byName;
  if (getString(spec, 'managementState') === 'Unmanaged') return registry.unmanaged;
  const termsPath = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms'];
  const terms = getList(spec, ...termsPath);
  const matchesAffinity = ({ labels }: NodeView) =>
    terms.some((term) => {
      const comparableExpressions = getList(term, 'matchExpressions').filter(
        (expression) => !/^(?:Gt|Lt)$/.test(getString(expression, 'operator') ?? ''),
      );
      return matchesLabelSelector({ matchExpressions: comparableExpressions }, labels);
    });
  return terms.length > 0 && !nodes.some(matchesAffinity) ? registry.affinityConflict : null;
}

/** Whether the registry is turned off (managementState Removed), as it is without storage. */
async function isRegistryOff(cluster: ClusterReader): Promise<boolean> {
  return getString((await cluster.get('ImageRegistry', 'cluster'))?.spec, 'managementState') === 'Removed';
}

/** Whether the taint must wait for a registry move. A blocked move does not delay the taint if the registry is off. */
async function mustRegistryPrecedeTaint(cluster: ClusterReader, state: MoveStatus['state']): Promise<boolean> {
  return state !== 'blocked' || !(await isRegistryOff(cluster));
}

const storageWords = () => catalogue().moves.byName['registry-storage'];

const CLAIM = {
  kind: 'PersistentVolumeClaim',
  name: REGISTRY_PVC,
  namespace: REGISTRY.namespace,
} as const;
/** The storage backend that loses images, and the word that the user types to confirm this. */
const EMPTY_DIR = 'emptyDir';
/** Storage backends of a registry (openshift/api, imageregistry/v1/types.go). Two at once are invalid. */
const BACKENDS = ['emptyDir', 'pvc', 's3', 'gcs', 'swift', 'azure', 'ibmcos', 'oss'];

/**
 * Gives the registry its storage; on platforms without shareable object storage it is Removed until then. The edit that
 * turns the registry on also places it. Otherwise a volume that is provisioned where its first pod runs would be tied
 * to a compute node.
 */
export const registryStorageMove: ClusterMove<'registry-storage'> = {
  name: 'registry-storage',
  where: 'cluster',
  rolloutTarget: {
    operator: 'image-registry',
    // Without storage the registry is degraded until this move gives it some.
    canFixOperator: true,
    workloads: async () => [REGISTRY],
    storageClass: ({ infra }) => (infra.registry.storage === 'pvc' ? infra.registry.storageClass : null),
  },
  needs: [labelMove],
  mustPrecedeTaint: mustRegistryPrecedeTaint,
  async plan(cluster, design) {
    const { storage } = design.infra.registry;
    if (storage === 'none') return { state: 'absent', why: storageWords().unwanted };
    const registry = await findMovableRegistry(cluster, design);
    if ('state' in registry) return registry;
    const facts = await readStorageFacts(cluster, design);
    if ('state' in facts) return facts;
    const losesImages = storage === EMPTY_DIR && getField(registry.config.spec, 'storage', EMPTY_DIR) === undefined;
    return {
      state: 'edits',
      edits: createStorageEdits(design, facts, await createTolerationMerger(cluster, design)),
      notes: [...(losesImages ? [storageWords().emptyDir] : []), ...facts.notes],
      ...(losesImages ? { confirmationWord: EMPTY_DIR } : {}),
    };
  },
  async probeRollout(cluster, design) {
    if (design.infra.registry.storage !== 'pvc') return { state: 'done', why: storageWords().done };
    const claim = await cluster.get(CLAIM.kind, CLAIM.name, CLAIM.namespace);
    const phase = getString(claim?.status, 'phase') ?? 'Pending';
    return phase === 'Bound'
      ? { state: 'done', why: storageWords().done }
      : { state: 'moving', why: storageWords().unbound(phase, CLAIM.name) };
  },
  findUndoBlocker: null,
  // The operators' default storage is unknown here, and the storage holds images.
  planUndoEdits: async () => [],
  untilPodsGone: null,
  // In infra.yaml the Config is one object: the move `registry` writes it.
  buildManifest: () => [],
};

/** Facts about the storage of the registry on which its edits depend. */
interface StorageFacts {
  /** The access modes of the existing PersistentVolumeClaim, or of the one to create. */
  readonly accessModes: readonly unknown[];
  readonly hasClaim: boolean;
  /** The StorageClass of the claim to create; null for the default one of the cluster. */
  readonly storageClass: string | null;
  /** The edit that creates the StorageClass first; null: not needed. */
  readonly classEdit: Edit | null;
  readonly notes: readonly string[];
}

async function readStorageFacts(cluster: ClusterReader, design: Design): Promise<StorageFacts | NotApplicable> {
  const { storage, accessMode, storageClass, retain } = design.infra.registry;
  const defaultFacts = { hasClaim: false, storageClass: null, classEdit: null, notes: [] };
  if (storage === EMPTY_DIR) return { ...defaultFacts, accessModes: [] };
  const claim = await cluster.get(CLAIM.kind, CLAIM.name, CLAIM.namespace);
  if (claim) {
    const isRetained = getString(claim.spec, 'storageClassName')?.endsWith('-retain') === true;
    const notes = retain && !isRetained ? [storageWords().claimExists(CLAIM.name)] : [];
    return { ...defaultFacts, accessModes: getList(claim.spec, 'accessModes'), hasClaim: true, notes };
  }
  const { names, defaultClass } = await listStorageClasses(cluster);
  const className = storageClass ?? defaultClass;
  if (className === null) return { state: 'blocked', why: storageWords().noClass };
  if (!names.includes(className)) return { state: 'blocked', why: catalogue().moves.reasons.classMissing(className) };
  const facts = { ...defaultFacts, accessModes: [accessMode], storageClass: className };
  if (!retain) return facts;
  const retainClass = await findRetainClass(cluster, className);
  return retainClass === null
    ? { state: 'blocked', why: storageWords().otherClass(`${className}-retain`) }
    : { ...facts, storageClass: retainClass.name, classEdit: retainClass.classEdit };
}

/**
 * Creates the edits that give the registry its storage: StorageClass and PersistentVolumeClaim if they are missing,
 * then the settings.
 */
function createStorageEdits(design: Design, facts: StorageFacts, mergeTolerations: TolerationMerger): Edit[] {
  const { storage, accessMode, sizeGiB } = design.infra.registry;
  const { accessModes, hasClaim, storageClass, classEdit } = facts;
  const usesVolume = storage === 'pvc';
  const rollout = getRegistryRollout(
    usesVolume && accessModes.includes('ReadWriteMany'),
    listInfraNodeNames(design).length,
  );
  const backend: JsonObject = usesVolume ? { pvc: { claim: CLAIM.name } } : { emptyDir: {} };
  const spec = {
    accessModes: [accessMode],
    resources: { requests: { storage: `${sizeGiB}Gi` } },
    ...(storageClass === null ? {} : { storageClassName: storageClass }),
  };
  const create = () => ({ metadata: { name: CLAIM.name, namespace: CLAIM.namespace }, spec });
  return [
    ...(classEdit === null ? [] : [classEdit]),
    // Undo keeps the claim, because it holds the images.
    ...(usesVolume && !hasClaim ? [{ ...CLAIM, create, createdObjectPolicy: 'stays' as const }] : []),
    {
      kind: 'ImageRegistry',
      name: 'cluster',
      namespace: null,
      patch: (current) => ({
        spec: {
          managementState: 'Managed',
          ...rollout,
          storage: { ...clearOtherBackends(current, backend), ...backend },
          ...(getString(current.spec, 'managementState') === 'Managed'
            ? {}
            : createRegistryPlacement(current, mergeTolerations)),
        },
      }),
    },
  ];
}

/** Removes the other storage backends by name, because a merge patch keeps fields that it does not name. */
function clearOtherBackends(current: KubeObject, backend: JsonObject): JsonObject {
  const otherBackends = BACKENDS.filter(
    (name) => !(name in backend) && getField(current.spec, 'storage', name) !== undefined,
  );
  return Object.fromEntries(otherBackends.map((name) => [name, null]));
}

const words = () => catalogue().moves.byName.registry;

const COMMENTS = {
  claim: ' Volume for the images of the registry. Without a storageClassName: the default StorageClass of the cluster.',
  emptyDir: ' Registry with an emptyDir: its images are lost when the pod moves.',
  config: ' Registry. If it already has another storage, remove that storage by hand.',
  pruner: ' CronJob that prunes old images.',
};

const createConfigEdit = (patch: Patch): Edit => ({ kind: 'ImageRegistry', name: 'cluster', namespace: null, patch });
const createPrunerEdit = (patch: Patch): Edit => ({ kind: 'ImagePruner', name: 'cluster', namespace: null, patch });
const createPlacementPatch =
  (mergeTolerations: TolerationMerger): Patch =>
  (current) => ({ spec: createRegistryPlacement(current, mergeTolerations) });

/** Moves the registry with the job that prunes it. */
export const registryMove: ClusterMove<'registry'> = {
  name: 'registry',
  where: 'cluster',
  rolloutTarget: { operator: 'image-registry', canFixOperator: true, workloads: async () => [REGISTRY] },
  needs: [labelMove, registryStorageMove],
  mustPrecedeTaint: mustRegistryPrecedeTaint,
  async plan(cluster, design) {
    if (design.infra.registry.storage === 'none' && (await isRegistryOff(cluster)))
      return { state: 'absent', why: words().unwanted };
    const registry = await findMovableRegistry(cluster, design);
    if ('state' in registry) return registry;
    if (await isRegistryOff(cluster)) return { state: 'blocked', why: words().storageFirst };
    const mergeTolerations = await createTolerationMerger(cluster, design);
    return {
      state: 'edits',
      edits: [
        createConfigEdit(createPlacementPatch(mergeTolerations)),
        createPrunerEdit(createPlacementPatch(mergeTolerations)),
      ],
    };
  },
  async probeRollout(cluster, design) {
    const incompleteRollout = await findIncompleteRollout(cluster, [REGISTRY], design, 'image-registry');
    return incompleteRollout ?? { state: 'done', why: words().done };
  },
  findUndoBlocker: null,
  planUndoEdits: async () => {
    const removePlacement = () => ({ spec: { nodeSelector: null, tolerations: null } });
    return [createConfigEdit(removePlacement), createPrunerEdit(removePlacement)];
  },
  untilPodsGone: null,
  buildManifest(design) {
    const { storage, accessMode, storageClass } = design.infra.registry;
    if (storage === 'none') return [];
    const facts = { accessModes: [accessMode], hasClaim: false, storageClass, classEdit: null, notes: [] };
    const edits = createStorageEdits(design, facts, createTolerationReplacer(design));
    const isConfig = ({ kind }: Edit) => kind === 'ImageRegistry';
    return [
      { comment: COMMENTS.claim, edits: edits.filter((edit) => !isConfig(edit)) },
      { comment: storage === 'pvc' ? COMMENTS.config : COMMENTS.emptyDir, edits: edits.filter(isConfig) },
      { comment: COMMENTS.pruner, edits: [createPrunerEdit(createPlacementPatch(createTolerationReplacer(design)))] },
    ];
  },
};
