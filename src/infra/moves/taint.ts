import {
  createInfraTaints,
  INFRA_LABEL,
  listInfraNodeNames,
  type TaintOrToleration,
} from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { parseNode } from '../../openshift/node.ts';
import { getList, getString, type Json, type JsonObject, type KubeObject } from '../../openshift/object.ts';
import { parsePod } from '../../openshift/pod.ts';
import type { ClusterReader, PendingReason } from '../cluster-reader.ts';
import type { Edit } from '../edit.ts';
import type { ClusterMove } from '../infra-move.ts';
import type { PendingPod } from '../pending-pod.ts';
import { reviewBudgets } from '../shared/disruption-budgets.ts';
import { areTainted, findLabelledInfraNodes, hasNodesToCreate, isNotApplicable } from '../shared/nodes.ts';
import { describePendingPod } from '../shared/rollout.ts';
import { listPlannedTaints } from '../shared/tolerations.ts';
import { createInfraLabelEdits, labelMove } from './label.ts';
import {
  describeRepelledDaemonSets,
  formatNamespacedName,
  listPodsToEvict,
  listUnscheduledPods,
} from './repelled-pods.ts';

/**
 * Creates the edit that adds the taint to a node, in place of one of the same key and effect with another value. All
 * other taints stay.
 */
export function createTaintEdit(name: string, taint: TaintOrToleration): Edit {
  return createTaintListEdit(name, (taints) => {
    const otherTaints = taints.filter((entry) => !isSameTaint(entry, taint.key, taint.effect));
    const matchingTaints = taints.filter((entry) => !otherTaints.includes(entry));
    const isApplied =
      matchingTaints.length === 1 && (getString(matchingTaints[0], 'value') ?? '') === (taint.value ?? '');
    return isApplied ? taints : [...otherTaints, taint];
  });
}

/** Creates the edit that removes the taint of this key and effect from a node, whatever its value. */
export function createUntaintEdit(name: string, key: string, effect: string): Edit {
  return createTaintListEdit(name, (taints) => taints.filter((entry) => !isSameTaint(entry, key, effect)));
}

function createTaintListEdit(name: string, change: (taints: readonly Json[]) => readonly Json[]): Edit {
  const patch = (current: KubeObject): JsonObject => {
    const oldTaints = getList(current.spec, 'taints') as readonly Json[];
    const taints = change(oldTaints);
    if (taints.length === oldTaints.length && taints.every((entry, index) => entry === oldTaints[index])) return {};
    return { spec: { taints: taints.length > 0 ? taints : null } };
  };
  return {
    kind: 'Node',
    name,
    namespace: null,
    patch,
    keyedLists: [{ path: ['spec', 'taints'], keys: ['key', 'effect'] }],
  };
}

function isSameTaint(entry: Json, key: string | undefined, effect: string | undefined): boolean {
  return getString(entry, 'key') === key && getString(entry, 'effect') === effect;
}

const words = () => catalogue().moves.byName.taint;

/**
 * Taints the infra nodes last, when all pods that stay on them tolerate the taint. A taint places no pod; it only
 * repels pods.
 */
export const taintMove: ClusterMove<'taint'> = {
  name: 'taint',
  where: 'cluster',
  rolloutTarget: null,
  needs: [labelMove],
  isTaint: true,
  mustPrecedeTaint: false,
  async plan(cluster, design, { listUnfinished }) {
    const nodes = await findLabelledInfraNodes(cluster, design);
    if (isNotApplicable(nodes)) return nodes;
    const edits = createTaintEdits(design);
    const describeRepelled = async () => await describeRepelledDaemonSets(cluster, design);
    const review = await reviewNoExecute(cluster, design);
    // If all infra nodes have the taint already, unfinished moves do not block it.
    if (await areInfraNodesTainted(cluster, design)) {
      const notes = (await hasStandardKey(cluster, design)) ? [] : await describeRepelled();
      return { state: 'edits', edits, ...toPlanDetails(notes, review) };
    }
    const unfinishedTitles = await listUnfinished();
    return unfinishedTitles.length > 0
      ? { state: 'blocked', why: words().tolerationsFirst(unfinishedTitles) }
      : { state: 'edits', edits, ...toPlanDetails(await describeRepelled(), review) };
  },
  async probeRollout(cluster, design) {
    const names = listInfraNodeNames(design);
    if (await hasNodesToCreate(cluster, names))
      return { state: 'done', why: catalogue().moves.reasons.setByMachineSet };
    return (await findPendingEvictions(cluster, design)) ?? { state: 'done', why: words().done(names.length) };
  },
  findUndoBlocker: null,
  planUndoEdits: async (_cluster, design) =>
    ['NoSchedule', 'NoExecute'].flatMap((effect) =>
      listInfraNodeNames(design).map((name) => createUntaintEdit(name, design.infra.taint.key, effect)),
    ),
  untilPodsGone: null,
  isSetByMachineSet: (template, { infra }) =>
    getList(template, 'taints').some((entry) => getString(entry, 'key') === infra.taint.key),
  // infra.yaml has two objects for each infra node, and both contain the label: server-side apply
  // removes fields that a manager's later object leaves out.
  buildManifest: (design) => [
    {
      comment: ' Adds the taint last, when all pods above tolerate it. The list replaces other taints of these nodes.',
      edits: [...createInfraLabelEdits(design), ...createTaintEdits(design)],
    },
  ],
};

/**
 * Creates the edits: first NoSchedule on all nodes, then NoExecute on one node at a time. Pods that left a node must
 * run elsewhere before the next node gets NoExecute.
 */
