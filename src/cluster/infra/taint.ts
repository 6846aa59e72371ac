import { infraNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { type Json, type JsonObject, type KubeObject, listAt, textAt } from '../../objects/object.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Cluster } from '../client.ts';
import { dns } from './dns.ts';
import type { Edit } from './edit.ts';
import { monitoring } from './monitoring.ts';
import { makeMove } from './move.ts';
import { isStopped, labelledInfraNodes } from './nodes.ts';
import { registry } from './registry.ts';
import { router } from './router.ts';

const words = () => catalogue().moves;

/** Last, and only when everything that shall stay on the nodes tolerates it: a taint moves nothing, it only keeps out. */
export const taint = makeMove({
  name: 'taint',
  async plan(cluster, design) {
    const nodes = await labelledInfraNodes(cluster, design);
    if (isStopped(nodes)) return nodes;
    const edits = taintEdits(design, true);
    // What is tainted already is past the question.
    if (await isTainted(cluster, design)) return { state: 'edits', edits };
    const open = await notMoved(cluster, design);
    return open.length > 0 ? { state: 'blocked', why: words().why.taint.first(open) } : { state: 'edits', edits };
  },
  settled: (_cluster, design) =>
    Promise.resolve({ state: 'done', why: words().why.taint.done(infraNames(design).length) }),
  undoEdits: (_cluster, design) => Promise.resolve(taintEdits(design, false)),
});

/** First NoSchedule everywhere, then NoExecute node by node. */
function taintEdits(design: Design, isWanted: boolean): Edit[] {
  const { key, value, noExecute } = design.infra.taint;
  const names = infraNames(design);
  const schedule = names.map((name) => taintEdit(name, key, value, 'NoSchedule', isWanted));
  const execute = names.map((name) => taintEdit(name, key, value, 'NoExecute', isWanted));
  return [...schedule, ...(noExecute || !isWanted ? execute : [])];
}

function taintEdit(name: string, key: string, value: string, effect: string, isWanted: boolean): Edit {
  return {
    kind: 'Node',
    name,
    namespace: null,
    patch: (current): JsonObject => {
      const found = taintsOf(current);
      const others = found.filter((entry) => textAt(entry, 'key') !== key || textAt(entry, 'effect') !== effect);
      const own = found.filter((entry) => !others.includes(entry));
      if (!isWanted) return own.length === 0 ? {} : { spec: { taints: others.length > 0 ? others : null } };
      const isThere = own.length === 1 && (textAt(own[0], 'value') ?? '') === value;
      return isThere ? {} : { spec: { taints: [...others, { key, ...(value === '' ? {} : { value }), effect }] } };
    },
  };
}

/** Taints as they are written back: without the time that the API adds. */
function taintsOf(node: KubeObject): Json[] {
  return listAt(node.spec, 'taints').map((entry) => {
    const { timeAdded: _time, ...rest } = entry as Record<string, Json>;
    return rest;
  });
}

async function isTainted(cluster: Cluster, design: Design): Promise<boolean> {
  const { key } = design.infra.taint;
  const nodes = await Promise.all(infraNames(design).map((name) => cluster.get('Node', name)));
  return nodes.every((node) => node !== null && taintsOf(node).some((entry) => textAt(entry, 'key') === key));
}

/** The moves that are not done. A registry that does not run has nothing to move. */
async function notMoved(cluster: Cluster, design: Design): Promise<string[]> {
  const states = await Promise.all(
    [dns, router, registry, monitoring].map(async (move) => ({ move, ...(await move.probe(cluster, design)) })),
  );
  const settings = await cluster.get('ImageRegistry', 'cluster');
  const isRegistryOff = textAt(settings?.spec, 'managementState') === 'Removed';
  return states
    .filter(({ state }) => state !== 'done' && state !== 'absent')
    .filter(({ move, state }) => !(move === registry && state === 'blocked' && isRegistryOff))
    .map(({ move }) => words().titles[move.name]);
}
