import { INFRA_LABEL, INFRA_SELECTOR, infraNames, STORAGE_LABEL, storageNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { at } from '../../objects/object.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Edit } from '../edit.ts';
import type { ClusterMove, Sight } from '../move.ts';
import { areToCome, isStopped, readyOf } from '../shared/nodes.ts';

const words = () => catalogue().moves.each.label;

/** Sets labels of a node, or removes those that are null. */
export const labelEdit = (name: string, labels: Readonly<Record<string, string | null>>): Edit => ({
  kind: 'Node',
  name,
  namespace: null,
  patch: () => ({ metadata: { labels } }),
});

/** The label of the role on each infra node. */
export function infraLabels(design: Design): Edit[] {
  return infraNames(design).map((name) => labelEdit(name, INFRA_SELECTOR));
}

/** The label that OpenShift Data Foundation looks for, on each storage node. */
export function storageLabels(design: Design, names: readonly string[] = storageNames(design)): Edit[] {
  return names.map((name) => labelEdit(name, { [STORAGE_LABEL]: '' }));
}

/**
 * The label of the role: infra nodes their own, storage nodes the one that OpenShift Data Foundation looks for, and nothing
 * else. They keep the label `worker`, which the pool of that name needs (see `pool`).
 */
export const label: ClusterMove<'label'> = {
  name: 'label',
  where: 'cluster',
  carried: null,
  needs: [],
  taintWaits: false,
  async plan(sight, design) {
    const infra = infraNames(design);
    const nodes = await readyOf(sight, infra.length > 0 ? infra : storageNames(design));
    if (isStopped(nodes)) return nodes;
    const edits = [...infraLabels(design), ...storageLabels(design, await joinedStorage(sight, design))];
    return { state: 'edits', edits };
  },
  async settled(sight, design) {
    const names = infraNames(design);
    if (await areToCome(sight, names)) return { state: 'done', why: catalogue().moves.why.bornSo };
    return { state: 'done', why: words().done(names.length, (await joinedStorage(sight, design)).length) };
  },
  undoWaits: null,
  // The storage label stays: without it, workloads would lose their storage.
  undoEdits: async (_sight, design) => infraNames(design).map((name) => labelEdit(name, { [INFRA_LABEL]: null })),
  left: null,
  bornWith: (template) => at(template, 'metadata', 'labels', INFRA_LABEL) !== undefined,
  manifest: (design) => [
    {
      comment: ' The role. The label worker stays.',
      edits: [...infraLabels(design), ...storageLabels(design)],
    },
  ],
};

/** Missing storage nodes do not block the move: they get their label when they have joined. */
async function joinedStorage(sight: Sight, design: Design): Promise<string[]> {
  const names = storageNames(design);
  const found = names.length === 0 ? [] : await sight.list('Node');
  return names.filter((name) => found.some(({ metadata }) => metadata.name === name));
}