function createTaintEdits(design: Design): Edit[] {
  const findWaitReason = createWaitReasonFinder(design);
  return createInfraTaints(design).flatMap((taint) =>
    listInfraNodeNames(design).map((name) => ({
      ...createTaintEdit(name, taint),
      ...(taint.effect === 'NoExecute' ? { waitFor: (cluster: ClusterReader) => findWaitReason(cluster, name) } : {}),
    })),
  );
}

/**
 * Creates a function that finds why the next node must not get NoExecute yet: evicted pods are not scheduled again,
 * or a PodDisruptionBudget forbids further evictions. Ignores pods that had no node before the first call.
 */
function createWaitReasonFinder(
  design: Design,
): (cluster: ClusterReader, nextNode: string) => Promise<PendingReason | null> {
  let initiallyUnscheduledNames: readonly string[] | null = null;
  return async (cluster, nextNode) => {
    const unscheduledPods = await listUnscheduledPods(cluster);
    initiallyUnscheduledNames ??= unscheduledPods.map(formatNamespacedName);
    const eviction = await findPendingEvictions(cluster, design);
    if (eviction !== null) return eviction;
    const newlyUnscheduledPods = unscheduledPods.filter(
      (pod) => !initiallyUnscheduledNames?.includes(formatNamespacedName(pod)),
    );
    if (newlyUnscheduledPods.length > 0) {
      const pendingPod = newlyUnscheduledPods.map(parsePod).find(({ message }) => message !== '');
      return {
        state: 'moving',
        why: words().pendingPods(
          newlyUnscheduledPods.map(formatNamespacedName),
          pendingPod ? describePendingPod(pendingPod).why : '',
        ),
      };
    }
    const { blocker } = await reviewNode(cluster, design, nextNode);
    return blocker === null ? null : { state: 'moving', why: blocker.why };
  };
}

/** The word that confirms evictions whose budgets our credentials may not list. */
const EVICTION_CONFIRMATION = 'NoExecute';

interface NoExecuteBlocker {
  readonly why: string;
  readonly pending: PendingPod;
}

interface NoExecuteReview {
  /** The first budget that keeps a node from NoExecute. */
  readonly blocker: NoExecuteBlocker | null;
  /**
   * The namespaces of pods to evict in which our credentials may not list budgets. They block nothing, but the user
   * must confirm.
   */
  readonly forbiddenNamespaces: readonly string[];
}

/** Finds what keeps any of the infra nodes from NoExecute. */
async function reviewNoExecute(cluster: ClusterReader, design: Design): Promise<NoExecuteReview> {
  const forbiddenNamespaces = new Set<string>();
  for (const name of design.infra.taint.noExecute ? listInfraNodeNames(design) : []) {
    const review = await reviewNode(cluster, design, name);
    for (const namespace of review.forbiddenNamespaces) forbiddenNamespaces.add(namespace);
    if (review.blocker !== null) return { ...review, forbiddenNamespaces: [...forbiddenNamespaces] };
  }
  return { blocker: null, forbiddenNamespaces: [...forbiddenNamespaces] };
}

/** Finds what keeps the node from NoExecute: it would lose more pods than a budget allows. */
async function reviewNode(cluster: ClusterReader, design: Design, node: string): Promise<NoExecuteReview> {
  const plannedTaints = createInfraTaints(design).map(({ key = '', value = '', effect = '' }) => ({
    key,
    value,
    effect,
  }));
  const { blockingBudgets, forbiddenNamespaces } = await reviewBudgets(
    cluster,
    await listPodsToEvict(cluster, node, plannedTaints),
  );
  const [firstBudget] = blockingBudgets;
  if (firstBudget === undefined) return { blocker: null, forbiddenNamespaces };
  const { namespace, name, allowedDisruptions, pods } = firstBudget;
  const [pod = ''] = pods;
  const blocker: NoExecuteBlocker = {
    why: words().budgetBlocks(node, `${namespace}/${name}`, allowedDisruptions, pods),
    pending: { namespace, name: pod, cause: 'budget', taint: null },
  };
  return { blocker, forbiddenNamespaces };
}

function toPlanDetails(repelledNotes: readonly string[], { blocker, forbiddenNamespaces }: NoExecuteReview) {
  const forbiddenNote =
    forbiddenNamespaces.length > 0 ? [words().budgetsUnreadable([...forbiddenNamespaces].sort())] : [];
  const notes = [...repelledNotes, ...(blocker === null ? [] : [blocker.why]), ...forbiddenNote];
  const confirmation = forbiddenNote.length > 0 ? { confirmationWord: EVICTION_CONFIRMATION } : {};
  return { notes, ...(blocker === null ? {} : { pending: blocker.pending }), ...confirmation };
}

async function findPendingEvictions(
  cluster: ClusterReader,
  design: Design,
): Promise<{ readonly state: 'moving'; readonly why: string } | null> {
  for (const name of design.infra.taint.noExecute ? listInfraNodeNames(design) : []) {
    const pods = (await listPodsToEvict(cluster, name)).map(formatNamespacedName);
    if (pods.length > 0) return { state: 'moving', why: words().remainingPods(name, pods) };
  }
  return null;
}

/** Whether all infra taints have the key that the components of OpenShift tolerate. */
async function hasStandardKey(cluster: ClusterReader, design: Design): Promise<boolean> {
  return (await listPlannedTaints(cluster, design)).every(({ key }) => key === INFRA_LABEL);
}

async function areInfraNodesTainted(cluster: ClusterReader, design: Design): Promise<boolean> {
  const nodes = await Promise.all(listInfraNodeNames(design).map((name) => cluster.get('Node', name)));
  return areTainted(
    design,
    nodes.flatMap((node) => (node === null ? [] : parseNode(node))),
  );
}
