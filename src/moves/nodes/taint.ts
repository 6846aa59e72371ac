import { INFRA_LABEL, infraNames, infraTaints } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { nodeView } from '../../objects/node.ts';
import { listAt, textAt } from '../../objects/object.ts';
import { podView } from '../../objects/pod.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Edit } from '../edit.ts';
import type { ClusterMove, Sight, Waiting } from '../move.ts';
import type { PendingPod } from '../pending.ts';
import { areTainted, areToCome, isStopped, labelledInfraNodes } from '../shared/nodes.ts';
import { kept } from '../shared/rollout.ts';
import { taintsToBe } from '../shared/tolerations.ts';
import { tightBudgets } from './budgets.ts';
import { homelessPods, keptOff, leavingPods, podName } from './kept-off.ts';
import { infraLabels, label } from './label.ts';
import { taintEdit, untaintEdit } from './node-taints.ts';

const words = () => catalogue().moves.each.taint;

/** Last, and only when all pods that stay on the nodes tolerate it: a taint places no pod, it only keeps others off. */
export const taint: ClusterMove<'taint'> = {
  name: 'taint',
  where: 'cluster',
  carried: null,
  needs: [label],
  isTaint: true,
  taintWaits: false,
  async plan(sight, design, notYet) {
    const nodes = await labelledInfraNodes(sight, design);
    if (isStopped(nodes)) return nodes;
    const edits = taintEdits(design);
    const says = async () => await keptOff(sight, design);
    const held = await heldBy(sight, design);
    // Nodes that have the taint already need no check.
    if (await isTainted(sight, design)) {
      const kept = (await isPlain(sight, design)) ? [] : await says();
      return { state: 'edits', edits, ...withHeld(kept, held) };
    }
    const open = await notYet();
    return open.length > 0
      ? { state: 'blocked', why: words().first(open) }
      : { state: 'edits', edits, ...withHeld(await says(), held) };
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
      ...(wanted.effect === 'NoExecute' ? { after: (sight: Sight) => settled(sight, name) } : {}),
    })),
  );
}

/**
 * Waits for the pods that a node with NoExecute has lost, and until the next one may lose its own. What had no node before the first
 * one is not waited for.
 */
function betweenNodes(design: Design): (sight: Sight, next: string) => Promise<Waiting | null> {
  let before: readonly string[] | null = null;
  return async (sight, next) => {
    const homeless = await homelessPods(sight);
    before ??= homeless.map(podName);
    const leaving = await leavingFrom(sight, design);
    if (leaving !== null) return leaving;
    const waiting = homeless.filter((pod) => !before?.includes(podName(pod)));
    if (waiting.length > 0) {
      const told = waiting.map(podView).find(({ message }) => message !== '');
      return { state: 'moving', why: words().homeless(waiting.map(podName), told ? kept(told).why : '') };
    }
    const { held } = await heldOn(sight, design, next);
    return held === null ? null : { state: 'moving', why: held.why };
  };
}

/** What a person types before pods go whose budgets this user may not see. */
const UNSEEN = 'NoExecute';

interface Held {
  readonly why: string;
  readonly pending: PendingPod;
}

interface Holding {
  /** The first budget that keeps a node from NoExecute. */
  readonly held: Held | null;
  /** Where pods would have to leave, and this user may not list budgets: they hold nothing up, and somebody is asked. */
  readonly unseen: readonly string[];
}

/** What keeps any of the infra nodes from NoExecute. */
async function heldBy(sight: Sight, design: Design): Promise<Holding> {
  const unseen = new Set<string>();
  for (const name of design.infra.taint.noExecute ? infraNames(design) : []) {
    const found = await heldOn(sight, design, name);
    for (const namespace of found.unseen) unseen.add(namespace);
    if (found.held !== null) return { ...found, unseen: [...unseen] };
  }
  return { held: null, unseen: [...unseen] };
}

/** What keeps the node from NoExecute: it would lose more pods than a budget allows. */
async function heldOn(sight: Sight, design: Design, node: string): Promise<Holding> {
  const coming = infraTaints(design).map(({ key = '', value = '', effect = '' }) => ({ key, value, effect }));
  const { tight, unseen } = await tightBudgets(sight, await leavingPods(sight, node, coming));
  const [first] = tight;
  if (first === undefined) return { held: null, unseen };
  const { namespace, name, allowed, pods } = first;
  const [pod = ''] = pods;
  const held: Held = {
    why: words().budget(node, `${namespace}/${name}`, allowed, pods),
    pending: { namespace, name: pod, cause: 'budget', taint: null },
  };
  return { held, unseen };
}

function withHeld(kept: readonly string[], { held, unseen }: Holding) {
  const blind = unseen.length > 0 ? [words().budgetsUnseen([...unseen].sort())] : [];
  const says = [...kept, ...(held === null ? [] : [held.why]), ...blind];
  const types = blind.length > 0 ? { types: UNSEEN } : {};
  return { says, ...(held === null ? {} : { pending: held.pending }), ...types };
}

async function leavingFrom(
  sight: Sight,
  design: Design,
): Promise<{ readonly state: 'moving'; readonly why: string } | null> {
  for (const name of design.infra.taint.noExecute ? infraNames(design) : []) {
    const pods = (await leavingPods(sight, name)).map(podName);
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
