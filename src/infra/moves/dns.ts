import { CONTROL_PLANE_TOLERATION, infraNodeNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { getField, getList, getString, type Json, type JsonObject } from '../../openshift/object.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import type { Edit, Patch } from '../edit.ts';
import type { ClusterMove } from '../infra-move.ts';
import { findReadyInfraNodes, isNotApplicable } from '../shared/nodes.ts';
import { describeDaemonSetRollout, templateTolerations } from '../shared/rollout.ts';
import { listPlannedTaints } from '../shared/tolerations.ts';
import { listPlannedStorageTaints } from './storage-nodes.ts';

const words = () => catalogue().moves.byName.dns;

const dnsEdit = (patch: Patch): Edit => ({ kind: 'DNS', name: 'default', namespace: null, patch });

/** Adds the toleration to the existing ones, or to the operator's default, which a list would replace. */
const tolerationEdit = (keys: readonly string[]): Edit =>
  dnsEdit((current): JsonObject => {
    const existing = getList(current.spec, 'nodePlacement', 'tolerations') as Json[];
    const missingKeys = keys.filter((key) => !existing.some((entry) => toleratesKey(entry, key)));
    if (missingKeys.length === 0) return {};
    const base = existing.length > 0 ? existing : [CONTROL_PLANE_TOLERATION];
    return {
      spec: { nodePlacement: { tolerations: [...base, ...missingKeys.map((key) => ({ key, operator: 'Exists' }))] } },
    };
  });

/** Lists the keys of the role taints that infra and storage nodes have, or are going to have. */
async function listTaintKeys(cluster: ClusterReader, design: Design): Promise<string[]> {
  const infraTaints = infraNodeNames(design).length > 0 ? await listPlannedTaints(cluster, design) : [];
  return [...new Set([...infraTaints, ...(await listPlannedStorageTaints(cluster, design))].map(({ key }) => key))];
}

/**
 * Gives the DNS pods tolerations for the infra nodes. This comes before the taint, or pods there lose their local DNS.
 */
export const dnsMove: ClusterMove<'dns'> = {
  name: 'dns',
  where: 'cluster',
  rolloutTarget: { operator: 'dns', needsEveryNode: true },
  needs: [],
  mustPrecedeTaint: true,
  async plan(cluster, design) {
    const keys = await listTaintKeys(cluster, design);
    // Storage nodes alone need it, too.
    const nodes =
      infraNodeNames(design).length === 0 && keys.length > 0 ? [] : await findReadyInfraNodes(cluster, design);
    if (isNotApplicable(nodes)) return nodes;
    const current = await cluster.get('DNS', 'default');
    if (current === null) return { state: 'blocked', why: catalogue().moves.why.operatorMissing('DNS default') };
    if (getString(current.spec, 'managementState') === 'Unmanaged') return { state: 'blocked', why: words().unmanaged };
    return { state: 'edits', edits: [tolerationEdit(keys)] };
  },
  async probeRollout(cluster, design) {
    const set = await cluster.get('DaemonSet', 'dns-default', 'openshift-dns');
    const keys = await listTaintKeys(cluster, design);
    const isApplied =
      set !== null && keys.every((key) => templateTolerations(set).some((entry) => toleratesKey(entry, key)));
    if (!isApplied) return { state: 'moving', why: words().notApplied };
    const why = describeDaemonSetRollout(set);
    return why === null ? { state: 'done', why: words().done } : { state: 'moving', why };
  },
  findUndoBlocker: null,
  undoEdits: async (_cluster, design) => {
    const { key } = design.infra.taint;
    const patch: Patch = (current): JsonObject => {
      const existing = getList(current.spec, 'nodePlacement', 'tolerations') as Json[];
      const rest = existing.filter((entry) => !toleratesKey(entry, key));
      if (rest.length === existing.length) return {};
      const isOurs = rest.length === 1 && getString(rest[0], 'key') === CONTROL_PLANE_TOLERATION.key;
      return { spec: { nodePlacement: { tolerations: isOurs ? null : rest } } };
    };
    return [dnsEdit(patch)];
  },
  untilPodsGone: null,
  manifest: (design) => [
    { comment: ' DNS pods stay on the nodes when the taint comes.', edits: [tolerationEdit([design.infra.taint.key])] },
  ],
};

/** Whether a toleration covers the taint of this key with every effect, as our own entry does. */
function toleratesKey(entry: unknown, key: string): boolean {
  if (getString(entry, 'operator') !== 'Exists' || getField(entry, 'effect')) return false;
  return getString(entry, 'key') === key || !getField(entry, 'key');
}
