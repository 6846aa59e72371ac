import { catalogue } from '../../text/catalogue.ts';
import type { Edit, Patch } from '../edit.ts';
import type { ClusterMove } from '../move.ts';
import { label } from '../nodes/label.ts';
import { unsettled } from '../shared/rollout.ts';
import { type Tolerate, tolerateAs, tolerateOn } from '../shared/tolerations.ts';
import { isRegistryOff, movableRegistry, REGISTRY, registryPlacement, waitsForRegistry } from './place.ts';
import { registryStorage, storageEdits } from './storage.ts';

const words = () => catalogue().moves.each.registry;

const COMMENTS = {
  claim: ' What the registry stores images in. Without a storageClassName: the default class of the cluster.',
  emptyDir: ' The registry in an emptyDir: its images are lost when the pod moves.',
  config: ' The registry. Where it has another storage already, that has to be taken out by hand.',
  pruner: ' The job that removes old images.',
};

const config = (patch: Patch): Edit => ({ kind: 'ImageRegistry', name: 'cluster', namespace: null, patch });
const pruner = (patch: Patch): Edit => ({ kind: 'ImagePruner', name: 'cluster', namespace: null, patch });
const placed =
  (tolerate: Tolerate): Patch =>
  (current) => ({ spec: registryPlacement(current, tolerate) });

/** Moves the registry with the job that prunes it. */
export const registry: ClusterMove<'registry'> = {
  name: 'registry',
  where: 'cluster',
  carried: { operator: 'image-registry', isCure: true, workloads: async () => [REGISTRY] },
  needs: [label, registryStorage],
  taintWaits: waitsForRegistry,
  async plan(sight, design) {
    if (design.infra.registry.storage === 'none' && (await isRegistryOff(sight)))
      return { state: 'absent', why: words().unwanted };
    const found = await movableRegistry(sight, design);
    if ('state' in found) return found;
    if (await isRegistryOff(sight)) return { state: 'blocked', why: words().storageFirst };
    const tolerate = await tolerateOn(sight, design);
    return { state: 'edits', edits: [config(placed(tolerate)), pruner(placed(tolerate))] };
  },
  async settled(sight, design) {
    const open = await unsettled(sight, [REGISTRY], design, 'image-registry');
    return open ?? { state: 'done', why: words().done };
  },
  undoWaits: null,
  undoEdits: async () => {
    const nowhere = () => ({ spec: { nodeSelector: null, tolerations: null } });
    return [config(nowhere), pruner(nowhere)];
  },
  left: null,
  manifest(design) {
    const { storage, accessMode, storageClass } = design.infra.registry;
    if (storage === 'none') return [];
    const facts = { modes: [accessMode], isClaimed: false, storageClass, making: null, says: [] };
    const edits = storageEdits(design, facts, tolerateAs(design));
    const isConfig = ({ kind }: Edit) => kind === 'ImageRegistry';
    return [
      { comment: COMMENTS.claim, edits: edits.filter((edit) => !isConfig(edit)) },
      { comment: storage === 'pvc' ? COMMENTS.config : COMMENTS.emptyDir, edits: edits.filter(isConfig) },
      { comment: COMMENTS.pruner, edits: [pruner(placed(tolerateAs(design)))] },
    ];
  },
};
