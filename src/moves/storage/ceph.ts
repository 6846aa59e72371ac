import { infraNames, STORAGE_TAINT, type Toleration } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { nodesWithRole } from '../../design/names.ts';
import { isRolledOut } from '../../objects/rollout.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Edit } from '../edit.ts';
import type { ClusterMove, Sight } from '../move.ts';
import { dns } from '../networking/dns.ts';
import { storageLabels } from '../nodes/label.ts';
import { taintEdit } from '../nodes/node-taints.ts';
import { isStopped, readyInfraNodes } from '../shared/nodes.ts';
import { isDaemonSetRolledOut, templateTolerations } from '../shared/rollout.ts';
import { doTolerate, taintsToBe, tolerateOn } from '../shared/tolerations.ts';
import { cephEdits, plugins, provisioners, unreadableKey } from './ceph-plugins.ts';
import { storageNodeEdits, storageNodes, storageNodeUndo, storageTaints } from './storage-nodes.ts';

const words = () => catalogue().moves.each.storage;

/**
 * Keeps the storage nodes for OpenShift Data Foundation, and lets its CSI plugins run on the infra nodes before anything with a Ceph
 * volume moves there: without one, a pod cannot mount its volume. We do not install it.
 */
export const storage: ClusterMove<'storage'> = {
  name: 'storage',
  where: 'cluster',
  carried: null,
  // Cluster DNS tolerates the taint of the storage nodes before they have it, and until they have lost it.
  needs: [dns],
  taintWaits: true,
  sendsNobodyAway: true,
  async plan(sight, design) {
    const ofPlugins = await pluginEdits(sight, design);
    const { names } = await storageNodes(sight, design);
    if (ofPlugins.length === 0 && names.length === 0) return { state: 'absent', why: words().notInstalled };
    const isForInfra = ofPlugins.length > 0 && infraNames(design).length > 0;
    const nodes = isForInfra ? await readyInfraNodes(sight, design) : [];
    if (isStopped(nodes)) return nodes;
    const unreadable = await unreadableKey(sight);
    if (unreadable !== null) return { state: 'blocked', why: words().unreadable(unreadable) };
    const { edits, says } = await storageNodeEdits(sight, design);
    // The plugins tolerate the taint before it is there.
    return { state: 'edits', edits: [...ofPlugins, ...edits], says };
  },
  async settled(sight, design) {
    const taints = infraNames(design).length > 0 ? await taintsToBe(sight, design) : [];
    const [sets, deployments] = [await plugins(sight), await provisioners(sight)];
    const all = [...sets, ...deployments];
    const wanted = all.length === 0 ? [] : [...taints, ...(await storageTaints(sight, design))];
    const behind = all.filter((one) => !wanted.every((taint) => doTolerate(templateTolerations(one), taint)));
    const { rollout } = catalogue().moves.why;
    if (behind.length > 0)
      return { state: 'moving', why: rollout.notTaken(behind.map(({ metadata }) => metadata.name)) };
    const rolling = [
      ...sets.filter((set) => !isDaemonSetRolledOut(set)),
      ...deployments.filter((one) => !isRolledOut(one)),
    ];
    const [first] = rolling;
    if (first) return { state: 'moving', why: rollout.missing(first.metadata.name) };
    const { tainted } = await storageNodes(sight, design);
    return { state: 'done', why: words().done(all.length > 0, tainted.length) };
  },
  undoWaits: null,
  // Its operator's own tolerations are those of before our first; what else was there, nobody wrote down.
  async undoEdits(sight, design) {
    const taints = infraNames(design).length > 0 ? await taintsToBe(sight, design) : [];
    const isOurs = (entry: Toleration) => taints.some((taint) => doTolerate([entry], taint));
    const ofPlugins = await cephEdits(sight, (found) => found.filter((entry) => !isOurs(entry)));
    return [...(await storageNodeUndo(sight, design)), ...ofPlugins];
  },
  left: null,
  manifest(design) {
    const names = nodesWithRole(design, 'compute').length === 0 ? [] : storageLabels(design);
    if (names.length === 0) return [];
    // Both times with the label: server-side apply removes what a manager leaves out of its second manifest.
    return [{ comment: COMMENT, edits: [...names, ...names.map(({ name }) => taintEdit(name, STORAGE_TAINT))] }];
  },
};

const COMMENT =
  ' The storage nodes, for OpenShift Data Foundation alone. The list replaces other taints of these nodes.';

/** The plugins tolerate what infra nodes and storage nodes have, or are going to have. */
async function pluginEdits(sight: Sight, design: Design): Promise<Edit[]> {
  const ofInfra = infraNames(design).length > 0 ? (await tolerateOn(sight, design))([]) : [];
  const ofStorage = (await storageTaints(sight, design)).map((taint): Toleration => ({ ...taint, operator: 'Equal' }));
  const wanted = [...ofInfra, ...ofStorage];
  if (wanted.length === 0) return [];
  return await cephEdits(sight, (found) => [
    ...found,
    ...wanted.filter(({ key = '', value = '', effect = '' }) => !doTolerate(found, { key, value, effect })),
  ]);
}
