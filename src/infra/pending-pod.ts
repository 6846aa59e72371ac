import { ARBITER_LABEL, INFRA_LABEL, listInfraNodeNames } from '../design/infra-placement.ts';
import type { Design } from '../design/model.ts';
import { CORDON_TAINT } from '../openshift/node.ts';
import type { PodView } from '../openshift/pod.ts';
import { quoteShellArg } from '../platform/shell-quoting.ts';
import type { ClusterReader } from './cluster-reader.ts';

/** Why a pod gets no node, as far as the scheduler reports it, or may not leave one. */
export type PendingCause =
  | 'volume'
  | 'claim'
  | 'apart'
  | 'size'
  | 'ports'
  | 'cordoned'
  | 'taint'
  /** The taint of the design, which only undo of its move removes. */
  | 'own-taint'
  | 'selector'
  /** An infra node lacks its label, which a move sets. */
  | 'unlabelled'
  /** The pod runs, and may not leave: a PodDisruptionBudget allows no disruption. */
  | 'budget'
  /** An unknown cause: only the message is available. */
  | 'other';

/** A pod that no node accepts, or that may not leave its node. */
export interface PendingPod {
  readonly namespace: string;
  readonly name: string;
  readonly cause: PendingCause;
  /** The key of the taint that it does not tolerate; null for another cause. */
  readonly taint: string | null;
}

/**
 * Patterns in the scheduler's message for each cause, in the order of their check. The message counts each node under
 * the first filter that rejected it. Workers and control plane nodes fail early filters in almost every message, so a
 * later filter explains more and is checked first. Order in kube-scheduler: unschedulable, taints, selector, ports,
 * resources, volumes, spreading.
 */
const MESSAGE_PATTERNS: readonly (readonly [Exclude<PendingCause, 'taint' | 'other'>, RegExp])[] = [
  // The message of the eviction API (kubernetes, pkg/registry/core/pod/storage/eviction.go).
  ['budget', /disruption budget/],
  ['volume', /volume node affinity/],
  ['claim', /unbound immediate PersistentVolumeClaims|available persistent volumes|persistentvolumeclaim/],
  ['apart', /anti-affinity/],
  ['size', /Insufficient|Too many pods/],
  ['ports', /free ports/],
];
const FALLBACK_PATTERNS: typeof MESSAGE_PATTERNS = [
  ['cordoned', /were unschedulable/],
  ['selector', /node affinity\/selector|node selector/],
];

/**
 * From 1.24 on `had untolerated taint {KEY: VALUE}`, before that `had taint {KEY: VALUE}, that the pod didn't
 * tolerate`.
 */
const TAINT_PATTERN = /had (?:untolerated )?taint \{([^:}\s]+)/g;
/** Taints that keep pods for infra nodes off the control plane, as intended: they explain nothing. */
const CONTROL_PLANE_TAINTS: ReadonlySet<string> = new Set([
  'node-role.kubernetes.io/master',
  'node-role.kubernetes.io/control-plane',
  ARBITER_LABEL,
]);

/** Derives from the scheduler's message why no node accepts a pod. */
export function classifyPendingPod({ namespace, name, message }: PodView): PendingPod {
  const toPendingPod = (cause: PendingCause, taint: string | null = null): PendingPod => ({
    namespace,
    name,
    cause,
    taint,
  });
  const match = MESSAGE_PATTERNS.find(([, pattern]) => pattern.test(message));
  if (match) return toPendingPod(match[0]);
  const taints = [...message.matchAll(TAINT_PATTERN)].flatMap(([, key]) => key ?? []);
  const otherTaints = taints.filter((key) => !CONTROL_PLANE_TAINTS.has(key));
  const [taint] = otherTaints.filter((key) => key !== CORDON_TAINT);
  if (taint !== undefined) return toPendingPod('taint', taint);
  const lastMatch = otherTaints.includes(CORDON_TAINT)
    ? FALLBACK_PATTERNS[0]
    : FALLBACK_PATTERNS.find(([, pattern]) => pattern.test(message));
  if (lastMatch) return toPendingPod(lastMatch[0]);
  const [firstTaint] = taints;
  return firstTaint === undefined ? toPendingPod('other') : toPendingPod('taint', firstTaint);
}

/** The command for each cause; null if the wizard removes the cause, or if only a change of the design does. */
const COMMANDS: Readonly<Record<PendingCause, (pod: PendingPod) => string | null>> = {
  volume: () => 'oc get pv -o custom-columns=CLAIM:.spec.claimRef.name,TIED-TO:.spec.nodeAffinity.required',
  claim: ({ namespace }) => `oc describe pvc -n ${quoteShellArg(namespace)}`,
  apart: () => null,
  size: () => null,
  ports: () => null,
  cordoned: () => `oc adm uncordon -l ${INFRA_LABEL}`,
  // Kubernetes sets such a taint on an unhealthy node: the user inspects the node, and does not remove the taint.
  taint: ({ taint }) =>
    taint === null || taint.startsWith('node.kubernetes.io/') || CONTROL_PLANE_TAINTS.has(taint)
      ? `oc describe nodes -l ${INFRA_LABEL}`
      : `oc adm taint nodes -l ${INFRA_LABEL} ${quoteShellArg(`${taint}-`)}`,
  'own-taint': () => null,
  selector: () => `oc get nodes -L ${INFRA_LABEL}`,
  unlabelled: () => null,
  budget: ({ namespace }) => `oc get poddisruptionbudgets -n ${quoteShellArg(namespace)}`,
  other: ({ namespace, name }) => `oc describe pod -n ${quoteShellArg(namespace)} ${quoteShellArg(name)}`,
};

/** Finds the command that addresses the cause; null if the wizard does it, or the design must change. */
export function findRemedyCommand(pod: PendingPod): string | null {
  return COMMANDS[pod.cause](pod);
}

/** Refines the cause where a move of ours explains it: the taint of the design, or a label that an infra node lacks. */
export async function refinePendingCause(cluster: ClusterReader, design: Design, pod: PendingPod): Promise<PendingPod> {
  if (pod.cause === 'taint' && pod.taint === design.infra.taint.key) return { ...pod, cause: 'own-taint' };
  if (pod.cause !== 'selector') return pod;
  const nodes = await cluster.list('Node');
  const infraNodes = nodes.filter(({ metadata }) => listInfraNodeNames(design).includes(metadata.name));
  const isLabelMissing = infraNodes.some(({ metadata }) => metadata.labels?.[INFRA_LABEL] === undefined);
  return isLabelMissing ? { ...pod, cause: 'unlabelled' } : pod;
}
