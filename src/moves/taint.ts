import { INFRA_LABEL, infraNames, infraTaints } from '../design/infra-placement.ts';
import type { Design } from '../design/model.ts';
import { nodeView } from '../objects/node.ts';
import { listAt, textAt } from '../objects/object.ts';
import { catalogue } from '../text/catalogue.ts';
import type { Edit } from './edit.ts';
import { homelessPods, keptOff, leavingPods } from './kept-off.ts';
import { infraLabels, label } from './label.ts';
import type { ClusterMove, Sight } from './move.ts';
import { taintEdit, untaintEdit } from './node-taints.ts';
import { areTainted, areToCome, isStopped, labelledInfraNodes } from './nodes.ts';
import { taintsToBe } from './tolerations.ts';

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
    const says = async () => await keptOff(sight, design);
    // Nodes that have the taint already need no check.
    if (await isTainted(sight, design))
      return { state: 'edits', edits, says: (await isPlain(sight, design)) ? [] : await says() };
    const open = await notYet();
    return open.length > 0
      ? { state: 'blocked', why: words().first(open) }
      : { state: 'edits', edits, says: await says() };
  },
  async settled(sight, design) {
    const names = infraNames(design);
    if (await areToCome(sight, names)) return { state: 'done', why: catalogue().moves.why.bornSo };
    return (await leavingFrom(sight, design)) ?? { state: 'done', why: words().done(names.length) };
  },
  undoWaits: null,
  undoEdits: async (_sight, design) =>
    ['NoSchedule', 'NoExecute'].flatMap((effect) =>
      infraNames(design).map((name) => untaintEdit(name, design.infra.taint.key, effect)),
    ),
  left: null,
  bornWith: (template, { infra }) =>
    listAt(template, 'taints').some((entry) => textAt(entry, 'key') === infra.taint.key),
  // Both times with the label: server-side apply removes what a manager leaves out of its second manifest.
  manifest: (design) => [
    {
      comment: ' Last, when everything above tolerates it. The list replaces other taints of these nodes.',
      edits: [...infraLabels(design), ...taintEdits(design)],
    },
  ],
};

/** First NoSchedule everywhere, then NoExecute node by node: what left one has to run elsewhere before the next. */
function taintEdits(design: Design): Edit[] {
  const settled = betweenNodes(design);
  return infraTaints(design).flatMap((wanted) =>
    infraNames(design).map((name) => ({
      ...taintEdit(name, wanted),
      ...(wanted.effect === 'NoExecute' ? { after: settled } : {}),
    })),
  );
}

/** Waits for the pods that a node with NoExecute has lost. What had no node before the first one is not waited for. */
function betweenNodes(design: Design): NonNullable<Edit['after']> {
  let before: readonly string[] | null = null;
  return async (sight) => {
    const homeless = await homelessPods(sight);
    before ??= homeless;
    const leaving = await leavingFrom(sight, design);
    if (leaving !== null) return leaving;
    const waiting = homeless.filter((pod) => !before?.includes(pod));
    return waiting.length === 0 ? null : { state: 'moving', why: words().homeless(waiting) };
  };
}

async function leavingFrom(
  sight: Sight,
  design: Design,
): Promise<{ readonly state: 'moving'; readonly why: string } | null> {
  for (const name of design.infra.taint.noExecute ? infraNames(design) : []) {
    const pods = await leavingPods(sight, name);
    if (pods.length > 0) return { state: 'moving', why: words().leaving(name, pods) };
  }
  return null;
}

/** Whether the taints for infra are those that everything of OpenShift's own tolerates. */
async function isPlain(sight: Sight, design: Design): Promise<boolean> {
  return (await taintsToBe(sight, design)).every(({ key }) => key === INFRA_LABEL);
}

async function isTainted(sight: Sight, design: Design): Promise<boolean> {
  const nodes = await Promise.all(infraNames(design).map((name) => sight.get('Node', name)));
  return areTainted(
    design,
    nodes.flatMap((node) => (node === null ? [] : nodeView(node))),
  );
}
