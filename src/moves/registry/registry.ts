import { catalogue } from '../../i18n/catalogue.ts';
import type { Edit, Patch } from '../edit.ts';
import type { ClusterMove } from '../infra-move.ts';
import { labelMove } from '../nodes/label.ts';
import { findIncompleteRollout } from '../shared/rollout.ts';
import { type MergeTolerations, mergeForCluster, mergeForDesign } from '../shared/tolerations.ts';
import {
  findMovableRegistry,
  isRegistryOff,
  mustRegistryPrecedeTaint,
  REGISTRY,
  registryPlacement,
} from './placement.ts';
import { registryStorageMove, storageEdits } from './storage.ts';

const words = () => catalogue().moves.byName.registry;

const COMMENTS = {
  claim: ' What the registry stores images in. Without a storageClassName: the default class of the cluster.',
  emptyDir: ' The registry in an emptyDir: its images are lost when the pod moves.',
  config: ' The registry. Where it has another storage already, that has to be taken out by hand.',
  pruner: ' The job that removes old images.',
};

const configEdit = (patch: Patch): Edit => ({ kind: 'ImageRegistry', name: 'cluster', namespace: null, patch });
const prunerEdit = (patch: Patch): Edit => ({ kind: 'ImagePruner', name: 'cluster', namespace: null, patch });
const placementPatch =
  (mergeTolerations: MergeTolerations): Patch =>
  (current) => ({ spec: registryPlacement(current, mergeTolerations) });

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
    const found = await findMovableRegistry(cluster, design);
    if ('state' in found) return found;
    if (await isRegistryOff(cluster)) return { state: 'blocked', why: words().storageFirst };
    const mergeTolerations = await mergeForCluster(cluster, design);
    return {
      state: 'edits',
      edits: [configEdit(placementPatch(mergeTolerations)), prunerEdit(placementPatch(mergeTolerations))],
    };
  },
  async probeRollout(cluster, design) {
    const incomplete = await findIncompleteRollout(cluster, [REGISTRY], design, 'image-registry');
    return incomplete ?? { state: 'done', why: words().done };
  },
  untilUndoable: null,
  undoEdits: async () => {
    const removePlacement = () => ({ spec: { nodeSelector: null, tolerations: null } });
    return [configEdit(removePlacement), prunerEdit(removePlacement)];
  },
  untilPodsGone: null,
  manifest(design) {
    const { storage, accessMode, storageClass } = design.infra.registry;
    if (storage === 'none') return [];
    const facts = { modes: [accessMode], isClaimed: false, storageClass, classEdit: null, notes: [] };
    const edits = storageEdits(design, facts, mergeForDesign(design));
    const isConfig = ({ kind }: Edit) => kind === 'ImageRegistry';
    return [
      { comment: COMMENTS.claim, edits: edits.filter((edit) => !isConfig(edit)) },
      { comment: storage === 'pvc' ? COMMENTS.config : COMMENTS.emptyDir, edits: edits.filter(isConfig) },
      { comment: COMMENTS.pruner, edits: [prunerEdit(placementPatch(mergeForDesign(design)))] },
    ];
  },
};
