import { CONTROL_PLANE_TOLERATION } from '../../design/infra-placement.ts';
import { at, type Json, type JsonObject, listAt, textAt } from '../../objects/object.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Edit, Patch } from './edit.ts';
import { makeMove } from './move.ts';
import { isStopped, readyInfraNodes } from './nodes.ts';
import { isDaemonSetRolledOut, templateTolerations } from './rollout.ts';

const words = () => catalogue().moves;

const edit = (patch: Patch): Edit => ({ kind: 'DNS', name: 'default', namespace: null, patch });

/** Tolerations for the DNS pods on the infra nodes: before the taint, or pods there lose their local DNS. */
export const dns = makeMove({
  name: 'dns',
  async plan(cluster, design) {
    const nodes = await readyInfraNodes(cluster, design);
    if (isStopped(nodes)) return nodes;
    if (!(await cluster.get('DNS', 'default'))) {
      return { state: 'blocked', why: words().why.operatorMissing('DNS default') };
    }
    const { key } = design.infra.taint;
    const patch: Patch = (current): JsonObject => {
      const found = listAt(current.spec, 'nodePlacement', 'tolerations') as Json[];
      if (found.some((entry) => tolerates(entry, key))) return {};
      const base = found.length > 0 ? found : [CONTROL_PLANE_TOLERATION];
      return { spec: { nodePlacement: { tolerations: [...base, { key, operator: 'Exists' }] } } };
    };
    return { state: 'edits', edits: [edit(patch)] };
  },
  async settled(cluster, design) {
    const set = await cluster.get('DaemonSet', 'dns-default', 'openshift-dns');
    const { key } = design.infra.taint;
    const isTaken = set !== null && templateTolerations(set).some((entry) => tolerates(entry, key));
    if (!isTaken) return { state: 'moving', why: words().why.dns.notTaken };
    return isDaemonSetRolledOut(set)
      ? { state: 'done', why: words().why.dns.done }
      : { state: 'moving', why: words().why.rollout.missing('dns-default') };
  },
  undoEdits: (_cluster, design) => {
    const { key } = design.infra.taint;
    const patch: Patch = (current): JsonObject => {
      const found = listAt(current.spec, 'nodePlacement', 'tolerations') as Json[];
      const rest = found.filter((entry) => !tolerates(entry, key));
      if (rest.length === found.length) return {};
      const isOurs = rest.length === 1 && textAt(rest[0], 'key') === CONTROL_PLANE_TOLERATION.key;
      return { spec: { nodePlacement: { tolerations: isOurs ? null : rest } } };
    };
    return Promise.resolve([edit(patch)]);
  },
});

/** Every effect of the key's taint: what our own entry says, or something wider. */
function tolerates(entry: unknown, key: string): boolean {
  if (textAt(entry, 'operator') !== 'Exists' || at(entry, 'effect')) return false;
  return textAt(entry, 'key') === key || !at(entry, 'key');
}
