import {
  INFRA_LABEL,
  INFRA_NODE_SELECTOR,
  listInfraNodeNames,
  listStorageNodeNames,
  STORAGE_LABEL,
} from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { getField } from '../../openshift/object.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import type { Edit } from '../edit.ts';
import type { ClusterMove } from '../infra-move.ts';
import { findReadyNodes, hasNodesToCreate, isNotApplicable } from '../shared/nodes.ts';

const words = () => catalogue().moves.byName.label;

/** Creates the edit that sets labels of a node, or removes those that are null. */
export const createLabelEdit = (name: string, labels: Readonly<Record<string, string | null>>): Edit => ({
  kind: 'Node',
  name,
  namespace: null,
  patch: () => ({ metadata: { labels } }),
});

/** Creates the edits that set the label of the role on each infra node. */
export function createInfraLabelEdits(design: Design): Edit[] {
  return listInfraNodeNames(design).map((name) => createLabelEdit(name, INFRA_NODE_SELECTOR));
}

/** Creates the edits that set the label that OpenShift Data Foundation requires on each storage node. */
export function createStorageLabelEdits(
  design: Design,
  names: readonly string[] = listStorageNodeNames(design),
): Edit[] {
  return names.map((name) => createLabelEdit(name, { [STORAGE_LABEL]: '' }));
}

/**
 * Labels the nodes by role: infra nodes get the infra label, storage nodes only the one that OpenShift Data Foundation
 * requires. They keep the label `worker`, which the pool of that name needs (see `poolMove`).
 */
export const labelMove: ClusterMove<'label'> = {
  name: 'label',
  where: 'cluster',
  rolloutTarget: null,
  needs: [],
  mustPrecedeTaint: false,
  async plan(cluster, design) {
    const infraNames = listInfraNodeNames(design);
    const nodes = await findReadyNodes(cluster, infraNames.length > 0 ? infraNames : listStorageNodeNames(design));
    if (isNotApplicable(nodes)) return nodes;
    const edits = [
      ...createInfraLabelEdits(design),
      ...createStorageLabelEdits(design, await listJoinedStorageNodes(cluster, design)),
    ];
    return { state: 'edits', edits };
  },
  async probeRollout(cluster, design) {
    const names = listInfraNodeNames(design);
    if (await hasNodesToCreate(cluster, names))
      return { state: 'done', why: catalogue().moves.reasons.setByMachineSet };
    return { state: 'done', why: words().done(names.length, (await listJoinedStorageNodes(cluster, design)).length) };
  },
  findUndoBlocker: null,
  // The storage label stays: without it, workloads would lose their storage.
  planUndoEdits: async (_cluster, design) =>
    listInfraNodeNames(design).map((name) => createLabelEdit(name, { [INFRA_LABEL]: null })),
  untilPodsGone: null,
  isSetByMachineSet: (template) => getField(template, 'metadata', 'labels', INFRA_LABEL) !== undefined,
  buildManifest: (design) => [
    {
      comment: ' Adds the role infra. The role worker stays.',
      edits: [...createInfraLabelEdits(design), ...createStorageLabelEdits(design)],
    },
  ],
};

/**
 * Lists the storage nodes that have joined. Missing ones do not block the move: they get their label once they join.
 */
async function listJoinedStorageNodes(cluster: ClusterReader, design: Design): Promise<string[]> {
  const names = listStorageNodeNames(design);
  const clusterNodes = names.length === 0 ? [] : await cluster.list('Node');
  return names.filter((name) => clusterNodes.some(({ metadata }) => metadata.name === name));
}
