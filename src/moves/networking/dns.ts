import { CONTROL_PLANE_TOLERATION, infraNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { at, type Json, type JsonObject, listAt, textAt } from '../../objects/object.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Edit, Patch } from '../edit.ts';
import type { ClusterMove, Sight } from '../move.ts';
import { isStopped, readyInfraNodes } from '../shared/nodes.ts';
import { isDaemonSetRolledOut, templateTolerations } from '../shared/rollout.ts';
import { taintsToBe } from '../shared/tolerations.ts';
import { storageTaints } from '../storage/storage-nodes.ts';

const words = () => catalogue().moves.each.dns;

const edit = (patch: Patch): Edit => ({ kind: 'DNS', name: 'default', namespace: null, patch });

/** Adds the toleration to the existing ones, or to the operator's default, which a list would replace. */
const tolerationEdit = (keys: readonly string[]): Edit =>
  edit((current): JsonObject => {
    const found = listAt(current.spec, 'nodePlacement', 'tolerations') as Json[];
    const missing = keys.filter((key) => !found.some((entry) => tolerates(entry, key)));
    if (missing.length === 0) return {};
    const base = found.length > 0 ? found : [CONTROL_PLANE_TOLERATION];
    return {
      spec: { nodePlacement: { tolerations: [...base, ...missing.map((key) => ({ key, operator: 'Exists' }))] } },
    };
  });

/** The keys of the taints that the infra and storage nodes have for their roles, or are going to have. */
async function keysOf(sight: Sight, design: Design): Promise<string[]> {
  const ofInfra = infraNames(design).length > 0 ? await taintsToBe(sight, design) : [];
  return [...new Set([...ofInfra, ...(await storageTaints(sight, design))].map(({ key }) => key))];
}

/** Tolerations for the DNS pods on the infra nodes: before the taint, or pods there lose their local DNS. */
export const dns: ClusterMove<'dns'> = {
  name: 'dns',
  where: 'cluster',
  carried: { operator: 'dns' },
  needs: [],
  taintWaits: true,
  async plan(sight, design) {
    const keys = await keysOf(sight, design);
    // Storage nodes alone need it, too.
    const nodes = infraNames(design).length === 0 && keys.length > 0 ? [] : await readyInfraNodes(sight, design);
    if (isStopped(nodes)) return nodes;
    const current = await sight.get('DNS', 'default');
    if (current === null) return { state: 'blocked', why: catalogue().moves.why.operatorMissing('DNS default') };
    if (textAt(current.spec, 'managementState') === 'Unmanaged') return { state: 'blocked', why: words().unmanaged };
    return { state: 'edits', edits: [tolerationEdit(keys)] };
  },
  async settled(sight, design) {
    const set = await sight.get('DaemonSet', 'dns-default', 'openshift-dns');
    const keys = await keysOf(sight, design);
    const isTaken =
      set !== null && keys.every((key) => templateTolerations(set).some((entry) => tolerates(entry, key)));
    if (!isTaken) return { state: 'moving', why: words().notTaken };
    return isDaemonSetRolledOut(set)
      ? { state: 'done', why: words().done }
      : { state: 'moving', why: catalogue().moves.why.rollout.missing('dns-default') };
  },
  undoWaits: null,
  undoEdits: async (_sight, design) => {
    const { key } = design.infra.taint;
    const patch: Patch = (current): JsonObject => {
      const found = listAt(current.spec, 'nodePlacement', 'tolerations') as Json[];
      const rest = found.filter((entry) => !tolerates(entry, key));
      if (rest.length === found.length) return {};
      const isOurs = rest.length === 1 && textAt(rest[0], 'key') === CONTROL_PLANE_TOLERATION.key;
      return { spec: { nodePlacement: { tolerations: isOurs ? null : rest } } };
    };
    return [edit(patch)];
  },
  left: null,
  manifest: (design) => [
    { comment: ' DNS pods stay on the nodes when the taint comes.', edits: [tolerationEdit([design.infra.taint.key])] },
  ],
};

/** Whether it tolerates every effect of the key's taint, as our own entry does, or more. */
function tolerates(entry: unknown, key: string): boolean {
  if (textAt(entry, 'operator') !== 'Exists' || at(entry, 'effect')) return false;
  return textAt(entry, 'key') === key || !at(entry, 'key');
}
