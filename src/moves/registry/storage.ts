import { infraNames, REGISTRY_CLAIM, registryShape } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { at, type JsonObject, type KubeObject, listAt, textAt } from '../../objects/object.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Edit } from '../edit.ts';
import type { ClusterMove, Sight, Stopped } from '../move.ts';
import { label } from '../nodes/label.ts';
import { type Tolerate, tolerateOn } from '../shared/tolerations.ts';
import { retainingClass, storageClasses } from '../storage/storage-class.ts';
import { movableRegistry, REGISTRY, registryPlacement, waitsForRegistry } from './place.ts';

const words = () => catalogue().moves.each['registry-storage'];

const CLAIM = {
  kind: 'PersistentVolumeClaim',
  name: REGISTRY_CLAIM,
  namespace: REGISTRY.namespace,
} as const;
/** What a person types before images go to where they are lost. */
const EMPTY_DIR = 'emptyDir';
/** Where a registry can store images (openshift/api, imageregistry/v1/types.go). Two at once are invalid. */
const BACKENDS = ['emptyDir', 'pvc', 's3', 'gcs', 'swift', 'azure', 'ibmcos', 'oss'];

/**
 * Gives the registry its storage; on platforms without shareable object storage it is Removed until then. What turns it on places
 * it, too: a volume that is made where its first pod runs would else be tied to a compute node.
 */
export const registryStorage: ClusterMove<'registry-storage'> = {
  name: 'registry-storage',
  where: 'cluster',
  carried: {
    operator: 'image-registry',
    // Without storage the registry is degraded until this move gives it some.
    isCure: true,
    workloads: async () => [REGISTRY],
    storageClass: ({ infra }) => (infra.registry.storage === 'pvc' ? infra.registry.storageClass : null),
  },
  needs: [label],
  taintWaits: waitsForRegistry,
  async plan(sight, design) {
    const { storage } = design.infra.registry;
    if (storage === 'none') return { state: 'absent', why: words().unwanted };
    const found = await movableRegistry(sight, design);
    if ('state' in found) return found;
    const facts = await storageThere(sight, design);
    if ('state' in facts) return facts;
    const isLost = storage === EMPTY_DIR && at(found.config.spec, 'storage', EMPTY_DIR) === undefined;
    return {
      state: 'edits',
      edits: storageEdits(design, facts, await tolerateOn(sight, design)),
      says: [...(isLost ? [words().emptyDir] : []), ...facts.says],
      ...(isLost ? { types: EMPTY_DIR } : {}),
    };
  },
  async settled(sight, design) {
    if (design.infra.registry.storage !== 'pvc') return { state: 'done', why: words().done };
    const claim = await sight.get(CLAIM.kind, CLAIM.name, CLAIM.namespace);
    const phase = textAt(claim?.status, 'phase') ?? 'Pending';
    return phase === 'Bound'
      ? { state: 'done', why: words().done }
      : { state: 'moving', why: words().unbound(phase, CLAIM.name) };
  },
  undoWaits: null,
  // What the operators' default would be, nobody knows, and the storage holds images.
  undoEdits: async () => [],
  left: null,
  // In infra.yaml the Config is one object: the move `registry` writes it.
  manifest: () => [],
};

/** What the storage of the registry is made of. */
export interface StorageFacts {
  /** Of the existing claim, or the one to create. */
  readonly modes: readonly unknown[];
  readonly isClaimed: boolean;
  /** Of the claim to create; null for the default class of the cluster. */
  readonly storageClass: string | null;
  /** The class to make first; null: none. */
  readonly making: Edit | null;
  readonly says: readonly string[];
}

async function storageThere(sight: Sight, design: Design): Promise<StorageFacts | Stopped> {
  const { storage, accessMode, storageClass, retain } = design.infra.registry;
  const nothing = { isClaimed: false, storageClass: null, making: null, says: [] };
  if (storage === EMPTY_DIR) return { ...nothing, modes: [] };
  const claim = await sight.get(CLAIM.kind, CLAIM.name, CLAIM.namespace);
  if (claim) {
    const isOurs = textAt(claim.spec, 'storageClassName')?.endsWith('-retain') === true;
    const says = retain && !isOurs ? [words().claimed(CLAIM.name)] : [];
    return { ...nothing, modes: listAt(claim.spec, 'accessModes'), isClaimed: true, says };
  }
  const { names, standard } = await storageClasses(sight);
  const chosen = storageClass ?? standard;
  if (chosen === null) return { state: 'blocked', why: words().noClass };
  if (!names.includes(chosen)) return { state: 'blocked', why: catalogue().moves.why.classMissing(chosen) };
  const facts = { ...nothing, modes: [accessMode], storageClass: chosen };
  if (!retain) return facts;
  const kept = await retainingClass(sight, chosen);
  return kept === null
    ? { state: 'blocked', why: words().otherClass(`${chosen}-retain`) }
    : { ...facts, storageClass: kept.name, making: kept.making };
}

/** The edits that give the registry its storage: its class and its claim where they are to be made, then its settings. */
export function storageEdits(design: Design, facts: StorageFacts, tolerate: Tolerate): Edit[] {
  const { storage, accessMode, sizeGiB } = design.infra.registry;
  const { modes, isClaimed, storageClass, making } = facts;
  const isVolume = storage === 'pvc';
  const shape = registryShape(isVolume && modes.includes('ReadWriteMany'), infraNames(design).length);
  const backend: JsonObject = isVolume ? { pvc: { claim: CLAIM.name } } : { emptyDir: {} };
  const spec = {
    accessModes: [accessMode],
    resources: { requests: { storage: `${sizeGiB}Gi` } },
    ...(storageClass === null ? {} : { storageClassName: storageClass }),
  };
  const create = () => ({ metadata: { name: CLAIM.name, namespace: CLAIM.namespace }, spec });
  return [
    ...(making === null ? [] : [making]),
    // It holds the images.
    ...(isVolume && !isClaimed ? [{ ...CLAIM, create, making: 'stays' as const }] : []),
    {
      kind: 'ImageRegistry',
      name: 'cluster',
      namespace: null,
      patch: (current) => ({
        spec: {
          managementState: 'Managed',
          ...shape,
          storage: { ...otherBackends(current, backend), ...backend },
          ...(textAt(current.spec, 'managementState') === 'Managed' ? {} : registryPlacement(current, tolerate)),
        },
      }),
    },
  ];
}

/** A merge patch keeps what it does not name, so it removes the old storage by name. */
function otherBackends(current: KubeObject, backend: JsonObject): JsonObject {
  const found = BACKENDS.filter((name) => !(name in backend) && at(current.spec, 'storage', name) !== undefined);
  return Object.fromEntries(found.map((name) => [name, null]));
}
