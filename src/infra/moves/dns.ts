import { CONTROL_PLANE_TOLERATION, listInfraNodeNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { getField, getList, getString, type Json, type JsonObject } from '../../openshift/object.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import type { Edit, Patch } from '../edit.ts';
import type { ClusterMove } from '../infra-move.ts';
import { findReadyInfraNodes, isNotApplicable } from '../shared/nodes.ts';
import { describeDaemonSetRollout, describeLeftoverPods, getTemplateTolerations } from '../shared/rollout.ts';
import { listPlannedTaints } from '../shared/tolerations.ts';
import { listPlannedStorageTaints } from './storage-nodes.ts';

const words = () => catalogue().moves.byName.dns;

const createDnsEdit = (patch: Patch): Edit => ({ kind: 'DNS', name: 'default', namespace: null, patch });

/**
 * Adds tolerations of these keys to the existing ones. If there are none, adds the operator's default as well, because
 * a list replaces it.
 */
const createTolerationEdit = (keys: readonly string[]): Edit =>
  createDnsEdit((current): JsonObject => {
    const currentTolerations = getList(current.spec, 'nodePlacement', 'tolerations') as Json[];
    const missingKeys = keys.filter((key) => !currentTolerations.some((entry) => toleratesKey(entry, key)));
    if (missingKeys.length === 0) return {};
    const base = currentTolerations.length > 0 ? currentTolerations : [CONTROL_PLANE_TOLERATION];
    return {
      spec: { nodePlacement: { tolerations: [...base, ...missingKeys.map((key) => ({ key, operator: 'Exists' }))] } },
    };
  });

/** Lists the keys of the role taints that infra and storage nodes have, or are going to have. */
async function listTaintKeys(cluster: ClusterReader, design: Design): Promise<string[]> {
  const infraTaints = listInfraNodeNames(design).length > 0 ? await listPlannedTaints(cluster, design) : [];
  return [...new Set([...infraTaints, ...(await listPlannedStorageTaints(cluster, design))].map(({ key }) => key))];
}

/**
 * Gives the DNS pods tolerations for the taints of infra and storage nodes. This must precede the taint: otherwise the
 * pods on these nodes would lose their local DNS pod.
 */
export const dnsMove: ClusterMove<'dns'> = {
  name: 'dns',
  where: 'cluster',
  rolloutTarget: { operator: 'dns', needsEveryNode: true },
  needs: [],
  mustPrecedeTaint: true,
  async plan(cluster, design) {
    const keys = await listTaintKeys(cluster, design);
    // Storage nodes need the tolerations even if there are no infra nodes.
    const nodes =
      listInfraNodeNames(design).length === 0 && keys.length > 0 ? [] : await findReadyInfraNodes(cluster, design);
    if (isNotApplicable(nodes)) return nodes;
    const current = await cluster.get('DNS', 'default');
    if (current === null) return { state: 'blocked', why: catalogue().moves.reasons.operatorMissing('DNS default') };
    if (getString(current.spec, 'managementState') === 'Unmanaged') return { state: 'blocked', why: words().unmanaged };
    return { state: 'edits', edits: [createTolerationEdit(keys)] };
  },
  async probeRollout(cluster, design) {
    const daemonSet = await cluster.get('DaemonSet', 'dns-default', 'openshift-dns');
    const keys = await listTaintKeys(cluster, design);
    const isApplied =
      daemonSet !== null &&
      keys.every((key) => getTemplateTolerations(daemonSet).some((entry) => toleratesKey(entry, key)));
    if (!isApplied) return { state: 'moving', why: words().notApplied };
    const why = await describeDaemonSetRollout(cluster, daemonSet);
    if (why !== null) return { state: 'moving', why };
    return { state: 'done', why: [words().done, ...(await describeLeftoverPods(cluster, daemonSet))].join(' ') };
  },
  findUndoBlocker: null,
  planUndoEdits: async (_cluster, design) => {
    const { key } = design.infra.taint;
    const patch: Patch = (current): JsonObject => {
      const currentTolerations = getList(current.spec, 'nodePlacement', 'tolerations') as Json[];
      const remainingTolerations = currentTolerations.filter((entry) => !toleratesKey(entry, key));
      if (remainingTolerations.length === currentTolerations.length) return {};
      const isOnlyDefault =
        remainingTolerations.length === 1 && getString(remainingTolerations[0], 'key') === CONTROL_PLANE_TOLERATION.key;
      return { spec: { nodePlacement: { tolerations: isOnlyDefault ? null : remainingTolerations } } };
    };
    return [createDnsEdit(patch)];
  },
  untilPodsGone: null,
  buildManifest: (design) => [
    {
      comment: ' DNS pods tolerate the taint, so that they stay on the infra nodes.',
      edits: [createTolerationEdit([design.infra.taint.key])],
    },
  ],
};

/** Whether a toleration covers the taint of this key with every effect, as our own entry does. */
function toleratesKey(entry: unknown, key: string): boolean {
  if (getString(entry, 'operator') !== 'Exists' || getField(entry, 'effect')) return false;
  return getString(entry, 'key') === key || !getField(entry, 'key');
}
