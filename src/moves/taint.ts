import { infraNames, infraTaints } from '../design/infra-placement.ts';
import type { Design } from '../design/model.ts';
import { nodeView } from '../objects/node.ts';
import { type Json, type JsonObject, type KubeObject, listAt, textAt } from '../objects/object.ts';
import { catalogue } from '../text/catalogue.ts';
import type { Edit } from './edit.ts';
import { infraLabels, label } from './label.ts';
import type { ClusterMove, Sight } from './move.ts';
import { areTainted, areToCome, isStopped, labelledInfraNodes } from './nodes.ts';

const words = () => catalogue().moves.each.taint;

/** Last, and only when all pods that stay on the nodes tolerate it: a taint places no pod, it only keeps others off. */
export const taint: ClusterMove<'taint'> = {
  name: 'taint',
  where: 'cluster',
  needs: [label],
  isTaint: true,
  taintWaits: false,
  async plan(sight, design, notYet) {
    const nodes = await labelledInfraNodes(sight, design);
    if (isStopped(nodes)) return nodes;
    const edits = taintEdits(design);
    // Nodes that have the taint already need no check.
    if (await isTainted(sight, design)) return { state: 'edits', edits };
    const open = await notYet();
    return open.length > 0 ? { state: 'blocked', why: words().first(open) } : { state: 'edits', edits };
  },
  async settled(sight, design) {
    const names = infraNames(design);
    const isToCome = await areToCome(sight, names);
    return { state: 'done', why: isToCome ? catalogue().moves.why.bornSo : words().done(names.length) };
  },
  undoWaits: null,
  undoEdits: async (_sight, design) =>
    ['NoSchedule', 'NoExecute'].flatMap((effect) =>
      infraNames(design).map((name) => untaintEdit(name, design, effect)),
    ),
  left: null,
  // Both times with the label: server-side apply removes what a manager leaves out of its second manifest.
  manifest: (design) => [
    {
      comment: ' Last, when everything above tolerates it. The list replaces other taints of these nodes.',
      edits: [...infraLabels(design), ...taintEdits(design)],
    },
  ],
};

type Taint = ReturnType<typeof infraTaints>[number];

/** First NoSchedule everywhere, then NoExecute node by node. */
function taintEdits(design: Design): Edit[] {
  return infraTaints(design).flatMap((wanted) => infraNames(design).map((name) => taintEdit(name, wanted)));
}

function taintEdit(name: string, wanted: Taint): Edit {
  return taintsEdit(name, (found) => {
    const others = found.filter((entry) => !isLike(entry, wanted.key, wanted.effect));
    const own = found.filter((entry) => !others.includes(entry));
    const isThere = own.length === 1 && (textAt(own[0], 'value') ?? '') === (wanted.value ?? '');
    return isThere ? found : [...others, wanted];
  });
}

function untaintEdit(name: string, { infra }: Design, effect: string): Edit {
  return taintsEdit(name, (found) => found.filter((entry) => !isLike(entry, infra.taint.key, effect)));
}

function taintsEdit(name: string, change: (found: readonly Json[]) => readonly Json[]): Edit {
  const patch = (current: KubeObject): JsonObject => {
    const found = listAt(current.spec, 'taints') as readonly Json[];
    const taints = change(found);
    if (taints.length === found.length && taints.every((entry, index) => entry === found[index])) return {};
    return { spec: { taints: taints.length > 0 ? taints : null } };
  };
  return { kind: 'Node', name, namespace: null, patch, entries: [{ path: ['spec', 'taints'], by: ['key', 'effect'] }] };
}

function isLike(entry: Json, key: string | undefined, effect: string | undefined): boolean {
  return textAt(entry, 'key') === key && textAt(entry, 'effect') === effect;
}

async function isTainted(sight: Sight, design: Design): Promise<boolean> {
  const nodes = await Promise.all(infraNames(design).map((name) => sight.get('Node', name)));
  return areTainted(
    design,
    nodes.flatMap((node) => (node === null ? [] : nodeView(node))),
  );
}
