import { infraNodeNames, REGISTRY_PVC, registryRollout } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { getField, getList, getString, type JsonObject, type KubeObject } from '../../openshift/object.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import type { Edit } from '../edit.ts';
import type { ClusterMove, NotApplicable } from '../infra-move.ts';
import { labelMove } from '../nodes/label.ts';
import { type MergeTolerations, mergeForCluster } from '../shared/tolerations.ts';
import { findRetainClass, listStorageClasses } from '../storage/storage-class.ts';
import { findMovableRegistry, mustRegistryPrecedeTaint, REGISTRY, registryPlacement } from './placement.ts';

const words = () => catalogue().moves.byName['registry-storage'];

const CLAIM = {
  kind: 'PersistentVolumeClaim',
  name: REGISTRY_PVC,
  namespace: REGISTRY.namespace,
} as const;
/** The storage that loses images, and the word that the user types to confirm it. */
const EMPTY_DIR = 'emptyDir';
/** Storage backends of a registry (openshift/api, imageregistry/v1/types.go). Two at once are invalid. */
const BACKENDS = ['emptyDir', 'pvc', 's3', 'gcs', 'swift', 'azure', 'ibmcos', 'oss'];

/**
 * Gives the registry its storage; on platforms without shareable object storage it is Removed until then. The edit that
 * turns it on places it, too: a volume that is provisioned where its first pod runs would otherwise be tied to a
 * compute node.
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
    if (storage === 'none') return { state: 'absent', why: words().unwanted };
    const found = await findMovableRegistry(cluster, design);
    if ('state' in found) return found;
    const facts = await readStorageFacts(cluster, design);
    if ('state' in facts) return facts;
    const losesImages = storage === EMPTY_DIR && getField(found.config.spec, 'storage', EMPTY_DIR) === undefined;
    return {
      state: 'edits',
      edits: storageEdits(design, facts, await mergeForCluster(cluster, design)),
      notes: [...(losesImages ? [words().emptyDir] : []), ...facts.notes],
      ...(losesImages ? { confirmationWord: EMPTY_DIR } : {}),
    };
  },
  async probeRollout(cluster, design) {
    if (design.infra.registry.storage !== 'pvc') return { state: 'done', why: words().done };
    const claim = await cluster.get(CLAIM.kind, CLAIM.name, CLAIM.namespace);
    const phase = getString(claim?.status, 'phase') ?? 'Pending';
    return phase === 'Bound'
      ? { state: 'done', why: words().done }
      : { state: 'moving', why: words().unbound(phase, CLAIM.name) };
  },
  untilUndoable: null,
  // The operators' default storage is unknown here, and the storage holds images.
  undoEdits: async () => [],
  untilPodsGone: null,
  // In infra.yaml the Config is one object: the move `registry` writes it.
  manifest: () => [],
};

/** Facts about the storage of the registry on which its edits depend. */
export interface StorageFacts {
  /** The access modes of the existing claim, or of the one to create. */
  readonly modes: readonly unknown[];
  readonly isClaimed: boolean;
  /** The storage class of the claim to create; null for the default class of the cluster. */
  readonly storageClass: string | null;
  /** Creates the storage class first; null: not needed. */
  readonly classEdit: Edit | null;
  readonly notes: readonly string[];
}

async function readStorageFacts(cluster: ClusterReader, design: Design): Promise<StorageFacts | NotApplicable> {
  const { storage, accessMode, storageClass, retain } = design.infra.registry;
  const noStorage = { isClaimed: false, storageClass: null, classEdit: null, notes: [] };
  if (storage === EMPTY_DIR) return { ...noStorage, modes: [] };
  const claim = await cluster.get(CLAIM.kind, CLAIM.name, CLAIM.namespace);
  if (claim) {
    const isRetained = getString(claim.spec, 'storageClassName')?.endsWith('-retain') === true;
    const notes = retain && !isRetained ? [words().claimExists(CLAIM.name)] : [];
    return { ...noStorage, modes: getList(claim.spec, 'accessModes'), isClaimed: true, notes };
  }
  const { names, defaultClass } = await listStorageClasses(cluster);
  const chosen = storageClass ?? defaultClass;
  if (chosen === null) return { state: 'blocked', why: words().noClass };
  if (!names.includes(chosen)) return { state: 'blocked', why: catalogue().moves.why.classMissing(chosen) };
  const facts = { ...noStorage, modes: [accessMode], storageClass: chosen };
  if (!retain) return facts;
  const retainClass = await findRetainClass(cluster, chosen);
  return retainClass === null
    ? { state: 'blocked', why: words().otherClass(`${chosen}-retain`) }
    : { ...facts, storageClass: retainClass.name, classEdit: retainClass.classEdit };
}

/**
 * Returns the edits that give the registry its storage: its class and its claim if they are missing, then its settings.
 */
export function storageEdits(design: Design, facts: StorageFacts, mergeTolerations: MergeTolerations): Edit[] {
  const { storage, accessMode, sizeGiB } = design.infra.registry;
  const { modes, isClaimed, storageClass, classEdit } = facts;
  const isVolume = storage === 'pvc';
  const shape = registryRollout(isVolume && modes.includes('ReadWriteMany'), infraNodeNames(design).length);
  const backend: JsonObject = isVolume ? { pvc: { claim: CLAIM.name } } : { emptyDir: {} };
  const spec = {
    accessModes: [accessMode],
    resources: { requests: { storage: `${sizeGiB}Gi` } },
    ...(storageClass === null ? {} : { storageClassName: storageClass }),
  };
  const create = () => ({ metadata: { name: CLAIM.name, namespace: CLAIM.namespace }, spec });
  return [
    ...(classEdit === null ? [] : [classEdit]),
    // The claim holds the images.
    ...(isVolume && !isClaimed ? [{ ...CLAIM, create, createdObjectPolicy: 'stays' as const }] : []),
    {
      kind: 'ImageRegistry',
      name: 'cluster',
      namespace: null,
      patch: (current) => ({
        spec: {
          managementState: 'Managed',
          ...shape,
          storage: { ...clearOtherBackends(current, backend), ...backend },
          ...(getString(current.spec, 'managementState') === 'Managed'
            ? {}
            : registryPlacement(current, mergeTolerations)),
        },
      }),
    },
  ];
}

/** A merge patch keeps what it does not name, so it removes the old storage by name. */
function clearOtherBackends(current: KubeObject, backend: JsonObject): JsonObject {
  const found = BACKENDS.filter((name) => !(name in backend) && getField(current.spec, 'storage', name) !== undefined);
  return Object.fromEntries(found.map((name) => [name, null]));
}
