import { infraNodeNames, STORAGE_TAINT, type Toleration } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { nodesWithRole } from '../../design/names.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { isRolledOut } from '../../openshift/rollout.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import type { Edit } from '../edit.ts';
import type { ClusterMove } from '../infra-move.ts';
import { dnsMove } from '../networking/dns.ts';
import { storageLabelEdits } from '../nodes/label.ts';
import { taintEdit } from '../nodes/node-taints.ts';
import { findReadyInfraNodes, isNotApplicable } from '../shared/nodes.ts';
import { isDaemonSetRolledOut, templateTolerations } from '../shared/rollout.ts';
import { listPlannedTaints, mergeForCluster, tolerates } from '../shared/tolerations.ts';
import { cephTolerationEdits, findInvalidKey, listCephPlugins, listCephProvisioners } from './ceph-plugins.ts';
import { findStorageNodes, listPlannedStorageTaints, planStorageNodes, storageNodeUndoEdits } from './storage-nodes.ts';

const words = () => catalogue().moves.byName.storage;

/**
 * Reserves the storage nodes for OpenShift Data Foundation. Its CSI plugins run on the infra nodes before anything with
 * a Ceph volume moves there: without one, a pod cannot mount its volume. The wizard does not install it.
 */
export const storageMove: ClusterMove<'storage'> = {
  name: 'storage',
  where: 'cluster',
  rolloutTarget: null,
  // Cluster DNS tolerates the taint of the storage nodes before they have it, and until they have lost it.
  needs: [dnsMove],
  mustPrecedeTaint: true,
  evictsNothing: true,
  async plan(cluster, design) {
    const forPlugins = await pluginEdits(cluster, design);
    const { names } = await findStorageNodes(cluster, design);
    if (forPlugins.length === 0 && names.length === 0) return { state: 'absent', why: words().notInstalled };
    const isForInfra = forPlugins.length > 0 && infraNodeNames(design).length > 0;
    const nodes = isForInfra ? await findReadyInfraNodes(cluster, design) : [];
    if (isNotApplicable(nodes)) return nodes;
    const unreadable = await findInvalidKey(cluster);
    if (unreadable !== null) return { state: 'blocked', why: words().unreadable(unreadable) };
    const { edits, notes } = await planStorageNodes(cluster, design);
    // The plugins tolerate the taint before it is there.
    return { state: 'edits', edits: [...forPlugins, ...edits], notes };
  },
  async probeRollout(cluster, design) {
    const taints = infraNodeNames(design).length > 0 ? await listPlannedTaints(cluster, design) : [];
    const [sets, deployments] = [await listCephPlugins(cluster), await listCephProvisioners(cluster)];
    const all = [...sets, ...deployments];
    const wanted = all.length === 0 ? [] : [...taints, ...(await listPlannedStorageTaints(cluster, design))];
    const unapplied = all.filter((one) => !wanted.every((taint) => tolerates(templateTolerations(one), taint)));
    const { rollout } = catalogue().moves.why;
    if (unapplied.length > 0)
      return { state: 'moving', why: rollout.notApplied(unapplied.map(({ metadata }) => metadata.name)) };
    const rolling = [
      ...sets.filter((set) => !isDaemonSetRolledOut(set)),
      ...deployments.filter((one) => !isRolledOut(one)),
    ];
    const [first] = rolling;
    if (first) return { state: 'moving', why: rollout.missing(first.metadata.name) };
    const { tainted } = await findStorageNodes(cluster, design);
    return { state: 'done', why: words().done(all.length > 0, tainted.length) };
  },
  untilUndoable: null,
  // Without an undo record, only the default tolerations of the operator are known to be older than our writes.
  async undoEdits(cluster, design) {
    const taints = infraNodeNames(design).length > 0 ? await listPlannedTaints(cluster, design) : [];
    const isOurs = (entry: Toleration) => taints.some((taint) => tolerates([entry], taint));
    const forPlugins = await cephTolerationEdits(cluster, (found) => found.filter((entry) => !isOurs(entry)));
    return [...(await storageNodeUndoEdits(cluster, design)), ...forPlugins];
  },
  untilPodsGone: null,
  manifest(design) {
    const names = nodesWithRole(design, 'compute').length === 0 ? [] : storageLabelEdits(design);
    if (names.length === 0) return [];
    // Both manifests contain the label: server-side apply removes what a manager leaves out of its second manifest.
    return [{ comment: COMMENT, edits: [...names, ...names.map(({ name }) => taintEdit(name, STORAGE_TAINT))] }];
  },
};

const COMMENT =
  ' The storage nodes, for OpenShift Data Foundation alone. The list replaces other taints of these nodes.';

/** The plugins tolerate the taints that infra nodes and storage nodes have, or are going to have. */
async function pluginEdits(cluster: ClusterReader, design: Design): Promise<Edit[]> {
  const forInfra = infraNodeNames(design).length > 0 ? (await mergeForCluster(cluster, design))([]) : [];
  const forStorage = (await listPlannedStorageTaints(cluster, design)).map(
    (taint): Toleration => ({ ...taint, operator: 'Equal' }),
  );
  const wanted = [...forInfra, ...forStorage];
  if (wanted.length === 0) return [];
  return await cephTolerationEdits(cluster, (found) => [
    ...found,
    ...wanted.filter(({ key = '', value = '', effect = '' }) => !tolerates(found, { key, value, effect })),
  ]);
}
